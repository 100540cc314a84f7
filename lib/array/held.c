/*
 * held.c - small writes that wait in the block cache, to be encoded once.
 *
 * A write first gets hold of all blocks it touches, decoding what has to be kept of them, and opens
 * their chunks, whose other blocks will be kept: that may fail, and changes nothing. Then it copies
 * the items.
 *
 * Blocks are written back in the order of chunks and blocks (replace.h).
 */
#include "array/held.h"

#include "array/cost.h"
#include "array/pool.h"
#include "array/replace.h"
#include "array/visit.h"
#include "array/visits.h"
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
held_wants(const tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step)
{
    return cache_is_on(a->cache) && geometry_blocks_nbytes(&a->g, start, stop, step) <=
                                        cache_dirty_max(a->cache) / SMALL_SHARE;
}

// A touched block, pinned.
struct held_block {
    struct cached *b;
    bool found; // by others, too; those that are replaced only get their items at the end
};

struct hold_job {
    tess_array *a;
    struct walk chunks, blocks;
    bool more_chunks, more_blocks;
    struct visit *visit; // of the chunk the walk stands on
    struct held_block *held;
    size_t n;
};

struct grain {
    struct visit *visit; // held
    struct held_block *block;
};

static bool
begin_blocks(struct hold_job *job)
{
    const struct geometry *const g = &job->a->g;
    return walk_begin(&job->blocks, g->ndim, g->blockshape, g->bgrid, job->chunks.lo,
                      job->chunks.hi, job->chunks.step);
}

// Stand on the next touched block; false behind the last.
static bool
step(struct hold_job *job)
{
    if (job->more_blocks)
        job->more_blocks = walk_next(&job->blocks);
    if (job->more_blocks)
        return true;
    if (job->more_chunks && job->n > 0)
        job->more_chunks = walk_next(&job->chunks);
    job->more_blocks = job->more_chunks && begin_blocks(job);
    return job->more_blocks;
}

static bool
is_replaced(const struct hold_job *job)
{
    const struct geometry *const g = &job->a->g;
    for (int i = 0; i < g->ndim; i++)
        if (job->blocks.count[i] != g->blockshape[i])
            return false;
    return true;
}

// The block the walk stands on, which is not in the cache; *decode: its items have to be set.
static tess_status
reserve(struct hold_job *job, struct held_block *h, bool *decode, tess_error *err)
{
    const tess_array *const a = job->a;
    *decode = !is_replaced(job);
    h->b = cache_reserve(a->cache, job->chunks.index, (int32_t)job->blocks.index);
    if (!h->b)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId32 " bytes",
                       a->g.blocksize);
    return TESS_OK;
}

// Open the chunk the walk stands on.
static tess_status
enter_chunk(struct hold_job *job, tess_error *err)
{
    if (job->visit && job->visit->n == job->chunks.index)
        return TESS_OK;
    visit_release(job->visit);
    job->visit = NULL;
    return visits_open(job->a, job->chunks.index, false, &job->visit, err);
}

// Blocks that are at hand need no work.
static tess_status
next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct hold_job *const job = arg;
    bool decode = false;
    while (step(job)) {
        struct held_block *const h = &job->held[job->n++];
        h->b = cache_find(job->a->cache, job->chunks.index, (int32_t)job->blocks.index);
        h->found = h->b != NULL;
        tess_status st = h->found ? TESS_OK : enter_chunk(job, err); // also one that is not decoded
        if (st == TESS_OK && !h->found)
            st = reserve(job, h, &decode, err);
        if (st != TESS_OK)
            return st;
        if (decode) {
            *(struct grain *)grain = (struct grain){job->visit, h};
            visit_hold(job->visit);
            return TESS_OK;
        }
    }
    *more = false;
    return TESS_OK;
}

static tess_status
work(void *arg, void *grain, tess_error *err)
{
    const struct hold_job *const job = arg;
    const struct grain *const g = grain;
    struct chunk_scratch *const s = pool_take(job->a->pool);
    const tess_status st =
        s ? visit_block(job->a, g->visit, g->block->b->block, g->block->b->items, s, err)
          : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    pool_give(job->a->pool, s);
    if (st == TESS_OK) {
        g->block->b = cache_add(job->a->cache, g->block->b);
        g->block->found = true;
    }
    return st;
}

static void
drop(void *arg, void *grain)
{
    (void)arg;
    visit_release(((struct grain *)grain)->visit);
}

// Get hold of all blocks that the box touches, in the order of the walk.
static tess_status
hold(struct hold_job *job, int64_t nbytes, tess_error *err)
{
    static const struct task task = {
        .next = next, .work = work, .drop = drop, .grain_size = sizeof(struct grain)};
    const tess_array *const a = job->a;
    const struct task_width width = {.threads = a->context.threads,
                                     .cost = cost_decode(a->encoder.codec, nbytes)};

    job->held = calloc((size_t)(nbytes / a->g.blocksize), sizeof *job->held);
    const tess_status st = job->held ? task_run(&task, job, &width, err)
                                     : err_set(err, TESS_ERR_NOMEM, -1, "no memory for blocks");
    visit_release(job->visit);
    return st;
}

static void
let_go(struct hold_job *job)
{
    for (size_t i = 0; i < job->n; i++) {
        if (job->held[i].found)
            cache_unpin(job->held[i].b);
        else if (job->held[i].b)
            cache_drop(job->a->cache, job->held[i].b);
    }
    free(job->held);
}

// The chunk's part of the box, into the blocks it touches; returns the first one behind them.
static struct held_block *
copy_chunk(tess_array *a, const struct walk *chunk, const struct strided_const *src,
           struct held_block *held)
{
    const struct geometry *const g = &a->g;
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
            held->b = cache_add(a->cache, held->b);
        held->found = true;
        cache_mark_dirty(a->cache, held->b);
    }
    return held;
}

tess_status
held_write(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
           const struct strided_const *src, tess_error *err)
{
    const struct geometry *const g = &a->g;
    struct hold_job job = {.a = a};
    struct walk w;

    job.more_chunks = walk_begin(&job.chunks, g->ndim, g->chunkshape, g->grid, start, stop, step);
    const tess_status st = hold(&job, geometry_blocks_nbytes(g, start, stop, step), err);
    if (st == TESS_OK) {
        struct held_block *held = job.held;
        cache_begin_write(a->cache);
        for (bool more = walk_begin(&w, g->ndim, g->chunkshape, g->grid, start, stop, step); more;
             more = walk_next(&w))
            held = copy_chunk(a, &w, src, held);
    }
    let_go(&job);
    return st;
}

// Blocks of whole chunks, as one change.
static tess_status
write_piece(tess_array *a, struct cached **blocks, size_t n, tess_error *err)
{
    struct new_block *const list = malloc(n * sizeof *list);
    if (!list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    for (size_t i = 0; i < n; i++)
        list[i] = (struct new_block){blocks[i]->chunk, blocks[i]->block, blocks[i]->items};
    frame_begin(a->frame);
    const tess_status st = replace_blocks(a, list, n, true, NULL, err);
    free(list);
    if (st != TESS_OK) {
        frame_undo(a->frame);
        return frame_lock_blame(a->frame, st, err);
    }
    frame_keep(a->frame);
    for (size_t i = 0; i < n; i++)
        cache_mark_clean(a->cache, blocks[i]);
    return frame_commit_if_large(a->frame, err);
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
write_back(tess_array *a, struct cached **blocks, size_t n, tess_error *err)
{
    tess_status st = TESS_OK;
    const struct frame *const f = a->frame;
    const int64_t chunk = frame_mean_cbytes(f);
    const int64_t most = max_i64(frame_batch(f) / PIECES / max_i64(chunk, 1), 1);
    for (size_t size; n > 0 && st == TESS_OK; blocks += size, n -= size) {
        size = in_chunks(blocks, n, most);
        st = write_piece(a, blocks, size, err);
    }
    return st;
}

// The oldest dirty blocks, until at most `left` bytes are dirty.
static tess_status
write_back_down_to(tess_array *a, int64_t left, tess_error *err)
{
    const int64_t surplus = cache_dirty_size(a->cache) - left;
    struct cached **blocks = NULL;
    size_t n = 0;
    if (surplus <= 0)
        return TESS_OK;
    tess_status st = cache_list_dirty(a->cache, ceil_div(surplus, a->g.blocksize), &blocks, &n)
                         ? write_back(a, blocks, n, err)
                         : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    free(blocks);
    return st;
}

tess_status
held_make_room(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
               tess_error *err)
{
    const int64_t most = cache_dirty_max(a->cache);
    const int64_t nbytes = geometry_blocks_nbytes(&a->g, start, stop, step);
    if (cache_dirty_size(a->cache) + nbytes <= most)
        return TESS_OK;
    return write_back_down_to(a, most / 2, err);
}

tess_status
held_write_back(tess_array *a, tess_error *err)
{
    return write_back_down_to(a, 0, err);
}
