/*
 * engine.c - a box in smaller ones, worked on by all threads.
 */
#include "compute/engine/engine.h"

#include "array/array.h"
#include "array/items/box.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "grid/read/boxes_ahead.h"

#include <inttypes.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 }; // borders of a list

// An array whose boxes are wanted before they are read.
struct engine_ahead {
    const struct engine_sink *sink;
    int k;
    struct division_walk coming; // boxes that were not asked for
    struct boxes_ahead *ahead;
};

struct grain {
    struct engine_box box;
    _Alignas(max_align_t) uint8_t tally[];
};
_Static_assert(sizeof(struct grain) + ENGINE_TALLY_SIZE <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

// -- the division

void
division_of_grid(struct division *d, int ndim, const int64_t *cell, const int64_t *start,
                 const int64_t *stop)
{
    *d = (struct division){.ndim = ndim};
    for (int i = 0; i < ndim; i++) {
        d->start[i] = start[i];
        d->stop[i] = stop[i];
        d->cell[i] = cell[i];
        d->n[i] = (stop[i] - 1) / cell[i] - start[i] / cell[i] + 1;
        d->longest[i] = min_i64(cell[i], stop[i] - start[i]);
    }
}

tess_status
division_begin(struct division *d, int axis, int64_t start, tess_error *err)
{
    d->n[axis] = d->longest[axis] = 0;
    d->capacity[axis] = FIRST_CAPACITY;
    d->at[axis] = mem_alloc(FIRST_CAPACITY * sizeof *d->at[axis]);
    if (!d->at[axis])
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of boxes");
    d->at[axis][0] = start;
    return TESS_OK;
}

tess_status
division_append(struct division *d, int axis, int64_t border, tess_error *err)
{
    int64_t *const capacity = &d->capacity[axis];
    if (d->n[axis] + 1 >= *capacity) {
        int64_t *const more = mem_resize(d->at[axis], (size_t)(2 * *capacity) * sizeof *more);
        if (!more)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of %" PRId64 " boxes",
                           *capacity);
        d->at[axis] = more;
        *capacity *= 2;
    }
    const int64_t length = border - d->at[axis][d->n[axis]];
    d->at[axis][++d->n[axis]] = border;
    d->longest[axis] = max_i64(d->longest[axis], length);
    return TESS_OK;
}

void
division_finish(struct division *d)
{
    for (int i = 0; i < d->ndim; i++)
        mem_free(d->at[i]);
    *d = (struct division){0};
}

static int64_t
border_at(const struct division *d, int axis, int64_t k)
{
    if (d->at[axis])
        return d->at[axis][k];
    const int64_t border = (d->start[axis] / d->cell[axis] + k) * d->cell[axis];
    return k == 0 ? d->start[axis] : k == d->n[axis] ? d->stop[axis] : border;
}

void
division_walk_begin(struct division_walk *w, const struct division *d)
{
    *w = (struct division_walk){.d = d, .more = true};
    for (int i = 0; i < d->ndim; i++)
        w->more &= d->n[i] > 0;
}

void
division_walk_next(struct division_walk *w, int64_t *start, int64_t *stop)
{
    const struct division *const d = w->d;
    for (int i = 0; i < d->ndim; i++) {
        start[i] = border_at(d, i, w->index[i]);
        stop[i] = border_at(d, i, w->index[i] + 1);
    }
    for (int i = d->ndim - 1; i >= 0; i--) {
        if (++w->index[i] < d->n[i])
            return;
        w->index[i] = 0;
    }
    w->more = false;
}

// -- reading ahead

static bool
next_coming(void *arg, int64_t *start, int64_t *stop)
{
    struct engine_ahead *const x = arg;
    int64_t from[NDIM_MAX], to[NDIM_MAX];
    if (!x->coming.more)
        return false;
    if (!x->sink->box_of) {
        division_walk_next(&x->coming, start, stop);
        return true;
    }
    division_walk_next(&x->coming, from, to);
    x->sink->box_of(x->sink->self, x->k, from, to, start, stop);
    return true;
}

static void
end_ahead(struct engine *e)
{
    for (int k = 0; e->ahead && k < e->narrays; k++)
        boxes_ahead_stop(e->ahead[k].ahead);
    for (int k = 0; e->ahead && k < e->narrays; k++)
        boxes_ahead_free(e->ahead[k].ahead);
    mem_free(e->ahead);
    e->ahead = NULL;
}

// -- a box

static uint8_t *
take_room(struct engine *e, tess_error *err)
{
    const size_t least = ENGINE_ALIGNMENT;
    const size_t size = (e->sink->room_size + least - 1) / least * least;
    for (int i = 0; i < ENGINE_ROOMS; i++) {
        uint8_t *const room =
            atomic_load(&e->rooms[i]) ? atomic_exchange(&e->rooms[i], NULL) : NULL;
        if (room)
            return room;
    }
    uint8_t *const room = mem_aligned(ENGINE_ALIGNMENT, size > 0 ? size : least);
    if (!room)
        err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes of arrays", size);
    return room;
}

static void
give_room(struct engine *e, uint8_t *room)
{
    for (int i = 0; i < ENGINE_ROOMS; i++) {
        uint8_t *empty = NULL;
        if (atomic_compare_exchange_strong(&e->rooms[i], &empty, room))
            return;
    }
    mem_free(room);
}

static bool
is_stopped(const struct engine *e)
{
    return e->sink->stopped && atomic_load(e->sink->stopped);
}

bool
engine_has_more(const struct engine *e)
{
    return e->walk.more && !is_stopped(e);
}

static tess_status
next_box(void *job, void *grain, bool *more, tess_error *err)
{
    struct engine *const e = job;
    struct grain *const g = grain;
    tess_status st = TESS_OK;
    *more = engine_has_more(e) && e->number < e->stop;
    if (!*more)
        return TESS_OK;
    memset(g->tally, 0, e->sink->tally_size);
    g->box.number = e->number++;
    g->box.nitems = 1;
    division_walk_next(&e->walk, g->box.start, g->box.stop);
    for (int i = 0; i < e->walk.d->ndim; i++)
        g->box.nitems *= g->box.stop[i] - g->box.start[i];
    e->nitems += g->box.nitems;
    for (int k = 0; k < e->narrays && st == TESS_OK; k++)
        st = boxes_ahead_reach(e->ahead[k].ahead, g->box.number, err);
    return st;
}

static tess_status
work_on_box(void *job, void *grain, tess_error *err)
{
    struct engine *const e = job;
    struct grain *const g = grain;
    if (is_stopped(e))
        return TESS_OK;
    uint8_t *const room = take_room(e, err);
    if (!room)
        return TESS_ERR_NOMEM;
    const tess_status st = e->sink->work(e->sink->self, g->tally, &g->box, room, err);
    give_room(e, room);
    for (int k = 0; k < e->narrays; k++)
        boxes_ahead_leave(e->ahead[k].ahead, g->box.number);
    watch_add(e->watch, g->box.nitems);
    return st;
}

static tess_status
finish_box(void *job, void *grain, tess_error *err)
{
    const struct engine *const e = job;
    return e->sink->finish(e->sink->self, ((struct grain *)grain)->tally, err);
}

static void
drop_box(void *job, void *grain)
{
    const struct engine *const e = job;
    e->sink->drop(e->sink->self, ((struct grain *)grain)->tally);
}

// -- all

tess_status
engine_begin(struct engine *e, const struct engine_sink *sink, const struct division *boxes,
             const tess_array *const *arrays, int n, struct watch *watch, tess_error *err)
{
    tess_status st = TESS_OK;
    *e = (struct engine){.sink = sink, .watch = watch, .narrays = n};
    watch_within(&e->inner, watch);
    division_walk_begin(&e->walk, boxes);
    e->ahead = mem_zeroed((size_t)n + 1, sizeof *e->ahead);
    if (!e->ahead)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d arrays", n);
    for (int k = 0; k < n && st == TESS_OK; k++) {
        e->ahead[k] = (struct engine_ahead){.sink = sink, .k = k, .coming = e->walk};
        if (arrays[k])
            st = array_boxes_ahead(&e->ahead[k].ahead, arrays[k], next_coming, &e->ahead[k],
                                   &e->inner, err);
    }
    return st;
}

tess_status
engine_run(struct engine *e, int64_t most, const struct task_width *width, tess_error *err)
{
    const struct task task = {.next = next_box,
                              .work = work_on_box,
                              .finish = e->sink->finish ? finish_box : NULL,
                              .drop = e->sink->drop ? drop_box : NULL,
                              .grain_size = sizeof(struct grain) + e->sink->tally_size};
    e->stop = most < INT64_MAX - e->number ? e->number + most : INT64_MAX;
    return task_run(&task, e, width, err);
}

void
engine_end(struct engine *e)
{
    end_ahead(e);
    for (int i = 0; i < ENGINE_ROOMS; i++)
        mem_free(atomic_load(&e->rooms[i]));
}
