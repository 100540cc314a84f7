/*
 * readers.c - I/O threads that read the pieces of one or several queues.
 */
#include "io/ahead/readers.h"

#include "base/checked.h"
#include "base/memory.h"
#include "io/ahead/batch.h"
#include "io/ahead/queue.h"

#include <signal.h>
#include <stddef.h>

static bool
may_take(const struct io_readers *r, const struct io_ahead *a)
{
    return a && r->requests - r->under_way >= io_batch_needs(a);
}

static void *
readers_run(void *arg)
{
    struct io_readers *const r = arg;
    struct io_batch b;
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&r->lock);
    while (!r->over) {
        struct io_ahead *const a = io_queue_not_empty(r->queues); // whose turn it is
        if (!may_take(r, a)) {
            r->idle++;
            pthread_cond_wait(&r->work, &r->lock);
            r->idle--;
        } else if (io_batch_take(&b, a)) {
            io_readers_wake(r);
            io_batch_read(&b);
        }
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

// Signals are for the threads of the program.
void
io_readers_start(struct io_readers *r)
{
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    if (pthread_create(&r->threads[r->nthreads], NULL, readers_run, r) == 0)
        r->nthreads++;
    else if (r->nthreads == 0)
        r->no_threads = true;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
io_readers_wake(struct io_readers *r)
{
    if (!io_queue_not_empty(r->queues))
        return;
    if (r->idle > 0)
        pthread_cond_signal(&r->work);
    else if (r->nthreads < r->requests && !r->no_threads)
        io_readers_start(r);
}

void
io_readers_add(struct io_readers *r, struct io_ahead *a)
{
    pthread_mutex_lock(&r->lock);
    a->readers = r;
    a->after = r->queues;
    r->queues = a;
    r->users++;
    pthread_mutex_unlock(&r->lock);
}

void
io_readers_remove(struct io_readers *r, struct io_ahead *a)
{
    struct io_ahead **at = &r->queues;
    pthread_mutex_lock(&r->lock);
    while (*at != a)
        at = &(*at)->after;
    *at = a->after;
    while (a->batches > 0)
        pthread_cond_wait(&r->arrival, &r->lock);
    r->over = !r->queues;
    if (r->over)
        pthread_cond_broadcast(&r->work);
    const bool over = r->over;
    pthread_mutex_unlock(&r->lock);
    for (int i = 0; over && i < r->nthreads; i++)
        pthread_join(r->threads[i], NULL);
}

static void
readers_free(struct io_readers *r)
{
    pthread_cond_destroy(&r->arrival);
    pthread_cond_destroy(&r->work);
    pthread_mutex_destroy(&r->lock);
    mem_free(r);
}

void
io_readers_leave(struct io_readers *r)
{
    pthread_mutex_lock(&r->lock);
    const bool last = --r->users == 0;
    pthread_mutex_unlock(&r->lock);
    if (last)
        readers_free(r);
}

struct io_readers *
io_readers_new(int requests)
{
    struct io_readers *const r = mem_zeroed(1, sizeof *r);
    if (!r)
        return NULL;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->work, NULL);
    pthread_cond_init(&r->arrival, NULL);
    r->requests = (int)max_i64(min_i64(requests, IO_READERS_MAX), 1);
    r->no_threads = requests == 0;
    atomic_init(&r->size, 0);
    return r;
}
