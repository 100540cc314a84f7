/*
 * task.h - a job as a list of grains, done by the caller and the threads of one shared pool.
 *
 * A job knows how to say what the next grain of work is, how to do one, and, where results have an
 * order, what to do with each when its turn has come. The list is never written down: `next`
 * advances a cursor, so a job over a million blocks costs no memory.
 *
 *     next    one at a time, in order       where is it, what is needed of it
 *     work    any number at a time          decode, encode
 *     finish  one at a time, in order       put it behind the one before
 *
 * next and finish exclude each other, too: what they touch needs no lock. The first failure stops
 * the job and is what the caller gets; every grain that next has made is dropped in the end.
 *
 * The pool is started when jobs first have enough work for it, with at most one thread for each CPU
 * that the process may use, or as many as TESS_NUM_THREADS says, the caller's one taken off. Any
 * number of threads may run jobs at once, and a job never needs more than its caller. After a
 * fork() the child has no pool and starts one of its own.
 *
 * With an executor the threads of the program help instead, which promise nothing (workers.h). A
 * job needs none of them either.
 *
 * While a job runs, its caller tells the program now and then how far it is (watch.h): it is grains
 * that count what they have done. A program that wants no more is a failure of the job.
 *
 * No function of a job may run another job with the same data locked, or return in the child of a
 * fork. A job inside a job is allowed, and rarely wise.
 */
#ifndef TASK_TASK_H
#define TASK_TASK_H

#include "base/error.h"

#include <tessera/context.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TASK_GRAIN_SIZE_MAX 2560

struct task {
    // Describe the next grain, or set *more to false. The grain is not initialised, and aligned for
    // any type. Some are made ahead: a grain holds little until it is worked on.
    tess_status (*next)(void *job, void *grain, bool *more, tess_error *err);
    // Do a grain.
    tess_status (*work)(void *job, void *grain, tess_error *err);
    // May be NULL. The grain is done, and so are all before it.
    tess_status (*finish)(void *job, void *grain, tess_error *err);
    // May be NULL. Give back what a grain holds: once for each that next has made, after finish or
    // instead of it; by any thread, at any time.
    void (*drop)(void *job, void *grain);
    size_t grain_size; // at most TASK_GRAIN_SIZE_MAX
};

struct watch;

// How many threads may work on a job, whether it is worth waking them, and where progress is
// reported.
struct task_width {
    int threads; // at most, the caller's among them; 0: as many as there are CPUs
    const tess_executor *executor; // threads of the program do the work; NULL: those of the pool
    int64_t cost; // of the whole job, an estimate: nanoseconds of one thread
    struct watch *watch; // reported by the caller; NULL: nothing is
};

// Run a job to its end or first failure.
tess_status task_run(const struct task *task, void *job, const struct task_width *width,
                     tess_error *err);

// Whether others may help: not a job of one thread, or too small to wake another one for.
bool task_is_shared(const struct task_width *width);

// The most threads that can work on a job of this width, the caller's among them; at least 1.
int task_threads(const struct task_width *width);

#endif
