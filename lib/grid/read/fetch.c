/*
 * fetch.c - the engine that reads: blocks of chunks, decoded in parallel, given to a sink.
 *
 * A grain is a run of blocks of one chunk, many enough grains for the threads and each large enough
 * to be worth handing out (blocks_run_length()). It is a whole chunk where nothing is decoded block
 * by block: one item again and again, or items in order. Blocks of another layout are put together
 * by one cursor, so all that a chunk has of them are one grain, and each stored block is decoded
 * once. Opening a chunk ahead of its turn is a grain, too (prefetch.h).
 *
 * Where blocks wait in the cache to be written back, some of them may be those of a chunk that is
 * one item, so then all chunks are read block by block.
 */
#include "grid/read/fetch.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "chunk/cursor.h"
#include "chunk/scratch.h"
#include "codec/codec.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "frame/stored.h"
#include "grid/blocks.h"
#include "grid/cost.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "grid/read/prefetch.h"
#include "task/gate.h"
#include "task/task.h"
#include "task/watch.h"

#include <assert.h>
#include <string.h>

typedef unsigned char position[FETCH_POSITION_SIZE];

// A chunk that was announced to be opened, and comes after those announced before.
struct coming {
    int64_t n;
    _Alignas(max_align_t) position at;
};

struct job {
    const struct fetch *f;
    int32_t run; // blocks of a grain
    struct prefetch prefetch;
    struct coming *coming; // a ring of prefetch.most
    int first; // of the ring
    bool more_chunks, more_blocks;
    struct gate *gate; // NULL: not entered
    bool begun; // a chunk, since the gate was entered
    bool paused; // between two chunks: others want to be alone
    enum fetch_next after; // what next_chunk() returned, and is not handed out yet: FETCH_OTHER
    _Alignas(max_align_t) position chunk; // the chunk whose blocks are handed out
    _Alignas(max_align_t) position block; // the next of them
    _Alignas(max_align_t) position other;
    struct open_chunk *open; // the chunk
};

enum grain_kind { GRAIN_OPENING, GRAIN_BLOCKS, GRAIN_EQUAL, GRAIN_IN_ORDER, GRAIN_OTHER };

struct grain {
    enum grain_kind kind;
    int32_t nblocks; // GRAIN_BLOCKS
    struct opening *opening; // GRAIN_OPENING
    struct open_chunk *open; // held; NULL: none
    _Alignas(max_align_t) unsigned char tally[FETCH_TALLY_SIZE];
    _Alignas(max_align_t) position at; // of the first block, or of the chunk
};

_Static_assert(sizeof(struct grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

// -- what is next

static void
copy_position(const struct job *job, void *to, const void *from)
{
    memcpy(to, from, job->f->reader->position_size);
}

// Announce chunks to be opened, as long as there is room. True: *g is an opening.
static tess_status
announce(struct job *job, struct grain *g, bool *announced, tess_error *err)
{
    struct prefetch *const p = &job->prefetch;
    struct coming *const c =
        p->count < p->most ? &job->coming[(job->first + p->count) % p->most] : NULL;
    bool all = false;
    *announced = false;
    if (!c || !job->more_chunks || job->after == FETCH_OTHER || gate_is_wanted(job->gate))
        return TESS_OK;
    job->after = job->f->reader->next_chunk(job->f->self, c->at, &c->n, &all);
    job->more_chunks = job->after != FETCH_NOTHING;
    if (job->after == FETCH_OTHER)
        copy_position(job, job->other, c->at);
    if (job->after != FETCH_CHUNK)
        return TESS_OK;
    g->kind = GRAIN_OPENING;
    *announced = true;
    return prefetch_announce(p, c->n, all, &g->opening, err);
}

// Stand on the next chunk and open it.
static enum fetch_next
enter_next_chunk(struct job *job, tess_status *st, tess_error *err)
{
    const struct fetch *const f = job->f;
    struct prefetch *const p = &job->prefetch;
    int64_t n = 0;
    bool all = false;

    open_chunk_release(job->open);
    job->open = NULL;
    job->begun = true;
    if (p->count > 0) {
        copy_position(job, job->chunk, job->coming[job->first].at);
        job->first = (job->first + 1) % p->most;
        *st = prefetch_take(p, &job->open, err);
        return FETCH_CHUNK;
    }
    if (job->after == FETCH_OTHER) {
        copy_position(job, job->chunk, job->other);
        job->after = FETCH_CHUNK;
        return FETCH_OTHER;
    }
    const enum fetch_next next =
        job->more_chunks ? f->reader->next_chunk(f->self, job->chunk, &n, &all) : FETCH_NOTHING;
    job->more_chunks = next != FETCH_NOTHING;
    if (next == FETCH_CHUNK)
        *st = open_chunks_get(f->grid, n, all, &job->open, err);
    return next;
}

static enum grain_kind
kind_of_chunk(const struct job *job)
{
    const struct chunk_grid *const grid = job->f->grid;
    const bool special = job->open->kind == OPEN_SPECIAL && !grid->plain;
    if (special && job->f->reader->take_equal && cache_dirty_size(grid->cache) == 0)
        return GRAIN_EQUAL;
    return grid->plain || grid->linear ? GRAIN_IN_ORDER : GRAIN_BLOCKS;
}

static void
hand_out_chunk(const struct job *job, struct grain *g, enum grain_kind kind)
{
    g->kind = kind;
    g->open = job->open;
    if (g->open)
        open_chunk_hold(g->open);
    copy_position(job, g->at, job->chunk);
}

static void
hand_out_blocks(struct job *job, struct grain *g)
{
    const enum open_kind kind = job->open->kind;
    const bool at_once = kind == OPEN_BYTES || (kind == OPEN_SPECIAL && job->f->reader->take_equal);
    const int32_t most = at_once ? INT32_MAX : job->run;
    g->kind = GRAIN_BLOCKS;
    g->open = job->open;
    open_chunk_hold(g->open);
    copy_position(job, g->at, job->block);
    for (g->nblocks = 0; job->more_blocks && g->nblocks < most; g->nblocks++)
        job->more_blocks = job->f->reader->next_block(job->f->self, job->block);
}

// Whether to let other calls change something: nothing is open, and something is left to read.
static bool
has_to_pause(const struct job *job)
{
    return gate_is_wanted(job->gate) && job->begun && job->prefetch.count == 0;
}

static tess_status
fetch_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct job *const job = arg;
    struct grain *const g = grain;
    const struct fetch_reader *const r = job->f->reader;
    tess_status st = TESS_OK;
    bool announced;

    g->open = NULL;
    g->nblocks = 0;
    memset(g->tally, 0, sizeof g->tally);
    if (r->stopped && r->stopped(job->f->self)) {
        *more = false;
        return TESS_OK;
    }
    if (job->prefetch.most > 0) {
        st = announce(job, g, &announced, err);
        if (st != TESS_OK || announced)
            return st;
    }
    if (!job->more_blocks && has_to_pause(job)) {
        job->paused = true;
        *more = false;
        return TESS_OK;
    }
    if (!job->more_blocks) {
        const enum fetch_next next = enter_next_chunk(job, &st, err);
        if (next == FETCH_NOTHING)
            *more = false;
        if (next == FETCH_OTHER)
            hand_out_chunk(job, g, GRAIN_OTHER);
        if (st != TESS_OK || next != FETCH_CHUNK)
            return st;
        const enum grain_kind kind = kind_of_chunk(job);
        if (kind != GRAIN_BLOCKS) {
            hand_out_chunk(job, g, kind);
            return TESS_OK;
        }
        r->begin_blocks(job->f->self, job->chunk, job->block);
        job->more_blocks = true;
    }
    hand_out_blocks(job, g);
    return TESS_OK;
}

// -- a grain

// The blocks of a grain, one after the other.
struct run {
    const struct fetch *f;
    const struct open_chunk *open;
    int32_t left; // blocks, with the one that `at` stands on
    _Alignas(max_align_t) position at;
};

static void
fetch_look_ahead(const void *reader, struct span *span, int32_t most)
{
    const struct run *const run = reader;
    const struct fetch_reader *const r = run->f->reader;
    _Alignas(max_align_t) position at;
    memcpy(at, run->at, r->position_size);
    for (int32_t left = run->left - 1; left > 0 && r->next_block(run->f->self, at); left--)
        if (!blocks_join(span, open_chunk_span(run->f->grid, run->open, r->number(at)), most))
            return;
}

static tess_status
fetch_block(const struct run *run, struct grain *g, struct blocks *blocks, tess_error *err)
{
    const struct fetch_reader *const r = run->f->reader;
    struct decoded items;
    bool whole = false;
    const struct block_need need = r->need(run->f->self, run->at, &whole);
    tess_status st = blocks_get(blocks, r->number(run->at), whole, &need, &items, err);
    if (st != TESS_OK)
        return stored_chunk_blame(&g->open->stored, g->open->n, st, err);
    const bool equal = g->open->kind == OPEN_SPECIAL && !blocks->held;
    st = r->take(run->f->self, g->tally, run->at, &items, equal, err);
    blocks_done(blocks);
    return st;
}

static tess_status
fetch_blocks(const struct fetch *f, struct grain *g, struct chunk_scratch *s, tess_error *err)
{
    const struct fetch_reader *const r = f->reader;
    tess_status st = TESS_OK;
    struct run run;
    struct blocks blocks = {.grid = f->grid,
                            .v = g->open,
                            .s = s,
                            .align = r->align,
                            .look_ahead = fetch_look_ahead,
                            .reader = &run};
    run.f = f;
    run.open = g->open;
    run.left = g->nblocks;
    memcpy(run.at, g->at, r->position_size);
    while (st == TESS_OK && !(r->stopped && r->stopped(f->self))) {
        st = fetch_block(&run, g, &blocks, err);
        if (--run.left == 0)
            break;
        r->next_block(f->self, run.at);
    }
    blocks_finish(&blocks);
    return st;
}

static tess_status
fetch_equal(const struct fetch *f, struct grain *g, tess_error *err)
{
    const size_t typesize = (size_t)f->grid->g.typesize;
    uint8_t small[64];
    uint8_t *const item = typesize <= sizeof small ? small : mem_alloc(typesize);
    if (!item)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    tess_status st = open_chunk_item(f->grid, g->open, item, err);
    if (st == TESS_OK)
        st = f->reader->take_equal(f->self, g->tally, g->at, item, err);
    if (item != small)
        mem_free(item);
    return st;
}

static tess_status
fetch_in_order(const struct fetch *f, struct grain *g, struct chunk_scratch *s, tess_error *err)
{
    const struct stored_chunk *const sc = &g->open->stored;
    struct chunk_cursor items;
    tess_status st = cursor_init(&items, &sc->chunk, &sc->bytes, s, err);
    if (st == TESS_OK)
        st = f->reader->take_in_order(f->self, g->at, &items, err);
    cursor_finish(&items);
    return st == TESS_OK ? st : stored_chunk_blame(sc, g->open->n, st, err);
}

static tess_status
fetch_with_scratch(const struct fetch *f, struct grain *g, tess_error *err)
{
    struct chunk_scratch *const s = pool_take(f->grid->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    const tess_status st =
        g->kind == GRAIN_BLOCKS ? fetch_blocks(f, g, s, err) : fetch_in_order(f, g, s, err);
    pool_give(f->grid->pool, s);
    return st;
}

static tess_status
fetch_work(void *arg, void *grain, tess_error *err)
{
    const struct fetch *const f = ((const struct job *)arg)->f;
    const struct fetch_reader *const r = f->reader;
    struct grain *const g = grain;
    tess_status st;

    if (g->kind == GRAIN_OPENING) {
        opening_work(g->opening);
        return TESS_OK;
    }
    if (r->stopped && r->stopped(f->self))
        st = TESS_OK;
    else if (g->kind == GRAIN_EQUAL)
        st = fetch_equal(f, g, err);
    else if (g->kind == GRAIN_OTHER)
        st = r->other(f->self, g->tally, g->at, err);
    else
        st = fetch_with_scratch(f, g, err);
    watch_add(f->watch, r->weight(f->self, g->at, g->nblocks));
    return st;
}

static tess_status
fetch_finish(void *arg, void *grain, tess_error *err)
{
    const struct fetch *const f = ((const struct job *)arg)->f;
    struct grain *const g = grain;
    return g->kind == GRAIN_OPENING ? TESS_OK : f->reader->finish(f->self, g->tally, err);
}

static void
fetch_drop(void *arg, void *grain)
{
    const struct fetch *const f = ((const struct job *)arg)->f;
    struct grain *const g = grain;
    if (g->kind == GRAIN_OPENING) {
        opening_release(g->opening);
        return;
    }
    open_chunk_release(g->open);
    if (f->reader->drop)
        f->reader->drop(f->self, g->tally);
}

// -- all

static tess_status
run_job(const struct task *task, const struct task_width *width, struct job *job, tess_error *err)
{
    tess_status st;
    do {
        job->paused = job->begun = false;
        gate_enter(job->gate);
        st = task_run(task, job, width, err);
        open_chunk_release(job->open);
        job->open = NULL;
        gate_leave(job->gate);
    } while (st == TESS_OK && job->paused);
    return st;
}

// Of decoding all blocks, nanoseconds of one thread.
static int64_t
decode_cost(const struct fetch *f)
{
    gate_enter(f->grid->gate);
    const int codec = frame_header(f->grid->frame)->codec;
    gate_leave(f->grid->gate);
    return cost_decode(codec_by_id(codec), f->nbytes);
}

tess_status
fetch_run(const struct fetch *f, tess_error *err)
{
    const struct task task = {.next = fetch_next,
                              .work = fetch_work,
                              .finish = f->reader->finish ? fetch_finish : NULL,
                              .drop = fetch_drop,
                              .grain_size = sizeof(struct grain)};
    const int64_t decode = decode_cost(f);
    const struct task_width width = chunk_grid_width(f->grid, max_i64(f->cost, decode), f->watch);
    struct job job;

    assert(f->reader->position_size <= FETCH_POSITION_SIZE);
    job.f = f;
    job.run = blocks_run_length(f->nbytes, (int32_t)max_i64(f->grid->g.blocksize, 1));
    job.first = 0;
    job.more_chunks = true;
    job.more_blocks = false;
    job.after = FETCH_CHUNK;
    job.open = NULL;
    job.coming = NULL;
    job.gate = f->outside ? NULL : f->grid->gate;
    watch_job(f->watch, f->weight);
    prefetch_init(&job.prefetch, f->grid, task_threads(&width));
    if (job.prefetch.most > 0)
        job.coming = mem_alloc((size_t)job.prefetch.most * sizeof *job.coming);
    const tess_status st = job.prefetch.most > 0 && !job.coming
                               ? err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead")
                               : run_job(&task, &width, &job, err);
    prefetch_finish(&job.prefetch);
    mem_free(job.coming);
    return st;
}
