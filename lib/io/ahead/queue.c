/*
 * queue.c - a queue of pieces to read, and the threads that read them.
 *
 * A range that lies close behind the last piece of the queue extends that piece. This coalesces
 * blocks of a chunk, and chunks that are neighbours in a file. A thread takes as many pieces of one
 * io as there are free requests, and reads them with one io_read_many(). Each piece can be used as
 * soon as it has arrived.
 *
 * The mutex is free during reads, calls of pieces, and calls of `ended`.
 */
#include "io/ahead/queue.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/ahead.h"
#include "io/extents.h"
#include "io/io.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum {
    THREADS_MAX = 64,
    BATCH_MAX = 64, // requests of one call
    POLL = 50 * 1000 * 1000, // nanoseconds between two questions whether the job is over
    SECOND = 1000 * 1000 * 1000,
};

struct io_ahead {
    pthread_mutex_t lock; // guards what follows, pieces, and wants
    pthread_cond_t work; // for threads: the queue is not empty, or the io_ahead is stopped
    pthread_cond_t arrival; // for io_piece_await(): a piece changed its state
    struct io_piece *first, *last; // the queue: pieces that wait
    int requests; // at most
    int under_way; // now
    int idle; // threads that wait for work
    int nthreads;
    pthread_t threads[THREADS_MAX];
    bool no_threads; // the system has none
    bool over;
    tess_status status; // of the first piece that failed
    tess_error why;
    atomic_llong size;

    bool (*ended)(void *arg); // fixed
    void *arg;
};

struct batch {
    struct io_progress progress;
    struct io_ahead *ahead;
    struct io_piece *pieces[BATCH_MAX]; // by offset
    int n;
    tess_range ranges[BATCH_MAX]; // of the pieces, in order
    struct io_piece *piece_of[BATCH_MAX]; // of each range
    int nranges;
};

// -- with the lock held

void
io_piece_release(struct io_ahead *a, struct io_piece *p)
{
    if (--p->users > 0)
        return;
    atomic_fetch_sub(&a->size, (long long)p->size);
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

// Take a piece out of the queue; before: the one before it, or NULL.
static void
queue_remove(struct io_ahead *a, struct io_piece *before, struct io_piece *p)
{
    if (before)
        before->after = p->after;
    else
        a->first = p->after;
    if (a->last == p)
        a->last = before;
}

static void
piece_settle(struct io_ahead *a, struct io_piece *p, enum io_piece_state state)
{
    p->state = state;
    pthread_cond_broadcast(&a->arrival);
}

static void
piece_fail(struct io_ahead *a, struct io_piece *p, tess_status st, const tess_error *why)
{
    if (a->status == TESS_OK) {
        a->status = st;
        a->why = *why;
    }
    piece_settle(a, p, PIECE_FAILED);
}

// -- reading

static bool
ahead_is_over(const struct io_ahead *a)
{
    return a->ended(a->arg);
}

static void
batch_arrived(const struct io_progress *p, size_t i)
{
    const struct batch *const b = (const struct batch *)p;
    struct io_piece *const piece = b->piece_of[i];
    pthread_mutex_lock(&b->ahead->lock);
    if (--piece->under_way == 0)
        piece_settle(b->ahead, piece, PIECE_HERE);
    pthread_mutex_unlock(&b->ahead->lock);
}

static bool
batch_cancelled(const struct io_progress *p)
{
    return ahead_is_over(((const struct batch *)p)->ahead);
}

// Where a piece belongs in the batch; -1: it overlaps one that is there.
static int
batch_place(const struct batch *b, const struct io_piece *p)
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
    return (int)max_i64(min_i64(ceil_div((int64_t)p->size, p->io->manner.piece), BATCH_MAX), 1);
}

static void
batch_add(struct batch *b, struct io_piece *p, int at)
{
    for (int i = b->n++; i > at; i--)
        b->pieces[i] = b->pieces[i - 1];
    b->pieces[at] = p;
    p->state = PIECE_ASKED;
    p->reading = true;
    p->under_way = piece_requests(p);
    b->nranges += p->under_way;
}

// With the lock held: the oldest piece, and others of its io, as many as may be under way.
static void
batch_take(struct batch *b, struct io_ahead *a)
{
    struct io *const io = a->first->io; // the same for all of the batch
    const int most = (int)max_i64(min_i64(a->requests - a->under_way, BATCH_MAX), 1);
    struct io_piece *before = NULL;
    b->n = b->nranges = 0;
    for (struct io_piece *p = a->first, *after; p && b->nranges < most; p = after) {
        // By more than the queue; else its io may be closed.
        const bool needed = !p->io || p->users > 1;
        const bool fits = needed && (b->n == 0 || piece_requests(p) <= most - b->nranges);
        const int at = fits && p->io == io ? batch_place(b, p) : -1;
        after = p->after;
        if (!needed) {
            queue_remove(a, before, p);
            io_piece_release(a, p);
            continue;
        }
        if (at >= 0) {
            queue_remove(a, before, p);
            batch_add(b, p, at);
        } else {
            before = p;
        }
        if (!io)
            break; // a call, alone
    }
    a->under_way += b->nranges;
}

static tess_status
batch_allocate(struct batch *b, tess_error *err)
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

static void
batch_read(struct batch *b)
{
    struct io_ahead *const a = b->ahead;
    tess_error why = {.sys = 0};
    tess_status st = TESS_OK;
    if (!b->pieces[0]->io) {
        b->pieces[0]->call(b->pieces[0]->arg, false);
    } else {
        st = batch_allocate(b, &why);
        if (st == TESS_OK)
            st = io_read_many(b->pieces[0]->io, b->ranges, (size_t)b->nranges, &b->progress, &why);
    }
    pthread_mutex_lock(&a->lock);
    for (int i = 0; i < b->n; i++) {
        struct io_piece *const p = b->pieces[i];
        if (p->state == PIECE_ASKED && st == TESS_OK)
            piece_settle(a, p, PIECE_HERE);
        else if (p->state == PIECE_ASKED)
            piece_fail(a, p, st, &why);
        p->reading = false;
        io_piece_release(a, p);
    }
    pthread_cond_broadcast(&a->arrival);
    a->under_way -= b->nranges;
    pthread_mutex_unlock(&a->lock);
}

static void
batch_init(struct batch *b, struct io_ahead *a)
{
    b->progress = (struct io_progress){.arrived = batch_arrived, .cancelled = batch_cancelled};
    b->ahead = a;
    b->n = b->nranges = 0;
}

// The lock is held, and given up meanwhile.
static void
read_here(struct io_ahead *a)
{
    struct batch b;
    batch_init(&b, a);
    batch_take(&b, a);
    if (b.n == 0)
        return;
    pthread_mutex_unlock(&a->lock);
    batch_read(&b);
    pthread_mutex_lock(&a->lock);
}

static void *
ahead_run(void *arg)
{
    struct io_ahead *const a = arg;
    struct batch b;
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    batch_init(&b, a);
    pthread_mutex_lock(&a->lock);
    while (!a->over) {
        if (!a->first || a->under_way >= a->requests) {
            a->idle++;
            pthread_cond_wait(&a->work, &a->lock);
            a->idle--;
            continue;
        }
        batch_take(&b, a);
        if (b.n == 0)
            continue;
        pthread_mutex_unlock(&a->lock);
        batch_read(&b);
        pthread_mutex_lock(&a->lock);
        if (a->first && a->idle > 0)
            pthread_cond_signal(&a->work);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

// -- the job

struct io_ahead *
io_ahead_new(int requests, bool (*ended)(void *arg), void *arg)
{
    struct io_ahead *const a = mem_zeroed(1, sizeof *a);
    if (!a)
        return NULL;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->work, NULL);
    pthread_cond_init(&a->arrival, NULL);
    a->requests = (int)max_i64(min_i64(requests, THREADS_MAX), 1);
    a->no_threads = requests == 0;
    atomic_init(&a->size, 0);
    a->ended = ended;
    a->arg = arg;
    return a;
}

void
io_ahead_stop(struct io_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->over = true;
    pthread_cond_broadcast(&a->work);
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; i < a->nthreads; i++)
        pthread_join(a->threads[i], NULL);
    a->nthreads = 0;
    while (a->first) {
        struct io_piece *const p = a->first;
        queue_remove(a, NULL, p);
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
    pthread_cond_destroy(&a->arrival);
    pthread_cond_destroy(&a->work);
    pthread_mutex_destroy(&a->lock);
    mem_free(a);
}

bool
io_ahead_waits(struct io_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    const bool waits = a->first;
    pthread_mutex_unlock(&a->lock);
    return waits;
}

void
io_ahead_read(struct io_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->first)
        read_here(a);
    pthread_mutex_unlock(&a->lock);
}

int64_t
io_ahead_size(const struct io_ahead *a)
{
    return atomic_load(&a->size);
}

// With the lock held. Signals are for the threads of the program.
static void
ahead_start(struct io_ahead *a)
{
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    if (pthread_create(&a->threads[a->nthreads], NULL, ahead_run, a) == 0)
        a->nthreads++;
    else if (a->nthreads == 0)
        a->no_threads = true;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
io_ahead_go(struct io_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->first && a->under_way < a->requests) {
        if (a->idle > 0)
            pthread_cond_broadcast(&a->work);
        else if (a->nthreads < a->requests && !a->no_threads)
            ahead_start(a);
    }
    pthread_mutex_unlock(&a->lock);
}

static struct io_piece *
piece_new(struct io_ahead *a, size_t size)
{
    struct io_piece *const p = mem_zeroed(1, sizeof *p);
    if (p) {
        p->size = size;
        atomic_fetch_add(&a->size, (long long)size);
    }
    return p;
}

bool
io_ahead_call(struct io_ahead *a, void (*call)(void *arg, bool over), void *arg)
{
    pthread_mutex_lock(&a->lock);
    // A call waits for one answer at a time: it needs a thread of its own.
    if (a->idle == 0 && a->nthreads < a->requests && !a->no_threads)
        ahead_start(a);
    struct io_piece *const p = a->nthreads > 0 ? piece_new(a, 0) : NULL;
    if (p) {
        p->call = call;
        p->arg = arg;
        queue_append(a, p);
        pthread_cond_signal(&a->work);
    }
    pthread_mutex_unlock(&a->lock);
    return p != NULL;
}

// -- what wants need, with the lock held

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
    atomic_fetch_add(&a->size, (long long)longer);
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

// Wait for a moment, or a change. Whether the job is over: it is asked here, too, since only the
// thread of the call can find out, which may be this one.
static bool
wait_for_change(struct io_ahead *a)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += POLL;
    if (until.tv_nsec >= SECOND) {
        until.tv_nsec -= SECOND;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&a->arrival, &a->lock, &until);
    pthread_mutex_unlock(&a->lock);
    const bool over = ahead_is_over(a);
    pthread_mutex_lock(&a->lock);
    return over;
}

tess_status
io_piece_await(struct io_ahead *a, const struct io_piece *p, tess_error *err)
{
    while (p->state < PIECE_HERE) {
        if (a->no_threads && p->state == PIECE_WAITS) {
            read_here(a);
            continue;
        }
        if (wait_for_change(a) && p->state < PIECE_HERE)
            return err_set(err, TESS_ERR_CANCELLED, -1, "the call was ended while it was reading");
    }
    if (p->state == PIECE_HERE)
        return TESS_OK;
    if (err)
        *err = a->why;
    return a->status;
}

void
io_piece_drain(struct io_ahead *a, const struct io_piece *p)
{
    while (p->state == PIECE_ASKED || (p->reading && p->io_may_close))
        (void)wait_for_change(a);
}

void
io_queue_lock(struct io_ahead *a)
{
    pthread_mutex_lock(&a->lock);
}

void
io_queue_unlock(struct io_ahead *a)
{
    pthread_mutex_unlock(&a->lock);
}
