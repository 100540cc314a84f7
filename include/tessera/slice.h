/**
 * @file slice.h
 * Boxes with steps, and memory with strides.
 *
 * A slice is start:stop:step along each axis as in NumPy, with literal indices: the items start,
 * start + step, ... before stop. With a negative step, the items start, start + step, ... down to
 * the last one above stop; stop may then be -1. Negative indices do not count from the end.
 *
 * Strides locate the items of a slice in memory: the bytes from one item to the next along each
 * axis, of any sign. The pointer addresses the first item of the slice. The size of the memory
 * counts from the pointer on: items that positive strides lead to must lie inside. Items at
 * negative strides lie in front of the pointer; the size says nothing of them, the caller must
 * ensure that they lie inside the memory.
 *
 * Unless a comment says otherwise, no pointer may be NULL (TESS_ERR_ARG). See array.h for threads
 * and commits. Example: test/examples/slice.c.
 */
#ifndef TESSERA_SLICE_H
#define TESSERA_SLICE_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Number of items of a slice along one axis.
 *
 * @param start  First index.
 * @param stop   End, exclusive.
 * @param step   From one index to the next.
 *
 * @return the number; 0 if step is 0; INT64_MAX if the number exceeds it.
 */
TESS_API int64_t tess_slice_length(int64_t start, int64_t stop, int64_t step);

/**
 * Copy a slice of an array into memory.
 *
 * Only blocks that contain an item of the slice are decoded, each once.
 *
 * @param a        Open array; any number of threads may read one array at once.
 * @param start    First index per axis: ndim values. May be NULL if ndim is 0, like stop.
 * @param stop     End per axis, exclusive. step > 0: 0 <= start and stop <= shape; step < 0:
 *                 start < shape and -1 <= stop. Nothing else is asked of a slice without items:
 *                 with step > 0, start may be beyond the shape.
 * @param step     Items from one index to the next, per axis; not 0. NULL: 1 everywhere.
 * @param dst      Receives the items, in the byte order of the array. May be NULL if there are
 *                 none.
 * @param dst_size  Bytes from dst on. Without strides, at least that of all items; with strides, up
 *                 to the last byte that positive strides lead to. More than needed is fine.
 * @param strides  Bytes from one item to the next in dst, per axis. Items must not overlap. NULL: C
 *                 order without gaps, in the order of the slice.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if the slice leaves the array, dst is too small, or items
 *         overlap in it. Else as tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_array_get_slice(const tess_array *a, const int64_t *start,
                                                         const int64_t *stop, const int64_t *step,
                                                         void *dst, size_t dst_size,
                                                         const int64_t *strides, tess_error *err);

/**
 * Copy memory into a slice of an array.
 *
 * @param a        Array opened for writing.
 * @param start    First index per axis, as in tess_array_get_slice().
 * @param stop     End per axis, as there.
 * @param step     Step per axis, as there.
 * @param src      The items. May be NULL if there are none.
 * @param src_size  Bytes from src on, as dst_size in tess_array_get_slice().
 * @param strides  Bytes from one item to the next in src, per axis. 0: one item is repeated along
 *                 the axis. NULL: C order without gaps.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG. Else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_slice(tess_array *a, const int64_t *start,
                                                         const int64_t *stop, const int64_t *step,
                                                         const void *src, size_t src_size,
                                                         const int64_t *strides, tess_error *err);

/**
 * Set all items of a slice to one value.
 *
 * A chunk whose items all become the value takes almost no space, and is not decoded.
 *
 * @param a          Array opened for writing.
 * @param start      First index per axis, as in tess_array_get_slice().
 * @param stop       End per axis, as there.
 * @param step       Step per axis, as there.
 * @param item       The value, in the byte order of the array.
 * @param item_size  Size of item in bytes; at least the typesize.
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
