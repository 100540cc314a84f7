/*
 * division.c - a box in smaller ones.
 */
#include "compute/engine/division.h"

#include "base/checked.h"
#include "base/memory.h"

#include <inttypes.h>

enum { FIRST_CAPACITY = 16 };

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
