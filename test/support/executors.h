/*
 * executors.h - executors of all sorts: threads that work, and ways not to.
 *
 *     struct executors x;
 *     executors_begin(&x, EXECUTORS_POOL, 3);
 *     context.executor = &x.executor;
 *     ...
 *     executors_end(&x);
 */
#ifndef SUPPORT_EXECUTORS_H
#define SUPPORT_EXECUTORS_H

#include <tessera/context.h>

#include <pthread.h>
#include <stdbool.h>

enum executors_kind {
    EXECUTORS_POOL, // runs works on threads, in the order of submission
    EXECUTORS_DROP, // says that it took them, and forgets them
    EXECUTORS_REFUSE, // takes none
    EXECUTORS_AT_ONCE, // runs them within submit
    EXECUTORS_LATE, // keeps them for executors_run_kept()
    EXECUTORS_TWICE, // a pool that runs each two times
    EXECUTORS_IN_TURN, // run_all runs them one after the other
    EXECUTORS_LOOP, // run_all runs each on a thread of its own, but for one
    EXECUTORS_KINDS
};

#define EXECUTORS_THREADS_MAX 8

struct executors_item {
    tess_work_fn *run;
    void *work;
};

struct executors {
    tess_executor executor; // to be passed to the library
    enum executors_kind kind;
    pthread_mutex_t lock; // for all below
    pthread_cond_t bell;
    struct executors_item *queue; // from `first` on not begun
    int first, count, capacity;
    int submitted; // works so far
    bool stopping;
    int nthreads;
    pthread_t threads[EXECUTORS_THREADS_MAX];
};

// Running out of memory or threads ends the program. Threads are those of a pool, 1 to 8, and what
// the others say that they have.
void executors_begin(struct executors *x, enum executors_kind kind, int threads);
// Forgets works that were not run.
void executors_end(struct executors *x);

const char *executors_name(enum executors_kind kind);

// By any thread: run what is queued and not begun, also of a pool; returns how many that were.
int executors_run_kept(struct executors *x);

int executors_submitted(struct executors *x); // so far

#endif
