/*
 * watched.h - reads that end when the call they belong to is cancelled.
 *
 * An adapter: an io_progress (io.h) that asks the watch of the call. For reads that may block long,
 * as those of sources.
 */
#ifndef FRAME_WATCHED_H
#define FRAME_WATCHED_H

#include "io/io.h"
#include "task/watch.h"

struct watched {
    struct io_progress progress; // for reads on any thread; nothing is told
    struct watch *watch;
};

static inline bool
watched_cancelled(const struct io_progress *p)
{
    const struct watched *const x = (const struct watched *)p;
    return watch_poll(x->watch);
}

// watch: NULL, or outlives the reads.
static inline void
watched_init(struct watched *x, struct watch *watch)
{
    x->progress = (struct io_progress){.cancelled = watched_cancelled};
    x->watch = watch;
}

// What reads are given; NULL: nothing can end them.
static inline const struct io_progress *
watched_progress(const struct watched *x)
{
    return watch_can_be_cancelled(x->watch) ? &x->progress : NULL;
}

#endif
