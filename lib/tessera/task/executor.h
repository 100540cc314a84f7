/*
 * executor.h - the threads of the program help with a job, as the workers of the pool do.
 *
 * A work that is submitted is no memory but a number, that of its job. Run in time, it looks up the
 * job in the list of open ones and joins; late, it does not find it and returns. So a program may
 * run works late or never, twice, or on any thread, and neither hangs a job nor leaks.
 *
 * A thread that is in a job with an executor does not join another: it might hold what that one's
 * threads wait for. It returns, and the job gets by without. So joined threads wait only for
 * threads of the same job, and a caller only for those that joined. The one exception is a caller
 * whose executor runs all works before it returns: it joins its own job, as one of them.
 *
 * Lock: one mutex of the process, for the list of calls and `came` of each, and for the numbers. It
 * is free while submit() and help() run, and held across fork().
 */
#ifndef TASK_EXECUTOR_H
#define TASK_EXECUTOR_H

#include "task/workers.h"

#include <tessera/context.h>

#include <stdbool.h>

// The most threads that can work on a job, the caller's among them; at least 1.
int executor_threads(const tess_executor *executor);

// Is a job of this cost worth a work?
bool executor_worth(const tess_executor *executor, int64_t cost);

// Submit works for call->wanted threads, or fewer if its cost is not worth that many; or run them
// all, with this thread among them, and return when they have.
void executor_open(struct workers_call *call, const tess_executor *executor);

// No work joins any more; returns how many have. The caller then waits until they left help().
int executor_close(struct workers_call *call);

// This thread works on a job with an executor, until it leaves: works that it runs do nothing.
bool executor_enter(void); // returns what to give to executor_leave()
void executor_leave(bool before);

#endif
