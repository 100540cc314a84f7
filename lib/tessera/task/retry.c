/*
 * retry.c - waiting for something that others have, by asking again and again.
 */
#include "task/retry.h"

#include "base/checked.h"
#include "base/log.h"

#include <stddef.h>
#include <time.h>

enum {
    MS = 1000000,
    NAP_FIRST = MS / 4,
    NAP_MAX = 10 * MS,
};

static int64_t
retry_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void
retry_begin(struct retry *p, const tess_context *context, const char *path, int64_t ms)
{
    static const tess_context nobody = {0};
    watch_begin(&p->watch, context ? context : &nobody, 1);
    p->path = path;
    p->nap = NAP_FIRST;
    p->end = -1;
    if (ms >= 0 && (!mul_i64(ms, MS, &p->end) || !add_i64(p->end, retry_now(), &p->end)))
        p->end = INT64_MAX;
}

bool
retry_again(struct retry *p, tess_status *st, tess_error *err)
{
    const tess_status wanted = watch_look(&p->watch, err);
    const int64_t left = p->end < 0 ? INT64_MAX : p->end - retry_now();
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
