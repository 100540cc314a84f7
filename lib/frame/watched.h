/*
 * watched.h - reads that end when the call they belong to is cancelled.
 *
 * io does not know calls: it asks a struct io_progress (io.h). This one asks the watch of the call.
 * It pays where a read may take long, as from a source that blocks.
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
