/*
 * plain.c - frames without an N-dimensional layer, read as one dimension.
 *
 * Items are those of the frame's typesize where the chunks hold whole ones, else bytes. Chunks and
 * blocks may have any sizes.
 */
#include "grid/read/plain.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/cursor.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "frame/stored.h"
#include "grid/converted.h"
#include "grid/grid.h"
#include "grid/pool.h"
#include "ndcopy/convert/convert.h"
#include "ndcopy/ndcopy.h"
#include "task/gate.h"
#include "task/watch.h"

#include <inttypes.h>

enum { PIECE = 1 << 16 }; // bytes that are read at once where items do not follow each other

// Where chunks of different sizes start: each has its size in its own header.
static tess_status
sum_chunks(struct chunk_grid *grid, bool *whole_items, tess_error *err)
{
    const struct frame *const f = grid->frame;
    const int64_t n = frame_nchunks(f);
    int64_t total = 0;
    tess_status st = TESS_OK;

    grid->chunk_starts = mem_alloc(((size_t)n + 1) * sizeof *grid->chunk_starts);
    struct chunk_scratch *const s = pool_take(grid->pool);
    if (!grid->chunk_starts || !s) {
        pool_give(grid->pool, s);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", n);
    }
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        struct stored_chunk sc;
        st = stored_chunk_open(&sc, f, i, s, err);
        if (st != TESS_OK)
            break;
        grid->chunk_starts[i] = total;
        *whole_items &= sc.chunk.h.nbytes % frame_header(f)->typesize == 0;
        total += sc.chunk.h.nbytes; // below 2^31 each, and below 2^28 of them
        stored_chunk_close(&sc);
    }
    grid->chunk_starts[n] = total;
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
    struct geometry *const g = &grid->g;
    const bool sizes_differ = h->nbytes > 0 && h->chunksize == 0;
    bool whole_items = h->nbytes % h->typesize == 0 && h->chunksize % h->typesize == 0;

    if (sizes_differ) {
        const tess_status st = sum_chunks(grid, &whole_items, err);
        if (st != TESS_OK)
            return st;
    }
    grid->plain = true;
    g->ndim = 1;
    g->typesize = whole_items || h->nbytes == 0 ? h->typesize : 1;
    g->nitems = g->shape[0] = h->nbytes / g->typesize;
    g->nchunks = g->grid[0] = frame_nchunks(grid->frame);
    g->chunksize = (int32_t)max_i64(h->chunksize, 0);
    g->blocksize = h->blocksize;
    g->chunkshape[0] = g->chunksize / g->typesize;
    g->blockshape[0] = g->blocksize / g->typesize;
    return TESS_OK;
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

static tess_status
plain_read_chunk(const struct chunk_grid *grid, int64_t n, int64_t offset, uint8_t *dst,
                 int64_t size, struct chunk_scratch *s, tess_error *err)
{
    struct stored_chunk sc;
    struct chunk_cursor cur;
    tess_status st = stored_chunk_open(&sc, grid->frame, n, s, err);
    if (st != TESS_OK)
        return st;
    st = cursor_init(&cur, &sc.chunk, &sc.bytes, s, err);
    if (st == TESS_OK)
        st = cursor_read(&cur, (int32_t)offset, dst, (size_t)size, err);
    cursor_finish(&cur);
    stored_chunk_close(&sc);
    return st == TESS_OK ? st : stored_chunk_blame(&sc, n, st, err);
}

// Items that follow each other.
static tess_status
read_run(const struct chunk_grid *grid, int64_t start, int64_t stop, uint8_t *dst,
         struct watch *watch, tess_error *err)
{
    tess_status st = TESS_OK;
    int64_t at = start * grid->g.typesize;
    const int64_t end = stop * grid->g.typesize;
    struct chunk_scratch *const s = pool_take(grid->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");

    for (int64_t n = at < end ? plain_chunk_at(grid, at) : 0; at < end && st == TESS_OK; n++) {
        const int64_t size = min_i64(plain_chunk_start(grid, n + 1), end) - at;
        gate_enter(grid->gate);
        if (size > 0)
            st = plain_read_chunk(grid, n, at - plain_chunk_start(grid, n), dst, size, s, err);
        gate_leave(grid->gate);
        dst += size;
        at += size;
        watch_add(watch, size);
        if (st == TESS_OK)
            st = watch_look(watch, err);
    }
    pool_give(grid->pool, s);
    return st;
}

// n items of a piece, `from` items behind the start of the box.
static tess_status
place_run(const struct strided *dst, int64_t from, int64_t n, int64_t size, uint8_t *to,
          const uint8_t *piece, int64_t piece_stride, tess_error *err)
{
    if (!dst->as) {
        ndcopy(1, &n, size, to, dst->stride, piece, &piece_stride);
        return TESS_OK;
    }
    const int64_t done = convert_box(dst->as->how, 1, &n, to, dst->stride, piece, &piece_stride);
    return done == n ? TESS_OK : converted_misfit(dst->as, 1, &from, &n, done, err);
}

tess_status
plain_read(const struct chunk_grid *grid, int64_t start, int64_t stop, int64_t step,
           const struct strided *dst, struct watch *watch, tess_error *err)
{
    const int64_t size = grid->g.typesize, first = start, stride = dst->stride[0];
    uint8_t *to = dst->items;
    watch_job(watch, (stop - start) * size);
    if (step == 1 && stride == size && !dst->as)
        return read_run(grid, start, stop, to, watch, err);

    // Pieces with the items between, as far as they fit in a little memory.
    const int64_t most = max_i64(PIECE / size, 1);
    const int64_t from_stride = step * size;
    tess_status st = TESS_OK;
    uint8_t *const piece = mem_alloc((size_t)(min_i64(most, stop - start) * size));
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a piece of a chunk");
    while (start < stop && st == TESS_OK) {
        const int64_t n = ceil_div(min_i64(most, stop - start), step);
        st = read_run(grid, start, start + (n - 1) * step + 1, piece, watch, err);
        if (st == TESS_OK)
            st = place_run(dst, (start - first) / step, n, size, to, piece, from_stride, err);
        start += n * step;
        to += n * stride;
    }
    mem_free(piece);
    return st;
}
