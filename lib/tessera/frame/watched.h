/*
 * watched.h - reads that end when the call they belong to is cancelled.
 *
 * An adapter: an io_progress (io.h) that asks the watch of the call. For reads that may block long,
 * as those of sources.
 */
#ifndef FRAME_WATCHED_H
#define FRAME_WATCHED_H

#include "io/io.h"

struct watch;

struct watched {
    struct io_progress progress; // for reads on any thread; nothing is told
    struct watch *watch;
};

// watch: NULL, or outlives the reads.
void watched_init(struct watched *x, struct watch *watch);

// What reads are given; NULL: nothing can end them.
const struct io_progress *watched_progress(const struct watched *x);

#endif
