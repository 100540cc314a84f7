/*
 * task.h - a job as a list of grains, handed out one after the other.
 *
 * A job knows how to say what the next grain of work is, and how to do one. The list is never
 * written down: `next` advances a cursor, so a job over a million blocks costs no memory. The first
 * failure stops the job and is what the caller gets.
 *
 * The caller's thread works and is, in this version, the only one.
 */
#ifndef TASK_TASK_H
#define TASK_TASK_H

#include "base/error.h"

#include <stdbool.h>

#define TASK_GRAIN_SIZE_MAX 512

struct task {
    // Describe the next grain, or set *more to false. Never called by two workers at once.
    tess_status (*next)(void *job, void *grain, bool *more, tess_error *err);
    // Do a grain.
    tess_status (*work)(void *job, const void *grain, tess_error *err);
};

// Run a job to its end or first failure. A grain is a struct of at most TASK_GRAIN_SIZE_MAX bytes.
tess_status task_run(const struct task *task, void *job, tess_error *err);

#endif
