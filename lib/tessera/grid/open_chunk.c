/*
 * open_chunk.c - a chunk while its blocks are worked on.
 */
#include "grid/open_chunk.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/chunk.h"
#include "chunk/content.h"
#include "chunk/decode.h"
#include "frame/chunks/ahead.h"
#include "frame/chunks/stored.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "grid/pool.h"
#include "io/io.h"

#include <inttypes.h>
#include <string.h>

enum { DICT_WEIGHT = 4 }; // what a codec makes of a dictionary, in sizes of it

static enum open_kind
open_chunk_kind_of(const struct chunk_grid *grid, const struct chunk_header *h)
{
    if (h->special != SPECIAL_NONE)
        return OPEN_SPECIAL;
    if (grid->linear)
        return OPEN_BYTES;
    if (h->memcpyed)
        return OPEN_MEMCPYED;
    if (!h->vlblocks && h->blocksize == grid->g.blocksize && h->nblocks == grid->g.nblocks)
        return OPEN_BLOCKS;
    return OPEN_BYTES;
}

static tess_status
open_new(const struct chunk_grid *grid, int64_t n, int64_t entry, bool all, struct chunk_scratch *s,
         struct open_chunk **out, tess_error *err)
{
    struct open_chunk *const v = mem_zeroed(1, sizeof *v);
    if (!v)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    v->n = n;
    v->generation = frame_generation(grid->frame);
    atomic_init(&v->users, 1);
    tess_status st = stored_chunk_open_entry(&v->stored, grid->frame, n, entry, false, s, err);
    if (st != TESS_OK) {
        mem_free(v);
        return st;
    }
    if (all)
        stored_chunk_keep(&v->stored, s);
    v->kind = open_chunk_kind_of(grid, &v->stored.chunk.h);
    if (v->kind == OPEN_BLOCKS)
        st = chunk_reference(&v->stored.chunk, &v->stored.bytes, s, &v->ref, err);
    if (st != TESS_OK) {
        stored_chunk_blame(&v->stored, n, st, err);
        open_chunk_release(v);
        return st;
    }
    *out = v;
    return TESS_OK;
}

static tess_status
open_with_scratch(const struct chunk_grid *grid, int64_t n, int64_t entry, bool all,
                  struct chunk_ahead *early, const struct io_progress *progress,
                  struct open_chunk **out, tess_error *err)
{
    struct chunk_scratch *const s = pool_take(grid->pool);
    if (s) {
        s->want = early ? early->want : NULL;
        s->place = early ? chunk_ahead_place(early) : NULL;
        s->progress = progress;
    }
    const tess_status st = s ? open_new(grid, n, entry, all, s, out, err)
                             : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    pool_give(grid->pool, s);
    if (st == TESS_OK && early && early->place.io) {
        (*out)->stored.owns_io = true;
        early->place.io = NULL;
    }
    return st;
}

tess_status
open_chunk_new(const struct chunk_grid *grid, int64_t n, bool all, struct chunk_ahead *early,
               const struct io_progress *progress, struct open_chunk **out, tess_error *err)
{
    return open_with_scratch(grid, n, frame_entry(grid->frame, n), all, early, progress, out, err);
}

tess_status
open_chunk_staged(const struct chunk_grid *grid, int64_t n, int64_t entry, struct open_chunk **out,
                  tess_error *err)
{
    return open_with_scratch(grid, n, entry, false, NULL, NULL, out, err);
}

int64_t
open_chunk_kept(const struct open_chunk *v)
{
    const struct stored_chunk *const sc = &v->stored;
    const int32_t cbytes = sc->chunk.h.cbytes;
    if (!sc->owns_io || !sc->io->manner.far)
        return 0;
    return io_view(sc->io, 0, (size_t)cbytes) ? cbytes : min_i64(cbytes, sc->io->manner.gap);
}

size_t
open_chunk_size(const struct open_chunk *v)
{
    const struct chunk *const c = &v->stored.chunk;
    size_t size = sizeof *v + (size_t)c->item_size + c->dict.size * DICT_WEIGHT;
    if (c->starts)
        size += ((size_t)c->h.nblocks + 1) * sizeof *c->starts;
    if (c->stops)
        size += (size_t)c->h.nblocks * sizeof *c->stops;
    if (v->ref)
        size += (size_t)c->h.blocksize;
    return size;
}

struct span
open_chunk_span(const struct chunk_grid *grid, const struct open_chunk *v, int32_t nblock)
{
    const struct chunk *const c = &v->stored.chunk;
    if (v->kind == OPEN_BLOCKS)
        return chunk_span(c, nblock);
    const int32_t start = c->h.header_size + nblock * grid->g.blocksize;
    return (struct span){start, start + grid->g.blocksize};
}

void
open_chunk_hold(struct open_chunk *v)
{
    atomic_fetch_add(&v->users, 1);
}

void
open_chunk_release(struct open_chunk *v)
{
    if (!v || atomic_fetch_sub(&v->users, 1) > 1)
        return;
    stored_chunk_close(&v->stored);
    mem_free(v->ref);
    mem_free(v);
}

tess_status
open_chunk_check_special(const struct chunk_grid *grid, const struct chunk *c, int64_t n,
                         tess_error *err)
{
    const int32_t period = c->h.special == SPECIAL_VALUE  ? c->item_size
                           : c->h.special == SPECIAL_NANS ? c->h.typesize
                                                          : 1;
    if (grid->g.typesize % period != 0)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "chunk %" PRId64 ": repeats %" PRId32 " bytes, items have %" PRId32, n,
                       period, grid->g.typesize);
    return TESS_OK;
}

tess_status
open_chunk_item(const struct chunk_grid *grid, const struct open_chunk *v, uint8_t *item,
                tess_error *err)
{
    const struct chunk *const c = &v->stored.chunk;
    const tess_status st = open_chunk_check_special(grid, c, v->n, err);
    if (st == TESS_OK)
        chunk_special_bytes(c, 0, item, (size_t)grid->g.typesize);
    return st;
}

static tess_status
block_memcpyed(const struct chunk_grid *grid, const struct open_chunk *v, int32_t nblock,
               uint8_t *dst, struct chunk_scratch *s, tess_error *err)
{
    const struct stored_chunk *const sc = &v->stored;
    const struct span span = open_chunk_span(grid, v, nblock);
    const uint8_t *bytes;
    const tess_status st =
        sc->bytes.fetch(sc->bytes.from, span.start, grid->g.blocksize, s, &bytes, err);
    if (st == TESS_OK)
        memcpy(dst, bytes, (size_t)grid->g.blocksize);
    return st;
}

static tess_status
block_decoded(const struct chunk_grid *grid, const struct open_chunk *v, int32_t nblock,
              uint8_t *dst, struct chunk_scratch *s, tess_error *err)
{
    static const struct block_need all = {0};
    struct decoded block;
    const tess_status st =
        block_load(&v->stored.chunk, nblock, &v->stored.bytes, v->ref, &all, s, &block, err);
    if (st == TESS_OK)
        memcpy(dst, block.bytes, (size_t)grid->g.blocksize);
    return st;
}

static tess_status
block_of_bytes(const struct chunk_grid *grid, const struct open_chunk *v, int32_t nblock,
               uint8_t *dst, struct chunk_scratch *s, tess_error *err)
{
    struct chunk_cursor cur;
    tess_status st = cursor_init(&cur, &v->stored.chunk, &v->stored.bytes, s, err);
    if (st == TESS_OK)
        st = cursor_read(&cur, nblock * grid->g.blocksize, dst, (size_t)grid->g.blocksize, err);
    cursor_finish(&cur);
    return st;
}

tess_status
open_chunk_block(const struct chunk_grid *grid, const struct open_chunk *v, int32_t nblock,
                 uint8_t *dst, struct chunk_scratch *s, tess_error *err)
{
    tess_status st = TESS_OK;
    switch (v->kind) {
    case OPEN_SPECIAL:
        chunk_special_bytes(&v->stored.chunk, nblock * grid->g.blocksize, dst,
                            (size_t)grid->g.blocksize);
        break;
    case OPEN_MEMCPYED:
        st = block_memcpyed(grid, v, nblock, dst, s, err);
        break;
    case OPEN_BLOCKS:
        st = block_decoded(grid, v, nblock, dst, s, err);
        break;
    case OPEN_BYTES:
        st = block_of_bytes(grid, v, nblock, dst, s, err);
        break;
    }
    return st == TESS_OK ? st : stored_chunk_blame(&v->stored, v->n, st, err);
}
