/*
 * queue.c - a queue of pieces to read.
 *
 * A range that lies close behind the last piece of the queue extends that piece. This coalesces
 * blocks of a chunk, and chunks that are neighbours in a file.
 */
#include "io/ahead/queue.h"

#include "base/memory.h"
#include "io/ahead/readers.h"
#include "io/extents.h"
#include "io/io.h"

#include <pthread.h>
#include <stdatomic.h>

void
io_piece_release(struct io_ahead *a, struct io_piece *p)
{
    if (--p->users > 0)
        return;
    atomic_fetch_sub(&a->readers->size, (long long)p->size);
    mem_free(p->bytes);
    mem_free(p);
}

static void
queue_append(struct io_ahead *a, struct io_piece *p)
{
    p->after = NULL;
    if (a->first)
        a->last->after = p;
    else
        a->first = p;
    a->last = p;
    p->users++; // the queue's
}

void
io_queue_remove(struct io_ahead *a, struct io_piece *before, struct io_piece *p)
{
    if (before)
        before->after = p->after;
    else
        a->first = p->after;
    if (a->last == p)
        a->last = before;
}

void
io_piece_settle(struct io_ahead *a, struct io_piece *p, enum io_piece_state state)
{
    p->state = state;
    pthread_cond_broadcast(&a->readers->arrival);
}

static struct io_piece *
piece_new(struct io_ahead *a, size_t size)
{
    struct io_piece *const p = mem_zeroed(1, sizeof *p);
    if (p) {
        p->size = size;
        atomic_fetch_add(&a->readers->size, (long long)size);
    }
    return p;
}

struct io_piece *
io_queue_push_call(struct io_ahead *a, void (*call)(void *arg, bool over), void *arg)
{
    struct io_piece *const p = piece_new(a, 0);
    if (p) {
        p->call = call;
        p->arg = arg;
        queue_append(a, p);
    }
    return p;
}

// Make the youngest piece longer, if the range follows it closely. One that only the queue holds
// will not be read, and its io may be closed.
static struct io_piece *
queue_grow(struct io_ahead *a, struct io *io, int64_t offset, size_t size)
{
    struct io_piece *const p = a->last;
    if (!a->first || p->users == 1 || p->io != io)
        return NULL;
    if (!io_manner_joins(&io->manner, p->offset, p->size, offset, size))
        return NULL;
    const int64_t longer = offset + (int64_t)size - p->offset - (int64_t)p->size;
    p->size += (size_t)longer;
    atomic_fetch_add(&a->readers->size, (long long)longer);
    return p;
}

struct io_piece *
io_queue_push(struct io_ahead *a, struct io *io, int64_t offset, size_t size)
{
    struct io_piece *p = queue_grow(a, io, offset, size);
    if (p)
        return p;
    p = piece_new(a, size);
    if (p) {
        p->io = io;
        p->io_may_close = io->short_lived;
        p->offset = offset;
        queue_append(a, p);
    }
    return p;
}
