/*
 * prefetch.c - chunks that are opened before their turn.
 */
#include "grid/prefetch.h"

#include "base/checked.h"
#include "base/error.h"
#include "frame/query.h"
#include "grid/open_chunks.h"

#include <stdlib.h>

enum { MOST_SIZE = 64 << 20 }; // bytes of chunks at a time, if it is more than one

struct opening {
    struct prefetch *all;
    struct opening *after; // announced next
    int64_t n;
    bool whole;
    int users; // the job and the grain
    enum { WAITING, BEGUN, DONE } state;
    struct open_chunk *visit; // held; NULL: not opened, or taken
    tess_status status;
    tess_error error; // if it failed
};

void
prefetch_init(struct prefetch *x, const struct chunk_grid *grid, int threads)
{
    const bool slow = frame_is_verified(grid->frame);
    *x = (struct prefetch){.grid = grid};
    if (!slow || threads < 2)
        return;
    x->most = (int)max_i64(min_i64(threads, MOST_SIZE / max_i64(grid->g.chunksize, 1)), 1);
    gate_init(&x->gate);
}

void
prefetch_finish(struct prefetch *x)
{
    while (x->first) {
        struct opening *const o = x->first;
        x->first = o->after;
        opening_release(o);
    }
    if (x->most > 0)
        gate_finish(&x->gate);
}

tess_status
prefetch_announce(struct prefetch *x, int64_t n, bool all, struct opening **out, tess_error *err)
{
    struct opening *const o = calloc(1, sizeof *o);
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
    struct gate *const gate = &o->all->gate;
    o->state = BEGUN;
    gate_unlock(gate);
    o->status = open_chunks_get(o->all->grid, o->n, o->whole, &o->visit, &o->error);
    gate_lock(gate);
    o->state = DONE;
    gate_changed(gate);
    gate_wake_all(gate);
}

tess_status
prefetch_take(struct prefetch *x, struct open_chunk **v, tess_error *err)
{
    struct opening *const o = x->first;

    gate_lock(&x->gate);
    if (o->state == WAITING)
        open_now(o);
    while (o->state != DONE)
        gate_wait(&x->gate);
    gate_unlock(&x->gate);
    const tess_status st = o->status;
    if (st == TESS_OK)
        *v = o->visit;
    else if (err)
        *err = o->error;
    o->visit = NULL;
    x->first = o->after;
    x->count--;
    opening_release(o);
    return st;
}

void
opening_work(struct opening *o)
{
    struct gate *const gate = &o->all->gate;
    gate_lock(gate);
    if (o->state == WAITING)
        open_now(o);
    gate_unlock(gate);
}

void
opening_release(struct opening *o)
{
    struct gate *const gate = &o->all->gate;
    gate_lock(gate);
    const bool last = --o->users == 0;
    gate_unlock(gate);
    if (!last)
        return;
    open_chunk_release(o->visit);
    free(o);
}
