/*
 * ahead.c - prefetch: the queue of a job, the wants of its steps, and waiting for them.
 *
 * A want holds the pieces (readers.h) that have its ranges, sorted by offset for a binary search. A
 * piece may begin before the range that was added, and end behind it: ranges are coalesced, also
 * with those of other wants.
 */
#include "io/ahead.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"
#include "io/readers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

struct io_ahead;
struct io_piece;

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

// -- waiting

enum {
    POLL = 50 * 1000 * 1000, // nanoseconds between two questions whether the job is over
    SECOND = 1000 * 1000 * 1000,
};

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
    pthread_cond_timedwait(&a->readers->arrival, &a->readers->lock, &until);
    pthread_mutex_unlock(&a->readers->lock);
    const bool over = a->ended(a->arg);
    pthread_mutex_lock(&a->readers->lock);
    return over;
}

// Wait until the piece is here or has failed; TESS_ERR_CANCELLED if the job is over before.
static tess_status
io_piece_await(struct io_ahead *a, const struct io_piece *p, tess_error *err)
{
    while (p->state < PIECE_HERE) {
        if (a->readers->no_threads && p->state == PIECE_WAITS) {
            struct io_batch b;
            if (io_batch_take(&b, a))
                io_batch_read(&b);
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

// Wait until the piece is here or has failed; and, if its io may be closed next, until the call
// that read it has returned, which may be later (io_progress).
static void
io_piece_drain(struct io_ahead *a, const struct io_piece *p)
{
    while (p->state == PIECE_ASKED || (p->reading && p->io_may_close))
        (void)wait_for_change(a);
}

// -- wants

// The mutex of the readers guards all but `ahead`, which is fixed.
struct io_want {
    struct io_ahead *ahead;
    struct io_piece **pieces;
    int n, capacity;
    int64_t reach; // no range that was added ends further behind the start of its piece
    int users;
};

struct io_want *
io_want_new(struct io_ahead *a)
{
    struct io_want *const w = mem_zeroed(1, sizeof *w);
    if (w) {
        w->ahead = a;
        w->users = 1;
    }
    return w;
}

// Bytes of a piece from some offset on; 0: it does not have it.
static int64_t
piece_reach(const struct io_piece *p, const struct io *io, int64_t offset)
{
    const int64_t before = offset - p->offset;
    return p->io == io && before >= 0 && before < (int64_t)p->size ? (int64_t)p->size - before : 0;
}

// The piece that has `size` bytes from `offset` on, or the one that has most of them, of those that
// were added together; *reach: how many. NULL: none of them is wanted.
static struct io_piece *
want_find_most(const struct io_want *w, const struct io *io, int64_t offset, size_t size,
               int64_t *reach)
{
    struct io_piece *found = NULL;
    int low = 0, high = w->n; // the last piece that starts at or before it
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (w->pieces[middle]->offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    *reach = 0;
    for (int i = low; i > 0 && *reach < (int64_t)size; i--) { // pieces overlap when they have grown
        struct io_piece *const p = w->pieces[i - 1];
        if (i < low && offset - p->offset >= w->reach)
            break;
        const int64_t has = piece_reach(p, io, offset);
        if (has > *reach) {
            found = p;
            *reach = has;
        }
    }
    return found;
}

// The piece that has all of a range; NULL: none.
static struct io_piece *
want_find(const struct io_want *w, const struct io *io, int64_t offset, size_t size)
{
    int64_t reach;
    struct io_piece *const p = want_find_most(w, io, offset, size, &reach);
    return reach >= (int64_t)size ? p : NULL;
}

// For one more piece; false: no memory.
static bool
want_reserve(struct io_want *w)
{
    if (w->n < w->capacity)
        return true;
    const int capacity = w->capacity > 0 ? 2 * w->capacity : 4;
    struct io_piece **const pieces = mem_resize(w->pieces, (size_t)capacity * sizeof *pieces);
    if (!pieces)
        return false;
    w->pieces = pieces;
    w->capacity = capacity;
    return true;
}

// By offset, for want_find().
static void
want_insert(struct io_want *w, struct io_piece *p)
{
    int at = w->n;
    while (at > 0 && w->pieces[at - 1]->offset > p->offset)
        at--;
    if (at > 0 && w->pieces[at - 1] == p)
        return;
    for (int i = w->n++; i > at; i--)
        w->pieces[i] = w->pieces[i - 1];
    w->pieces[at] = p;
    io_piece_hold(p);
}

tess_status
io_want_add(struct io_want *w, struct io *io, int64_t offset, size_t size,
            const struct io_want *other, tess_error *err)
{
    struct io_ahead *const a = w->ahead;
    if (size == 0)
        return TESS_OK;
    pthread_mutex_lock(&a->readers->lock);
    struct io_piece *p = want_find(w, io, offset, size);
    if (!p && other && other->ahead == a)
        p = want_find(other, io, offset, size);
    const bool room = want_reserve(w);
    if (room && !p)
        p = io_queue_push(a, io, offset, size);
    if (room && p) {
        want_insert(w, p);
        w->reach = max_i64(w->reach, offset + (int64_t)size - p->offset);
    }
    pthread_mutex_unlock(&a->readers->lock);
    return room && p ? TESS_OK
                     : err_set(err, TESS_ERR_NOMEM, -1, "no memory for what is to be read");
}

bool
io_want_is_ready(const struct io_want *w)
{
    bool ready = true;
    pthread_mutex_lock(&w->ahead->readers->lock);
    for (int i = 0; i < w->n && ready; i++)
        ready = w->pieces[i]->state >= PIECE_HERE;
    pthread_mutex_unlock(&w->ahead->readers->lock);
    return ready;
}

size_t
io_want_reach(const struct io_want *w, const struct io *io, int64_t offset)
{
    pthread_mutex_lock(&w->ahead->readers->lock);
    int64_t reach;
    (void)want_find_most(w, io, offset, SIZE_MAX / 2, &reach);
    pthread_mutex_unlock(&w->ahead->readers->lock);
    return (size_t)reach;
}

tess_status
io_want_get(const struct io_want *w, const struct io *io, int64_t offset, size_t size,
            const uint8_t **bytes, tess_error *err)
{
    struct io_ahead *const a = w->ahead;
    tess_status st = TESS_OK;
    *bytes = NULL;
    pthread_mutex_lock(&a->readers->lock);
    const struct io_piece *const p = want_find(w, io, offset, size);
    if (p)
        st = io_piece_await(a, p, err);
    if (p && st == TESS_OK)
        *bytes = p->bytes + (offset - p->offset);
    pthread_mutex_unlock(&a->readers->lock);
    return st;
}

bool
io_want_is_of(const struct io_want *w, const struct io_ahead *a)
{
    return w->ahead == a;
}

void
io_want_hold(struct io_want *w)
{
    pthread_mutex_lock(&w->ahead->readers->lock);
    w->users++;
    pthread_mutex_unlock(&w->ahead->readers->lock);
}

void
io_want_release(struct io_want *w)
{
    if (!w)
        return;
    struct io_ahead *const a = w->ahead;
    pthread_mutex_lock(&a->readers->lock);
    const bool last = --w->users == 0;
    for (int i = 0; last && i < w->n; i++) {
        io_piece_drain(a, w->pieces[i]); // its io may be closed next
        io_piece_release(a, w->pieces[i]);
    }
    pthread_mutex_unlock(&a->readers->lock);
    if (!last)
        return;
    mem_free(w->pieces);
    mem_free(w);
}
