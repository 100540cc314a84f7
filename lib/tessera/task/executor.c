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

#define LEAST_DEFAULT 100000 // nanoseconds of a job that are worth a work, as waking a worker is

static struct {
    pthread_mutex_t lock; // guards the rest, and `came` of the calls
    struct workers_call *calls; // open ones
    uintptr_t last; // number
} executors = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool inside; // a job with an executor
static _Thread_local uintptr_t
    running_all; // works of this job, which this thread may join; 0: none

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
    const bool may_join = !inside || (uintptr_t)work == running_all;
    struct workers_call *const call = may_join ? executor_join((uintptr_t)work) : NULL;
    const bool inside_before = inside;
    int before;

    if (!call)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    const uintptr_t running_before = running_all;
    inside = true;
    running_all = 0;
    call->help(call);
    inside = inside_before;
    running_all = running_before;
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

static int64_t
least_of(const tess_executor *executor)
{
    return executor->least > 0 ? executor->least : LEAST_DEFAULT;
}

bool
executor_worth(const tess_executor *executor, int64_t cost)
{
    return cost > least_of(executor);
}

static void
submit_each(const tess_executor *executor, uintptr_t number, int works)
{
    for (int i = 0; i < works; i++)
        if (!executor->submit(executor_run, (void *)number, executor->user))
            break;
}

// This thread is one more.
static void
run_all(const tess_executor *executor, uintptr_t number, int works)
{
    const uintptr_t before = running_all;
    running_all = number;
    executor->run_all(executor_run, works + 1, (void *)number, executor->user);
    running_all = before;
}

void
executor_open(struct workers_call *call, const tess_executor *executor)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const int works = (int)min_i64(call->wanted, max_i64(call->cost / least_of(executor), 1));

    pthread_once(&once, watch_forks); // before the lock is taken for the first time
    call->came = 0;
    call->wanted += executor->run_all != NULL;
    pthread_mutex_lock(&executors.lock);
    const uintptr_t number = call->number = ++executors.last;
    call->after = executors.calls;
    executors.calls = call;
    pthread_mutex_unlock(&executors.lock);
    if (executor->run_all)
        run_all(executor, number, works);
    else
        submit_each(executor, number, works);
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
