/*
 * boxes.h - many boxes of a grid, as a selection.
 */
#ifndef SELECT_BOXES_H
#define SELECT_BOXES_H

#include "select/selection.h"

/*
 * Boxes, and where in the caller's memory their items are. Along an axis, box i has the items
 * start + k * step for 0 <= k < count, each `stride` items behind the one before in the caller's
 * memory, or before it if the box is turned along that axis.
 */
struct box_list {
    int64_t n;
    int64_t step[NDIM_MAX]; // > 0; with stride, the same for all boxes
    int64_t stride[NDIM_MAX]; // items, >= 0
    // Of each box; all of them inside the grid. Not owned by the selection.
    int64_t *start; // n * ndim
    int64_t *count; // n * ndim, > 0
    int64_t *at; // n: where the item at `start` is, in items; -1: nothing of the box is chosen
    uint16_t *turned; // n: a bit for each axis
};

_Static_assert(NDIM_MAX <= 16, "a bit for each axis must fit");

// The list stays until the selection is finished. Of an item that is in several boxes, the last box
// counts.
tess_status selection_of_boxes(struct selection *s, const struct chunk_grid *grid,
                               const struct box_list *boxes, tess_error *err);

#endif
