/*
 * plain.c - frames without an N-dimensional layer as arrays of one dimension: where chunks start.
 *
 * Items are those of the frame's typesize where the chunks hold whole ones, else bytes. Chunks and
 * blocks may have any sizes.
 */
#include "grid/read/plain.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/scratch.h"
#include "frame/chunks/ahead.h"
#include "frame/chunks/stored.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "grid/pool.h"

#include <inttypes.h>

// Where chunks of different sizes start: each has its size in its own header.
static tess_status
sum_chunks(struct chunk_grid *grid, bool *whole_items, tess_error *err)
{
    const struct frame *const f = grid->frame;
    const tess_context *const context = frame_options(f)->context;
    const int64_t n = frame_nchunks(f);
    int64_t total = 0;
    struct list_ahead ahead;
    struct chunk_ahead early = {.want = NULL};

    grid->chunk_starts = mem_alloc(((size_t)n + 1) * sizeof *grid->chunk_starts);
    struct chunk_scratch *const s = pool_take(grid->pool);
    if (!grid->chunk_starts || !s) {
        pool_give(grid->pool, s);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", n);
    }
    tess_status st = list_ahead_begin(&ahead, f, context ? context->ahead : 0, NULL, NULL, err);
    list_ahead_limit(&ahead, n, 0, 0);
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        struct stored_chunk sc;
        st = list_ahead_take(&ahead, i, &early, err);
        s->want = early.want;
        s->place = chunk_ahead_place(&early);
        if (st == TESS_OK)
            st = stored_chunk_open(&sc, f, i, s, err);
        if (st == TESS_OK) {
            grid->chunk_starts[i] = total;
            *whole_items &= sc.chunk.h.nbytes % frame_header(f)->typesize == 0;
            total += sc.chunk.h.nbytes; // below 2^31 each, and below 2^28 of them
            stored_chunk_close(&sc);
        }
        chunk_ahead_release(&early);
    }
    grid->chunk_starts[n] = total;
    list_ahead_end(&ahead);
    pool_give(grid->pool, s);
    if (st == TESS_OK && total != frame_header(f)->nbytes)
        st = err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_NBYTES,
                     "%" PRId64 " bytes in the frame, %" PRId64 " in its chunks",
                     frame_header(f)->nbytes, total);
    return st;
}

tess_status
plain_open(struct chunk_grid *grid, tess_error *err)
{
    const struct frame_header *const h = frame_header(grid->frame);
    const bool sizes_differ = h->nbytes > 0 && h->chunksize == 0;
    bool whole_items = h->nbytes % h->typesize == 0 && h->chunksize % h->typesize == 0;

    if (sizes_differ) {
        const tess_status st = sum_chunks(grid, &whole_items, err);
        if (st != TESS_OK)
            return st;
    }
    plain_set_geometry(grid, whole_items);
    return TESS_OK;
}

void
plain_set_geometry(struct chunk_grid *grid, bool whole_items)
{
    const struct frame_header *const h = frame_header(grid->frame);
    struct geometry *const g = &grid->g;
    grid->plain = true;
    g->ndim = 1;
    g->typesize = whole_items || h->nbytes == 0 ? h->typesize : 1;
    g->nitems = g->shape[0] = h->nbytes / g->typesize;
    g->nchunks = g->grid[0] = frame_nchunks(grid->frame);
    g->chunksize = (int32_t)max_i64(h->chunksize, 0);
    g->blocksize = h->blocksize;
    g->chunkshape[0] = g->chunksize / g->typesize;
    g->blockshape[0] = g->blocksize / g->typesize;
}

int64_t
plain_chunk_start(const struct chunk_grid *grid, int64_t n)
{
    if (grid->chunk_starts)
        return grid->chunk_starts[n];
    return n < grid->g.nchunks ? n * grid->g.chunksize : frame_header(grid->frame)->nbytes;
}

int64_t
plain_chunk_at(const struct chunk_grid *grid, int64_t at)
{
    if (!grid->chunk_starts)
        return at / grid->g.chunksize;
    int64_t low = 0, high = grid->g.nchunks - 1;
    while (low < high) { // the last chunk that starts at or before `at`
        const int64_t middle = high - (high - low) / 2;
        if (grid->chunk_starts[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
