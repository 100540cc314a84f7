/*
 * points.h - single items at any coordinates, as a selection.
 */
#ifndef ARRAY_SELECT_POINTS_H
#define ARRAY_SELECT_POINTS_H

#include "array/select/selection.h"

// Every index lies inside the shape, and there are some points. On failure *s is empty. What is
// chosen of a view is a selection of its base.
tess_status selection_of_points(struct selection *s, const tess_array *a, int64_t npoints,
                                const int64_t *coords, tess_error *err);

#endif
