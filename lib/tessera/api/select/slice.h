/*
 * slice.h - the slice of a caller, checked.
 */
#ifndef API_SELECT_SLICE_H
#define API_SELECT_SLICE_H

#include "array/array.h"

// count[i] items per axis, from first[i] on, step[i] apart (any sign; 1 where count is below 2).
struct slice {
    int64_t first[NDIM_MAX], count[NDIM_MAX], step[NDIM_MAX];
    int64_t nitems;
};

// step may be NULL: 1 everywhere.
tess_status slice_check(const tess_array *a, const int64_t *start, const int64_t *stop,
                        const int64_t *step, struct slice *s, tess_error *err);

#endif
