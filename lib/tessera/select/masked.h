/*
 * masked.h - what a mask chooses of a box, as a selection.
 */
#ifndef SELECT_MASKED_H
#define SELECT_MASKED_H

#include "geom/index_map.h"
#include "select/selection.h"

// Of a box without steps along the first `ndim` axes of a view of this shape, and of all
// along its other axes. The box has items, but maybe none is chosen. `bytes`, one for each index of
// the box, in C order, stay until the selection is finished. On failure *s is empty.
tess_status selection_of_mask(struct selection *s, const struct chunk_grid *grid,
                              const struct index_map *map, const int64_t *shape, int ndim,
                              const struct box *box, const uint8_t *bytes, tess_error *err);

#endif
