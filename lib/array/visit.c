/*
 * visit.c - a chunk while its blocks are worked on.
 */
#include "array/visit.h"

#include "array/pool.h"
#include "base/error.h"
#include "chunk/chunk.h"
#include "chunk/cursor.h"
#include "chunk/decode.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "frame/stored.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DICT_WEIGHT = 4 }; // what a codec makes of a dictionary, in sizes of it

static enum visit_kind
kind_of(const tess_array *a, const struct chunk_header *h)
{
    if (h->special != SPECIAL_NONE)
        return VISIT_SPECIAL;
    if (a->linear)
        return VISIT_BYTES;
    if (h->memcpyed)
        return VISIT_MEMCPYED;
    if (!h->vlblocks && h->blocksize == a->g.blocksize && h->nblocks == a->g.nblocks)
        return VISIT_BLOCKS;
    return VISIT_BYTES;
}

static tess_status
open_new(const tess_array *a, int64_t n, bool all, struct chunk_scratch *s, struct visit **out,
         tess_error *err)
{
    struct visit *const v = calloc(1, sizeof *v);
    if (!v)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    v->n = n;
    v->generation = frame_generation(a->frame);
    atomic_init(&v->users, 1);
    tess_status st = stored_chunk_open(&v->stored, a->frame, n, s, err);
    if (st != TESS_OK) {
        free(v);
        return st;
    }
    if (all)
        stored_chunk_keep(&v->stored, s);
    v->kind = kind_of(a, &v->stored.chunk.h);
    if (v->kind == VISIT_BLOCKS)
        st = chunk_reference(&v->stored.chunk, &v->stored.bytes, s, &v->ref, err);
    if (st != TESS_OK) {
        stored_chunk_blame(&v->stored, n, st, err);
        visit_release(v);
        return st;
    }
    *out = v;
    return TESS_OK;
}

tess_status
visit_new(const tess_array *a, int64_t n, bool all, struct visit **out, tess_error *err)
{
    struct chunk_scratch *const s = pool_take(a->pool);
    const tess_status st = s ? open_new(a, n, all, s, out, err)
                             : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    pool_give(a->pool, s);
    return st;
}

size_t
visit_size(const struct visit *v)
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
visit_span(const tess_array *a, const struct visit *v, int32_t nblock)
{
    const struct chunk *const c = &v->stored.chunk;
    if (v->kind == VISIT_BLOCKS)
        return chunk_span(c, nblock);
    const int32_t start = c->h.header_size + nblock * a->g.blocksize;
    return (struct span){start, start + a->g.blocksize};
}

void
visit_hold(struct visit *v)
{
    atomic_fetch_add(&v->users, 1);
}

void
visit_release(struct visit *v)
{
    if (!v || atomic_fetch_sub(&v->users, 1) > 1)
        return;
    stored_chunk_close(&v->stored);
    free(v->ref);
    free(v);
}

tess_status
visit_check_special(const tess_array *a, const struct chunk *c, int64_t n, tess_error *err)
{
    const int32_t period = c->h.special == SPECIAL_VALUE  ? c->item_size
                           : c->h.special == SPECIAL_NANS ? c->h.typesize
                                                          : 1;
    if (a->g.typesize % period != 0)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "chunk %" PRId64 ": repeats %" PRId32 " bytes, items have %" PRId32, n,
                       period, a->g.typesize);
    return TESS_OK;
}

tess_status
visit_item(const tess_array *a, const struct visit *v, uint8_t *item, tess_error *err)
{
    const struct chunk *const c = &v->stored.chunk;
    const tess_status st = visit_check_special(a, c, v->n, err);
    if (st == TESS_OK)
        chunk_special_bytes(c, 0, item, (size_t)a->g.typesize);
    return st;
}

static tess_status
block_memcpyed(const tess_array *a, const struct visit *v, int32_t nblock, uint8_t *dst,
               struct chunk_scratch *s, tess_error *err)
{
    const struct stored_chunk *const sc = &v->stored;
    const struct span span = visit_span(a, v, nblock);
    const uint8_t *bytes;
    const tess_status st =
        sc->bytes.fetch(sc->bytes.from, span.start, a->g.blocksize, s, &bytes, err);
    if (st == TESS_OK)
        memcpy(dst, bytes, (size_t)a->g.blocksize);
    return st;
}

static tess_status
block_decoded(const tess_array *a, const struct visit *v, int32_t nblock, uint8_t *dst,
              struct chunk_scratch *s, tess_error *err)
{
    static const struct block_need all = {0};
    struct decoded block;
    const tess_status st =
        block_load(&v->stored.chunk, nblock, &v->stored.bytes, v->ref, &all, s, &block, err);
    if (st == TESS_OK)
        memcpy(dst, block.bytes, (size_t)a->g.blocksize);
    return st;
}

static tess_status
block_of_bytes(const tess_array *a, const struct visit *v, int32_t nblock, uint8_t *dst,
               struct chunk_scratch *s, tess_error *err)
{
    struct chunk_cursor cur;
    tess_status st = cursor_init(&cur, &v->stored.chunk, &v->stored.bytes, s, err);
    if (st == TESS_OK)
        st = cursor_read(&cur, nblock * a->g.blocksize, dst, (size_t)a->g.blocksize, err);
    cursor_finish(&cur);
    return st;
}

tess_status
visit_block(const tess_array *a, const struct visit *v, int32_t nblock, uint8_t *dst,
            struct chunk_scratch *s, tess_error *err)
{
    tess_status st = TESS_OK;
    switch (v->kind) {
    case VISIT_SPECIAL:
        chunk_special_bytes(&v->stored.chunk, nblock * a->g.blocksize, dst, (size_t)a->g.blocksize);
        break;
    case VISIT_MEMCPYED:
        st = block_memcpyed(a, v, nblock, dst, s, err);
        break;
    case VISIT_BLOCKS:
        st = block_decoded(a, v, nblock, dst, s, err);
        break;
    case VISIT_BYTES:
        st = block_of_bytes(a, v, nblock, dst, s, err);
        break;
    }
    return st == TESS_OK ? st : stored_chunk_blame(&v->stored, v->n, st, err);
}
