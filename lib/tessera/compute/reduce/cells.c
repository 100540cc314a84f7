/*
 * cells.c - the items of an array in cells.
 */
#include "compute/reduce/cells.h"

#include "base/checked.h"

int64_t
cells_length(const struct cells *c, int axis, int64_t at)
{
    return min_i64(c->factor[axis], c->shape[axis] - at * c->factor[axis]);
}

void
cells_items(const struct cells *c, const int64_t *first, const int64_t *last, int64_t *start,
            int64_t *stop)
{
    for (int i = 0; i < c->ndim; i++) {
        start[i] = first[i] * c->factor[i];
        stop[i] = (last[i] - 1) * c->factor[i] + cells_length(c, i, last[i] - 1);
    }
}

void
cells_of_items(const struct cells *c, const int64_t *start, const int64_t *stop, int64_t *first,
               int64_t *last)
{
    for (int i = 0; i < c->ndim; i++) {
        first[i] = start[i] / c->factor[i];
        last[i] = ceil_div(stop[i], c->factor[i]);
    }
}
