/*
 * executor.c - works that are submitted to the threads of the program, and what they join.
 *
 * Numbers are given in order and never again; where they have 32 bits only, one that comes again
 * after 2^32 jobs lets a very late work join another job, which is as good as one of its own.
 *
 * fork(): as workers.c. The child has no calls; works of the parent's that it might run find none.
 */
#include "task/executor.h"

#include "base/checked.h"
#include "task/cpus.h"

#include <pthread.h>
#include <stddef.h>

#define COST_OF_WORK 100000 // nanoseconds of a job that are worth a work, as waking a worker is

static struct {
    pthread_mutex_t lock; // guards the rest, and `came` of the calls
    struct workers_call *calls; // open ones
    uintptr_t last; // number
} executors = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool inside; // a job with an executor

// The call that a work is for, joined; NULL: it is over, or has threads enough.
static struct workers_call *
executor_join(uintptr_t number)
{
    pthread_mutex_lock(&executors.lock);
    struct workers_call *call = executors.calls;
    while (call && call->number != number)
        call = call->after;
    if (call && call->came == call->wanted)
        call = NULL;
    if (call)
        call->came++;
    pthread_mutex_unlock(&executors.lock);
    return call;
}

// A tess_work_fn.
static void
executor_run(void *work)
{
    struct workers_call *const call = inside ? NULL : executor_join((uintptr_t)work);
    int before;

    if (!call)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    inside = true;
    call->help(call);
    inside = false;
    pthread_setcancelstate(before, &before);
}

static void
before_fork(void)
{
    pthread_mutex_lock(&executors.lock);
}

static void
after_fork(void)
{
    pthread_mutex_unlock(&executors.lock);
}

static void
executors_in_child(void)
{
    pthread_mutex_init(&executors.lock, NULL);
    executors.calls = NULL;
}

static void
watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, executors_in_child);
}

int
executor_threads(const tess_executor *executor)
{
    if (executor->threads == 0)
        return cpus_threads();
    return executor->threads < CPUS_THREADS_MAX ? executor->threads + 1 : CPUS_THREADS_MAX;
}

bool
executor_worth(int64_t cost)
{
    return cost > COST_OF_WORK;
}

void
executor_open(struct workers_call *call, const tess_executor *executor)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const int works = (int)min_i64(call->wanted, max_i64(call->cost / COST_OF_WORK, 1));

    pthread_once(&once, watch_forks); // before the lock is taken for the first time
    call->came = 0;
    pthread_mutex_lock(&executors.lock);
    const uintptr_t number = call->number = ++executors.last;
    call->after = executors.calls;
    executors.calls = call;
    pthread_mutex_unlock(&executors.lock);
    for (int i = 0; i < works; i++)
        if (!executor->submit(executor_run, (void *)number, executor->user))
            break;
}

int
executor_close(struct workers_call *call)
{
    pthread_mutex_lock(&executors.lock);
    for (struct workers_call **c = &executors.calls; *c; c = &(*c)->after)
        if (*c == call) {
            *c = call->after;
            break;
        }
    const int came = call->came;
    pthread_mutex_unlock(&executors.lock);
    return came;
}

bool
executor_enter(void)
{
    const bool before = inside;
    inside = true;
    return before;
}

void
executor_leave(bool before)
{
    inside = before;
}
