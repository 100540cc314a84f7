/*
 * fetch.c - the engine that reads: blocks of chunks, decoded in parallel, given to a sink.
 *
 * A small read is fetch_run_alone(): make a grain, open its chunk, decode its blocks, give them to
 * the sink, and so on. Others are tasks of several threads.
 *
 * Elsewhere: how blocks become grains, and, of tasks, how chunks are opened early and the stored
 * bytes of many grains read together (private.h); the blocks of a grain (grid/blocks.h).
 */
#include "grid/read/fetch.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/content.h"
#include "chunk/scratch.h"
#include "codec/codec.h"
#include "frame/chunks/stored.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "frame/watched.h"
#include "grid/blocks.h"
#include "grid/cost.h"
#include "grid/open_chunk.h"
#include "grid/pool.h"
#include "grid/read/private.h"
#include "io/ahead.h"
#include "task/gate.h"
#include "task/task.h"
#include "task/watch.h"

#include <assert.h>
#include <string.h>

struct fetch_job {
    const struct fetch *f;
    struct grain_maker maker;
    struct planned planned; // of several threads, or far; else `ahead` is NULL
    struct watched watched; // the call
    bool paused; // between two chunks: others want to be alone
};

// -- what is next

// Without a plan: the next grain, or the opening of a chunk ahead.
static tess_status
next_unplanned(struct fetch_job *job, struct fetch_grain *g, bool *more, tess_error *err)
{
    struct grain_maker *const m = &job->maker;
    bool announced = false;
    if (m->upcoming && !gate_is_wanted(m->gate)) {
        const tess_status st = upcoming_announce(m->upcoming, &announced, &g->opening, err);
        g->kind = GRAIN_OPENING;
        if (st != TESS_OK || announced)
            return st;
    }
    return grain_make(m, g, more, err);
}

static tess_status
fetch_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct fetch_job *const job = arg;
    struct fetch_grain *const g = grain;
    const struct fetch_reader *const r = job->f->reader;

    grain_init(g);
    if (r->stopped && r->stopped(job->f->self)) {
        *more = false;
        return TESS_OK;
    }
    if (planned_is_empty(&job->planned) && grain_maker_has_to_pause(&job->maker)) {
        job->paused = true;
        *more = false;
        return TESS_OK;
    }
    return job->planned.ahead ? planned_next(&job->planned, g, more, err)
                              : next_unplanned(job, g, more, err);
}

// -- a grain

// The blocks of a grain, one after the other.
struct run {
    const struct fetch *f;
    const struct open_chunk *open;
    int32_t left; // blocks, with the one that `at` stands on
    _Alignas(max_align_t) fetch_position at;
};

static void
fetch_look_ahead(const void *reader, struct span *span, int32_t most)
{
    const struct run *const run = reader;
    const struct fetch_reader *const r = run->f->reader;
    _Alignas(max_align_t) fetch_position at;
    memcpy(at, run->at, r->position_size);
    for (int32_t left = run->left - 1; left > 0 && r->next_block(run->f->self, at); left--)
        if (!blocks_join(span, open_chunk_span(run->f->grid, run->open, r->number(at)), most))
            return;
}

static tess_status
fetch_block(const struct run *run, struct fetch_grain *g, struct blocks *blocks, tess_error *err)
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
fetch_blocks(const struct fetch *f, struct fetch_grain *g, struct chunk_scratch *s, tess_error *err)
{
    const struct fetch_reader *const r = f->reader;
    tess_status st = TESS_OK;
    struct run run;
    struct blocks blocks = {.grid = f->grid,
                            .v = g->open,
                            .s = s,
                            .align = r->align,
                            .missing = f->missing,
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
fetch_equal(const struct fetch *f, struct fetch_grain *g, tess_error *err)
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
fetch_in_order(const struct fetch *f, struct fetch_grain *g, struct chunk_scratch *s,
               tess_error *err)
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
fetch_with_scratch(const struct fetch_job *job, struct fetch_grain *g, tess_error *err)
{
    const struct fetch *const f = job->f;
    struct chunk_scratch *const s = pool_take(f->grid->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    s->want = g->want;
    s->progress = watched_progress(&job->watched);
    const tess_status st =
        g->kind == GRAIN_BLOCKS ? fetch_blocks(f, g, s, err) : fetch_in_order(f, g, s, err);
    pool_give(f->grid->pool, s);
    return st;
}

static tess_status
fetch_work(void *arg, void *grain, tess_error *err)
{
    struct fetch_job *const job = arg;
    const struct fetch *const f = job->f;
    const struct fetch_reader *const r = f->reader;
    struct fetch_grain *const g = grain;
    tess_status st;

    if (g->kind == GRAIN_OPENING)
        opening_work(g->opening);
    else if (g->kind == GRAIN_READING)
        planned_read(&job->planned);
    if (g->kind == GRAIN_OPENING || g->kind == GRAIN_READING)
        return TESS_OK;
    if (r->stopped && r->stopped(f->self))
        st = TESS_OK;
    else if (g->kind == GRAIN_EQUAL)
        st = fetch_equal(f, g, err);
    else if (g->kind == GRAIN_OTHER)
        st = r->other(f->self, g->tally, g->at, err);
    else
        st = fetch_with_scratch(job, g, err);
    if (st != TESS_OK && job->planned.ahead)
        planned_fail(&job->planned);
    watch_add(f->watch, r->weight(f->self, g->at, g->nblocks));
    return st;
}

static tess_status
fetch_finish(void *arg, void *grain, tess_error *err)
{
    const struct fetch *const f = ((const struct fetch_job *)arg)->f;
    struct fetch_grain *const g = grain;
    const bool is_help = g->kind == GRAIN_OPENING || g->kind == GRAIN_READING;
    return is_help ? TESS_OK : f->reader->finish(f->self, g->tally, err);
}

static void
fetch_drop(void *arg, void *grain)
{
    grain_drop(&((const struct fetch_job *)arg)->maker, grain);
}

// -- all

// The calling thread does all grains, each as it is made. Where others want to change something
// between two chunks, it lets them.
static tess_status
fetch_run_alone(struct fetch_job *job, tess_error *err)
{
    const struct fetch_reader *const r = job->f->reader;
    struct grain_maker *const m = &job->maker;
    tess_status st = TESS_OK;
    bool more = true;
    struct fetch_grain g;

    job->planned.ahead = NULL;
    grain_maker_init(m, job->f, NULL, watched_progress(&job->watched));
    if (!job->f->inside)
        gate_enter(m->gate);
    while (st == TESS_OK && !(r->stopped && r->stopped(job->f->self))) {
        if (grain_maker_has_to_pause(m)) {
            grain_maker_leave_chunk(m);
            gate_leave(m->gate);
            gate_enter(m->gate);
            m->begun = false;
        }
        grain_init(&g);
        st = grain_make(m, &g, &more, err);
        if (st != TESS_OK || !more)
            break;
        st = fetch_work(job, &g, err);
        if (st == TESS_OK && r->finish)
            st = r->finish(job->f->self, g.tally, err);
        grain_drop(m, &g);
        if (st == TESS_OK)
            st = watch_look(job->f->watch, err);
    }
    grain_maker_leave_chunk(m);
    gate_leave(m->gate);
    return st;
}

static tess_status
run_task(const struct task *task, const struct task_width *width, struct fetch_job *job,
         tess_error *err)
{
    struct grain_maker *const m = &job->maker;
    tess_status st;
    job->paused = false;
    do {
        if (job->paused || !job->f->inside)
            gate_enter(m->gate);
        job->paused = m->begun = false;
        st = task_run(task, job, width, err);
        grain_maker_leave_chunk(m);
        gate_leave(m->gate);
    } while (st == TESS_OK && job->paused);
    return st;
}

// Several threads, or reading ahead.
static tess_status
fetch_run_together(struct fetch_job *job, const struct task_width *width, tess_error *err)
{
    const struct fetch *const f = job->f;
    const struct task task = {.next = fetch_next,
                              .work = fetch_work,
                              .finish = f->reader->finish ? fetch_finish : NULL,
                              .drop = fetch_drop,
                              .grain_size = sizeof(struct fetch_grain)};
    const int threads = task_threads(width);
    struct upcoming upcoming;

    tess_status st = planned_init(&job->planned, &job->maker, f, threads, err);
    struct io_ahead *const ahead = job->planned.ahead;
    const struct io_progress *const progress =
        ahead ? io_ahead_progress(ahead) : watched_progress(&job->watched);
    const tess_status prepared =
        upcoming_init(&upcoming, f, threads, ahead, progress, st == TESS_OK ? err : NULL);
    st = st == TESS_OK ? prepared : st;
    grain_maker_init(&job->maker, f, upcoming.most > 0 ? &upcoming : NULL, progress);
    if (st == TESS_OK)
        st = run_task(&task, width, job, err);
    else if (f->inside)
        gate_leave(job->maker.gate);
    planned_finish(&job->planned);
    upcoming_finish(&upcoming);
    planned_free(&job->planned);
    return st;
}

tess_status
fetch_run(const struct fetch *f, tess_error *err)
{
    const int64_t decode = chunk_grid_decode_cost(f->grid, f->nbytes);
    const struct task_width width = chunk_grid_width(f->grid, max_i64(f->cost, decode), f->watch);
    struct fetch_job job;

    assert(f->reader->position_size <= FETCH_POSITION_SIZE);
    job.f = f;
    watched_init(&job.watched, f->watch);
    watch_job(f->watch, f->weight);
    return task_is_shared(&width) || planned_pays(f) ? fetch_run_together(&job, &width, err)
                                                     : fetch_run_alone(&job, err);
}
