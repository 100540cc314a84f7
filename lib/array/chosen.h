/*
 * chosen.h - points and lists of indices of an array, which may be a view, to memory and back.
 *
 * Here the indices of a view become those of its base (geom/index_map.h). Every index lies inside
 * the shape, and some are chosen. Items stand in memory one after the other, in C order of the
 * indices.
 *
 * Nothing is kept between calls, and there is no lock. A selection is made by the calling thread,
 * does not change afterwards, and is read by the workers of the job. Reading: any number of threads
 * at once. Writing: exclusive access to the base, also through a view.
 */
#ifndef ARRAY_CHOSEN_H
#define ARRAY_CHOSEN_H

#include "array/array.h"

tess_status array_get_points(const tess_array *a, int64_t npoints, const int64_t *coords,
                             uint8_t *dst, struct watch *watch, tess_error *err);
tess_status array_get_orthogonal(const tess_array *a, const int64_t *counts,
                                 const int64_t *const *indices, uint8_t *dst, struct watch *watch,
                                 tess_error *err);

// As part of a change of the frame that the caller has begun. Of an item that is chosen more than
// once, the last value stays.
tess_status array_set_points(tess_array *a, int64_t npoints, const int64_t *coords,
                             const uint8_t *src, struct watch *watch, tess_error *err);
tess_status array_set_orthogonal(tess_array *a, const int64_t *counts,
                                 const int64_t *const *indices, const uint8_t *src,
                                 struct watch *watch, tess_error *err);

#endif
