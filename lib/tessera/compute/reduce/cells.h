/*
 * cells.h - the items of an array in cells: boxes of `factor` items along each axis, at the edges
 * of those that are left.
 *
 * A reduction along an axis has one cell there, of as many items as the axis has; an axis that
 * stays has cells of one item. Functions without state.
 */
#ifndef COMPUTE_REDUCE_CELLS_H
#define COMPUTE_REDUCE_CELLS_H

#include "base/limits.h"

#include <stdint.h>

struct cells {
    int ndim;
    int64_t shape[NDIM_MAX]; // items
    int64_t factor[NDIM_MAX]; // > 0
};

// Items of a cell along an axis.
int64_t cells_length(const struct cells *c, int axis, int64_t at);

// The items [start, stop) of a box of cells, and the cells [first, last) that a box of items meets.
void cells_items(const struct cells *c, const int64_t *first, const int64_t *last, int64_t *start,
                 int64_t *stop);
void cells_of_items(const struct cells *c, const int64_t *start, const int64_t *stop,
                    int64_t *first, int64_t *last);

#endif
