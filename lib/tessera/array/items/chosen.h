/*
 * chosen.h - points and lists of indices of an array, which may be a view.
 *
 * Here the indices of a view become those of its base (geom/index_map.h). Every index lies inside
 * the shape, and some are chosen. Items stand in memory one after the other, in C order of the
 * indices.
 *
 * Nothing is kept between calls, and there is no lock. A selection is made by the calling thread,
 * does not change afterwards, and is read by the workers of the job. Any number of threads at once.
 */
#ifndef ARRAY_ITEMS_CHOSEN_H
#define ARRAY_ITEMS_CHOSEN_H

#include "array/array.h"

struct selection;

tess_status array_get_points(const tess_array *a, int64_t npoints, const int64_t *coords,
                             uint8_t *dst, struct watch *watch, tess_error *err);
tess_status array_get_orthogonal(const tess_array *a, const int64_t *counts,
                                 const int64_t *const *indices, uint8_t *dst, struct watch *watch,
                                 tess_error *err);

// What is chosen, to be written (select/scatter.h).
tess_status array_choose_points(const tess_array *a, int64_t npoints, const int64_t *coords,
                                struct selection *s, tess_error *err);
tess_status array_choose_orthogonal(const tess_array *a, const int64_t *counts,
                                    const int64_t *const *indices, struct selection *s,
                                    tess_error *err);

#endif
