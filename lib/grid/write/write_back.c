/*
 * write_back.c - small writes that wait in the block cache, to be encoded once.
 *
 * A write first gets hold of all blocks it touches, decoding what has to be kept of them, and opens
 * their chunks, whose other blocks will be kept: that may fail, and changes nothing. Then it copies
 * the items, with the gate closed.
 *
 * Blocks are written back in the order of chunks and blocks (replace.h). They are those of chunks
 * that the call has the turn of, so they stay dirty, and as they are, until it is done.
 */
#include "grid/write/write_back.h"

#include "base/checked.h"
#include "base/error.h"
#include "cache/cache.h"
#include "frame/change.h"
#include "frame/commit.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/converted.h"
#include "grid/cost.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "grid/write/install.h"
#include "grid/write/replace.h"
#include "grid/write/turns.h"
#include "task/gate.h"
#include "task/task.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_SHARE = 4, // of what may be dirty
    PIECES = 4, // of what may be overwritten between two commits
    WHOLE_LEAST = 1 << 14, // bytes of whole chunks that do not wait
};

// Whether all chunks that the box meets are replaced: what they had is not needed, and nothing is
// gained by waiting for the rest of them.
static bool
replaces_chunks(const struct geometry *g, const int64_t *start, const int64_t *stop,
                const int64_t *step)
{
    for (int i = 0; i < g->ndim; i++)
        if ((step && step[i] != 1) || start[i] % g->chunkshape[i] != 0 ||
            (stop[i] % g->chunkshape[i] != 0 && stop[i] != g->shape[i]))
            return false;
    return true;
}

bool
write_back_wants(const struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                 const int64_t *step)
{
    const int64_t nbytes = geometry_blocks_nbytes(&grid->g, start, stop, step);
    return cache_is_on(grid->cache) && nbytes <= cache_dirty_max(grid->cache) / SMALL_SHARE &&
           !(nbytes >= WHOLE_LEAST && replaces_chunks(&grid->g, start, stop, step));
}

// A touched block, pinned.
struct held_block {
    struct cached *b;
    bool found; // by others, too; those that are replaced only get their items before
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
    job->open = NULL;
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

// The block's part of the box.
static void
hold_copy_block(const struct geometry *g, const struct walk *chunk, const struct walk *block,
                const struct strided_const *src, uint8_t *items)
{
    int64_t stride[NDIM_MAX];
    int64_t to = 0, from = 0;
    shape_strides(g->ndim, g->blockshape, g->typesize, stride);
    for (int i = 0; i < g->ndim; i++) {
        to += block->lo[i] * stride[i];
        from += (chunk->from[i] + block->from[i]) * src->stride[i];
        stride[i] *= block->step[i];
    }
    converted_put(src, g->ndim, block->count, g->typesize, items + to, stride, src->items + from);
}

// The box into blocks that others find, or into the others.
static void
hold_copy(const struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
          const int64_t *step, const struct strided_const *src, const struct held_block *held,
          bool found)
{
    const struct geometry *const g = &grid->g;
    struct walk c, b;
    for (bool chunks = walk_begin(&c, g->ndim, g->chunkshape, g->grid, start, stop, step); chunks;
         chunks = walk_next(&c))
        for (bool more = walk_begin(&b, g->ndim, g->blockshape, g->bgrid, c.lo, c.hi, c.step); more;
             more = walk_next(&b), held++)
            if (held->found == found)
                hold_copy_block(g, &c, &b, src, held->b->items);
}

// Let others find a block that has its items, unless a reader was faster and added what is stored.
static void
hold_show(const struct chunk_grid *grid, struct held_block *held)
{
    struct cached *const own = held->b;
    struct cached *const other = cache_find(grid->cache, own->chunk, own->block);
    if (other) {
        memcpy(other->items, own->items, (size_t)grid->g.blocksize);
        cache_drop(grid->cache, own);
    }
    held->b = other ? other : cache_add(grid->cache, own);
    held->found = true;
}

tess_status
write_back_box(struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
               const int64_t *step, const struct strided_const *src, tess_error *err)
{
    const struct geometry *const g = &grid->g;
    struct hold_job job = {.grid = grid};

    job.more_chunks = walk_begin(&job.chunks, g->ndim, g->chunkshape, g->grid, start, stop, step);
    gate_enter(grid->gate);
    const tess_status st = hold_blocks(&job, geometry_blocks_nbytes(g, start, stop, step), err);
    gate_leave(grid->gate);
    if (st == TESS_OK) // blocks that are replaced: nobody looks at them yet
        hold_copy(grid, start, stop, step, src, job.held, false);
    gate_close(grid->gate);
    if (st == TESS_OK) {
        hold_copy(grid, start, stop, step, src, job.held, true);
        cache_begin_write(grid->cache);
        for (size_t i = 0; i < job.n; i++) {
            if (!job.held[i].found)
                hold_show(grid, &job.held[i]);
            cache_mark_dirty(grid->cache, job.held[i].b);
        }
    }
    hold_release(&job);
    gate_open(grid->gate);
    return st;
}

// An automatic commit, if it is due, unless it would have a part of a call; *parts: that is why
// not.
static tess_status
commit_if_whole(struct chunk_grid *grid, bool *parts, tess_error *err)
{
    tess_status st = TESS_OK;
    gate_enter(grid->gate);
    const bool due = frame_commit_is_due(grid->frame);
    gate_leave(grid->gate);
    *parts = false;
    if (!due)
        return TESS_OK;
    gate_close(grid->gate);
    *parts = cache_has_urgent(grid->cache);
    if (!*parts)
        st = frame_commit_if_large(grid->frame, err);
    gate_open(grid->gate);
    return st;
}

// Blocks of whole chunks, as one change.
static tess_status
write_piece(struct chunk_grid *grid, struct cached **blocks, size_t n, tess_error *err)
{
    struct frame_staged staged = {0};
    struct new_block *const list = malloc(n * sizeof *list);
    bool parts;
    if (!list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    for (size_t i = 0; i < n; i++)
        list[i] = (struct new_block){blocks[i]->chunk, blocks[i]->block, blocks[i]->items};
    tess_status st = replace_blocks(grid, list, n, &staged, true, NULL, err);
    free(list);
    st = grid_install_clean(grid, &staged, blocks, n, st, err);
    return st == TESS_OK ? commit_if_whole(grid, &parts, err) : st; // if not, later
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
    gate_enter(grid->gate);
    const int64_t chunk = frame_mean_cbytes(grid->frame);
    const int64_t most = max_i64(frame_batch(grid->frame) / PIECES / max_i64(chunk, 1), 1);
    gate_leave(grid->gate);
    for (size_t size; n > 0 && st == TESS_OK; blocks += size, n -= size) {
        size = in_chunks(blocks, n, most);
        st = write_piece(grid, blocks, size, err);
    }
    return st;
}

// The oldest dirty blocks, until at most `left` bytes are dirty, ordered by chunk. The caller is
// inside the gate, and other calls may write back those of which it has no turn once it leaves.
static tess_status
list_oldest(const struct chunk_grid *grid, int64_t left, struct cached ***blocks, size_t *n,
            tess_error *err)
{
    const int64_t surplus = cache_dirty_size(grid->cache) - left;
    *blocks = NULL;
    *n = 0;
    if (surplus <= 0 ||
        cache_list_dirty(grid->cache, ceil_div(surplus, grid->g.blocksize), blocks, n))
        return TESS_OK;
    return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
}

// The same of the chunks of a turn, which the caller has.
static tess_status
write_back_oldest(struct chunk_grid *grid, const struct turn *turn, int64_t left, tess_error *err)
{
    struct cached **blocks;
    size_t n, mine = 0;
    gate_enter(grid->gate);
    tess_status st = list_oldest(grid, left, &blocks, &n, err);
    for (size_t i = 0; i < n; i++)
        if (turn_has(turn, &grid->g, blocks[i]->chunk))
            blocks[mine++] = blocks[i];
    gate_leave(grid->gate);
    if (st == TESS_OK)
        st = write_back(grid, blocks, mine, err);
    free(blocks);
    return st;
}

// The chunks of the oldest dirty blocks, ascending, for the caller to free.
static tess_status
list_oldest_chunks(const struct chunk_grid *grid, int64_t left, int64_t **chunks, size_t *count,
                   tess_error *err)
{
    struct cached **blocks;
    size_t n;
    *chunks = NULL;
    *count = 0;
    gate_enter(grid->gate);
    tess_status st = list_oldest(grid, left, &blocks, &n, err);
    if (n > 0)
        *chunks = malloc(n * sizeof **chunks);
    if (n > 0 && !*chunks)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of chunks");
    for (size_t i = 0; *chunks && i < n; i++)
        if (i == 0 || blocks[i]->chunk != blocks[i - 1]->chunk)
            (*chunks)[(*count)++] = blocks[i]->chunk;
    gate_leave(grid->gate);
    free(blocks);
    return st;
}

// Until at most `left` bytes are dirty, or the others are of chunks that other calls write to.
static tess_status
write_back_down_to(struct chunk_grid *grid, int64_t left, tess_error *err)
{
    struct turn turn;
    int64_t *chunks;
    size_t count;
    tess_status st = list_oldest_chunks(grid, left, &chunks, &count, err);
    if (count > 0)
        count = turns_begin_free(grid->turns, &grid->g, &turn, chunks, count);
    if (count > 0) {
        st = write_back_oldest(grid, &turn, left, err);
        turns_end(grid->turns, &turn);
    }
    free(chunks);
    return st;
}

tess_status
write_back_make_room(struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                     const int64_t *step, int64_t *room, tess_error *err)
{
    const int64_t nbytes = geometry_blocks_nbytes(&grid->g, start, stop, step);
    bool promised = cache_promise(grid->cache, nbytes);
    tess_status st = TESS_OK;
    if (!promised) {
        st = write_back_down_to(grid, cache_dirty_max(grid->cache) / 2, err);
        promised = st == TESS_OK && cache_promise(grid->cache, nbytes);
    }
    *room = promised ? nbytes : 0;
    return st;
}

void
write_back_end_room(const struct chunk_grid *grid, int64_t room)
{
    cache_keep_promise(grid->cache, room);
}

// With the turn of all chunks, in which no other call makes anything urgent.
static tess_status
commit_all(struct chunk_grid *grid, tess_error *err)
{
    struct cached **blocks;
    size_t n;
    bool parts;
    gate_enter(grid->gate);
    const bool listed = cache_list_urgent(grid->cache, &blocks, &n);
    gate_leave(grid->gate);
    if (!listed)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    tess_status st = write_back(grid, blocks, n, err);
    free(blocks);
    if (st == TESS_OK)
        st = commit_if_whole(grid, &parts, err);
    assert(st != TESS_OK || !parts);
    return st;
}

tess_status
write_back_commit(struct chunk_grid *grid, tess_error *err)
{
    struct turn all;
    bool parts;
    tess_status st = commit_if_whole(grid, &parts, err);
    if (!parts)
        return st;
    turn_of_all(&all, &grid->g);
    turns_begin(grid->turns, &grid->g, &all);
    st = commit_all(grid, err);
    turns_end(grid->turns, &all);
    return st;
}

tess_status
write_back_turn(struct chunk_grid *grid, const struct turn *turn, tess_error *err)
{
    return cache_dirty_size(grid->cache) > 0 ? write_back_oldest(grid, turn, 0, err) : TESS_OK;
}

tess_status
write_back_all(struct chunk_grid *grid, tess_error *err)
{
    struct turn all;
    if (cache_dirty_size(grid->cache) == 0)
        return TESS_OK;
    turn_of_all(&all, &grid->g);
    turns_begin(grid->turns, &grid->g, &all);
    const tess_status st = write_back_turn(grid, &all, err);
    turns_end(grid->turns, &all);
    return st;
}
