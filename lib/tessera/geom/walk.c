/*
 * walk.c - an odometer over the cells of a grid that meet a box; and the cells of a box, as large
 * as they can be done at once, else their halves.
 */
#include "geom/walk.h"

#include "base/checked.h"

#include <string.h>

// The items of the box between `origin` and the end of the cell. There are some.
static void
enter_steps(struct walk *w, int axis, int64_t origin)
{
    const int64_t start = w->start[axis];
    const int64_t step = w->step[axis];
    const int64_t skipped = start < origin ? ceil_div(origin - start, step) : 0;
    const int64_t lo = start + skipped * step - origin;
    w->lo[axis] = lo;
    w->count[axis] = ceil_div(min_i64(w->stop[axis] - origin, w->cell[axis]) - lo, step);
    w->hi[axis] = lo + (w->count[axis] - 1) * step + 1;
    w->from[axis] = skipped;
}

static void
enter(struct walk *w, int axis, int64_t at)
{
    const int64_t origin = at * w->cell[axis];
    w->at[axis] = at;
    if (w->step[axis] != 1) {
        enter_steps(w, axis, origin);
        return;
    }
    w->lo[axis] = max_i64(w->start[axis] - origin, 0);
    w->hi[axis] = min_i64(w->stop[axis] - origin, w->cell[axis]);
    w->count[axis] = w->hi[axis] - w->lo[axis];
    w->from[axis] = origin + w->lo[axis] - w->start[axis];
}

bool
walk_begin(struct walk *w, int ndim, const int64_t *cell, const int64_t *grid,
           const struct box *box)
{
    const int64_t *const start = box->start, *const stop = box->stop, *const step = box->step;
    int64_t pitch = 1;

    w->ndim = ndim;
    w->index = 0;
    for (int i = ndim - 1; i >= 0; i--) {
        if (start[i] >= stop[i])
            return false;
        w->cell[i] = cell[i];
        w->start[i] = start[i];
        w->stop[i] = stop[i];
        w->step[i] = step ? step[i] : 1;
        w->first[i] = start[i] / cell[i];
        const bool is_one = stop[i] - w->first[i] * cell[i] <= cell[i];
        w->last[i] = is_one ? w->first[i] : (stop[i] - 1) / cell[i];
        w->pitch[i] = pitch;
        w->index += w->first[i] * pitch;
        pitch *= grid[i];
        enter(w, i, w->first[i]);
    }
    return true;
}

// The cell of the first item behind the current one.
static int64_t
next_along(const struct walk *w, int axis)
{
    if (w->step[axis] == 1)
        return w->at[axis] + 1;
    return (w->start[axis] + (w->from[axis] + w->count[axis]) * w->step[axis]) / w->cell[axis];
}

bool
walk_next(struct walk *w)
{
    for (int i = w->ndim - 1; i >= 0; i--) {
        if (w->first[i] == w->last[i])
            continue; // it stays as it is
        const bool more = w->at[i] < w->last[i];
        const int64_t at = more ? next_along(w, i) : w->first[i];
        w->index += (at - w->at[i]) * w->pitch[i];
        enter(w, i, at);
        if (more)
            return true;
    }
    return false;
}

// The first cell from `at` on along an axis that has items of the box; -1: none.
static int64_t
first_along(const struct walk *w, int axis, int64_t at)
{
    const int64_t step = w->step[axis];
    if (at > w->last[axis])
        return -1;
    if (at <= w->first[axis])
        return w->first[axis];
    if (step == 1)
        return at;
    const int64_t skipped = ceil_div(at * w->cell[axis] - w->start[axis], step);
    return (w->start[axis] + skipped * step) / w->cell[axis];
}

bool
walk_seek(struct walk *w, int64_t index)
{
    int64_t at[NDIM_MAX];
    for (int i = 0; i < w->ndim; i++) {
        at[i] = index / w->pitch[i];
        index %= w->pitch[i];
    }
    for (int axis = 0; axis < w->ndim;) {
        const int64_t first = first_along(w, axis, at[axis]);
        if (first == at[axis]) {
            axis++;
            continue;
        }
        if (first >= 0)
            at[axis] = first;
        else if (axis > 0)
            at[--axis]++;
        else
            return false;
        for (int i = axis + 1; i < w->ndim; i++)
            at[i] = w->first[i];
    }
    w->index = 0;
    for (int i = 0; i < w->ndim; i++) {
        enter(w, i, at[i]);
        w->index += at[i] * w->pitch[i];
    }
    return w->ndim > 0 || index == 0;
}

void
walk_stand(struct walk *w, int64_t index)
{
    w->index = index;
    for (int i = 0; i < w->ndim; i++) {
        enter(w, i, index / w->pitch[i]);
        index %= w->pitch[i];
    }
}

bool
walk_covers(const struct walk *w, const int64_t *limit)
{
    for (int i = 0; i < w->ndim; i++) {
        const int64_t origin = w->at[i] * w->cell[i];
        if (w->lo[i] > 0 || w->count[i] < min_i64(w->cell[i], limit[i] - origin))
            return false;
    }
    return true;
}

// -- halves

tess_status
halves_do(const struct halves *h, const int64_t *first, const int64_t *last, tess_error *err)
{
    const size_t size = sizeof(int64_t) * (size_t)h->ndim;
    int64_t middle[NDIM_MAX], other[NDIM_MAX];
    bool done = false;
    int axis = 0;

    tess_status st = h->box(h->user, first, last, &done, err);
    if (st != TESS_OK || done)
        return st;
    while (axis < h->ndim && last[axis] - first[axis] == 1)
        axis++;
    if (axis == h->ndim)
        return h->cell(h->user, first, err);

    const int64_t cut = first[axis] + (last[axis] - first[axis]) / 2;
    memcpy(middle, last, size);
    memcpy(other, first, size);
    middle[axis] = other[axis] = cut;
    const bool lower_first = axis != h->backwards;
    st = lower_first ? halves_do(h, first, middle, err) : halves_do(h, other, last, err);
    if (st != TESS_OK)
        return st;
    return lower_first ? halves_do(h, other, last, err) : halves_do(h, first, middle, err);
}
