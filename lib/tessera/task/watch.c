/*
 * watch.c - how far a call is: told to the program that made it, which may want it to end; and
 * waiting for what others have, by asking again and again.
 */
#include "task/watch.h"

#include "base/checked.h"
#include "base/log.h"

#include <stddef.h>
#include <time.h>

static int64_t
watch_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool
is_watched(const struct watch *w)
{
    return w && w->context;
}

// `part` of `all`, of n; without overflow, and n if it is all.
static int64_t
watch_share(int64_t n, int64_t part, int64_t all)
{
    if (part >= all)
        return n;
    return min_i64(n, (int64_t)((double)n * ((double)part / (double)all)));
}

void
watch_begin(struct watch *w, const tess_context *context, int64_t total)
{
    w->context = context->progress ? context : NULL;
    w->outer = NULL;
    if (!w->context)
        return;
    w->caller = pthread_self();
    w->total = w->to = total;
    w->from = w->work = 0;
    atomic_init(&w->done, 0);
    w->last = watch_now();
    w->told = false;
    atomic_init(&w->cancelled, false);
}

void
watch_within(struct watch *w, struct watch *outer)
{
    w->context = NULL;
    w->outer = is_watched(outer) ? outer : NULL;
}

// The watch that this thread may look at; NULL: none.
static struct watch *
looked_at(struct watch *w)
{
    struct watch *const own = w && w->outer ? w->outer : w;
    return is_watched(own) && pthread_equal(pthread_self(), own->caller) ? own : NULL;
}

struct watch_range
watch_divide(struct watch *w)
{
    if (!is_watched(w))
        return (struct watch_range){0};
    const struct watch_range range = {.from = w->from, .to = w->to};
    w->to = w->from;
    return range;
}

void
watch_part(struct watch *w, const struct watch_range *range, int64_t done, int64_t of)
{
    if (!is_watched(w))
        return;
    w->from = w->to;
    w->to = max_i64(w->from, range->from + watch_share(range->to - range->from, done, of));
    w->work = 0;
}

void
watch_job(struct watch *w, int64_t work)
{
    if (!is_watched(w))
        return;
    if (w->work > 0)
        w->from = w->to;
    w->work = work;
    atomic_store_explicit(&w->done, 0, memory_order_relaxed);
}

void
watch_add(struct watch *w, int64_t done)
{
    if (is_watched(w))
        atomic_fetch_add_explicit(&w->done, done, memory_order_relaxed);
}

// How far the call is.
static int64_t
reached(struct watch *w)
{
    const int64_t done = atomic_load_explicit(&w->done, memory_order_relaxed);
    return w->work > 0 ? w->from + watch_share(w->to - w->from, done, w->work) : w->from;
}

static bool
watch_tell(struct watch *w, int64_t done)
{
    w->told = true;
    return w->context->progress(done, w->total, w->context->progress_user);
}

int64_t
watch_patience(struct watch *w)
{
    const struct watch *const own = looked_at(w);
    if (!own)
        return INT64_MAX;
    return max_i64(own->last + (int64_t)own->context->progress_interval * 1000000 - watch_now(), 0);
}

bool
watch_is_due(struct watch *w)
{
    return watch_patience(w) == 0;
}

bool
watch_is_cancelled(const struct watch *w)
{
    const struct watch *const own = w && w->outer ? w->outer : w;
    return is_watched(own) && atomic_load_explicit(&own->cancelled, memory_order_relaxed);
}

bool
watch_can_be_cancelled(const struct watch *w)
{
    return w && (w->outer || w->context);
}

static tess_status
watch_cancelled(struct watch *w, tess_error *err)
{
    return err_set(err, TESS_ERR_CANCELLED, -1,
                   "the program cancelled the call, %d %% of which were done",
                   (int)watch_share(100, reached(w), w->total));
}

tess_status
watch_look(struct watch *w, tess_error *err)
{
    struct watch *const own = looked_at(w);
    if (!own)
        return watch_is_cancelled(w) ? watch_cancelled(w->outer ? w->outer : w, err) : TESS_OK;
    if (watch_is_cancelled(own))
        return watch_cancelled(own, err);
    if (!watch_is_due(own))
        return TESS_OK;
    const bool go_on = watch_tell(own, reached(own));
    own->last = watch_now();
    if (go_on)
        return TESS_OK;
    atomic_store_explicit(&own->cancelled, true, memory_order_relaxed);
    return watch_cancelled(own, err);
}

tess_status
watch_end(struct watch *w, tess_status st)
{
    if (st == TESS_OK && is_watched(w) && (w->told || watch_is_due(w)))
        (void)watch_tell(w, w->total);
    return st;
}

bool
watch_poll(struct watch *w)
{
    if (!watch_is_cancelled(w))
        (void)watch_look(w, NULL);
    return watch_is_cancelled(w);
}

// -- waiting by polling

enum {
    MS = 1000000,
    NAP_FIRST = MS / 4,
    NAP_MAX = 10 * MS,
};

void
retry_begin(struct retry *p, const tess_context *context, const char *path, int64_t ms)
{
    static const tess_context nobody = {0};
    watch_begin(&p->watch, context ? context : &nobody, 1);
    p->path = path;
    p->nap = NAP_FIRST;
    p->end = -1;
    if (ms >= 0 && (!mul_i64(ms, MS, &p->end) || !add_i64(p->end, watch_now(), &p->end)))
        p->end = INT64_MAX;
}

bool
retry_again(struct retry *p, tess_status *st, tess_error *err)
{
    const tess_status wanted = watch_look(&p->watch, err);
    const int64_t left = p->end < 0 ? INT64_MAX : p->end - watch_now();
    if (wanted != TESS_OK)
        *st = wanted;
    if (wanted != TESS_OK || left <= 0)
        return false;
    if (p->nap == NAP_FIRST)
        LOG(TESS_LOG_INFO, TESS_EVENT_WAIT, p->path, "waiting: %s", err->message);
    const int64_t nap = min_i64(p->nap, left);
    const struct timespec t = {.tv_nsec = (long)nap};
    (void)nanosleep(&t, NULL); // a signal: ask earlier
    p->nap = min_i64(2 * p->nap, NAP_MAX);
    return true;
}
