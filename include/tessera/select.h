/**
 * @file select.h
 * Items of an array that are no box: points, indices per axis, masks.
 *
 * With points or indices, a call sorts what is chosen by the blocks of the array, decodes each
 * block once, and spreads the work over the threads of the array's context. So one call for all
 * points is much faster than one for each, and their order does not matter. It takes memory for
 * each point or index (about 50 bytes) while it lasts.
 *
 * All pointers must be given, if nothing else is said; what is missing is TESS_ERR_ARG. See array.h
 * for threads and persistence. test/examples/select.c is a complete program,
 * and test/examples/mask.c another.
 */
#ifndef TESSERA_SELECT_H
#define TESSERA_SELECT_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copy items at any points of an array into memory.
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param npoints   How many, >= 0.
 * @param coords    npoints * ndim indices in C order: those of the first point, one per axis, then
 *                  those of the second; 0 <= index < shape[axis]. A point may be given more than
 *                  once. May be NULL if npoints or ndim is 0.
 * @param dst       Receives npoints items, in the order of the points, in the byte order of the
 *                  array. May be NULL if npoints is 0.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if a point is outside the array (err->message says which) or dst
 *         is too small; then nothing is written to dst. Else as tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_array_get_points(const tess_array *a, int64_t npoints,
                                                          const int64_t *coords, void *dst,
                                                          size_t dst_size, tess_error *err);

/**
 * Copy the items at all combinations of indices into memory.
 *
 * With the lists {4, 1} and {0, 0, 7} of a matrix: items (4,0) (4,0) (4,7) (1,0) (1,0) (1,7).
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param counts    Indices per axis: ndim values, >= 0. May be NULL if ndim is 0.
 * @param indices   ndim lists: indices[axis] points to counts[axis] indices in any order, also
 *                  repeated, 0 <= index < shape[axis]; NULL if there are none. May be NULL if ndim
 *                  is 0.
 * @param dst       Receives prod(counts) items in C order. May be NULL if that is 0.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_get_points().
 */
TESS_API TESS_NODISCARD tess_status tess_array_get_orthogonal(const tess_array *a,
                                                              const int64_t *counts,
                                                              const int64_t *const *indices,
                                                              void *dst, size_t dst_size,
                                                              tess_error *err);

/**
 * Set items at any points of an array.
 *
 * All or none is set. Blocks are decoded and encoded once, however many points they have.
 *
 * @param a         Array opened for writing.
 * @param npoints   How many, >= 0.
 * @param coords    Points as in tess_array_get_points(). Of a point that is given more than once,
 *                  the last item stays.
 * @param src       npoints items, in the order of the points. May be NULL if npoints is 0.
 * @param src_size  Size of src in bytes; at least what is needed.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if a point is outside the array (err->message says which), src
 *         is too small or the array not opened for writing. Else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_points(tess_array *a, int64_t npoints,
                                                          const int64_t *coords, const void *src,
                                                          size_t src_size, tess_error *err);

/**
 * Set the items at all combinations of indices.
 *
 * @param a         Array opened for writing.
 * @param counts    Indices per axis, as in tess_array_get_orthogonal().
 * @param indices   The lists. Of an item that is chosen more than once, the last one stays.
 * @param src       prod(counts) items in C order. May be NULL if that is 0.
 * @param src_size  Size of src in bytes; at least what is needed.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_set_points().
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_orthogonal(tess_array *a, const int64_t *counts,
                                                              const int64_t *const *indices,
                                                              const void *src, size_t src_size,
                                                              tess_error *err);

/**
 * Which items of an array are chosen: a byte for each index of its first axes, not 0 where it is.
 * Over the remaining axes, all items are meant.
 */
typedef struct tess_mask {
    /** Axes that the mask has, from the first on; 0 to the array's ndim. */
    int ndim;
    /** prod(shape[0 .. ndim)) bytes in C order; NULL: `array` has them. */
    const uint8_t *bytes;
    /** An open array, or a view, with items of 1 byte and that shape. NULL: `bytes`. */
    const tess_array *array;
} tess_mask;

/**
 * Count the items of an array that a mask chooses.
 *
 * @param a      Open array.
 * @param mask   The mask.
 * @param count  Receives the number of items, those along the remaining axes included.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if the mask does not fit the array. Else as tess_array_read() of
 *         the mask's array.
 */
TESS_API TESS_NODISCARD tess_status tess_array_count_mask(const tess_array *a,
                                                          const tess_mask *mask, int64_t *count,
                                                          tess_error *err);

/**
 * Copy the items that a mask chooses into memory.
 *
 * Blocks of which nothing is chosen are not decoded, the others once, by the threads of the array's
 * context. tess_context.memory bounds how much of a mask is looked at at once: what is needed of it
 * is about 8 bytes for each block that a row of the mask goes through, and its bytes, if they are
 * in an array. A mask that needs more is read twice, and blocks at the seams may be, too.
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param mask      The mask.
 * @param dst       Receives the chosen items in C order. May be NULL if there are none.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_count_mask(), and tess_array_read(); TESS_ERR_ARG if dst is too small.
 */
TESS_API TESS_NODISCARD tess_status tess_array_get_mask(const tess_array *a, const tess_mask *mask,
                                                        void *dst, size_t dst_size,
                                                        tess_error *err);

/**
 * Set the items that a mask chooses.
 *
 * All or none is set. Blocks of which nothing is chosen are copied as they are stored; those of
 * which all is chosen are not decoded. Memory: as for tess_array_get_mask().
 *
 * @param a         Array opened for writing.
 * @param mask      The mask; its array is not `a` itself, nor a view of it.
 * @param src       As many items as are chosen, in C order; or one item, for all of them. May be
 *                  NULL if none is chosen.
 * @param src_size  Size of src in bytes: that of one item, or of all.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_count_mask(), and tess_array_write(); TESS_ERR_ARG for another size.
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_mask(tess_array *a, const tess_mask *mask,
                                                        const void *src, size_t src_size,
                                                        tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
