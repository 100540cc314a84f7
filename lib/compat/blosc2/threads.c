/*
 * threads.c - calls that run on several threads: of a function of the program, or of their own.
 *
 * The function is asked for one job per thread, and may run them one after the other.
 */
#include "blosc2/threads.h"

#include <blosc2.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { MOST = 64 }; // threads of a call
enum { LEAST = 1 }; // nanosecond of work: c-blosc2 asks the function for whatever has two blocks

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for the two below
static blosc_threads_callback callback;
static void *callback_data;

struct job {
    tess_work_fn *run;
    void *work;
};

static void
do_job(void *data)
{
    const struct job *const job = data;
    job->run(job->work);
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

// A tess_run_all_fn. Without a function, or memory, the calling thread does the work.
static void
run_all(tess_work_fn *run, int count, void *work, void *user)
{
    void *data;
    const blosc_threads_callback function = get_callback(&data);
    struct job *const jobs = function ? malloc((size_t)count * sizeof *jobs) : NULL;

    (void)user;
    if (!jobs)
        return;
    for (int i = 0; i < count; i++)
        jobs[i] = (struct job){run, work};
    function(data, do_job, count, sizeof *jobs, jobs);
    free(jobs);
}

bool
b2_threads_executor(int threads, tess_executor *executor)
{
    void *data;

    if (threads < 2 || !get_callback(&data))
        return false;
    tess_executor_init(executor);
    executor->run_all = run_all;
    executor->threads = threads - 1;
    executor->least = LEAST;
    return true;
}

static void *
start(void *data)
{
    do_job(data);
    return NULL;
}

// Threads that end with the call. Signals are for the threads of the program.
static void
run_on_own(int threads, struct job *job)
{
    pthread_t started[MOST];
    sigset_t all, before;
    int count = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (count < threads - 1 && pthread_create(&started[count], NULL, start, job) == 0)
        count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    do_job(job);
    for (int i = 0; i < count; i++)
        pthread_join(started[i], NULL);
}

void
b2_threads_run(int threads, tess_work_fn *run, void *work)
{
    struct job job = {run, work};
    void *data;

    threads = threads < MOST ? threads : MOST;
    if (threads > 1 && get_callback(&data)) {
        run_all(run, threads - 1, work, NULL);
        run(work); // what is left
    } else {
        run_on_own(threads, &job);
    }
}
