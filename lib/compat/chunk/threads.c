/*
 * threads.c - calls that run on the threads of a function of the program.
 *
 * The function is given one job per thread. The first job that runs makes the call; the others help
 * it with what it submits, until it ends. So it does not matter in which order jobs run, nor
 * whether they run side by side: alone, the first makes the call, and the others find that it has
 * ended.
 */
#include "compat/chunk/threads.h"

#include <blosc2.h>

#include <pthread.h>
#include <stdlib.h>

enum { QUEUE = 64 }; // works that are submitted and not taken; more are refused

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for the two below
static blosc_threads_callback callback;
static void *callback_data;

struct crew {
    void (*work)(void *arg, const tess_executor *executor);
    void *arg;
    tess_executor executor;
    pthread_mutex_t lock; // for all below
    pthread_cond_t changed;
    bool started, ended;
    struct {
        tess_work_fn *run;
        void *work;
    } queue[QUEUE];
    int nqueue;
};

static bool
submit(tess_work_fn *run, void *work, void *user)
{
    struct crew *const c = user;
    pthread_mutex_lock(&c->lock);
    const bool taken = c->nqueue < QUEUE;
    if (taken) {
        c->queue[c->nqueue].run = run;
        c->queue[c->nqueue++].work = work;
        pthread_cond_signal(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    return taken;
}

static void
help(struct crew *c)
{
    while (!c->ended) {
        if (c->nqueue == 0) {
            pthread_cond_wait(&c->changed, &c->lock);
            continue;
        }
        tess_work_fn *const run = c->queue[--c->nqueue].run;
        void *const work = c->queue[c->nqueue].work;
        pthread_mutex_unlock(&c->lock);
        run(work);
        pthread_mutex_lock(&c->lock);
    }
}

static void
make_call(struct crew *c)
{
    c->started = true;
    pthread_mutex_unlock(&c->lock);
    c->work(c->arg, &c->executor);
    pthread_mutex_lock(&c->lock);
    c->ended = true;
    pthread_cond_broadcast(&c->changed);
}

static void
do_job(void *data)
{
    struct crew *const c = *(struct crew **)data;
    pthread_mutex_lock(&c->lock);
    if (c->started)
        help(c);
    else
        make_call(c);
    pthread_mutex_unlock(&c->lock);
}

void
blosc2_set_threads_callback(blosc_threads_callback function, void *data)
{
    pthread_mutex_lock(&lock);
    callback = function;
    callback_data = data;
    pthread_mutex_unlock(&lock);
}

static blosc_threads_callback
get_callback(void **data)
{
    pthread_mutex_lock(&lock);
    const blosc_threads_callback function = callback;
    *data = callback_data;
    pthread_mutex_unlock(&lock);
    return function;
}

void
b2_threads_run(int threads, void (*work)(void *arg, const tess_executor *executor), void *arg)
{
    void *data;
    const blosc_threads_callback function = threads > 1 ? get_callback(&data) : NULL;
    struct crew **const jobs = function ? malloc((size_t)threads * sizeof *jobs) : NULL;
    struct crew crew = {.work = work, .arg = arg};
    if (!jobs) {
        work(arg, NULL);
        return;
    }
    tess_executor_init(&crew.executor);
    crew.executor.submit = submit;
    crew.executor.user = &crew;
    crew.executor.threads = threads - 1;
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.changed, NULL);
    for (int i = 0; i < threads; i++)
        jobs[i] = &crew;
    function(data, do_job, threads, sizeof *jobs, jobs);
    if (!crew.started)
        work(arg, NULL);
    pthread_cond_destroy(&crew.changed);
    pthread_mutex_destroy(&crew.lock);
    free(jobs);
}
