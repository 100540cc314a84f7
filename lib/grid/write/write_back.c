/*
 * write_back.c - small writes that wait in the block cache, to be encoded once.
 *
 * A write first gets hold of all blocks it touches, decoding what has to be kept of them, and opens
 * their chunks, whose other blocks will be kept: that may fail, and changes nothing. Then it copies
 * the items.
 *
 * Blocks are written back in the order of chunks and blocks (replace.h).
 */
#include "grid/write/write_back.h"

#include "base/checked.h"
#include "base/error.h"
#include "cache/cache.h"
#include "frame/change.h"
#include "frame/commit.h"
#include "frame/frame.h"
#include "frame/lock.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/cost.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "grid/write/replace.h"
#include "ndcopy/ndcopy.h"
#include "task/task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_SHARE = 4, // of what may be dirty
    PIECES = 4, // of what may be overwritten between two commits
};

bool
write_back_wants(const struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                 const int64_t *step)
{
    return cache_is_on(grid->cache) && geometry_blocks_nbytes(&grid->g, start, stop, step) <=
                                           cache_dirty_max(grid->cache) / SMALL_SHARE;
}

// A touched block, pinned.
struct held_block {
    struct cached *b;
    bool found; // by others, too; those that are replaced only get their items at the end
};

struct hold_job {
    struct chunk_grid *grid;
    struct walk chunks, blocks;
    bool more_chunks, more_blocks;
    struct open_chunk *open; // of the chunk the walk stands on
    struct held_block *held;
    size_t n;
};

struct grain {
    struct open_chunk *open; // held
    struct held_block *block;
};

static bool
hold_begin_blocks(struct hold_job *job)
{
    const struct geometry *const g = &job->grid->g;
    return walk_begin(&job->blocks, g->ndim, g->blockshape, g->bgrid, job->chunks.lo,
                      job->chunks.hi, job->chunks.step);
}

// Stand on the next touched block; false behind the last.
static bool
hold_step(struct hold_job *job)
{
    if (job->more_blocks)
        job->more_blocks = walk_next(&job->blocks);
    if (job->more_blocks)
        return true;
    if (job->more_chunks && job->n > 0)
        job->more_chunks = walk_next(&job->chunks);
    job->more_blocks = job->more_chunks && hold_begin_blocks(job);
    return job->more_blocks;
}

static bool
is_replaced(const struct hold_job *job)
{
    const struct geometry *const g = &job->grid->g;
    for (int i = 0; i < g->ndim; i++)
        if (job->blocks.count[i] != g->blockshape[i])
            return false;
    return true;
}

// The block the walk stands on, which is not in the cache; *decode: its items have to be set.
static tess_status
hold_reserve(struct hold_job *job, struct held_block *h, bool *decode, tess_error *err)
{
    const struct chunk_grid *const grid = job->grid;
    *decode = !is_replaced(job);
    h->b = cache_reserve(grid->cache, job->chunks.index, (int32_t)job->blocks.index);
    if (!h->b)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId32 " bytes",
                       grid->g.blocksize);
    return TESS_OK;
}

// Open the chunk the walk stands on.
static tess_status
hold_enter_chunk(struct hold_job *job, tess_error *err)
{
    if (job->open && job->open->n == job->chunks.index)
        return TESS_OK;
    open_chunk_release(job->open);
    job->open = NULL;
    return open_chunks_get(job->grid, job->chunks.index, false, &job->open, err);
}

// Blocks that are at hand need no work.
static tess_status
hold_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct hold_job *const job = arg;
    bool decode = false;
    while (hold_step(job)) {
        struct held_block *const h = &job->held[job->n++];
        h->b = cache_find(job->grid->cache, job->chunks.index, (int32_t)job->blocks.index);
        h->found = h->b != NULL;
        tess_status st =
            h->found ? TESS_OK : hold_enter_chunk(job, err); // also one that is not decoded
        if (st == TESS_OK && !h->found)
            st = hold_reserve(job, h, &decode, err);
        if (st != TESS_OK)
            return st;
        if (decode) {
            *(struct grain *)grain = (struct grain){job->open, h};
            open_chunk_hold(job->open);
            return TESS_OK;
        }
    }
    *more = false;
    return TESS_OK;
}

static tess_status
hold_work(void *arg, void *grain, tess_error *err)
{
    const struct hold_job *const job = arg;
    const struct grain *const g = grain;
    struct chunk_scratch *const s = pool_take(job->grid->pool);
    const tess_status st =
        s ? open_chunk_block(job->grid, g->open, g->block->b->block, g->block->b->items, s, err)
          : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    pool_give(job->grid->pool, s);
    if (st == TESS_OK) {
        g->block->b = cache_add(job->grid->cache, g->block->b);
        g->block->found = true;
    }
    return st;
}

static void
hold_drop(void *arg, void *grain)
{
    (void)arg;
    open_chunk_release(((struct grain *)grain)->open);
}

// Get hold of all blocks that the box touches, in the order of the walk.
static tess_status
hold_blocks(struct hold_job *job, int64_t nbytes, tess_error *err)
{
    static const struct task task = {.next = hold_next,
                                     .work = hold_work,
                                     .drop = hold_drop,
                                     .grain_size = sizeof(struct grain)};
    const struct chunk_grid *const grid = job->grid;
    const struct task_width width = {.threads = grid->context->threads,
                                     .cost = cost_decode(grid->encoder.codec, nbytes)};

    job->held = calloc((size_t)(nbytes / grid->g.blocksize), sizeof *job->held);
    const tess_status st = job->held ? task_run(&task, job, &width, err)
                                     : err_set(err, TESS_ERR_NOMEM, -1, "no memory for blocks");
    open_chunk_release(job->open);
    return st;
}

static void
hold_release(struct hold_job *job)
{
    for (size_t i = 0; i < job->n; i++) {
        if (job->held[i].found)
            cache_unpin(job->held[i].b);
        else if (job->held[i].b)
            cache_drop(job->grid->cache, job->held[i].b);
    }
    free(job->held);
}

// The chunk's part of the box, into the blocks it touches; returns the first one behind them.
static struct held_block *
hold_copy_chunk(struct chunk_grid *grid, const struct walk *chunk, const struct strided_const *src,
                struct held_block *held)
{
    const struct geometry *const g = &grid->g;
    int64_t stride[NDIM_MAX];
    struct walk w;

    for (bool more =
             walk_begin(&w, g->ndim, g->blockshape, g->bgrid, chunk->lo, chunk->hi, chunk->step);
         more; more = walk_next(&w), held++) {
        int64_t to = 0, from = 0;
        shape_strides(g->ndim, g->blockshape, g->typesize, stride);
        for (int i = 0; i < g->ndim; i++) {
            to += w.lo[i] * stride[i];
            from += (chunk->from[i] + w.from[i]) * src->stride[i];
            stride[i] *= w.step[i];
        }
        ndcopy(g->ndim, w.count, g->typesize, held->b->items + to, stride, src->items + from,
               src->stride);
        if (!held->found)
            held->b = cache_add(grid->cache, held->b);
        held->found = true;
        cache_mark_dirty(grid->cache, held->b);
    }
    return held;
}

tess_status
write_back_box(struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
               const int64_t *step, const struct strided_const *src, tess_error *err)
{
    const struct geometry *const g = &grid->g;
    struct hold_job job = {.grid = grid};
    struct walk w;

    job.more_chunks = walk_begin(&job.chunks, g->ndim, g->chunkshape, g->grid, start, stop, step);
    const tess_status st = hold_blocks(&job, geometry_blocks_nbytes(g, start, stop, step), err);
    if (st == TESS_OK) {
        struct held_block *held = job.held;
        cache_begin_write(grid->cache);
        for (bool more = walk_begin(&w, g->ndim, g->chunkshape, g->grid, start, stop, step); more;
             more = walk_next(&w))
            held = hold_copy_chunk(grid, &w, src, held);
    }
    hold_release(&job);
    return st;
}

// Blocks of whole chunks, as one change.
static tess_status
write_piece(struct chunk_grid *grid, struct cached **blocks, size_t n, tess_error *err)
{
    struct new_block *const list = malloc(n * sizeof *list);
    if (!list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    for (size_t i = 0; i < n; i++)
        list[i] = (struct new_block){blocks[i]->chunk, blocks[i]->block, blocks[i]->items};
    frame_begin(grid->frame);
    const tess_status st = replace_blocks(grid, list, n, true, NULL, err);
    free(list);
    if (st != TESS_OK) {
        frame_undo(grid->frame);
        return frame_lock_blame(grid->frame, st, err);
    }
    frame_keep(grid->frame);
    for (size_t i = 0; i < n; i++)
        cache_mark_clean(grid->cache, blocks[i]);
    return frame_commit_if_large(grid->frame, err);
}

// How many of the blocks lie in the first `nchunks` chunks.
static size_t
in_chunks(struct cached **blocks, size_t n, int64_t nchunks)
{
    size_t i = 1;
    while (i < n && (blocks[i]->chunk == blocks[i - 1]->chunk || --nchunks > 0))
        i++;
    return i;
}

// Ordered by chunk, in pieces between which there may be commits.
static tess_status
write_back(struct chunk_grid *grid, struct cached **blocks, size_t n, tess_error *err)
{
    tess_status st = TESS_OK;
    const struct frame *const f = grid->frame;
    const int64_t chunk = frame_mean_cbytes(f);
    const int64_t most = max_i64(frame_batch(f) / PIECES / max_i64(chunk, 1), 1);
    for (size_t size; n > 0 && st == TESS_OK; blocks += size, n -= size) {
        size = in_chunks(blocks, n, most);
        st = write_piece(grid, blocks, size, err);
    }
    return st;
}

// The oldest dirty blocks, until at most `left` bytes are dirty.
static tess_status
write_back_down_to(struct chunk_grid *grid, int64_t left, tess_error *err)
{
    const int64_t surplus = cache_dirty_size(grid->cache) - left;
    struct cached **blocks = NULL;
    size_t n = 0;
    if (surplus <= 0)
        return TESS_OK;
    tess_status st =
        cache_list_dirty(grid->cache, ceil_div(surplus, grid->g.blocksize), &blocks, &n)
            ? write_back(grid, blocks, n, err)
            : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    free(blocks);
    return st;
}

tess_status
write_back_make_room(struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                     const int64_t *step, tess_error *err)
{
    const int64_t most = cache_dirty_max(grid->cache);
    const int64_t nbytes = geometry_blocks_nbytes(&grid->g, start, stop, step);
    if (cache_dirty_size(grid->cache) + nbytes <= most)
        return TESS_OK;
    return write_back_down_to(grid, most / 2, err);
}

tess_status
write_back_all(struct chunk_grid *grid, tess_error *err)
{
    return write_back_down_to(grid, 0, err);
}
