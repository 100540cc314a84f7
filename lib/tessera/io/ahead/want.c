/*
 * want.c - the pieces of one step of a job.
 *
 * A want holds the pieces that have its ranges, sorted by offset for a binary search. A piece may
 * begin before the range that was added, and end behind it: ranges are coalesced, also with those
 * of other wants.
 */
#include "io/ahead.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/ahead/await.h"
#include "io/ahead/queue.h"
#include "io/ahead/readers.h"

#include <pthread.h>
#include <stdbool.h>

// The mutex of the readers guards all but `ahead`, which is fixed.
struct io_want {
    struct io_ahead *ahead;
    struct io_piece **pieces;
    int n, capacity;
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

static bool
piece_has(const struct io_piece *p, const struct io *io, int64_t offset, size_t size)
{
    return p->io == io && offset >= p->offset && offset - p->offset <= (int64_t)p->size &&
           size <= p->size - (size_t)(offset - p->offset);
}

static struct io_piece *
want_find(const struct io_want *w, const struct io *io, int64_t offset, size_t size)
{
    int low = 0, high = w->n; // the last piece that starts at or before it
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (w->pieces[middle]->offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (int i = low; i > 0 && i > low - 2; i--)
        if (piece_has(w->pieces[i - 1], io, offset, size))
            return w->pieces[i - 1];
    return NULL;
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
    if (room && p)
        want_insert(w, p);
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
    const struct io_piece *const p = want_find(w, io, offset, 1);
    const size_t reach = p ? p->size - (size_t)(offset - p->offset) : 0;
    pthread_mutex_unlock(&w->ahead->readers->lock);
    return reach;
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
