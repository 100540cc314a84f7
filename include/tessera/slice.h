/**
 * @file slice.h
 * Boxes with steps, and memory with strides.
 *
 * A slice is what start:stop:step means in NumPy, along each axis, with indices that are given as
 * they are: the items start, start + step, ... before stop. With a negative step, those after stop,
 * downwards; then stop may be -1. Negative indices do not count from the end.
 *
 * Strides say where in memory the items of a slice are: from one to the next along each axis, in
 * bytes, of any sign. The item that the slice names first is where the pointer points; the caller
 * answers for the rest being there.
 *
 * All pointers must be given, if nothing else is said; what is missing is TESS_ERR_ARG. See array.h
 * for threads and persistence. test/examples/slice.c is a complete program.
 */
#ifndef TESSERA_SLICE_H
#define TESSERA_SLICE_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How many items a slice has along one axis.
 *
 * @return 0 if there are none, or if step is 0; INT64_MAX if there are more.
 */
TESS_API int64_t tess_slice_length(int64_t start, int64_t stop, int64_t step);

/**
 * Copy a slice of an array into memory.
 *
 * Only blocks that have an item of it are decoded, and each once.
 *
 * @param a        Open array; any number of threads may read one array at once.
 * @param start    First index per axis: ndim values. May be NULL if ndim is 0, like stop.
 * @param stop     Where each axis ends, exclusive. Upwards 0 <= start and stop <= shape, downwards
 *                 start < shape and -1 <= stop.
 * @param step     Items from one index to the next, per axis; not 0. NULL: 1 everywhere.
 * @param dst      Receives the items, in the byte order of the array. May be NULL if there are
 *                 none.
 * @param strides  Bytes from one item to the next in dst, per axis. Items must not overlap. NULL: C
 *                 order without gaps, in the order of the slice.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if the slice leaves the array or items overlap in dst. Else as
 *         tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_array_get_slice(const tess_array *a, const int64_t *start,
                                                         const int64_t *stop, const int64_t *step,
                                                         void *dst, const int64_t *strides,
                                                         tess_error *err);

/**
 * Copy memory into a slice of an array.
 *
 * @param a        Array opened for writing.
 * @param start    The slice, as in tess_array_get_slice().
 * @param stop
 * @param step
 * @param src      The items. May be NULL if there are none.
 * @param strides  Bytes from one item to the next in src, per axis. With 0, one item stands for all
 *                 along the axis. NULL: C order without gaps.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG. Else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_slice(tess_array *a, const int64_t *start,
                                                         const int64_t *stop, const int64_t *step,
                                                         const void *src, const int64_t *strides,
                                                         tess_error *err);

/**
 * Set all items of a slice to one value.
 *
 * A chunk that becomes one value takes next to no space, and nothing of it is decoded.
 *
 * @param a          Array opened for writing.
 * @param start      The slice, as in tess_array_get_slice().
 * @param stop
 * @param step
 * @param item       The value, in the byte order of the array.
 * @param item_size  Its size in bytes; must be the typesize.
 * @param err        Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG. Else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_fill(tess_array *a, const int64_t *start,
                                                    const int64_t *stop, const int64_t *step,
                                                    const void *item, size_t item_size,
                                                    tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
