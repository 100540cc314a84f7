/*
 * ahead.c - the queue of a job: its begin and end.
 */
#include "io/ahead.h"

#include "base/memory.h"
#include "io/ahead/batch.h"
#include "io/ahead/queue.h"
#include "io/ahead/readers.h"
#include "io/io.h"

#include <pthread.h>
#include <stdatomic.h>

// -- begin and end

static bool
ahead_is_over(const struct io_progress *p)
{
    const struct io_ahead *const a = (const struct io_ahead *)p;
    return a->ended(a->arg);
}

static struct io_ahead *
ahead_new(bool (*ended)(void *arg), void *arg)
{
    struct io_ahead *const a = mem_zeroed(1, sizeof *a);
    if (a) {
        a->progress = (struct io_progress){.cancelled = ahead_is_over};
        a->ended = ended;
        a->arg = arg;
    }
    return a;
}

struct io_ahead *
io_ahead_new(int requests, bool (*ended)(void *arg), void *arg)
{
    struct io_ahead *const a = ahead_new(ended, arg);
    struct io_readers *const r = a ? io_readers_new(requests) : NULL;
    if (!r) {
        mem_free(a);
        return NULL;
    }
    io_readers_add(r, a);
    return a;
}

struct io_ahead *
io_ahead_new_within(struct io_ahead *other, bool (*ended)(void *arg), void *arg)
{
    struct io_ahead *const a = ahead_new(ended, arg);
    if (a)
        io_readers_add(other->readers, a);
    return a;
}

void
io_ahead_stop(struct io_ahead *a)
{
    if (!a || a->stopped)
        return;
    a->stopped = true;
    io_readers_remove(a->readers, a);
    while (a->first) {
        struct io_piece *const p = a->first;
        io_queue_remove(a, NULL, p);
        if (!p->io)
            p->call(p->arg, true);
        io_piece_release(a, p);
    }
}

void
io_ahead_free(struct io_ahead *a)
{
    if (!a)
        return;
    io_ahead_stop(a);
    io_readers_leave(a->readers);
    mem_free(a);
}

// -- what is to be read

int64_t
io_ahead_size(const struct io_ahead *a)
{
    return atomic_load(&a->readers->size);
}

void
io_ahead_go(struct io_ahead *a)
{
    pthread_mutex_lock(&a->readers->lock);
    io_readers_wake(a->readers);
    pthread_mutex_unlock(&a->readers->lock);
}

bool
io_ahead_waits(struct io_ahead *a)
{
    pthread_mutex_lock(&a->readers->lock);
    const bool waits = a->first;
    pthread_mutex_unlock(&a->readers->lock);
    return waits;
}

void
io_ahead_read(struct io_ahead *a)
{
    struct io_batch b;
    pthread_mutex_lock(&a->readers->lock);
    if (a->first && io_batch_take(&b, a))
        io_batch_read(&b);
    pthread_mutex_unlock(&a->readers->lock);
}

bool
io_ahead_call(struct io_ahead *a, void (*call)(void *arg, bool over), void *arg)
{
    struct io_readers *const r = a->readers;
    pthread_mutex_lock(&r->lock);
    // A call waits for one answer at a time: it needs a thread of its own.
    if (r->idle == 0 && r->nthreads < r->requests && !r->no_threads)
        io_readers_start(r);
    const bool queued = r->nthreads > 0 && io_queue_push_call(a, call, arg);
    if (queued)
        pthread_cond_signal(&r->work);
    pthread_mutex_unlock(&r->lock);
    return queued;
}

const struct io_progress *
io_ahead_progress(const struct io_ahead *a)
{
    return &a->progress;
}
