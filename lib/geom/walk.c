/*
 * walk.c - an odometer over the cells of a grid that meet a box.
 */
#include "geom/walk.h"

#include "base/checked.h"

static void
enter(struct walk *w, int axis, int64_t at)
{
    const int64_t origin = at * w->cell[axis];
    w->at[axis] = at;
    w->lo[axis] = max_i64(w->start[axis] - origin, 0);
    w->hi[axis] = min_i64(w->stop[axis] - origin, w->cell[axis]);
    w->from[axis] = origin + w->lo[axis] - w->start[axis];
}

bool
walk_begin(struct walk *w, int ndim, const int64_t *cell, const int64_t *grid, const int64_t *start,
           const int64_t *stop)
{
    int64_t step = 1;

    w->ndim = ndim;
    w->index = 0;
    for (int i = ndim - 1; i >= 0; i--) {
        if (start[i] >= stop[i])
            return false;
        w->cell[i] = cell[i];
        w->start[i] = start[i];
        w->stop[i] = stop[i];
        w->first[i] = start[i] / cell[i];
        w->last[i] = (stop[i] - 1) / cell[i];
        w->step[i] = step;
        w->index += w->first[i] * step;
        step *= grid[i];
        enter(w, i, w->first[i]);
    }
    return true;
}

bool
walk_next(struct walk *w)
{
    for (int i = w->ndim - 1; i >= 0; i--) {
        if (w->at[i] < w->last[i]) {
            w->index += w->step[i];
            enter(w, i, w->at[i] + 1);
            return true;
        }
        w->index -= (w->last[i] - w->first[i]) * w->step[i];
        enter(w, i, w->first[i]);
    }
    return false;
}

bool
walk_covers(const struct walk *w, const int64_t *limit)
{
    for (int i = 0; i < w->ndim; i++) {
        const int64_t origin = w->at[i] * w->cell[i];
        if (w->lo[i] > 0 || w->hi[i] < min_i64(w->cell[i], limit[i] - origin))
            return false;
    }
    return true;
}
