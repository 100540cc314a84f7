/*
 * cells.c - chunks and blocks that picks along each axis have in common.
 *
 * Along an axis, the picks of a chunk or block stand together; a part is a combination of such
 * ranges, and the next one is found as a car's odometer turns.
 */
#include "select/cells.h"

// The first of [first, stop) whose chunk (block) along the axis is n or more.
static int64_t
cells_lower_bound(const struct axis_pick *picks, int64_t first, int64_t stop, bool chunk, int64_t n)
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
    const int64_t at = cells_lower_bound(x->picks, first, stop, search->chunk, n);
    if (at == stop)
        return false;
    *found = search->chunk ? x->picks[at].chunk : x->picks[at].block;
    part->first[axis] = at;
    part->stop[axis] = cells_lower_bound(x->picks, at, stop, search->chunk, *found + 1);
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
    const int ndim = search->s->grid->g.ndim;
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

bool
cells_chunk(const struct selection *s, int64_t n, struct part *chunk)
{
    const struct search search = {.s = s, .chunk = true};
    return find_cell(&search, s->grid->g.grid, n, chunk);
}

bool
cells_block(const struct selection *s, const struct part *chunk, int64_t n, struct part *block)
{
    const struct search search = {.s = s, .within = chunk};
    return find_cell(&search, s->cells, n, block);
}
