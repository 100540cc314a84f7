/*
 * workers.c - threads that help with jobs: those of the pool, and those of the program.
 *
 * The pool's are started one by one as jobs first ask for them, never more than CPUs.
 *
 * A worker without a job spins for a while and then sleeps (waitlock_wait()). Opening a call wakes
 * one worker at most, and none if one is spinning; each worker that joins wakes the next. So a
 * caller pays for one wake-up, whatever the number of workers.
 *
 * fork(): the lock is held across it, so the child finds the lists whole. It has no workers, and no
 * calls: their callers stayed behind. A callback must not fork and return in the child.
 *
 * Exit and dlclose(): the destructor ends the workers. One that is in the middle of a call is left
 * alone: then threads of the user are in the library, which only the end of the process allows.
 *
 * Works of executors have numbers, given in order and never again; where they have 32 bits only,
 * one that comes again after 2^32 jobs lets a very late work join another job, which is as good as
 * one of its own. After a fork() the child has no calls; works of the parent's that it might run
 * find none.
 */
#include "task/workers.h"

#include "base/checked.h"
#include "base/log.h"
#include "task/gate.h"
#include "task/process.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

// -- the pool

#define COST_SPINNING 2000 // above it a job is worth a worker that spins
#define COST_ASLEEP 100000 // above it a job is worth waking a worker, or starting one

struct worker {
    pthread_t thread;
    bool helping;
};

static struct {
    struct waitlock lock; // guards the rest
    struct workers_call *calls; // the oldest first
    int open; // calls between workers_open() and workers_close()
    int count; // of workers
    int refused; // why the system has no more threads for us; 0: it may have
    bool told; // the program, of that
    bool stopping;
    struct worker workers[CPUS_THREADS_MAX];
} all = {.lock = {.lock = PTHREAD_MUTEX_INITIALIZER, .bell = PTHREAD_COND_INITIALIZER}};

static void *workers_run(void *worker);

// Signals are for the threads of the user.
static void
start_one(void)
{
    struct worker *const w = &all.workers[all.count];
    sigset_t every, before;

    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    w->helping = false;
    const int error = pthread_create(&w->thread, NULL, workers_run, w);
    if (error == 0)
        all.count++;
    else
        all.refused = error;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Wake or start a worker for the first call, if that is worth it and no worker is on the way.
static void
ring(void)
{
    if (!all.calls || all.calls->cost <= COST_ASLEEP ||
        atomic_load_explicit(&all.lock.spinning, memory_order_relaxed) > 0)
        return;
    if (all.lock.asleep > 0)
        waitlock_wake_one(&all.lock);
    else if (all.count < cpus_threads() - 1 && !all.refused)
        start_one();
}

static struct workers_call *
workers_join(void)
{
    struct workers_call *const call = all.calls;

    call->came++;
    if (call->came == call->wanted)
        all.calls = call->after;
    ring();
    return call;
}

static void *
workers_run(void *worker)
{
    struct worker *const w = worker;
    int before;

    // Functions of the program run here, and may learn which thread this is.
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    waitlock_lock(&all.lock);
    while (!all.stopping) {
        if (!all.calls) {
            waitlock_wait(&all.lock);
            continue;
        }
        struct workers_call *const call = workers_join();
        w->helping = true;
        waitlock_unlock(&all.lock);
        call->help(call);
        waitlock_lock(&all.lock);
        w->helping = false;
    }
    waitlock_unlock(&all.lock);
    return NULL;
}

static void
workers_before_fork(void)
{
    waitlock_lock(&all.lock);
}

static void
workers_after_fork(void)
{
    waitlock_unlock(&all.lock);
}

static void
workers_in_child(void)
{
    waitlock_init(&all.lock);
    all.calls = NULL;
    all.open = 0;
    all.count = 0;
    all.refused = 0;
    all.told = false;
}

static void
workers_watch_forks(void)
{
    pthread_atfork(workers_before_fork, workers_after_fork, workers_in_child);
}

bool
workers_worth(int64_t cost)
{
    return cost > COST_ASLEEP ||
           (cost > COST_SPINNING &&
            atomic_load_explicit(&all.lock.spinning, memory_order_relaxed) > 0);
}

void
workers_open(struct workers_call *call)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct workers_call **last = &all.calls;

    pthread_once(&once, workers_watch_forks); // before the lock is taken for the first time
    call->came = 0;
    call->after = NULL;
    waitlock_lock(&all.lock);
    all.open++;
    if (!all.stopping) {
        while (*last)
            last = &(*last)->after;
        *last = call;
        waitlock_changed(&all.lock);
        ring();
    }
    const int refused = all.told ? 0 : all.refused;
    const int count = all.count;
    all.told |= refused != 0;
    waitlock_unlock(&all.lock);
    if (refused != 0)
        LOG(TESS_LOG_WARNING, TESS_EVENT_THREADS, NULL,
            "%d threads of the library, no more can be started: %s", count, strerror(refused));
}

int
workers_close(struct workers_call *call)
{
    waitlock_lock(&all.lock);
    for (struct workers_call **c = &all.calls; *c; c = &(*c)->after)
        if (*c == call) {
            *c = call->after;
            break;
        }
    all.open--;
    const int came = call->came;
    waitlock_unlock(&all.lock);
    return came;
}

// A worker that has left its last call, but not yet said so, ends soon.
__attribute__((destructor)) static void
stop(void)
{
    pthread_t ending[CPUS_THREADS_MAX];
    int n = 0;

    waitlock_lock(&all.lock);
    all.stopping = true;
    for (int i = 0; i < all.count; i++)
        if (!all.workers[i].helping || all.open == 0)
            ending[n++] = all.workers[i].thread;
        else
            pthread_detach(all.workers[i].thread);
    waitlock_changed(&all.lock);
    waitlock_wake_all(&all.lock);
    waitlock_unlock(&all.lock);
    while (n > 0)
        pthread_join(ending[--n], NULL);
}

// -- threads of the program

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
executors_before_fork(void)
{
    pthread_mutex_lock(&executors.lock);
}

static void
executors_after_fork(void)
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
executors_watch_forks(void)
{
    pthread_atfork(executors_before_fork, executors_after_fork, executors_in_child);
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

    pthread_once(&once, executors_watch_forks); // before the lock is taken for the first time
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
