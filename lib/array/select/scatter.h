/*
 * scatter.h - memory into chosen items of an array.
 */
#ifndef ARRAY_SELECT_SCATTER_H
#define ARRAY_SELECT_SCATTER_H

#include "array/array.h"
#include "array/select/selection.h"

// As for reading (gather.h); of an item that is chosen more than
// once, the last value stays.
tess_status array_set_points(tess_array *a, int64_t npoints, const int64_t *coords,
                             const uint8_t *src, struct watch *watch, tess_error *err);
tess_status array_set_orthogonal(tess_array *a, const int64_t *counts,
                                 const int64_t *const *indices, const uint8_t *src,
                                 struct watch *watch, tess_error *err);

// The items of a selection that has some. The array is no view.
// `same` is for masks: src has one item for all.
tess_status selection_write(tess_array *a, const struct selection *s, const uint8_t *src, bool same,
                            struct watch *watch, tess_error *err);

#endif
