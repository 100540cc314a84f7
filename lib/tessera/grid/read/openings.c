/*
 * openings.c - chunks that workers open before their turn.
 */
#include "grid/read/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/query.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "io/io.h"
#include "task/gate.h"

enum {
    MOST_SIZE = 64 << 20, // bytes of chunks at a time, if it is more than one
    POLL = 20 * 1000 * 1000, // nanoseconds between two questions whether the call is over
};

struct opening {
    struct openings *all;
    struct opening *after; // announced next
    int64_t n;
    bool whole;
    int users; // the job and the grain
    enum { WAITING, BEGUN, DONE } state;
    struct open_chunk *open; // held; NULL: not opened, or taken
    tess_status status;
    tess_error error; // if it failed
};

void
openings_init(struct openings *x, const struct chunk_grid *grid, int threads)
{
    const bool slow = frame_is_verified(grid->frame);
    *x = (struct openings){.grid = grid};
    if (!slow || threads < 2)
        return;
    x->most = (int)max_i64(min_i64(threads, MOST_SIZE / max_i64(grid->g.chunksize, 1)), 1);
    waitlock_init(&x->lock);
}

void
openings_finish(struct openings *x)
{
    while (x->first) {
        struct opening *const o = x->first;
        x->first = o->after;
        opening_release(o);
    }
    if (x->most > 0)
        waitlock_finish(&x->lock);
}

tess_status
openings_announce(struct openings *x, int64_t n, bool all, struct opening **out, tess_error *err)
{
    struct opening *const o = mem_zeroed(1, sizeof *o);
    if (!o)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    o->all = x;
    o->n = n;
    o->whole = all;
    o->users = 2;
    if (x->first)
        x->last->after = o;
    else
        x->first = o;
    x->last = o;
    x->count++;
    *out = o;
    return TESS_OK;
}

// Returns with the lock held.
static void
open_now(struct opening *o)
{
    struct waitlock *const lock = &o->all->lock;
    o->state = BEGUN;
    waitlock_unlock(lock);
    o->status =
        open_chunks_get(o->all->grid, o->n, o->whole, NULL, o->all->progress, &o->open, &o->error);
    waitlock_lock(lock);
    o->state = DONE;
    waitlock_changed(lock);
    waitlock_wake_all(lock);
}

// With the lock held. Reads end if the call is cancelled, which its thread may have to find out
// here.
static void
wait_for_opening(struct openings *x)
{
    if (!x->progress) {
        waitlock_wait(&x->lock);
        return;
    }
    waitlock_wait_for(&x->lock, POLL);
    waitlock_unlock(&x->lock);
    (void)x->progress->cancelled(x->progress);
    waitlock_lock(&x->lock);
}

tess_status
openings_take(struct openings *x, struct open_chunk **v, tess_error *err)
{
    struct opening *const o = x->first;

    waitlock_lock(&x->lock);
    if (o->state == WAITING)
        open_now(o);
    while (o->state != DONE)
        wait_for_opening(x);
    waitlock_unlock(&x->lock);
    const tess_status st = o->status;
    if (st == TESS_OK)
        *v = o->open;
    else if (err)
        *err = o->error;
    o->open = NULL;
    x->first = o->after;
    x->count--;
    opening_release(o);
    return st;
}

void
opening_work(struct opening *o)
{
    struct waitlock *const lock = &o->all->lock;
    waitlock_lock(lock);
    if (o->state == WAITING)
        open_now(o);
    waitlock_unlock(lock);
}

void
opening_release(struct opening *o)
{
    struct waitlock *const lock = &o->all->lock;
    waitlock_lock(lock);
    const bool last = --o->users == 0;
    waitlock_unlock(lock);
    if (!last)
        return;
    open_chunk_release(o->open);
    mem_free(o);
}
