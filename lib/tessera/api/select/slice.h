/*
 * slice.h - the slice of a caller, and memory that stands for a box, with strides: checked.
 */
#ifndef API_SELECT_SLICE_H
#define API_SELECT_SLICE_H

#include "array/array.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

// -- memory with strides: count[i] items along each axis, none of them 0; itemsize: bytes of an
// item in memory

// The strides to be used, in bytes: those of the caller, or for NULL C order without gaps; 0 where
// no step is taken (of the caller's). TESS_ERR_ARG: they lead further than memory can reach.
tess_status strides_choose(int ndim, const int64_t *count, int64_t itemsize, const int64_t *strides,
                           int64_t *chosen, tess_error *err);

// Whether memory of that size reaches as far as strides that were chosen lead upwards.
tess_status strides_check_memory(int ndim, const int64_t *count, int64_t itemsize,
                                 const int64_t *chosen, const void *memory, size_t size,
                                 tess_error *err);

// Whether each item has bytes of its own.
tess_status strides_check_disjoint(int ndim, const int64_t *count, int64_t itemsize,
                                   const int64_t *chosen, tess_error *err);

// -- slices

// count[i] items per axis, from first[i] on, step[i] apart (any sign; 1 where count is below 2).
struct slice {
    int64_t first[NDIM_MAX], count[NDIM_MAX], step[NDIM_MAX];
    int64_t nitems;
};

// step may be NULL: 1 everywhere.
tess_status slice_check(const tess_array *a, const int64_t *start, const int64_t *stop,
                        const int64_t *step, struct slice *s, tess_error *err);

#endif
