/*
 * batch.c - pieces of one io that are read with one io_read_many().
 *
 * Each piece can be used as soon as it has arrived.
 */
#include "io/ahead/batch.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/ahead/queue.h"
#include "io/ahead/readers.h"
#include "io/extents.h"
#include "io/io.h"

#include <stddef.h>

// -- while it is read, without the mutex

static void
batch_arrived(const struct io_progress *p, size_t i)
{
    struct io_batch *const b = (struct io_batch *)p;
    struct io_readers *const r = b->ahead->readers;
    struct io_piece *const piece = b->piece_of[i];
    pthread_mutex_lock(&r->lock);
    if (--piece->under_way == 0)
        io_piece_settle(b->ahead, piece, PIECE_HERE);
    b->narrived++;
    r->under_way--;
    if (io_queue_not_empty(r->queues))
        pthread_cond_signal(&r->work); // the next may be sent
    pthread_mutex_unlock(&r->lock);
}

static bool
batch_cancelled(const struct io_progress *p)
{
    const struct io_ahead *const a = ((const struct io_batch *)p)->ahead;
    return a->ended(a->arg);
}

// -- with the mutex

// Where a piece belongs in the batch; -1: it overlaps one that is there.
static int
batch_place(const struct io_batch *b, const struct io_piece *p)
{
    int at = b->n;
    while (at > 0 && b->pieces[at - 1]->offset > p->offset)
        at--;
    const struct io_piece *const before = at > 0 ? b->pieces[at - 1] : NULL;
    const struct io_piece *const behind = at < b->n ? b->pieces[at] : NULL;
    if ((before && p->offset - before->offset < (int64_t)before->size) ||
        (behind && behind->offset - p->offset < (int64_t)p->size))
        return -1;
    return at;
}

// Requests that a piece is read with: more than one where they run at once.
static int
piece_requests(const struct io_piece *p)
{
    if (!p->io || p->io->manner.requests < 2 || p->io->manner.piece <= 0)
        return 1;
    return (int)max_i64(min_i64(ceil_div((int64_t)p->size, p->io->manner.piece), IO_BATCH_MAX), 1);
}

int
io_batch_needs(const struct io_ahead *a)
{
    const struct io_piece *const p = a->first;
    const int all = a->readers->requests;
    if (!p->io || p->users == 1) // nobody needs it: its io may be closed
        return 1;
    return (int)max_i64(max_i64(min_i64(piece_requests(p), all / 2), all / 4), 1);
}

// most: requests.
static void
batch_add(struct io_batch *b, struct io_piece *p, int at, int most)
{
    for (int i = b->n++; i > at; i--)
        b->pieces[i] = b->pieces[i - 1];
    b->pieces[at] = p;
    p->state = PIECE_ASKED;
    p->reading = true;
    p->under_way = (int)min_i64(piece_requests(p), most);
    b->nranges += p->under_way;
}

static void
batch_init(struct io_batch *b, struct io_ahead *a)
{
    b->progress = (struct io_progress){.arrived = batch_arrived, .cancelled = batch_cancelled};
    b->ahead = a;
    b->n = b->nranges = b->narrived = 0;
}

bool
io_batch_take(struct io_batch *b, struct io_ahead *a)
{
    struct io *const io = a->first->io; // the same for all of the batch
    const int free = a->readers->requests - a->readers->under_way;
    const int most = (int)max_i64(min_i64(free, IO_BATCH_MAX), 1);
    struct io_piece *before = NULL;
    batch_init(b, a);
    for (struct io_piece *p = a->first, *after; p && b->nranges < most; p = after) {
        // By more than the queue; else its io may be closed.
        const bool needed = !p->io || p->users > 1;
        const bool fits = needed && (b->n == 0 || piece_requests(p) <= most - b->nranges);
        const int at = fits && p->io == io ? batch_place(b, p) : -1;
        after = p->after;
        if (!needed) {
            io_queue_remove(a, before, p);
            io_piece_release(a, p);
            continue;
        }
        if (at >= 0) {
            io_queue_remove(a, before, p);
            batch_add(b, p, at, most - b->nranges);
        } else {
            before = p;
        }
        if (!io)
            break; // a call, alone
    }
    a->readers->under_way += b->nranges;
    a->batches += b->n > 0;
    return b->n > 0;
}

static void
piece_fail(struct io_ahead *a, struct io_piece *p, tess_status st, const tess_error *why)
{
    if (a->status == TESS_OK) {
        a->status = st;
        a->why = *why;
    }
    io_piece_settle(a, p, PIECE_FAILED);
}

// It was read, or it failed.
static void
batch_finish(struct io_batch *b, tess_status st, const tess_error *why)
{
    struct io_ahead *const a = b->ahead;
    for (int i = 0; i < b->n; i++) {
        struct io_piece *const p = b->pieces[i];
        if (p->state == PIECE_ASKED && st == TESS_OK)
            io_piece_settle(a, p, PIECE_HERE);
        else if (p->state == PIECE_ASKED)
            piece_fail(a, p, st, why);
        p->reading = false;
        io_piece_release(a, p);
    }
    a->readers->under_way -= b->nranges - b->narrived;
    a->batches--;
    pthread_cond_broadcast(&a->readers->arrival);
}

// -- without the mutex

static tess_status
batch_allocate(struct io_batch *b, tess_error *err)
{
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        struct io_piece *const p = b->pieces[i];
        const int64_t size = (int64_t)p->size, requests = p->under_way;
        p->bytes = mem_alloc(p->size);
        if (!p->bytes)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes to be read", p->size);
        for (int64_t k = 0; k < requests; k++, n++) {
            const int64_t from = size * k / requests, to = size * (k + 1) / requests;
            b->ranges[n] = (tess_range){p->offset + from, p->bytes + from, (size_t)(to - from)};
            b->piece_of[n] = p;
        }
    }
    return TESS_OK;
}

static tess_status
batch_do(struct io_batch *b, tess_error *why)
{
    struct io *const io = b->pieces[0]->io;
    if (!io) {
        b->pieces[0]->call(b->pieces[0]->arg, false);
        return TESS_OK;
    }
    const tess_status st = batch_allocate(b, why);
    return st == TESS_OK ? io_read_many(io, b->ranges, (size_t)b->nranges, &b->progress, why) : st;
}

void
io_batch_read(struct io_batch *b)
{
    struct io_readers *const r = b->ahead->readers;
    tess_error why = {.sys = 0};
    pthread_mutex_unlock(&r->lock);
    const tess_status st = batch_do(b, &why);
    pthread_mutex_lock(&r->lock);
    batch_finish(b, st, &why);
}
