/*
 * fetch.c - the engine that reads: blocks of chunks, decoded in parallel, given to a sink.
 *
 * A grain is a run of blocks of one chunk, many enough grains for the threads and each large enough
 * to be worth handing out (blocks_run_length()). It is a whole chunk where nothing is decoded block
 * by block: one item again and again, or items in order. Blocks of another layout are put together
 * by one cursor, so all that a chunk has of them are one grain, and each stored block is decoded
 * once. Opening a chunk ahead of its turn is a grain, too (upcoming.h).
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
#include "grid/pool.h"
#include "grid/read/prefetch.h"
#include "grid/read/upcoming.h"
#include "io/ahead.h"
#include "task/gate.h"
#include "task/task.h"
#include "task/watch.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { MADE_MAX = 256 }; // grains that are made ahead

typedef unsigned char position[FETCH_POSITION_SIZE];

struct job {
    const struct fetch *f;
    int32_t run; // blocks of a grain
    struct upcoming upcoming;
    bool more_blocks;
    struct gate *gate; // NULL: not entered
    bool begun; // a chunk, since the gate was entered
    bool paused; // between two chunks: others want to be alone
    _Alignas(max_align_t) position chunk; // the chunk whose blocks are handed out
    _Alignas(max_align_t) position block; // the next of them
    struct open_chunk *open; // the chunk
    struct io_want *front; // what was read ahead of it; NULL: nothing

    // Where the frame is far away, grains are made ahead, and what they need is wanted.
    struct io_ahead *ahead; // NULL: it is not
    struct grain *made; // a ring of MADE_MAX
    int first_made, nmade;
    bool all_made;
    bool filling, announcing; // grains, chunks: until there is no room
    tess_status later; // what making failed with, once the grains before it are handed out
    tess_error why;
    pthread_t caller; // the thread of the call, which alone may look at the watch
    atomic_bool failed;
};

enum grain_kind { GRAIN_OPENING, GRAIN_BLOCKS, GRAIN_EQUAL, GRAIN_IN_ORDER, GRAIN_OTHER };

struct grain {
    enum grain_kind kind;
    int32_t nblocks; // GRAIN_BLOCKS
    struct opening *opening; // GRAIN_OPENING
    struct open_chunk *open; // held; NULL: none
    struct io_want *want; // stored bytes of it, held; NULL: none
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

// Stand on the next chunk and open it.
static tess_status
enter_next_chunk(struct job *job, enum fetch_next *next, tess_error *err)
{
    open_chunk_release(job->open);
    io_want_release(job->front);
    job->begun = true;
    return upcoming_next(&job->upcoming, job->chunk, next, &job->open, &job->front, err);
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
    return gate_is_wanted(job->gate) && job->begun && job->upcoming.count == 0;
}

// A grain of the next blocks, or of the next chunk.
static tess_status
make_grain(struct job *job, struct grain *g, bool *more, tess_error *err)
{
    const struct fetch_reader *const r = job->f->reader;
    enum fetch_next next;
    if (!job->more_blocks) {
        const tess_status st = enter_next_chunk(job, &next, err);
        if (st != TESS_OK)
            return st;
        *more = next != FETCH_NOTHING;
        if (next == FETCH_OTHER)
            hand_out_chunk(job, g, GRAIN_OTHER);
        if (next != FETCH_CHUNK)
            return TESS_OK;
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

static void
grain_init(struct grain *g)
{
    g->open = NULL;
    g->want = NULL;
    g->nblocks = 0;
    memset(g->tally, 0, sizeof g->tally);
}

// -- grains that are made ahead

static tess_status
want_bytes(struct grain *g, struct io_want *w, const struct io_want *front, struct span span,
           tess_error *err)
{
    const struct stored_chunk *const sc = &g->open->stored;
    const int32_t size = span.stop - span.start;
    return io_want_add(w, sc->io, sc->position + span.start, (size_t)max_i64(size, 0), front, err);
}

// The blocks of a grain, but for those that are decoded already.
static tess_status
want_blocks(const struct job *job, struct grain *g, struct io_want *w, tess_error *err)
{
    const struct chunk_grid *const grid = job->f->grid;
    const struct fetch_reader *const r = job->f->reader;
    _Alignas(max_align_t) position at;
    tess_status st = TESS_OK;
    copy_position(job, at, g->at);
    for (int32_t left = g->nblocks; left > 0 && st == TESS_OK; left--) {
        const int32_t nblock = r->number(at);
        struct cached *const cached = cache_find(grid->cache, g->open->n, nblock);
        if (!cached)
            st = want_bytes(g, w, job->front, open_chunk_span(grid, g->open, nblock), err);
        cache_unpin(cached);
        if (left > 1)
            r->next_block(job->f->self, at);
    }
    return st;
}

// Want the stored bytes of a grain. Where its blocks are not those of the chunk, all of the chunk.
static tess_status
want_grain(const struct job *job, struct grain *g, tess_error *err)
{
    const struct open_chunk *const v = g->open;
    const bool stored = v && v->kind != OPEN_SPECIAL && !v->stored.whole;
    if (!stored || (g->kind != GRAIN_BLOCKS && g->kind != GRAIN_IN_ORDER))
        return TESS_OK;
    struct io_want *const w = io_want_new(job->ahead);
    if (!w)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
    g->want = w;
    if (g->kind == GRAIN_BLOCKS && v->kind != OPEN_BYTES)
        return want_blocks(job, g, w, err);
    return want_bytes(g, w, job->front, (struct span){0, v->stored.chunk.h.cbytes}, err);
}

// Whether there is room ahead. It is filled to the end once a quarter is free: what is wanted bit
// by bit cannot be read together.
static bool
has_room_ahead(bool *filling, int64_t n, int64_t most, const struct job *job)
{
    const int64_t budget = job->f->grid->context->ahead;
    const int64_t size = io_ahead_size(job->ahead);
    if (n <= most - most / 4 && size <= budget - budget / 4)
        *filling = true;
    if (n >= most || size >= budget)
        *filling = false;
    return *filling;
}

// Whether to make another grain before the first of those made is handed out.
static bool
may_make_ahead(struct job *job)
{
    if (job->all_made)
        return false;
    const bool room = has_room_ahead(&job->filling, job->nmade, MADE_MAX, job);
    return job->nmade == 0 || (room && (job->more_blocks || upcoming_is_ready(&job->upcoming)));
}

static tess_status
announce_far(struct job *job, tess_error *err)
{
    struct upcoming *const u = &job->upcoming;
    struct opening *opening;
    tess_status st = TESS_OK;
    bool announced = true, any = false;
    while (announced && st == TESS_OK &&
           (u->count == 0 || has_room_ahead(&job->announcing, u->count, u->most, job))) {
        st = upcoming_announce(u, &announced, &opening, err);
        any |= announced;
    }
    if (any)
        io_ahead_go(job->ahead);
    return st;
}

static tess_status
make_ahead(struct job *job, tess_error *err)
{
    struct grain *const g = &job->made[(job->first_made + job->nmade) % MADE_MAX];
    bool more = true;
    tess_status st = announce_far(job, err);
    grain_init(g);
    if (st == TESS_OK)
        st = make_grain(job, g, &more, err);
    if (st != TESS_OK || !more)
        return job->all_made = true, st;
    job->nmade++;
    return want_grain(job, g, err);
}

// Failures of what is ahead count when their turn comes.
static tess_status
next_far(struct job *job, struct grain *g, bool *more, tess_error *err)
{
    bool any = false;
    while (job->later == TESS_OK && may_make_ahead(job)) {
        job->later = make_ahead(job, &job->why);
        job->all_made |= job->later != TESS_OK;
        any = true;
    }
    if (any)
        io_ahead_go(job->ahead);
    *more = job->nmade > 0;
    if (*more) {
        *g = job->made[job->first_made];
        job->first_made = (job->first_made + 1) % MADE_MAX;
        job->nmade--;
        return TESS_OK;
    }
    if (job->later != TESS_OK && err)
        *err = job->why;
    return job->later;
}

// Whether what reads for the job should stop. Any thread.
static bool
job_is_ended(void *arg)
{
    struct job *const job = arg;
    if (pthread_equal(pthread_self(), job->caller))
        (void)watch_look(job->f->watch, NULL);
    return watch_is_cancelled(job->f->watch) || atomic_load(&job->failed);
}

static tess_status
fetch_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct job *const job = arg;
    struct grain *const g = grain;
    const struct fetch_reader *const r = job->f->reader;
    bool announced = false;

    grain_init(g);
    if (r->stopped && r->stopped(job->f->self)) {
        *more = false;
        return TESS_OK;
    }
    if (job->ahead)
        return next_far(job, g, more, err);
    if (job->upcoming.most > 0 && !gate_is_wanted(job->gate)) {
        const tess_status st = upcoming_announce(&job->upcoming, &announced, &g->opening, err);
        g->kind = GRAIN_OPENING;
        if (st != TESS_OK || announced)
            return st;
    }
    if (!job->more_blocks && has_to_pause(job)) {
        job->paused = true;
        *more = false;
        return TESS_OK;
    }
    return make_grain(job, g, more, err);
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
    s->want = g->want;
    const tess_status st =
        g->kind == GRAIN_BLOCKS ? fetch_blocks(f, g, s, err) : fetch_in_order(f, g, s, err);
    pool_give(f->grid->pool, s);
    return st;
}

static tess_status
fetch_work(void *arg, void *grain, tess_error *err)
{
    struct job *const job = arg;
    const struct fetch *const f = job->f;
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
    if (st != TESS_OK)
        atomic_store(&job->failed, true);
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
    io_want_release(g->want);
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

// Prepare to read ahead, if the frame is far away.
static tess_status
begin_far(struct job *job, tess_error *err)
{
    const struct frame *const frame = job->f->grid->frame;
    if (job->f->outside || !frame_is_far(frame))
        return TESS_OK;
    job->ahead = io_ahead_new(frame_requests(frame), job_is_ended, job);
    job->made = mem_alloc(MADE_MAX * sizeof *job->made);
    return job->ahead && job->made ? TESS_OK
                                   : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

static void
job_finish(struct job *job)
{
    atomic_store(&job->failed, true); // nothing more is read
    for (; job->nmade > 0; job->nmade--, job->first_made = (job->first_made + 1) % MADE_MAX)
        fetch_drop(job, &job->made[job->first_made]);
    io_want_release(job->front);
    upcoming_finish(&job->upcoming);
    io_ahead_free(job->ahead);
    mem_free(job->made);
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
    job.more_blocks = false;
    job.open = NULL;
    job.front = NULL;
    job.gate = f->outside ? NULL : f->grid->gate;
    job.ahead = NULL;
    job.made = NULL;
    job.first_made = job.nmade = 0;
    job.all_made = job.filling = job.announcing = false;
    job.later = TESS_OK;
    job.caller = pthread_self();
    atomic_init(&job.failed, false);
    job.upcoming.ring = NULL;
    job.upcoming.positions = NULL;
    job.upcoming.prefetch = (struct prefetch){0};
    watch_job(f->watch, f->weight);
    tess_status st = begin_far(&job, err);
    if (st == TESS_OK)
        st = upcoming_init(&job.upcoming, f, task_threads(&width), job.ahead, err);
    if (st == TESS_OK)
        st = run_job(&task, &width, &job, err);
    job_finish(&job);
    return st;
}
