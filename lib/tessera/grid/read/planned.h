/*
 * planned.h - grains that are made ahead, so that the stored bytes of many are read together.
 *
 * What a job will read is known from the block tables of its chunks. So before a grain is handed
 * out, those behind it are made, too, and what they need is wanted (io/ahead.h), as far as a budget
 * allows. The ranges of neighbouring blocks and chunks become one request.
 *
 * A frame that is far away is read by threads of the job. One that is near is read by the workers:
 * reading is a grain, as opening a chunk is; that pays for jobs that read much.
 *
 * Threads: planned_next() is called by one thread at a time, from `next` of a task; planned_read()
 * and planned_fail() by any number.
 */
#ifndef GRID_READ_PLANNED_H
#define GRID_READ_PLANNED_H

#include "grid/read/grains.h"

#include <stdatomic.h>

struct planned {
    struct grain_maker *maker;
    struct io_ahead *ahead; // NULL: the job is not planned
    bool far; // threads of the job read; else grains do
    struct fetch_grain *made; // a ring
    int first, count; // of it
    int64_t kept; // bytes that the files of their chunks keep
    bool all_made;
    bool asked; // something was wanted since it was seen that nothing waits to be read
    struct room grains, chunks; // that are made, and announced
    tess_status later; // what making failed with, once the grains before it are handed out
    tess_error why;
    int threads; // that work
    atomic_int reading; // grains that read
    atomic_bool failed; // nothing more is needed
};

bool planned_pays(const struct fetch *f);

// Decide whether a job is planned, whose maker will have an upcoming then. To be finished also
// after a failure.
tess_status planned_init(struct planned *p, struct grain_maker *maker, const struct fetch *f,
                         int threads, tess_error *err);
// No grain is at work. Before upcoming_finish().
void planned_finish(struct planned *p);
// After upcoming_finish().
void planned_free(struct planned *p);

// The next grain. *more false: there is none; or another call wants to change something.
tess_status planned_next(struct planned *p, struct fetch_grain *g, bool *more, tess_error *err);
bool planned_is_empty(const struct planned *p); // no grain is made that was not handed out

void planned_read(struct planned *p); // GRAIN_READING
void planned_fail(struct planned *p); // a grain failed: what still waits may end

#endif
