/*
 * planned.c - grains that are made ahead, so that the stored bytes of many are read together: which
 * jobs are planned, with what budget, in which order bytes are asked for, and what ends reads when
 * the call is cancelled.
 */
#include "grid/read/private.h"

#include "base/error.h"
#include "base/memory.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "grid/open_chunks.h"
#include "io/ahead.h"
#include "io/io.h"
#include "task/gate.h"
#include "task/watch.h"

enum {
    MADE_MAX = 256, // grains that are made ahead
    MAKE_STEP = 8, // of them at once, where nothing has to be read
    NEAR_LEAST = 4 << 20, // bytes of a job on a near frame that is worth a plan
    NEAR_PIECES = 4, // that are read ahead there
};

// -- making

// A call that wants to change something waits for what was begun.
static bool
may_begin(const struct planned *p)
{
    return !gate_is_wanted(p->maker->gate) || !p->maker->begun;
}

// Bytes in memory, and on their way there.
static int64_t
planned_size_ahead(const struct planned *p)
{
    return p->kept + io_ahead_size(p->ahead);
}

// Whether to make another grain before the first of those made is handed out.
static bool
planned_may_make(struct planned *p)
{
    const struct grain_maker *const m = p->maker;
    if (p->all_made || (!m->more_blocks && m->upcoming->count == 0 && !may_begin(p)))
        return false;
    const bool room = room_is_left(&p->grains, p->count, planned_size_ahead(p));
    return p->count == 0 || (room && (m->more_blocks || upcoming_is_ready(m->upcoming)));
}

static tess_status
planned_announce(struct planned *p, tess_error *err)
{
    struct upcoming *const u = p->maker->upcoming;
    struct opening *opening;
    tess_status st = TESS_OK;
    bool announced = true, any = false;
    p->chunks.most = u->most;
    while (announced && st == TESS_OK && may_begin(p) &&
           (u->count == 0 || room_is_left(&p->chunks, u->count, planned_size_ahead(p)))) {
        st = upcoming_announce(u, &announced, &opening, err);
        any |= announced;
    }
    p->asked |= any;
    if (any)
        io_ahead_go(p->ahead);
    return st;
}

static tess_status
planned_make_one(struct planned *p, tess_error *err)
{
    struct fetch_grain *const g = &p->made[(p->first + p->count) % MADE_MAX];
    bool more = true;
    grain_init(g);
    tess_status st = planned_announce(p, err);
    if (st == TESS_OK)
        st = grain_make(p->maker, g, &more, err);
    p->all_made = st != TESS_OK || !more;
    if (p->all_made)
        return st;
    p->count++;
    p->kept += g->kept;
    st = grain_want(g, p->maker->f, p->ahead, p->maker->front, err);
    p->all_made = st != TESS_OK;
    p->asked |= g->want != NULL;
    return st;
}

// Make what there is room for; of what is in the cache a few at a time, as other workers wait for
// `next` meanwhile.
static void
planned_fill(struct planned *p)
{
    for (int n = 0; planned_may_make(p); n++) {
        p->later = planned_make_one(p, &p->why);
        if (n >= MAKE_STEP && !p->asked)
            break;
    }
    if (p->far && p->asked)
        io_ahead_go(p->ahead);
    p->asked = p->asked && !p->far;
}

// Whether a worker should read, before it does what is made.
static bool
should_read(struct planned *p)
{
    if (p->far || !p->asked || p->threads < 2 || atomic_load(&p->reading) >= p->threads)
        return false;
    p->asked = io_ahead_waits(p->ahead);
    return p->asked;
}

// Failures of what is ahead count when their turn comes.
tess_status
planned_next(struct planned *p, struct fetch_grain *g, bool *more, tess_error *err)
{
    planned_fill(p);
    if (should_read(p)) {
        g->kind = GRAIN_READING;
        atomic_fetch_add(&p->reading, 1);
        return TESS_OK;
    }
    *more = p->count > 0;
    if (*more) {
        *g = p->made[p->first];
        p->first = (p->first + 1) % MADE_MAX;
        p->count--;
        p->kept -= g->kept;
        return TESS_OK;
    }
    if (p->later != TESS_OK && err)
        *err = p->why;
    return p->later;
}

bool
planned_is_empty(const struct planned *p)
{
    return p->count == 0;
}

void
planned_read(struct planned *p)
{
    io_ahead_read(p->ahead);
    atomic_fetch_sub(&p->reading, 1);
}

void
planned_fail(struct planned *p)
{
    atomic_store(&p->failed, true);
}

// -- begin and end

// Whether what reads for the job should stop. Any thread.
static bool
is_ended(void *arg)
{
    struct planned *const p = arg;
    return watch_poll(p->maker->f->watch) || atomic_load(&p->failed);
}

// A near frame: one file of chunks, read, not mapped, that workers do not read as whole chunks
// (private.h); and a job that is worth it.
bool
planned_pays(const struct fetch *f)
{
    const struct io_manner *const manner = frame_manner(f->grid->frame);
    const bool near = manner->piece > 0 && f->nbytes >= NEAR_LEAST &&
                      !frame_is_sparse(f->grid->frame) && !frame_is_verified(f->grid->frame);
    return !f->outside && (manner->far || near);
}

tess_status
planned_init(struct planned *p, struct grain_maker *maker, const struct fetch *f, int threads,
             tess_error *err)
{
    const struct io_manner *const manner = frame_manner(f->grid->frame);
    p->maker = maker;
    p->ahead = NULL;
    p->made = NULL;
    p->first = p->count = 0;
    p->kept = 0;
    if (!planned_pays(f))
        return TESS_OK;
    p->far = manner->far;
    const int64_t budget = p->far ? f->grid->context->ahead : NEAR_PIECES * manner->piece;
    p->grains = (struct room){.most = MADE_MAX, .budget = budget};
    p->chunks = (struct room){.budget = budget};
    p->all_made = p->asked = false;
    p->later = TESS_OK;
    p->threads = threads;
    atomic_init(&p->reading, 0);
    atomic_init(&p->failed, false);
    struct io_ahead *const within = expected_chunks_ahead(f->grid->expected, f->watch);
    p->ahead = within ? io_ahead_new_within(within, is_ended, p)
                      : io_ahead_new(p->far ? manner->requests : 0, is_ended, p);
    p->made = mem_alloc(MADE_MAX * sizeof *p->made);
    return p->ahead && p->made ? TESS_OK
                               : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

void
planned_finish(struct planned *p)
{
    if (p->ahead) {
        planned_fail(p); // nothing more is read
        io_ahead_stop(p->ahead); // its threads use what upcoming_finish() ends
    }
    for (; p->count > 0; p->count--, p->first = (p->first + 1) % MADE_MAX)
        grain_drop(p->maker, &p->made[p->first]);
}

void
planned_free(struct planned *p)
{
    io_ahead_free(p->ahead);
    mem_free(p->made);
}
