/*
 * orthogonal.h - all combinations of lists of indices, one per axis, as a selection.
 */
#ifndef ARRAY_SELECT_ORTHOGONAL_H
#define ARRAY_SELECT_ORTHOGONAL_H

#include "array/select/selection.h"

// Every index lies inside the shape, and there are some along each axis. On failure *s is empty.
// What is chosen of a view is a selection of its base.
tess_status selection_of_axes(struct selection *s, const tess_array *a, const int64_t *counts,
                              const int64_t *const *indices, tess_error *err);

#endif
