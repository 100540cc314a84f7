/*
 * readers.c - queues of pieces to read, and the I/O threads that read them.
 *
 * A range that lies close behind a piece of a queue extends that piece: this coalesces blocks of a
 * chunk, and chunks that are neighbours in a file, also where they are not read in the order of the
 * file (a reduction along the first axis). A thread takes several pieces of one io at once, a
 * batch, for one io_read_many(); each piece can be used as soon as it has arrived.
 */
#include "io/readers.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

// The first queue of a list that is not empty; NULL: none is.
static inline struct io_ahead *
queue_not_empty(struct io_ahead *a)
{
    while (a && !a->first)
        a = a->after;
    return a;
}

// -- the queue

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

// The piece is here, or has failed.
static void
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

// The waiting piece that a range follows closely, or NULL: the youngest, or any where requests take
// long. One that only the queue holds will not be read, and its io may be closed.
static struct io_piece *
queue_find_before(const struct io_ahead *a, const struct io *io, int64_t offset, size_t size)
{
    struct io_piece *p = !a->first || io->manner.far ? a->first : a->last;
    while (p && (p->users == 1 || p->io != io ||
                 !io_manner_joins(&io->manner, p->offset, p->size, offset, size)))
        p = p->after;
    return p;
}

// Make the piece that a range follows closely longer.
static struct io_piece *
queue_grow(struct io_ahead *a, const struct io *io, int64_t offset, size_t size)
{
    struct io_piece *const p = queue_find_before(a, io, offset, size);
    if (!p)
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

// -- a batch

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
    if (queue_not_empty(r->queues))
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

// Requests that should be free before the first piece of a queue, which is not empty, is taken. One
// for a call; a quarter of all, so that pieces are coalesced meanwhile; for a piece that is read
// with many requests up to half of them.
static int
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

// -- the threads

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
        struct io_ahead *const a = queue_not_empty(r->queues); // whose turn it is
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
    if (!queue_not_empty(r->queues))
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
