/*
 * workers.c - threads, started one by one as jobs first ask for them, and never more than CPUs.
 *
 * A worker without a job spins for a while and then sleeps (waitlock.h). Opening a call wakes one
 * worker at most, and none if one is spinning; each worker that joins wakes the next. So a caller
 * pays for one wake-up, whatever the number of workers.
 *
 * fork(): the lock is held across it, so the child finds the lists whole. It has no workers, and no
 * calls: their callers stayed behind. A callback must not fork and return in the child.
 *
 * Exit and dlclose(): the destructor ends the workers. One that is in the middle of a call is left
 * alone: then threads of the user are in the library, which only the end of the process allows.
 */
#include "task/workers.h"

#include "base/log.h"
#include "task/cpus.h"
#include "task/waitlock.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

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
before_fork(void)
{
    waitlock_lock(&all.lock);
}

static void
after_fork(void)
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
watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, workers_in_child);
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

    pthread_once(&once, watch_forks); // before the lock is taken for the first time
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
