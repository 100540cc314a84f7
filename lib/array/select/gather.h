/*
 * gather.h - chosen items of an array into memory.
 */
#ifndef ARRAY_SELECT_GATHER_H
#define ARRAY_SELECT_GATHER_H

#include "array/array.h"
#include "array/select/selection.h"

// What is chosen lies inside the shape, and there is something. dst receives the
// items one after the other.
tess_status array_get_points(const tess_array *a, int64_t npoints, const int64_t *coords,
                             uint8_t *dst, struct watch *watch, tess_error *err);
tess_status array_get_orthogonal(const tess_array *a, const int64_t *counts,
                                 const int64_t *const *indices, uint8_t *dst, struct watch *watch,
                                 tess_error *err);

// The items of a selection that has some. The array is no view.
tess_status selection_read(const struct selection *s, uint8_t *dst, struct watch *watch,
                           tess_error *err);

#endif
