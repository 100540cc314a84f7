/*
 * orthogonal.h - all combinations of lists of indices, one per axis, as a selection.
 */
#ifndef SELECT_ORTHOGONAL_H
#define SELECT_ORTHOGONAL_H

#include "geom/index_map.h"
#include "select/selection.h"

// For each axis of the view counts[i] >= 1 indices; each lies inside the view's shape. On failure
// *s is empty.
tess_status selection_of_axes(struct selection *s, const struct chunk_grid *grid,
                              const struct index_map *map, const int64_t *counts,
                              const int64_t *const *indices, tess_error *err);

#endif
