/**
 * @file select.h
 * Gather and scatter: points, lists of indices per axis, masks; and numbers added at points.
 *
 * A call with points or lists of indices sorts the items by block, decodes each block once, and
 * distributes the work among the threads of the array's context. So one call for all points is much
 * faster than one call for each, and the order of the points does not matter for speed. The call
 * needs about 50 bytes of memory for each point or index.
 *
 * Unless a comment says otherwise, no pointer may be NULL (TESS_ERR_ARG). See array.h for threads
 * and commits. Examples: test/examples/select.c, test/examples/mask.c.
 */
#ifndef TESSERA_SELECT_H
#define TESSERA_SELECT_H

#include "tessera/array.h"
#include "tessera/convert.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copy the items at a list of points into memory (gather).
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param npoints   Number of points, >= 0.
 * @param coords    npoints * ndim indices, one per axis: the first point, then the second, and so
 *                  on; 0 <= index < shape[axis]. A point may be repeated. May be NULL if
 *                  npoints or ndim is 0.
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
 * Copy the items at all combinations of indices into memory (orthogonal selection).
 *
 * With the lists {4, 1} and {0, 0, 7} of a matrix: items (4,0) (4,0) (4,7) (1,0) (1,0) (1,7).
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param counts    Number of indices per axis: ndim values, >= 0. May be NULL if ndim is 0.
 * @param indices   ndim lists: indices[axis] points to counts[axis] indices in any order, possibly
 *                  repeated, 0 <= index < shape[axis]; NULL if counts[axis] is 0. May be
 *                  NULL if ndim is 0.
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
 * Set the items at a list of points (scatter).
 *
 * On failure no item is set. Each block is decoded and encoded once, however many points it has.
 *
 * @param a         Array opened for writing.
 * @param npoints   Number of points, >= 0.
 * @param coords    Points as in tess_array_get_points(). For a repeated point, the last item
 *                  counts.
 * @param src       npoints items, in the order of the points. May be NULL if npoints is 0.
 * @param src_size  Size of src in bytes; at least npoints * typesize.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if a point is outside the array (err->message says which), src
 *         is too small or the array not opened for writing. Else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_points(tess_array *a, int64_t npoints,
                                                          const int64_t *coords, const void *src,
                                                          size_t src_size, tess_error *err);

/** Options of tess_array_add_points(). Initialise with tess_add_options_init(). */
typedef struct tess_add_options {
    size_t struct_size; /**< set by tess_add_options_init() */
    /**
     * A tess_misfit (convert.h): what happens if an integer sum exceeds the range of the array's
     * type. TESS_MISFIT_ERROR (default): the call fails with TESS_ERR_LIMIT, nothing is changed,
     * and err->message names one such point. TESS_MISFIT_SATURATE: the result of each addition is
     * limited to the least or greatest number of the type. TESS_MISFIT_WRAP: modulo 2^bits, as in C
     * and NumPy.
     */
    int misfit;
    int reserved; /**< 0 */
} tess_add_options;

/**
 * Fill *options with the defaults.
 *
 * @param options      Receives them.
 * @param struct_size  Size of *options in bytes: the macro passes sizeof(tess_add_options).
 */
TESS_API void tess_add_options_init_sized(tess_add_options *options, size_t struct_size);
/** For programs in C and C++: tess_add_options_init_sized() with the size of their struct. */
#define tess_add_options_init(options) \
    tess_add_options_init_sized((options), sizeof(tess_add_options))

/**
 * Add numbers to the items at a list of points (scatter-add).
 *
 * If a point is repeated, all of its numbers are added, in the order of the points, as by
 * numpy.add.at(): to count events in a histogram, call it once with the bins of the events as
 * points. For bool, an addition is a logical or. Floats are rounded after each addition, and may
 * become infinite; complex numbers are added as two floats. Results do not depend on the number of
 * threads.
 *
 * On failure no item is changed. Each block is decoded and encoded once, however many points it
 * has. Several threads may add to one array at once: calls with points in the same chunk take
 * turns, and no addition is lost.
 *
 * @param a         Array of numbers, or a view of one, opened for writing: bool, integers of 1 to 8
 *                  bytes, floats of 2, 4 and 8, complex numbers of 8 and 16, in either byte order.
 * @param npoints   Number of points, >= 0.
 * @param coords    Points as in tess_array_get_points().
 * @param src       npoints items in type and byte order of the array, in the order of the points;
 *                  or a single item, which is added at each point. May be NULL if npoints is 0.
 * @param src_size  Size of src in bytes. If it equals the typesize, src is a single item. Otherwise
 *                  src has all npoints items, and more than needed is fine.
 * @param options   NULL: the defaults.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_ARG if a point is outside the array (err->message says which), src is too small,
 *         an option is unknown, or the array was not opened for writing;
 *         TESS_ERR_UNSUPPORTED for other types of items;
 *         TESS_ERR_LIMIT if a sum does not fit (see tess_add_options.misfit);
 *         else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_add_points(tess_array *a, int64_t npoints,
                                                          const int64_t *coords, const void *src,
                                                          size_t src_size,
                                                          const tess_add_options *options,
                                                          tess_error *err);

/**
 * Set the items at all combinations of indices.
 *
 * @param a         Array opened for writing.
 * @param counts    Indices per axis, as in tess_array_get_orthogonal().
 * @param indices   The lists. For an item that is selected more than once, the last value counts.
 * @param src       prod(counts) items in C order. May be NULL if that is 0.
 * @param src_size  Size of src in bytes; at least prod(counts) * typesize.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_set_points().
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_orthogonal(tess_array *a, const int64_t *counts,
                                                              const int64_t *const *indices,
                                                              const void *src, size_t src_size,
                                                              tess_error *err);

/**
 * A mask: one byte for each index of the first axes of an array; the items at that index are
 * selected if the byte is not 0. Along the remaining axes, all items are selected. This struct
 * never changes.
 */
typedef struct tess_mask {
    /** Number of axes of the mask: the first ones of the array; 0 to the array's ndim. */
    int ndim;
    /** prod(shape[0 .. ndim)) bytes in C order; NULL: the mask is `array`. */
    const uint8_t *bytes;
    size_t bytes_size; /**< size of bytes; more than needed is fine */
    /** An open array, or a view, with items of 1 byte and that shape. NULL: the mask is `bytes`. */
    const tess_array *array;
} tess_mask;

/**
 * Count the items of an array that a mask selects.
 *
 * @param a      Open array; any number of threads may read one array at once.
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
 * Copy the items that a mask selects into memory.
 *
 * Blocks without selected items are not decoded; all others are decoded once, by the threads of the
 * array's context. tess_context.memory bounds the memory for the mask: about 8 bytes for each block
 * that a row of the mask crosses, and the bytes of the mask if it is an array. A mask that needs
 * more is processed in pieces: it is read twice, and blocks on the border between two pieces may be
 * decoded twice.
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param mask      The mask.
 * @param dst       Receives the selected items in C order. May be NULL if there are none.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_count_mask(), and tess_array_read(); TESS_ERR_ARG if dst is too small.
 */
TESS_API TESS_NODISCARD tess_status tess_array_get_mask(const tess_array *a, const tess_mask *mask,
                                                        void *dst, size_t dst_size,
                                                        tess_error *err);

/**
 * Set the items that a mask selects.
 *
 * On failure no item is set. Blocks without selected items are copied as they are stored; blocks
 * that are selected as a whole are not decoded. Memory: as for tess_array_get_mask().
 *
 * @param a         Array opened for writing.
 * @param mask      The mask; its array is not `a` itself, nor a view of it.
 * @param src       As many items as are selected, in C order; or one item, for all of them. May be
 *                  NULL if none is selected.
 * @param src_size  Size of src in bytes. If it equals the typesize, src is one item. Otherwise src
 *                  has all selected items, and more than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_count_mask(), and tess_array_write(); TESS_ERR_ARG if src is too small.
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_mask(tess_array *a, const tess_mask *mask,
                                                        const void *src, size_t src_size,
                                                        tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
