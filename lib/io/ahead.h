/*
 * ahead.h - bytes that a job will need, read before it needs them, many requests at once.
 *
 * The job says what it wants in the order in which it will need it. Where requests take long
 * (io_manner.far), threads of the job read it; else the job reads it itself, in few calls. The job
 * waits for what it needs next. A *want* is the ranges of one step of the job. What is close
 * together is read together, across wants, as the io's manner says.
 *
 *     struct io_want *w = io_want_new(ahead);
 *     io_want_add(w, io, offset, size, NULL, err); ...
 *     io_ahead_go(ahead);
 *     io_want_get(w, io, offset, size, &bytes, err);       waits; the bytes stay until the release
 *     io_want_release(w);
 *
 * The job's functions, io_ahead_*(), are in ahead/queue.c, those of wants in ahead/want.c.
 *
 * Memory: what was wanted and is not released, io_ahead_size(). The caller keeps it bounded, by
 * wanting no more for a while: what is wanted is read in any case.
 *
 * Threads: any number may want, each with a want of its own, go, get, hold and release; one thread
 * at a time adds to a want, while any number may get from it. A mutex guards all of an io_ahead and
 * its wants, and is free while bytes are read. One thread begins and ends an io_ahead. The threads
 * that read are started when there is something to read, with all signals blocked, at most as many
 * as requests are worth being under way at once, and are joined by io_ahead_stop(). If the system
 * has no thread, io_want_get() reads.
 */
#ifndef IO_AHEAD_H
#define IO_AHEAD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io;
struct io_ahead;
struct io_want;

/*
 * requests: under way at once, at most; 0: there are no threads, and callers read. ended: asked
 * about 20 times a second by whatever waits, on any thread, and by what reads; true: the job is
 * over, nothing more is read, and waiting is TESS_ERR_CANCELLED. NULL: no memory.
 */
struct io_ahead *io_ahead_new(int requests, bool (*ended)(void *arg), void *arg);
// Nothing more is read, or called, and no thread is left when this returns. NULL: fine.
void io_ahead_stop(struct io_ahead *a);
void io_ahead_free(struct io_ahead *a); // stopped, all wants are released; NULL: fine

// Bytes that are wanted, and not released.
int64_t io_ahead_size(const struct io_ahead *a);

// Begin to read what was added, with threads.
void io_ahead_go(struct io_ahead *a);

// Without threads: whether something was added that is not being read; and read some of it here.
bool io_ahead_waits(struct io_ahead *a);
void io_ahead_read(struct io_ahead *a);

/*
 * Run a function on a thread of the job, in turn with what is read. False: there is no thread, and
 * it is not called. True: it is called once; with `over` if the job was over before its turn, by
 * io_ahead_stop().
 */
bool io_ahead_call(struct io_ahead *a, void (*call)(void *arg, bool over), void *arg);

struct io_want *io_want_new(struct io_ahead *a); // held once; NULL: no memory

// A range of an io that stays open. If `other`, or this want, has the range already, it is shared.
// A want of another io_ahead as `other` is ignored.
tess_status io_want_add(struct io_want *w, struct io *io, int64_t offset, size_t size,
                        const struct io_want *other, tess_error *err);

// Whether all of it has arrived, or failed.
bool io_want_is_ready(const struct io_want *w);

// The bytes of a range, which may be part of one that was added; *bytes NULL: of none.
tess_status io_want_get(const struct io_want *w, const struct io *io, int64_t offset, size_t size,
                        const uint8_t **bytes, tess_error *err);

// Bytes from an offset on that io_want_get() has; 0: none.
size_t io_want_reach(const struct io_want *w, const struct io *io, int64_t offset);

bool io_want_is_of(const struct io_want *w, const struct io_ahead *a);

void io_want_hold(struct io_want *w);
// Waits for what is being read of it. NULL: fine.
void io_want_release(struct io_want *w);

#endif
