/*
 * selection.c - what all kinds of selections have in common, and finding parts of them.
 *
 * Points of a part stand together. Along an axis, so do the picks of a chunk or block; a part is a
 * combination of such ranges, and the next one is found as a car's odometer turns.
 */
#include "array/selection.h"

#include <stdlib.h>
#include <string.h>

void
selection_finish(struct selection *s)
{
    free(s->points);
    if (s->mask) {
        free(s->mask->before);
        free(s->mask->chosen);
        free(s->mask);
    }
    for (int i = 0; i < NDIM_MAX; i++)
        free(s->axis[i].picks);
    *s = (struct selection){0};
}

// The first of [first, stop) whose chunk (block) along the axis is n or more.
static int64_t
lower_bound(const struct axis_pick *picks, int64_t first, int64_t stop, bool chunk, int64_t n)
{
    while (first < stop) {
        const int64_t middle = first + (stop - first) / 2;
        if ((chunk ? picks[middle].chunk : picks[middle].block) < n)
            first = middle + 1;
        else
            stop = middle;
    }
    return first;
}

// The ranges among which parts are looked for.
struct search {
    const struct selection *s;
    const struct part *within; // NULL: everything
    bool chunk; // chunks are looked for, else blocks
};

// Along an axis, the first range of picks whose coordinate is n or more; false: there is none.
static bool
axis_range(const struct search *search, int axis, int64_t n, struct part *part, int64_t *found)
{
    const struct axis *const x = &search->s->axis[axis];
    const int64_t first = search->within ? search->within->first[axis] : 0;
    const int64_t stop = search->within ? search->within->stop[axis] : x->n;
    const int64_t at = lower_bound(x->picks, first, stop, search->chunk, n);
    if (at == stop)
        return false;
    *found = search->chunk ? x->picks[at].chunk : x->picks[at].block;
    part->first[axis] = at;
    part->stop[axis] = lower_bound(x->picks, at, stop, search->chunk, *found + 1);
    return true;
}

// Coordinates of cell n of a grid; false if it has no such cell.
static bool
coordinates(int ndim, const int64_t *grid, int64_t n, int64_t *at)
{
    for (int i = ndim - 1; i >= 0; i--) {
        at[i] = n % grid[i];
        n /= grid[i];
    }
    return n == 0;
}

static bool
find_cell(const struct search *search, const int64_t *grid, int64_t n, struct part *part)
{
    const int ndim = search->s->a->g.ndim;
    int64_t at[NDIM_MAX], found;
    int axis = 0;

    if (!coordinates(ndim, grid, n, at))
        return false;
    while (axis < ndim) {
        if (axis_range(search, axis, at[axis], part, &found)) {
            if (found > at[axis]) // the axes behind it start again
                for (int i = axis + 1; i < ndim; i++)
                    at[i] = 0;
            at[axis++] = found;
        } else { // a step along the axis before it
            if (axis == 0)
                return false;
            for (int i = axis; i < ndim; i++)
                at[i] = 0;
            at[--axis]++;
        }
    }
    part->n = 0;
    for (int i = 0; i < ndim; i++)
        part->n = part->n * grid[i] + at[i];
    return true;
}

// The first of [first, stop) that is in block `block` of the chunk, or behind it.
static int64_t
lower_point(const struct point *points, int64_t first, int64_t stop, int64_t chunk, int64_t block)
{
    while (first < stop) {
        const int64_t middle = first + (stop - first) / 2;
        const struct point *const p = &points[middle];
        if (p->chunk < chunk || (p->chunk == chunk && p->block < block))
            first = middle + 1;
        else
            stop = middle;
    }
    return first;
}

bool
selection_chunk(const struct selection *s, int64_t n, struct part *chunk)
{
    if (!s->points) {
        const struct search search = {.s = s, .chunk = true};
        bool found = find_cell(&search, s->a->g.grid, n, chunk);
        while (s->mask && found && !mask_meets_chunk(s, chunk))
            found = find_cell(&search, s->a->g.grid, chunk->n + 1, chunk);
        return found;
    }
    const int64_t first = lower_point(s->points, 0, s->npoints, n, 0);
    if (first == s->npoints)
        return false;
    chunk->n = s->points[first].chunk;
    chunk->first[0] = first;
    chunk->stop[0] = lower_point(s->points, first, s->npoints, chunk->n + 1, 0);
    return true;
}

bool
selection_block(const struct selection *s, const struct part *chunk, int64_t n, struct part *block)
{
    if (!s->points) {
        const struct search search = {.s = s, .within = chunk};
        bool found = find_cell(&search, s->cells, n, block);
        while (s->mask && found && !mask_meets_block(s, block))
            found = find_cell(&search, s->cells, block->n + 1, block);
        return found;
    }
    const int64_t stop = chunk->stop[0];
    const int64_t first = lower_point(s->points, chunk->first[0], stop, chunk->n, n);
    if (first == stop)
        return false;
    block->n = s->points[first].block;
    block->first[0] = first;
    block->stop[0] = lower_point(s->points, first, stop, chunk->n, block->n + 1);
    return true;
}

static struct reach
reach_of_points(const struct point *first, int64_t n)
{
    struct reach r = {.first = first->item, .stop = first->item, .npicks = n};
    for (int64_t i = 0; i < n; i++) {
        r.first = first[i].item < r.first ? first[i].item : r.first;
        r.stop = first[i].item > r.stop ? first[i].item : r.stop;
    }
    r.stop++;
    return r;
}

struct reach
selection_reach(const struct selection *s, const struct part *block)
{
    struct reach r = {.stop = 1, .npicks = 1};
    if (s->points)
        return reach_of_points(s->points + block->first[0], block->stop[0] - block->first[0]);
    if (s->mask)
        return mask_reach(s, block);
    for (int i = 0; i < s->a->g.ndim; i++) {
        const struct axis *const x = &s->axis[i];
        const struct axis_pick *const last = &x->picks[block->stop[i] - 1];
        r.first += x->picks[block->first[i]].item * x->item_step;
        r.stop += (last->item + last->length - 1) * x->item_step;
        r.npicks *= block->stop[i] - block->first[i];
    }
    return r;
}

void
picks_begin(struct picks *p, const struct selection *s, const struct part *block)
{
    p->s = s;
    p->block = block;
    p->more = true;
    if (s->mask) {
        mask_rows_begin(&p->rows, s, block);
        memset(p->now, 0, sizeof p->now);
        p->left = 0;
        return;
    }
    for (int i = 0; i < (s->points ? 1 : s->a->g.ndim); i++)
        p->now[i] = block->first[i];
}

static void
next_points(struct picks *p)
{
    const struct point *const points = p->s->points;
    while (p->n < PICKS_MAX && p->now[0] < p->block->stop[0]) {
        const struct point *const from = &points[p->now[0]++];
        p->list[p->n++] = (struct pick){from->item, from->at, 1};
    }
    p->more = p->now[0] < p->block->stop[0];
}

// The next combination of all axes but the last.
static bool
turn(struct picks *p, int axis)
{
    while (--axis >= 0) {
        if (++p->now[axis] < p->block->stop[axis])
            return true;
        p->now[axis] = p->block->first[axis];
    }
    return false;
}

// Combinations of the picks along all axes.
static void
next_combinations(struct picks *p)
{
    const struct axis *const axis = p->s->axis;
    const int last = p->s->a->g.ndim - 1;

    while (p->more && p->n < PICKS_MAX) {
        struct pick base = {.length = 1};
        for (int i = 0; i < last; i++) {
            const struct axis_pick *const pick = &axis[i].picks[p->now[i]];
            base.item += pick->item * axis[i].item_step;
            base.at += pick->at * axis[i].at_step;
        }
        if (last < 0) { // a single item
            p->list[p->n++] = base;
            p->more = false;
            return;
        }
        for (; p->n < PICKS_MAX && p->now[last] < p->block->stop[last]; p->now[last]++) {
            const struct axis_pick *const pick = &axis[last].picks[p->now[last]];
            p->list[p->n++] = (struct pick){base.item + pick->item,
                                            base.at + pick->at * axis[last].at_step, pick->length};
        }
        if (p->now[last] == p->block->stop[last]) {
            p->now[last] = p->block->first[last];
            p->more = turn(p, last);
        }
    }
}

bool
picks_next(struct picks *p)
{
    p->n = 0;
    if (p->more && p->s->points)
        next_points(p);
    else if (p->more && p->s->mask)
        mask_picks_next(p);
    else if (p->more)
        next_combinations(p);
    return p->n > 0;
}
