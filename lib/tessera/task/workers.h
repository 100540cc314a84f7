/*
 * workers.h - the threads of the process that help callers with their jobs.
 *
 * A caller opens a call, works, and closes the call. Between the two, idle workers join; it may be
 * that none does.
 *
 * Lock: one waitlock of the process, for the list of calls, `wanted`, `came` and `after` of each,
 * the number of workers and whether they are to end. It is free while help() runs. It is held
 * across fork(), so that the child finds the list whole. `cost` and `help` do not change while a
 * call is open. Calls that the threads of the program help with are in a list of their own.
 */
#ifndef TASK_WORKERS_H
#define TASK_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

struct workers_call {
    void (*help)(struct workers_call *call); // by each worker that comes, once
    int64_t cost; // of the job, nanoseconds of one thread
    int wanted; // how many may still come
    int came;
    struct workers_call *after; // of the list of calls that want more
    uintptr_t number; // of the executor's (executor.h)
};

// Is a job of this cost worth a call? Takes no lock.
bool workers_worth(int64_t cost);

void workers_open(struct workers_call *call);

// No worker joins any more; returns how many have. The caller then waits until they left help().
int workers_close(struct workers_call *call);

#endif
