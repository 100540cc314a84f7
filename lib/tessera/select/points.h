/*
 * points.h - single items at any coordinates, as a selection.
 */
#ifndef SELECT_POINTS_H
#define SELECT_POINTS_H

#include "geom/index_map.h"
#include "select/selection.h"

// `coords` has npoints times map->ndim indices of the view; each lies inside its shape, and there
// are some points. On failure *s is empty.
tess_status selection_of_points(struct selection *s, const struct chunk_grid *grid,
                                const struct index_map *map, int64_t npoints, const int64_t *coords,
                                tess_error *err);

#endif
