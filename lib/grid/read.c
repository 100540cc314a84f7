/*
 * read.c - a box of an array into memory.
 *
 * The list of work is the blocks that the box meets, over all chunks. A grain is a run of them in
 * one chunk, or a chunk that has no blocks to be decoded. Each block is decoded in scratch memory
 * that fits in a core's cache, and its items go straight to their place. Chunks that take long to
 * open are opened ahead, which is a grain, too.
 *
 * Not here: what a chunk is (open_chunk.c), how a block is had (blocks.c), the last step of an item
 * (place.c).
 */
#include "grid/read.h"

#include "base/checked.h"
#include "base/error.h"
#include "cache/cache.h"
#include "chunk/cursor.h"
#include "chunk/decode.h"
#include "chunk/scratch.h"
#include "codec/codec.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "frame/stored.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/blocks.h"
#include "grid/cached_read.h"
#include "grid/cost.h"
#include "grid/grid.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/place.h"
#include "grid/plain.h"
#include "grid/pool.h"
#include "grid/prefetch.h"
#include "ndcopy/ndcopy.h"
#include "task/task.h"
#include "task/watch.h"

#include <stdlib.h>
#include <string.h>

struct read_job {
    const struct chunk_grid *grid;
    const struct strided *dst;
    int32_t run; // blocks of a grain
    struct watch *watch;
    struct prefetch ahead;
    struct walk chunks;
    struct walk blocks;
    struct walk coming; // stands on the chunk that is opened ahead next
    bool more_chunks, more_blocks, more_coming;
    struct open_chunk *visit; // of the chunk the walk stands on
    uint8_t *chunk_dst; // where the chunk's part of the box starts
    int64_t limit[NDIM_MAX]; // where the array ends, relative to the chunk
};

struct grain {
    struct opening *opening; // of a chunk, and nothing else; NULL: the following
    struct open_chunk *visit; // held
    int32_t nblocks; // 0: the whole chunk
    uint8_t *dst; // where the part of the box starts in which the walk goes
    int64_t limit[NDIM_MAX];
    struct walk w; // stands on the first block, or on the chunk
};

_Static_assert(sizeof(struct grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

static uint8_t *
read_at(const struct read_job *job, uint8_t *base, const int64_t *from)
{
    int64_t offset = 0;
    for (int i = 0; i < job->grid->g.ndim; i++)
        offset += from[i] * job->dst->stride[i];
    return base + offset;
}

// The next run of blocks of the chunk.
static void
read_take_blocks(struct read_job *job, struct grain *g)
{
    g->dst = job->chunk_dst;
    g->w = job->blocks;
    memcpy(g->limit, job->limit, sizeof g->limit);
    for (g->nblocks = 0; job->more_blocks && g->nblocks < job->run; g->nblocks++)
        job->more_blocks = walk_next(&job->blocks);
}

static void
read_take_chunk(struct read_job *job, struct grain *g)
{
    g->dst = job->dst->items;
    g->w = job->chunks;
    g->nblocks = 0;
    job->more_blocks = false;
}

// Open the chunk the walk stands on, and begin the walk over its blocks.
static tess_status
read_enter_chunk(struct read_job *job, tess_error *err)
{
    const struct geometry *const g = &job->grid->g;
    open_chunk_release(job->visit);
    job->visit = NULL;
    const bool all = walk_covers(&job->chunks, g->shape);
    const tess_status st =
        job->ahead.most > 0 ? prefetch_take(&job->ahead, &job->visit, err)
                            : open_chunks_get(job->grid, job->chunks.index, all, &job->visit, err);
    if (st != TESS_OK)
        return st;
    job->chunk_dst = read_at(job, job->dst->items, job->chunks.from);
    for (int i = 0; i < g->ndim; i++)
        job->limit[i] =
            min_i64(g->chunkshape[i], g->shape[i] - job->chunks.at[i] * g->chunkshape[i]);
    job->more_blocks = walk_begin(&job->blocks, g->ndim, g->blockshape, g->bgrid, job->chunks.lo,
                                  job->chunks.hi, job->chunks.step);
    return TESS_OK;
}

// Whether a chunk has no blocks to be decoded one by one. Where blocks wait to be written back,
// some of them may be its.
static bool
read_is_whole(const struct read_job *job)
{
    const enum open_kind kind = job->visit->kind;
    return (kind == OPEN_SPECIAL || kind == OPEN_BYTES) && cache_dirty_size(job->grid->cache) == 0;
}

static tess_status
take_opening(struct read_job *job, struct grain *g, tess_error *err)
{
    const struct walk *const w = &job->coming;
    const tess_status st = prefetch_announce(&job->ahead, w->index,
                                             walk_covers(w, job->grid->g.shape), &g->opening, err);
    job->more_coming = walk_next(&job->coming);
    return st;
}

static tess_status
read_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct read_job *const job = arg;
    struct grain *const g = grain;
    if (job->more_coming && job->ahead.count < job->ahead.most)
        return take_opening(job, g, err);
    if (!job->more_blocks) {
        if (!job->more_chunks) {
            *more = false;
            return TESS_OK;
        }
        const tess_status st = read_enter_chunk(job, err);
        if (st != TESS_OK)
            return st;
        if (read_is_whole(job))
            read_take_chunk(job, g);
        else
            read_take_blocks(job, g);
        job->more_chunks = walk_next(&job->chunks);
    } else {
        read_take_blocks(job, g);
    }
    g->opening = NULL;
    g->visit = job->visit;
    open_chunk_hold(g->visit);
    return TESS_OK;
}

static tess_status
read_fill_special(const struct read_job *job, const struct grain *g, tess_error *err)
{
    const struct geometry *const geo = &job->grid->g;
    uint8_t small[64];
    uint8_t *const item =
        geo->typesize <= (int32_t)sizeof small ? small : malloc((size_t)geo->typesize);
    if (!item)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    const tess_status st = open_chunk_item(job->grid, g->visit, item, err);
    if (st == TESS_OK)
        ndfill(geo->ndim, g->w.count, geo->typesize, read_at(job, g->dst, g->w.from),
               job->dst->stride, item);
    if (item != small)
        free(item);
    return st;
}

// The blocks of a grain, one after the other.
struct run {
    const struct read_job *job;
    const struct grain *g;
    struct walk w;
    int32_t left; // blocks, with the one the walk stands on
};

static void
read_look_ahead(const void *reader, struct span *span, int32_t most)
{
    const struct run *const r = reader;
    struct walk w = r->w;
    for (int32_t left = r->left - 1; left > 0 && walk_next(&w); left--)
        if (!blocks_join(span, open_chunk_span(r->job->grid, r->g->visit, (int32_t)w.index), most))
            return;
}

static tess_status
read_block(const struct run *r, struct blocks *blocks, tess_error *err)
{
    const struct geometry *const g = &r->job->grid->g;
    const struct walk *const w = &r->w;
    const int64_t *const stride = r->job->dst->stride;
    const struct block_need need = place_need(g, w, stride);
    struct decoded block;
    const tess_status st =
        blocks_get(blocks, (int32_t)w->index, walk_covers(w, r->g->limit), &need, &block, err);
    if (st == TESS_OK)
        place_block(g, &block, w, read_at(r->job, r->g->dst, w->from), stride);
    blocks_done(blocks);
    return st;
}

static tess_status
read_blocks(const struct read_job *job, const struct grain *g, struct chunk_scratch *s,
            tess_error *err)
{
    tess_status st = TESS_OK;
    struct run r = {.job = job, .g = g, .w = g->w, .left = g->nblocks};
    struct blocks blocks = {
        .grid = job->grid, .v = g->visit, .s = s, .look_ahead = read_look_ahead, .reader = &r};
    for (; r.left > 0 && st == TESS_OK; r.left--) {
        st = read_block(&r, &blocks, err);
        walk_next(&r.w);
    }
    blocks_finish(&blocks);
    return st;
}

// A chunk whose items stand in C order: row after row, each block decoded once.
static tess_status
read_linear(const struct read_job *job, const struct grain *g, struct chunk_cursor *cur,
            tess_error *err)
{
    const struct geometry *const geo = &job->grid->g;
    int64_t src_stride[NDIM_MAX];
    int64_t src = 0;
    struct ndrows r;
    uint8_t *const dst = read_at(job, g->dst, g->w.from);

    shape_strides(geo->ndim, geo->chunkshape, geo->typesize, src_stride);
    for (int i = 0; i < geo->ndim; i++) {
        src += g->w.lo[i] * src_stride[i];
        src_stride[i] *= g->w.step[i];
    }
    for (bool more =
             ndrows_begin(&r, geo->ndim, g->w.count, geo->typesize, job->dst->stride, src_stride);
         more; more = ndrows_next(&r)) {
        const int64_t run = r.packed ? r.row_nitems : 1; // items in one piece
        for (int64_t i = 0; i < r.rows; i++)
            for (int64_t j = 0; j < r.row_nitems; j += run) {
                const int64_t from = src + r.src + i * r.row_src + j * r.item_src;
                const int64_t to = r.dst + i * r.row_dst + j * r.item_dst;
                const tess_status st =
                    cursor_read(cur, (int32_t)from, dst + to, (size_t)(run * geo->typesize), err);
                if (st != TESS_OK)
                    return st;
            }
    }
    return TESS_OK;
}

// Blocks of the grid that are not the chunk's: each is put together from those.
static tess_status
read_foreign_blocks(const struct read_job *job, const struct grain *g, struct chunk_cursor *cur,
                    const struct chunk_scratch *s, tess_error *err)
{
    const struct geometry *const geo = &job->grid->g;
    struct walk w;
    tess_status st = scratch_check(s, geo->blocksize, err);
    if (st != TESS_OK)
        return st;
    uint8_t *const items = malloc((size_t)geo->blocksize);
    if (!items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %d bytes",
                       geo->blocksize);
    uint8_t *const dst = read_at(job, g->dst, g->w.from);
    const struct decoded block = {.bytes = items, .nbytes = geo->blocksize};
    for (bool more =
             walk_begin(&w, geo->ndim, geo->blockshape, geo->bgrid, g->w.lo, g->w.hi, g->w.step);
         more && st == TESS_OK; more = walk_next(&w)) {
        st = cursor_read(cur, (int32_t)(w.index * geo->blocksize), items, (size_t)geo->blocksize,
                         err);
        if (st == TESS_OK)
            place_block(geo, &block, &w, read_at(job, dst, w.from), job->dst->stride);
    }
    free(items);
    return st;
}

static tess_status
read_bytes(const struct read_job *job, const struct grain *g, struct chunk_scratch *s,
           tess_error *err)
{
    struct chunk_cursor cur;
    const struct stored_chunk *const sc = &g->visit->stored;
    tess_status st = cursor_init(&cur, &sc->chunk, &sc->bytes, s, err);
    if (st == TESS_OK)
        st = job->grid->linear ? read_linear(job, g, &cur, err)
                               : read_foreign_blocks(job, g, &cur, s, err);
    cursor_finish(&cur);
    return st;
}

static tess_status
read_grain(const struct read_job *job, const struct grain *g, struct chunk_scratch *s,
           tess_error *err)
{
    tess_status st;
    if (g->nblocks > 0)
        st = read_blocks(job, g, s, err);
    else if (g->visit->kind == OPEN_SPECIAL)
        return read_fill_special(job, g, err);
    else
        st = read_bytes(job, g, s, err);
    return st == TESS_OK ? st : stored_chunk_blame(&g->visit->stored, g->visit->n, st, err);
}

// Bytes of the blocks that a grain meets.
static int64_t
grain_nbytes(const struct read_job *job, const struct grain *g)
{
    const struct geometry *const geo = &job->grid->g;
    int64_t n = g->nblocks > 0 ? g->nblocks : 1;
    for (int i = 0; g->nblocks == 0 && i < geo->ndim; i++)
        n *= ceil_div(g->w.hi[i], geo->blockshape[i]) - g->w.lo[i] / geo->blockshape[i];
    return n * geo->blocksize;
}

static tess_status
read_work(void *arg, void *grain, tess_error *err)
{
    const struct read_job *const job = arg;
    const struct grain *const g = grain;
    if (g->opening) {
        opening_work(g->opening);
        return TESS_OK;
    }
    struct chunk_scratch *const s = pool_take(job->grid->pool);
    const tess_status st =
        s ? read_grain(job, g, s, err) : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    pool_give(job->grid->pool, s);
    watch_add(job->watch, grain_nbytes(job, g));
    return st;
}

static void
read_drop(void *arg, void *grain)
{
    const struct grain *const g = grain;
    (void)arg;
    if (g->opening)
        opening_release(g->opening);
    else
        open_chunk_release(g->visit);
}

tess_status
grid_read(const struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
          const int64_t *step, const struct strided *dst, struct watch *watch, tess_error *err)
{
    static const struct task task = {.next = read_next,
                                     .work = read_work,
                                     .drop = read_drop,
                                     .grain_size = sizeof(struct grain)};
    struct read_job job = {.grid = grid, .dst = dst, .watch = watch};

    if (grid->plain)
        return plain_read(grid, start[0], stop[0], step ? step[0] : 1, dst->items, dst->stride[0],
                          watch, err);
    if (grid_read_cached(grid, start, stop, step, dst))
        return TESS_OK;
    job.more_chunks =
        walk_begin(&job.chunks, grid->g.ndim, grid->g.chunkshape, grid->g.grid, start, stop, step);
    if (!job.more_chunks)
        return TESS_OK;
    const int64_t nbytes = geometry_blocks_nbytes(&grid->g, start, stop, step);
    const struct task_width width = {
        .threads = grid->context->threads,
        .cost = cost_decode(codec_by_id(frame_header(grid->frame)->codec), nbytes),
        .watch = watch,
    };
    watch_job(watch, nbytes);
    job.run = blocks_run_length(nbytes, grid->g.blocksize);
    prefetch_init(&job.ahead, grid, task_threads(&width));
    job.coming = job.chunks;
    job.more_coming = job.ahead.most > 0;
    const tess_status st = task_run(&task, &job, &width, err);
    prefetch_finish(&job.ahead);
    open_chunk_release(job.visit);
    return st;
}
