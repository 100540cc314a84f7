/*
 * workers.h - the threads that help callers with their jobs: those of the pool of the process, and
 * those that the program has in an executor. Private to task.c.
 *
 * A caller opens a call, works, and closes the call. Between the two, idle workers join; it may be
 * that none does.
 *
 * Lock of the pool: one waitlock of the process, for the list of calls, `wanted`, `came` and
 * `after` of each, the number of workers and whether they are to end. It is free while help() runs.
 * It is held across fork(), so that the child finds the list whole. `cost` and `help` do not change
 * while a call is open. Calls that the threads of the program help with are in a list of their own.
 *
 * Executors: a work that is submitted is no memory but a number, that of its job. Run in time, it
 * looks up the job in the list of open ones and joins; late, it does not find it and returns. So a
 * program may run works late or never, twice, or on any thread, and neither hangs a job nor leaks.
 *
 * A thread that is in a job with an executor does not join another: it might hold what that one's
 * threads wait for. It returns, and the job gets by without. So joined threads wait only for
 * threads of the same job, and a caller only for those that joined. The one exception is a caller
 * whose executor runs all works before it returns: it joins its own job, as one of them.
 *
 * Lock of executors: one mutex of the process, for the list of calls and `came` of each, and for
 * the numbers. It is free while submit() and help() run, and held across fork().
 */
#ifndef TASK_WORKERS_H
#define TASK_WORKERS_H

#include <tessera/context.h>

#include <stdbool.h>
#include <stdint.h>

struct workers_call {
    void (*help)(struct workers_call *call); // by each worker that comes, once
    int64_t cost; // of the job, nanoseconds of one thread
    int wanted; // how many may still come
    int came;
    struct workers_call *after; // of the list of calls that want more
    uintptr_t number; // of the call, of one with an executor
};

// Is a job of this cost worth a call? Takes no lock.
bool workers_worth(int64_t cost);

void workers_open(struct workers_call *call);

// No worker joins any more; returns how many have. The caller then waits until they left help().
int workers_close(struct workers_call *call);

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
