/*
 * watch.h - progress of a call, reported to the program, which may cancel the call.
 *
 * A call begins a watch and hands it down to whatever takes long. A *job* counts work in units of
 * its own, on any thread; the watch knows which range of the call that is. What consists of several
 * jobs divides the range at hand into parts, and each part may be divided again:
 *
 *     watch_begin(&w, context, total);                            the whole call
 *         const struct watch_range all = watch_divide(&w);
 *         watch_part(&w, &all, 1, 2);                             its first half
 *             watch_job(&w, nblocks); ... watch_add(&w, 1);
 *         watch_part(&w, &all, 2, 2);                             the other one
 *     return watch_end(&w, st);
 *
 * The program's function is called by the thread that made the call, which looks now and then:
 * between the grains of a job (task.c), between pieces. Nothing is locked then.
 *
 * Every function takes NULL for a watch, and one whose context names no function: then it does
 * nothing.
 *
 * A job inside a grain of another job gets a watch within that of the call (watch_within()). It
 * counts nothing, but the inner job ends when the call is cancelled; while the thread of the call
 * works on it, that thread goes on reporting.
 *
 * Threads: `done` and `cancelled` are atomic, and watch_add() may be called by any worker. All
 * other members belong to the thread that made the call: it divides ranges and begins jobs while no
 * worker has grains of the watch, and it alone reports. All but `last` and `told` do not change
 * during a job, so that workers may read them. There is no lock.
 *
 * Waiting by polling, with a timeout and cancellation (struct retry, which belongs to the thread
 * that waits):
 *
 *     retry_begin(&p, context, path, ms);
 *     do
 *         st = try_to_get_it(&why);
 *     while (st != TESS_OK && is_refused(&why) && retry_again(&p, &st, &why));
 *
 * Locks of files can be waited for by the operating system, too, but neither for a time nor until
 * the program does not want to any more.
 */
#ifndef TASK_WATCH_H
#define TASK_WATCH_H

#include "base/error.h"

#include <tessera/context.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct watch {
    const tess_context *context; // NULL: nothing is reported
    struct watch *outer; // of the call; NULL: this is it, or there is none
    pthread_t caller; // the thread that made the call
    int64_t total; // of the call
    int64_t from, to; // of it: the range at hand
    int64_t work; // that the job has; 0: there is none
    _Atomic int64_t done; // of it
    int64_t last; // when the program was told, in nanoseconds of a clock
    bool told; // anything yet
    atomic_bool cancelled; // the program wants no more
};

struct watch_range {
    int64_t from, to;
};

// The context stays as it is until the end; total >= 0.
void watch_begin(struct watch *w, const tess_context *context, int64_t total);
tess_status watch_end(struct watch *w, tess_status st); // returns st

// For jobs inside grains of other jobs. outer stays as long, and may be NULL.
void watch_within(struct watch *w, struct watch *outer);

// Divide the range at hand. Nothing of it is done before the first part is begun.
struct watch_range watch_divide(struct watch *w);
// From where the part before ended, until `done` of `of` are.
void watch_part(struct watch *w, const struct watch_range *range, int64_t done, int64_t of);

// A job over the range at hand; one that comes after it in the same range adds nothing.
void watch_job(struct watch *w, int64_t work);
void watch_add(struct watch *w, int64_t done); // any thread

// On the thread of the call: report to the program, if it is time. On any thread:
// TESS_ERR_CANCELLED if the program has cancelled the call.
tess_status watch_look(struct watch *w, tess_error *err);
bool watch_is_due(struct watch *w);
int64_t watch_patience(struct watch *w); // nanoseconds until it is; INT64_MAX: never

// Whether the program has cancelled the call. Any thread; watch_poll() calls watch_look() first.
bool watch_can_be_cancelled(const struct watch *w);
bool watch_is_cancelled(const struct watch *w);
bool watch_poll(struct watch *w);

struct retry {
    struct watch watch;
    int64_t end; // in nanoseconds of a clock; negative: never
    int64_t nap; // nanoseconds
    const char *path;
};

// For so many milliseconds; negative: as long as it takes. The context's function is told now and
// then that nothing of 1 is done; NULL: there is none. path: of what is waited for, for the log,
// and valid until the end; NULL: it is not known.
void retry_begin(struct retry *p, const tess_context *context, const char *path, int64_t ms);

// Sleep a little; true: try again. False: the time is over, or the program does not want to go on:
// *st is TESS_ERR_CANCELLED then.
bool retry_again(struct retry *p, tess_status *st, tess_error *err);

#endif
