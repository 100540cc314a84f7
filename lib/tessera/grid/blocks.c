/*
 * blocks.c - blocks of one chunk, decoded one after the other for a reader.
 */
#include "grid/blocks.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "chunk/chunk.h"
#include "chunk/decode.h"
#include "chunk/scratch.h"

#include <string.h>

enum {
    GRAIN_SIZE = 256 << 10, // decoded
    GRAINS_MIN = 8, // of a request, where it has as many blocks
    WINDOW_SIZE = 32 << 10, // stored bytes read at once, if it is more than one block
    GAP_MAX = 4 << 10, // stored bytes read for nothing to save a call
};

bool
blocks_join(struct span *span, struct span next, int32_t most)
{
    if (next.start < span->stop || next.start - span->stop > GAP_MAX ||
        next.stop - span->start > most)
        return false;
    span->stop = next.stop;
    return true;
}

// Read the stored bytes of a block, and of those that follow without much between them.
static tess_status
move_window(struct blocks *b, struct span span, tess_error *err)
{
    const struct chunk_bytes *const source = &b->v->stored.bytes;
    if (!b->s->want) // else it is in memory already
        b->look_ahead(b->reader, &span, scratch_piece(b->s, WINDOW_SIZE));
    b->window = span;
    return source->fetch(source->from, span.start, span.stop - span.start, b->s, &b->bytes, err);
}

static tess_status
blocks_decode(struct blocks *b, int32_t nblock, const struct block_need *need, struct decoded *out,
              tess_error *err)
{
    const struct open_chunk *const v = b->v;
    const struct span span = open_chunk_span(b->grid, v, nblock);
    tess_status st = TESS_OK;

    if (!b->bytes || span.start < b->window.start || span.stop > b->window.stop)
        st = move_window(b, span, err);
    if (st != TESS_OK)
        return st;
    const uint8_t *const stored = b->bytes + (span.start - b->window.start);
    if (v->kind == OPEN_BLOCKS)
        return block_decode(&v->stored.chunk, nblock, stored, v->ref, need, b->s, out, err);
    *out = (struct decoded){.bytes = stored, .nbytes = span.stop - span.start};
    return TESS_OK;
}

static tess_status
allocate_items(struct blocks *b, tess_error *err)
{
    const int32_t blocksize = b->grid->g.blocksize;
    const tess_status st = scratch_check(b->s, blocksize, err);
    if (st != TESS_OK)
        return st;
    b->items = mem_alloc((size_t)blocksize);
    return b->items
               ? TESS_OK
               : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %d bytes", blocksize);
}

// A block that is not stored as such: of a special chunk, or one of another layout.
static tess_status
blocks_make(struct blocks *b, int32_t nblock, struct decoded *out, tess_error *err)
{
    const struct stored_chunk *const sc = &b->v->stored;
    const int32_t blocksize = b->grid->g.blocksize;
    const bool first = !b->items;
    tess_status st = first ? allocate_items(b, err) : TESS_OK;
    if (st == TESS_OK && b->v->kind == OPEN_SPECIAL) {
        if (first)
            st = open_chunk_block(b->grid, b->v, nblock, b->items, b->s, err);
    } else if (st == TESS_OK) {
        if (!b->cursor.c)
            st = cursor_init(&b->cursor, &sc->chunk, &sc->bytes, b->s, err);
        if (st == TESS_OK)
            st = cursor_read(&b->cursor, nblock * blocksize, b->items, (size_t)blocksize, err);
    }
    *out = (struct decoded){.bytes = b->items, .nbytes = blocksize};
    return st;
}

// Stored bytes that are used where they are may stand anywhere.
static tess_status
blocks_align(struct blocks *b, struct decoded *out, tess_error *err)
{
    if (b->align <= 1 || ((uintptr_t)out->bytes & (b->align - 1)) == 0)
        return TESS_OK;
    const tess_status st = b->items ? TESS_OK : allocate_items(b, err);
    if (st == TESS_OK) {
        memcpy(b->items, out->bytes, (size_t)out->nbytes);
        out->bytes = b->items;
    }
    return st;
}

tess_status
blocks_get(struct blocks *b, int32_t nblock, bool whole, const struct block_need *need,
           struct decoded *out, tess_error *err)
{
    static const struct block_need all = {0};
    struct cache *const cache = b->grid->cache;
    const int64_t n = b->v->n;
    const bool made = b->v->kind == OPEN_SPECIAL || b->v->kind == OPEN_BYTES;
    struct cached *entry = NULL;

    if (!b->missing)
        b->held = whole ? cache_find(cache, n, nblock)
                        : cache_find_part(cache, n, nblock, made ? NULL : &entry);
    else if (!whole)
        entry = cache_miss_part(cache, n, nblock, !made);
    if (b->held) {
        *out = (struct decoded){.bytes = b->held->items, .nbytes = b->grid->g.blocksize};
        return TESS_OK;
    }
    if (made)
        return blocks_make(b, nblock, out, err);
    tess_status st = blocks_decode(b, nblock, entry ? &all : need, out, err);
    if (entry && st == TESS_OK) {
        memcpy(entry->items, out->bytes, (size_t)out->nbytes);
        cache_unpin(cache_add(cache, entry));
    } else if (entry) {
        cache_drop(cache, entry);
        if (st == TESS_ERR_CORRUPT) // perhaps not what is needed of it, which was read before
            st = blocks_decode(b, nblock, need, out, err);
    }
    return st == TESS_OK ? blocks_align(b, out, err) : st;
}

void
blocks_done(struct blocks *b)
{
    cache_unpin(b->held);
    b->held = NULL;
}

void
blocks_finish(struct blocks *b)
{
    cursor_finish(&b->cursor);
    mem_free(b->items);
    b->items = NULL;
}

int32_t
blocks_run_length(int64_t nbytes, int32_t blocksize)
{
    return (int32_t)max_i64(min_i64(GRAIN_SIZE, nbytes / GRAINS_MIN) / blocksize, 1);
}
