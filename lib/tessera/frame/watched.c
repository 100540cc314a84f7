/*
 * watched.c - reads that end when the call they belong to is cancelled.
 */
#include "frame/watched.h"

#include "task/watch.h"

static bool
watched_cancelled(const struct io_progress *p)
{
    const struct watched *const x = (const struct watched *)p;
    return watch_poll(x->watch);
}

void
watched_init(struct watched *x, struct watch *watch)
{
    x->progress = (struct io_progress){.cancelled = watched_cancelled};
    x->watch = watch;
}

const struct io_progress *
watched_progress(const struct watched *x)
{
    return watch_can_be_cancelled(x->watch) ? &x->progress : NULL;
}
