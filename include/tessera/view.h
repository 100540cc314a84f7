/**
 * @file view.h
 * Arrays seen otherwise: slices with steps, axes in another order, without a copy.
 *
 * A view is an array: it is read, written, selected from, described (tess_array_info) and closed
 * like any other. What is written to it is written to the array behind it, its *base*; a view of a
 * view has the same base. Reading costs what the same items of the base cost. Attributes and
 * metalayers are the base's. What changes a shape, and what deals with stored chunks
 * (tess_array_resize(), tess_array_append(), tess_array_save(), chunk.h ...), is TESS_ERR_ARG for a
 * view.
 *
 * A base may be closed before its views: tess_array_close() commits as always, and the file stays
 * open until the last view is closed, which commits again. After tess_array_discard() of the base,
 * its views can only be closed. tess_array_discard() of a view lets go of it, no more; if it was
 * the last, and the base was closed before, what was not committed is lost.
 *
 * A view stays right while its base grows at the ends of axes. When items of the base get other
 * indices, or are cut off, using the view is TESS_ERR_STALE: make it again. tess_array_refresh() of
 * the base says what becomes of its views when another program changed it.
 *
 * For threads, a view and its base count as one array. All pointers must be given, if nothing else
 * is said; what is missing is TESS_ERR_ARG. test/examples/view.c is a complete program.
 */
#ifndef TESSERA_VIEW_H
#define TESSERA_VIEW_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A slice of an array, as an array of the same number of dimensions.
 *
 * @param a      Open array, or a view.
 * @param start  The slice, as in tess_array_get_slice() (slice.h): first index per axis.
 * @param stop   Where each axis ends, exclusive.
 * @param step   Items from one index to the next, also downwards. NULL: 1 everywhere.
 * @param view   Receives the view, or NULL on failure. End it with tess_array_close().
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if the slice leaves the array, TESS_ERR_STALE (of a view),
 *         TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_array_view_slice(tess_array *a, const int64_t *start,
                                                          const int64_t *stop, const int64_t *step,
                                                          tess_array **view, tess_error *err);

/**
 * An array without an axis of length 1.
 *
 * @param a     Open array, or a view.
 * @param axis  The axis that goes; its length must be 1. -1: all axes of length 1.
 * @param view  Receives the view, or NULL on failure.
 * @param err   Filled on failure; may be NULL.
 *
 * @return as tess_array_view_slice().
 */
TESS_API TESS_NODISCARD tess_status tess_array_view_squeeze(tess_array *a, int axis,
                                                            tess_array **view, tess_error *err);

/**
 * An array with one more axis, of length 1.
 *
 * @param a     Open array, or a view, of less than TESS_MAX_NDIM dimensions.
 * @param axis  Where it is in the view, 0 <= axis <= ndim.
 * @param view  Receives the view, or NULL on failure.
 * @param err   Filled on failure; may be NULL.
 *
 * @return as tess_array_view_slice().
 */
TESS_API TESS_NODISCARD tess_status tess_array_view_expand(tess_array *a, int axis,
                                                           tess_array **view, tess_error *err);

/**
 * An array with its axes in another order.
 *
 * @param a     Open array, or a view.
 * @param axes  ndim values, each axis of `a` once: axis i of the view is axes[i] of `a`. NULL: the
 *              reverse order, as a matrix is transposed.
 * @param view  Receives the view, or NULL on failure.
 * @param err   Filled on failure; may be NULL.
 *
 * @return as tess_array_view_slice().
 */
TESS_API TESS_NODISCARD tess_status tess_array_view_permute(tess_array *a, const int *axes,
                                                            tess_array **view, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
