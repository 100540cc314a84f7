/*
 * read.c - a box of a grid into memory.
 *
 * The sink of the engine (fetch.h) that puts the items of each block straight to their place. Boxes
 * whose blocks are all in the cache, and plain arrays, have ways of their own.
 *
 * Not here: how a block is had (fetch.c, blocks.c), the last step of an item (place.c).
 */
#include "grid/read/read.h"

#include "base/checked.h"
#include "base/error.h"
#include "chunk/cursor.h"
#include "chunk/decode.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/converted.h"
#include "grid/grid.h"
#include "grid/place.h"
#include "grid/read/cached_read.h"
#include "grid/read/fetch.h"
#include "grid/read/plain_read.h"
#include "ndcopy/convert/convert.h"
#include "ndcopy/ndcopy.h"

#include <string.h>

enum { PIECE_SIZE = 4096 }; // bytes of items on their way through a conversion

struct read_job {
    const struct chunk_grid *grid;
    const struct strided *dst;
    struct walk chunks; // stands on the next chunk
    bool more;
};

// A position on a chunk is the walk over the chunks; on a block:
struct read_block {
    struct walk w; // over the blocks of the chunk
    int64_t from[NDIM_MAX]; // items of the box before the chunk's part
    int64_t limit[NDIM_MAX]; // where the array ends, relative to the chunk
};

_Static_assert(sizeof(struct read_block) <= FETCH_POSITION_SIZE, "a position must fit");

static uint8_t *
read_at(const struct read_job *job, uint8_t *base, const int64_t *from)
{
    int64_t offset = 0;
    for (int i = 0; i < job->grid->g.ndim; i++)
        offset += from[i] * job->dst->stride[i];
    return base + offset;
}

static enum fetch_next
read_next_chunk(void *self, void *chunk, int64_t *n, bool *all)
{
    struct read_job *const job = self;
    if (!job->more)
        return FETCH_NOTHING;
    memcpy(chunk, &job->chunks, sizeof job->chunks);
    *n = job->chunks.index;
    *all = walk_covers(&job->chunks, job->grid->g.shape);
    job->more = walk_next(&job->chunks);
    return FETCH_CHUNK;
}

static void
read_stand(const void *self, void *chunk, int64_t n)
{
    const struct read_job *const job = self;
    memcpy(chunk, &job->chunks, sizeof job->chunks);
    walk_stand(chunk, n);
}

static void
read_begin_blocks(const void *self, const void *chunk, void *block)
{
    const struct read_job *const job = self;
    const struct geometry *const g = &job->grid->g;
    const struct walk *const w = chunk;
    struct read_block *const b = block;
    memcpy(b->from, w->from, sizeof b->from);
    for (int i = 0; i < g->ndim; i++)
        b->limit[i] = min_i64(g->chunkshape[i], g->shape[i] - w->at[i] * g->chunkshape[i]);
    walk_begin(&b->w, g->ndim, g->blockshape, g->bgrid, w->lo, w->hi, w->step);
}

static bool
read_next_block(const void *self, void *block)
{
    (void)self;
    return walk_next(&((struct read_block *)block)->w);
}

static int32_t
read_number(const void *block)
{
    return (int32_t)((const struct read_block *)block)->w.index;
}

static struct block_need
read_need(const void *self, const void *block, bool *whole)
{
    const struct read_job *const job = self;
    const struct read_block *const b = block;
    *whole = walk_covers(&b->w, b->limit);
    struct block_need need = place_need(&job->grid->g, &b->w, job->dst->stride);
    need.planes = need.planes && !job->dst->as;
    return need;
}

static tess_status
read_take(void *self, void *tally, const void *block, const struct decoded *items, bool equal,
          tess_error *err)
{
    const struct read_job *const job = self;
    const struct read_block *const b = block;
    const struct geometry *const g = &job->grid->g;
    const struct converted *const as = job->dst->as;
    int64_t from[NDIM_MAX];
    (void)tally;
    (void)equal;
    for (int i = 0; i < g->ndim; i++)
        from[i] = b->from[i] + b->w.from[i];
    uint8_t *const dst = read_at(job, job->dst->items, from);
    if (!as) {
        place_block(g, items, &b->w, dst, job->dst->stride);
        return TESS_OK;
    }
    const int64_t done = place_converted(g, items, &b->w, as->how, dst, job->dst->stride);
    return done == walk_nitems(&b->w)
               ? TESS_OK
               : converted_misfit(as, g->ndim, from, b->w.count, done, err);
}

static tess_status
read_take_equal(void *self, void *tally, const void *chunk, const uint8_t *item, tess_error *err)
{
    const struct read_job *const job = self;
    const struct geometry *const g = &job->grid->g;
    const struct walk *const w = chunk;
    (void)tally;
    if (job->dst->as)
        return converted_fill(job->dst->as, g->ndim, w->from, w->count,
                              read_at(job, job->dst->items, w->from), job->dst->stride, item, err);
    ndfill(g->ndim, w->count, g->typesize, read_at(job, job->dst->items, w->from), job->dst->stride,
           item);
    return TESS_OK;
}

// The tile of rows that r stands on, of a chunk whose first wanted item is `src` bytes behind its
// start; *done counts the items of the chunk.
static tess_status
read_converted_rows(const struct read_job *job, const struct walk *w, const struct ndrows *r,
                    int64_t src, int64_t *done, struct chunk_cursor *items, tess_error *err)
{
    const struct geometry *const g = &job->grid->g;
    const struct converter *const how = job->dst->as->how;
    uint8_t piece[PIECE_SIZE];
    const int64_t run = r->item_src == g->typesize ? PIECE_SIZE / g->typesize : 1;
    for (int64_t i = 0; i < r->rows; i++)
        for (int64_t j = 0, n; j < r->row_nitems; j += n) {
            const int64_t from = src + r->src + i * r->row_src + j * r->item_src;
            const int64_t to = r->dst + i * r->row_dst + j * r->item_dst;
            n = min_i64(run, r->row_nitems - j);
            const tess_status st =
                cursor_read(items, (int32_t)from, piece, (size_t)(n * g->typesize), err);
            if (st != TESS_OK)
                return st;
            const int64_t now =
                convert_box(how, 1, &n, read_at(job, job->dst->items, w->from) + to, &r->item_dst,
                            piece, &how->from_size);
            *done += now;
            if (now < n)
                return converted_misfit(job->dst->as, g->ndim, w->from, w->count, *done, err);
        }
    return TESS_OK;
}

// Row after row, each stored block decoded once.
static tess_status
read_take_in_order(void *self, const void *chunk, struct chunk_cursor *items, tess_error *err)
{
    const struct read_job *const job = self;
    const struct geometry *const g = &job->grid->g;
    const struct walk *const w = chunk;
    int64_t src_stride[NDIM_MAX];
    int64_t src = 0;
    struct ndrows r;
    uint8_t *const dst = read_at(job, job->dst->items, w->from);
    int64_t done = 0;

    shape_strides(g->ndim, g->chunkshape, g->typesize, src_stride);
    for (int i = 0; i < g->ndim; i++) {
        src += w->lo[i] * src_stride[i];
        src_stride[i] *= w->step[i];
    }
    for (bool more = ndrows_begin(&r, g->ndim, w->count, g->typesize, job->dst->stride, src_stride);
         more; more = ndrows_next(&r)) {
        const int64_t run = r.packed ? r.row_nitems : 1; // items in one piece
        if (job->dst->as) {
            const tess_status st = read_converted_rows(job, w, &r, src, &done, items, err);
            if (st != TESS_OK)
                return st;
            continue;
        }
        for (int64_t i = 0; i < r.rows; i++)
            for (int64_t j = 0; j < r.row_nitems; j += run) {
                const int64_t from = src + r.src + i * r.row_src + j * r.item_src;
                const int64_t to = r.dst + i * r.row_dst + j * r.item_dst;
                const tess_status st =
                    cursor_read(items, (int32_t)from, dst + to, (size_t)(run * g->typesize), err);
                if (st != TESS_OK)
                    return st;
            }
    }
    return TESS_OK;
}

// Bytes of blocks.
static int64_t
read_weight(const void *self, const void *position, int32_t nblocks)
{
    const struct geometry *const g = &((const struct read_job *)self)->grid->g;
    const struct walk *const w = position; // of a whole chunk
    int64_t n = nblocks > 0 ? nblocks : 1;
    for (int i = 0; nblocks == 0 && i < g->ndim; i++)
        n *= ceil_div(w->hi[i], g->blockshape[i]) - w->lo[i] / g->blockshape[i];
    return n * g->blocksize;
}

tess_status
grid_read(const struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
          const int64_t *step, const struct strided *dst, struct watch *watch, tess_error *err)
{
    static const struct fetch_reader reader = {
        .position_size = sizeof(struct read_block),
        .next_chunk = read_next_chunk,
        .stand = read_stand,
        .begin_blocks = read_begin_blocks,
        .next_block = read_next_block,
        .number = read_number,
        .need = read_need,
        .take = read_take,
        .take_equal = read_take_equal,
        .take_in_order = read_take_in_order,
        .weight = read_weight,
    };
    struct read_job job = {.grid = grid, .dst = dst};

    if (grid->plain)
        return plain_read(grid, start[0], stop[0], step ? step[0] : 1, dst, watch, err);
    if (grid_read_cached(grid, start, stop, step, dst))
        return TESS_OK;
    job.more =
        walk_begin(&job.chunks, grid->g.ndim, grid->g.chunkshape, grid->g.grid, start, stop, step);
    if (!job.more)
        return TESS_OK;
    const int64_t nbytes = geometry_blocks_nbytes(&grid->g, start, stop, step);
    const struct fetch fetch = {.grid = grid,
                                .reader = &reader,
                                .self = &job,
                                .nbytes = nbytes,
                                .weight = nbytes,
                                .watch = watch};
    return fetch_run(&fetch, err);
}
