/*
 * gather.c - chosen items of an array into memory.
 *
 * The list of work is the blocks that the selection meets. Each is decoded once, as far as the last
 * item that is chosen; a grain is a run of them in one chunk, or a chunk that has no blocks to be
 * decoded.
 *
 * Not here: what is chosen (selection.c), how a block is had (blocks.c), items out of it (take.c).
 */
#include "select/gather.h"

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
#include "grid/blocks.h"
#include "grid/cost.h"
#include "grid/grid.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "select/mask_copy.h"
#include "select/orthogonal.h"
#include "select/pick_copy.h"
#include "select/points.h"
#include "select/selection.h"
#include "task/task.h"
#include "task/watch.h"

#include <stdlib.h>

struct job {
    const struct selection *s;
    uint8_t *dst;
    int32_t run; // blocks of a grain
    struct watch *watch;
    bool more_chunks, more_blocks;
    struct part chunk, block; // the next block, in its chunk
    struct open_chunk *visit; // of the chunk, if it was opened
};

struct grain {
    struct open_chunk *visit; // held
    struct part chunk, block;
    int32_t nblocks; // 0: the whole chunk
};

_Static_assert(sizeof(struct grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

// Whether a chunk is read block by block: its blocks are those of the selection, or some of them
// wait in the cache to be written back.
static bool
has_blocks(const struct chunk_grid *grid, const struct open_chunk *v)
{
    if (grid->plain || grid->linear)
        return false;
    return v->kind == OPEN_BLOCKS || v->kind == OPEN_MEMCPYED || cache_dirty_size(grid->cache) > 0;
}

static bool
next_block(const struct selection *s, const struct part *chunk, struct part *block)
{
    return selection_block(s, chunk, block->n + 1, block);
}

static tess_status
gather_enter_chunk(struct job *job, tess_error *err)
{
    open_chunk_release(job->visit);
    job->visit = NULL;
    job->more_blocks = selection_block(job->s, &job->chunk, 0, &job->block);
    return open_chunks_get(job->s->grid, job->chunk.n, false, &job->visit, err);
}

// The next run of blocks of the chunk, or all of it.
static void
gather_take_blocks(struct job *job, struct grain *g)
{
    *g = (struct grain){.visit = job->visit, .chunk = job->chunk, .block = job->block};
    open_chunk_hold(g->visit);
    if (has_blocks(job->s->grid, g->visit))
        for (; job->more_blocks && g->nblocks < job->run; g->nblocks++)
            job->more_blocks = next_block(job->s, &job->chunk, &job->block);
    else
        job->more_blocks = false;
    if (!job->more_blocks)
        job->more_chunks = selection_chunk(job->s, job->chunk.n + 1, &job->chunk);
}

static tess_status
gather_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct job *const job = arg;
    *more = job->more_blocks || job->more_chunks;
    if (!*more)
        return TESS_OK;
    if (!job->more_blocks) {
        const tess_status st = gather_enter_chunk(job, err);
        if (st != TESS_OK)
            return st;
    }
    gather_take_blocks(job, grain);
    return TESS_OK;
}

// The blocks of a grain, one after the other.
struct run {
    const struct job *job;
    const struct grain *g;
    struct part block;
    int32_t left; // with this one
};

static void
gather_look_ahead(const void *reader, struct span *span, int32_t most)
{
    const struct run *const r = reader;
    const struct selection *const s = r->job->s;
    struct part block = r->block;
    for (int32_t left = r->left - 1; left > 0 && next_block(s, &r->g->chunk, &block); left--)
        if (!blocks_join(span, open_chunk_span(s->grid, r->g->visit, (int32_t)block.n), most))
            return;
}

static void
take_block(const struct job *job, const struct part *part, const struct decoded *block)
{
    struct picks p;
    const struct selection_kind *const kind = job->s->kind;
    if (kind->gather && kind->gather(job->s, part, block, job->dst))
        return;
    picks_begin(&p, job->s, part);
    while (picks_next(&p))
        take_picks(block, (size_t)job->s->grid->g.typesize, p.list, p.n, job->dst);
}

static tess_status
gather_read_blocks(const struct job *job, const struct grain *g, struct chunk_scratch *s,
                   tess_error *err)
{
    struct run r = {.job = job, .g = g, .block = g->block, .left = g->nblocks};
    struct blocks blocks = {
        .grid = job->s->grid, .v = g->visit, .s = s, .look_ahead = gather_look_ahead, .reader = &r};
    struct decoded block;
    tess_status st = TESS_OK;

    for (; r.left > 0 && st == TESS_OK; r.left--) {
        const struct reach reach = selection_reach(job->s, &r.block);
        const struct block_need need = take_need(&job->s->grid->g, &reach);
        st = blocks_get(&blocks, (int32_t)r.block.n, false, &need, &block, err);
        if (st == TESS_OK)
            take_block(job, &r.block, &block);
        blocks_done(&blocks);
        next_block(job->s, &g->chunk, &r.block);
    }
    blocks_finish(&blocks);
    return st;
}

static tess_status
gather_fill_special(const struct job *job, const struct grain *g, tess_error *err)
{
    const struct chunk_grid *const grid = job->s->grid;
    struct part block = g->block;
    struct picks p;
    uint8_t *const item = malloc((size_t)grid->g.typesize);
    if (!item)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    const tess_status st = open_chunk_item(grid, g->visit, item, err);
    for (bool more = st == TESS_OK; more; more = next_block(job->s, &g->chunk, &block)) {
        picks_begin(&p, job->s, &block);
        while (picks_next(&p))
            repeat_picks(item, (size_t)grid->g.typesize, p.list, p.n, job->dst);
    }
    free(item);
    return st;
}

// A chunk whose items stand in C order.
static tess_status
gather_read_linear(const struct job *job, const struct grain *g, struct chunk_cursor *cur,
                   tess_error *err)
{
    const int64_t typesize = job->s->grid->g.typesize;
    struct picks p;
    picks_begin(&p, job->s, &g->block);
    while (picks_next(&p))
        for (int64_t i = 0; i < p.n; i++) {
            const struct pick *const pick = &p.list[i];
            const tess_status st =
                cursor_read(cur, (int32_t)(pick->item * typesize), job->dst + pick->at * typesize,
                            (size_t)(pick->length * typesize), err);
            if (st != TESS_OK)
                return st;
        }
    return TESS_OK;
}

// Blocks of the grid that are not the chunk's: each is put together from those.
static tess_status
gather_read_foreign_blocks(const struct job *job, const struct grain *g, struct chunk_cursor *cur,
                           tess_error *err)
{
    const int32_t blocksize = job->s->grid->g.blocksize;
    struct part part = g->block;
    tess_status st = scratch_check(cur->s, blocksize, err);
    if (st != TESS_OK)
        return st;
    uint8_t *const items = malloc((size_t)blocksize);
    if (!items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %d bytes", blocksize);
    const struct decoded block = {.bytes = items, .nbytes = blocksize};
    for (bool more = true; more && st == TESS_OK; more = next_block(job->s, &g->chunk, &part)) {
        st = cursor_read(cur, (int32_t)(part.n * blocksize), items, (size_t)blocksize, err);
        if (st == TESS_OK)
            take_block(job, &part, &block);
    }
    free(items);
    return st;
}

static tess_status
gather_read_bytes(const struct job *job, const struct grain *g, struct chunk_scratch *s,
                  tess_error *err)
{
    const struct chunk_grid *const grid = job->s->grid;
    const struct stored_chunk *const sc = &g->visit->stored;
    struct chunk_cursor cur;
    tess_status st = cursor_init(&cur, &sc->chunk, &sc->bytes, s, err);
    if (st == TESS_OK)
        st = grid->linear || grid->plain ? gather_read_linear(job, g, &cur, err)
                                         : gather_read_foreign_blocks(job, g, &cur, err);
    cursor_finish(&cur);
    return st;
}

static tess_status
gather_read_grain(const struct job *job, const struct grain *g, struct chunk_scratch *s,
                  tess_error *err)
{
    const struct chunk_grid *const grid = job->s->grid;
    tess_status st;
    if (g->nblocks > 0)
        st = gather_read_blocks(job, g, s, err);
    else if (!grid->plain && g->visit->kind == OPEN_SPECIAL)
        return gather_fill_special(job, g, err);
    else
        st = gather_read_bytes(job, g, s, err);
    return st == TESS_OK ? st : stored_chunk_blame(&g->visit->stored, g->visit->n, st, err);
}

static tess_status
gather_work(void *arg, void *grain, tess_error *err)
{
    const struct job *const job = arg;
    struct pool *const pool = job->s->grid->pool;
    struct chunk_scratch *const s = pool_take(pool);
    const tess_status st = s ? gather_read_grain(job, grain, s, err)
                             : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    pool_give(pool, s);
    watch_add(job->watch, max_i64(((const struct grain *)grain)->nblocks, 1));
    return st;
}

static void
gather_drop(void *arg, void *grain)
{
    (void)arg;
    open_chunk_release(((struct grain *)grain)->visit);
}

tess_status
selection_read(const struct selection *s, uint8_t *dst, struct watch *watch, tess_error *err)
{
    static const struct task task = {.next = gather_next,
                                     .work = gather_work,
                                     .drop = gather_drop,
                                     .grain_size = sizeof(struct grain)};
    const struct chunk_grid *const grid = s->grid;
    struct job job = {.s = s, .dst = dst, .watch = watch};
    int64_t nbytes;

    if (!mul_i64(s->nblocks, grid->g.blocksize, &nbytes))
        nbytes = INT64_MAX;
    const struct task_width width = {
        .threads = grid->context->threads,
        .cost = cost_decode(codec_by_id(frame_header(grid->frame)->codec), nbytes),
        .watch = watch,
    };
    watch_job(watch, s->nblocks);
    job.run = blocks_run_length(nbytes, (int32_t)max_i64(grid->g.blocksize, 1));
    job.more_chunks = selection_chunk(s, 0, &job.chunk);
    const tess_status st = task_run(&task, &job, &width, err);
    open_chunk_release(job.visit);
    return st;
}
