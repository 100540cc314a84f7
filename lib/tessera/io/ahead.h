/*
 * ahead.h - prefetch: ranges that a job will need are read before, coalesced and concurrently.
 *
 * The job adds ranges in the order in which it will need them, and waits for each when it needs it.
 * I/O threads of the job read them where requests take long (io_manner.far); else the job calls
 * io_ahead_read(). A *want* is the ranges of one step of the job. Ranges are coalesced across wants
 * (io_manner_joins()).
 *
 *     struct io_want *w = io_want_new(ahead);
 *     io_want_add(w, io, offset, size, NULL, err); ...
 *     io_ahead_go(ahead);
 *     io_want_get(w, io, offset, size, &bytes, err);       waits; bytes are valid until the release
 *     io_want_release(w);
 *
 * The jobs of one call share I/O threads, the bound of requests, and io_ahead_size()
 * (io_ahead_new_within()).
 *
 * Memory: the ranges that were added and not released, io_ahead_size(). There is no bound here: the
 * caller stops adding when that is too much. Callers are grid/read/planned.c,
 * grid/read/boxes_ahead.c and frame/chunks/ahead.c; each has a budget, and an `ended` that looks at
 * the watch of its call.
 *
 * Failures: io_want_get() of any range that failed returns the first failure of the io_ahead.
 *
 * Threads: one thread at a time adds to a want, while any number get from it; different wants are
 * independent. All other functions may run on any thread, but for new, stop and free of one
 * io_ahead, which belong to one. A mutex guards all (readers.h); it is free while bytes are
 * read. I/O threads are started when there is something to read, at most `requests` of them, with
 * all signals blocked; the last io_ahead_stop() joins them. If no thread can be started,
 * io_want_get() reads.
 */
#ifndef IO_AHEAD_H
#define IO_AHEAD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io;
struct io_ahead;
struct io_progress;
struct io_want;

/*
 * requests: concurrent requests, at most 64; 0: no threads, callers read. ended: polled about 20
 * times a second while waiting, and by reads, on any thread; true: the job is over, reads are
 * cancelled, and io_want_get() returns TESS_ERR_CANCELLED. Returns NULL: no memory.
 */
struct io_ahead *io_ahead_new(int requests, bool (*ended)(void *arg), void *arg);
// One that shares these with another, which is not stopped. What the youngest has is read first.
struct io_ahead *io_ahead_new_within(struct io_ahead *other, bool (*ended)(void *arg), void *arg);
// Drop what is queued, and wait for reads and calls under way. NULL: fine.
void io_ahead_stop(struct io_ahead *a);
void io_ahead_free(struct io_ahead *a); // all wants are released; stops it; NULL: fine

// Bytes of ranges, with coalesced gaps, that were added and are not released: of all that share the
// threads.
int64_t io_ahead_size(const struct io_ahead *a);

// Let threads read what was added. Without this, io_want_get() waits for ever if there are threads.
void io_ahead_go(struct io_ahead *a);

// Without threads: whether the queue has a piece; and read the first pieces on this thread.
bool io_ahead_waits(struct io_ahead *a);
void io_ahead_read(struct io_ahead *a);

/*
 * Queue a function for an I/O thread, in order with the reads. False: no thread can be started, it
 * is not called. True: it is called once: by an I/O thread, or, with over true, by io_ahead_stop().
 */
bool io_ahead_call(struct io_ahead *a, void (*call)(void *arg, bool over), void *arg);

// For requests of the job that are not in the queue, as those of a call: cancelled when it is over.
const struct io_progress *io_ahead_progress(const struct io_ahead *a);

struct io_want *io_want_new(struct io_ahead *a); // held once; NULL: no memory

// Add a range of an io, which must stay open until the release. A piece of this want or of `other`
// (NULL: none) that has the range is shared. `other` is ignored if it is of another io_ahead.
tess_status io_want_add(struct io_want *w, struct io *io, int64_t offset, size_t size,
                        const struct io_want *other, tess_error *err);

// Whether all ranges of the want have arrived, or failed: io_want_get() would not wait.
bool io_want_is_ready(const struct io_want *w);

// Wait for a range. *bytes NULL, with TESS_OK: it is not within one range that was added.
tess_status io_want_get(const struct io_want *w, const struct io *io, int64_t offset, size_t size,
                        const uint8_t **bytes, tess_error *err);

// Length of the longest range at an offset that io_want_get() finds; 0: none. Does not wait.
size_t io_want_reach(const struct io_want *w, const struct io *io, int64_t offset);

bool io_want_is_of(const struct io_want *w, const struct io_ahead *a);

void io_want_hold(struct io_want *w);
// The last release waits for reads of its ranges that are under way. NULL: fine.
void io_want_release(struct io_want *w);

#endif
