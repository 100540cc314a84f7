/*
 * pick.h - reads what a slice expression selects.
 */
#ifndef TESS_DATA_PICKED_PICK_H
#define TESS_DATA_PICKED_PICK_H

#include "data/box_walk.h"
#include "data/picked/select.h"

#include <tessera/array.h>

/*
 * Read the box [start, stop) of a selection, counted in selected items along each axis of the
 * array, into dst in C order. dst_size is at least that of prod(stop - start) items; there is one.
 */
tess_status pick_read(const tess_array *a, const struct slice_range *sel, const int64_t *start,
                      const int64_t *stop, void *dst, size_t dst_size, tess_error *err);

// Read all that is selected, box by box along the borders of chunks; each box is visited when it
// has been read. `copies`: the buffer has room for so many boxes, of which the first is filled.
tess_status pick_run(const tess_array *a, const struct slice_range *sel, enum box_walk_order order,
                     int copies, box_walk_visit_fn *visit, void *user, tess_error *err);

// The grid of chunks (of blocks, if chunks are very large) as the selection sees it: grain and skew
// of a struct box_walk_plan.
void pick_grid(const tess_info *info, const struct slice_range *sel, int64_t *grain, int64_t *skew);

#endif
