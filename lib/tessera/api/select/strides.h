/*
 * strides.h - memory of a caller that stands for a box, with strides: checked.
 *
 * count[i] items along each axis, none of them 0; itemsize: bytes of an item in memory.
 */
#ifndef API_SELECT_STRIDES_H
#define API_SELECT_STRIDES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

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

#endif
