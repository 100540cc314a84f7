/**
 * @file view.h
 * Views: slices with steps, and axes in another order, as arrays, without a copy.
 *
 * A view is an array: it is read, written, selected from, described (tess_array_info) and closed
 * like any other. Writing to a view writes to the array behind it, its *base*; a view of a view has
 * the same base. Reading a view costs the same as reading these items of the base. Attributes and
 * metalayers are those of the base, except that names of dimensions (dims.h) follow the axes of the
 * view. Calls that change a shape or work on stored chunks (tess_array_resize(),
 * tess_array_append(), tess_array_save(), chunk.h ...) are TESS_ERR_ARG for a view.
 *
 * Commits. tess_array_flush() and tess_array_close() of a view commit all changes of the base.
 *
 * Lifetime. A base may be closed before its views: tess_array_close() of the base commits as
 * always, and the file stays open, and locked if it was opened for writing, until the last view is
 * closed.
 * After tess_array_discard() of the base, its views can only be closed. tess_array_discard() of a
 * view only closes that view; but if it was the last one and the base was closed before, what was
 * changed through views after that, and not flushed, is lost.
 *
 * Validity. A view stays valid while its base grows at the ends of axes. After items of the base
 * got other indices, or were cut off, using the view is TESS_ERR_STALE: create it again.
 * tess_array_refresh() says which views stay valid when another program changed the base.
 *
 * Threads. A view and its base count as one array (array.h). A view may be created beside any call
 * that may run beside a write, and closed or discarded beside calls on the base and its other
 * views.
 *
 * Unless a comment says otherwise, no pointer may be NULL (TESS_ERR_ARG). Example:
 * test/examples/view.c.
 */
#ifndef TESSERA_VIEW_H
#define TESSERA_VIEW_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Create a view of a whole array that is for reading only, as are views of it: to hand on an array
 * that others are not to change.
 *
 * @param a     Open array, or a view.
 * @param view  Receives the view, or NULL on failure: calls that change it are TESS_ERR_ARG. Close
 *              it with tess_array_close(), which commits nothing.
 * @param err   Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_STALE (of a view), TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_array_view_read_only(const tess_array *a,
                                                              tess_array **view, tess_error *err);

/**
 * Create a view of a slice, with the same number of dimensions.
 *
 * @param a      Open array, or a view.
 * @param start  The slice, as in tess_array_get_slice() (slice.h): first index per axis.
 * @param stop   End per axis, exclusive.
 * @param step   Items from one index to the next, not 0, may be negative. NULL: 1 everywhere.
 * @param view   Receives the view, or NULL on failure. Close it with tess_array_close().
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if the slice leaves the array, TESS_ERR_STALE (of a view),
 *         TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_array_view_slice(tess_array *a, const int64_t *start,
                                                          const int64_t *stop, const int64_t *step,
                                                          tess_array **view, tess_error *err);

/**
 * Create a view without an axis of length 1.
 *
 * @param a     Open array, or a view.
 * @param axis  The axis to remove; its length must be 1. -1: all axes of length 1.
 * @param view  Receives the view, or NULL on failure.
 * @param err   Filled on failure; may be NULL.
 *
 * @return as tess_array_view_slice().
 */
TESS_API TESS_NODISCARD tess_status tess_array_view_squeeze(tess_array *a, int axis,
                                                            tess_array **view, tess_error *err);

/**
 * Create a view with an additional axis of length 1.
 *
 * @param a     Open array, or a view, of less than TESS_MAX_NDIM dimensions.
 * @param axis  Position of the new axis in the view, 0 <= axis <= ndim.
 * @param view  Receives the view, or NULL on failure.
 * @param err   Filled on failure; may be NULL.
 *
 * @return as tess_array_view_slice().
 */
TESS_API TESS_NODISCARD tess_status tess_array_view_expand(tess_array *a, int axis,
                                                           tess_array **view, tess_error *err);

/**
 * Create a view with the axes in another order.
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
