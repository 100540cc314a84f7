/**
 * @file reduce.h
 * Reductions: sum, mean, variance, extremes ... of the items along axes, into a new array; and
 * downsampling, into a smaller array.
 *
 *     const int axes[] = {0};
 *     tess_array_reduce(a, TESS_REDUCE_MEAN, axes, 1, NULL, &storage, NULL, &mean, &err);
 *
 * Items are decoded block by block, on all threads of the array's context, and each block is
 * reduced while it is in the cache of the CPU. Regions that are stored as zeros or as one repeated
 * value, or were never written, are not decoded. The result does not depend on the number of
 * threads.
 *
 * Types are bool (0 and 1), integers of 1 to 8 bytes, and IEEE floats of 2, 4 and 8 bytes, in both
 * byte orders.
 *
 * Unless a comment says otherwise, no pointer may be NULL (TESS_ERR_ARG). See array.h for threads.
 */
#ifndef TESSERA_REDUCE_H
#define TESSERA_REDUCE_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How the items of a cell are reduced to one. A cell consists of all items with the same indices on
 * the axes that are not reduced. In brackets: the type of the result, in the byte order of the
 * array (in that of the machine if the array's type has one byte).
 */
typedef enum tess_reduction {
    /**
     * Sum. Integers and bool: exact [i8; u8 for unsigned integers]; a sum that does not fit is
     * TESS_ERR_LIMIT. Floats [f8]: the error is at most 10 units in the last place of the sum of
     * the absolute values. No items: 0.
     */
    TESS_REDUCE_SUM = 0,
    /** The sum, with the accuracy above, divided by the number of items [f8]. No items: NaN. */
    TESS_REDUCE_MEAN = 1,
    /**
     * Variance [f8]: the sum of the squares of (item - mean), divided by (number of items - ddof).
     * NaN if that divisor is not positive, or an item is infinite.
     */
    TESS_REDUCE_VAR = 2,
    /** Minimum [type of the items]. No items: TESS_ERR_ARG. */
    TESS_REDUCE_MIN = 3,
    /** Maximum [type of the items]. No items: TESS_ERR_ARG. */
    TESS_REDUCE_MAX = 4,
    /** Number of items, without NaNs if these are skipped [i8]. */
    TESS_REDUCE_COUNT = 5,
    /** Whether an item is not 0 [bool]; NaN is not 0. No items: false. */
    TESS_REDUCE_ANY = 6,
    /** Whether no item is 0 [bool]. No items: true. */
    TESS_REDUCE_ALL = 7
} tess_reduction;

/** Options of a reduction. Initialise with tess_reduce_options_init(). */
typedef struct tess_reduce_options {
    size_t struct_size; /**< set by tess_reduce_options_init() */
    int keep_axes; /**< not 0: reduced axes are kept, with length 1. Default 0: removed */
    /**
     * Not 0: NaNs are skipped, as if the cell did not contain them; if all items of a cell are NaN,
     * its minimum, maximum, mean and variance are NaN. Default 0: a NaN makes the sum, mean,
     * variance, minimum and maximum of its cell NaN.
     */
    int skip_nan;
    int64_t ddof; /**< TESS_REDUCE_VAR: subtracted from the number of items. Default 0 */
} tess_reduce_options;

/**
 * Fill *options with the defaults.
 *
 * @param options      Receives them.
 * @param struct_size  Size of *options in bytes: the macro passes sizeof(tess_reduce_options).
 */
TESS_API void tess_reduce_options_init_sized(tess_reduce_options *options, size_t struct_size);
/** For programs in C and C++: tess_reduce_options_init_sized() with the size of their struct. */
#define tess_reduce_options_init(options) \
    tess_reduce_options_init_sized((options), sizeof(tess_reduce_options))

/**
 * Reduce the items of an array along axes, to a new array.
 *
 * Memory: at most tess_context.memory of the array. The result is computed in parts; in memory are
 * the cells of one part, and about one block per thread. With less memory there are more parts, and
 * blocks at their borders are decoded twice.
 *
 * @param a        Open array, or a view; any number of threads may read one array at once.
 * @param op       The reduction.
 * @param axes     The axes to reduce, each once, in any order. NULL: all axes.
 * @param naxes    Number of axes; 0: each item is a cell. Ignored if axes is NULL.
 * @param options  NULL: the defaults.
 * @param storage  Where to create the result, as for tess_array_zeros(); not the path of the array
 *                 itself, if that is open for writing.
 * @param params   Parameters of the new array. The shape is always that of the result, and ndim may
 *                 be 0; dtype NULL: the type of the result, otherwise the same type in either byte
 *                 order. params NULL: the defaults of tess_params_init().
 * @param out      Receives the new array, open, or NULL on failure; close it with
 *                 tess_array_close(). It has 0 dimensions if all axes are reduced and removed, no
 *                 attributes, and only the metalayers in params.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (axes, params); TESS_ERR_UNSUPPORTED if items are no such numbers;
 *         TESS_ERR_LIMIT if an integer sum needs more than 64 bits; or as tess_array_read() of the
 *         array and tess_array_zeros(). A failed call leaves no new file behind, and an existing
 *         file as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_array_reduce(const tess_array *a, tess_reduction op,
                                                      const int *axes, int naxes,
                                                      const tess_reduce_options *options,
                                                      const tess_storage *storage,
                                                      const tess_params *params, tess_array **out,
                                                      tess_error *err);

/** How the items of a cell become one item of the smaller array, which has the same type. */
typedef enum tess_downsampling {
    /**
     * The mean, of numbers: for integers and bool the integer nearest to the exact mean, for
     * floats the nearest float; ties are rounded to even.
     */
    TESS_DOWNSAMPLE_MEAN = 0,
    /** The first item of the cell, of any type: item i * factor becomes item i. */
    TESS_DOWNSAMPLE_NEAREST = 1,
    TESS_DOWNSAMPLE_MIN = 2, /**< the minimum, of numbers */
    TESS_DOWNSAMPLE_MAX = 3, /**< the maximum, of numbers */
    /**
     * The most frequent item, of any type; of equally frequent ones, the first in C order. Items
     * are compared by their bytes.
     */
    TESS_DOWNSAMPLE_MODE = 4
} tess_downsampling;

/** Options of downsampling. Initialise with tess_downsample_options_init(). */
typedef struct tess_downsample_options {
    size_t struct_size; /**< set by tess_downsample_options_init() */
    /**
     * Not 0: the mean, minimum and maximum skip NaNs, and are NaN if all items of the cell are NaN.
     * Default 0: a NaN makes them NaN.
     */
    int skip_nan;
    int reserved; /**< 0 */
} tess_downsample_options;

/**
 * Fill *options with the defaults.
 *
 * @param options      Receives them.
 * @param struct_size  Size of *options in bytes: the macro passes sizeof(tess_downsample_options).
 */
TESS_API void tess_downsample_options_init_sized(tess_downsample_options *options,
                                                 size_t struct_size);
/** For programs in C and C++: tess_downsample_options_init_sized() with the size of their struct.
 */
#define tess_downsample_options_init(options) \
    tess_downsample_options_init_sized((options), sizeof(tess_downsample_options))

/**
 * Downsample an array by whole factors: each cell, a box of `factors` items, becomes one item of a
 * new array.
 *
 * If the shape is no multiple of the factors, the last cells are smaller. Memory and threads as in
 * tess_array_reduce(); for TESS_DOWNSAMPLE_MODE, the items of a part of the array are in memory at
 * once.
 *
 * @param a        Open array, or a view; any number of threads may read one array at once.
 * @param op       How a cell becomes an item.
 * @param factors  Items of a cell along each axis: ndim values, > 0; 1: the axis is not
 *                 downsampled.
 * @param options  NULL: the defaults.
 * @param storage  Where to create the new array, as in tess_array_reduce().
 * @param params   Parameters of the new array, as in tess_array_reduce(); dtype NULL: that of the
 *                 array. For TESS_DOWNSAMPLE_NEAREST and TESS_DOWNSAMPLE_MODE no other is allowed.
 * @param out      Receives the new array, open, or NULL on failure, as in tess_array_reduce(). Its
 *                 shape is that of the array divided by the factors, rounded up.
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_reduce(); TESS_ERR_LIMIT also if, with TESS_DOWNSAMPLE_MODE, the items of
 *         one cell take more than half of tess_context.memory.
 */
TESS_API TESS_NODISCARD tess_status tess_array_downsample(const tess_array *a, tess_downsampling op,
                                                          const int64_t *factors,
                                                          const tess_downsample_options *options,
                                                          const tess_storage *storage,
                                                          const tess_params *params,
                                                          tess_array **out, tess_error *err);

/**
 * Compute the number of levels that a pyramid needs until its last level is small.
 *
 * @param a        Open array, or a view.
 * @param factors  As for tess_array_downsample(). NULL: 2 for each axis.
 * @param length   Greatest length of the axes of the last level, > 0; axes with the factor 1 do
 *                 not count.
 *
 * @return the number of levels, not counting the array itself: 0 if it is small enough.
 */
TESS_API int tess_pyramid_levels(const tess_array *a, const int64_t *factors, int64_t length);

/**
 * Make the levels of a pyramid: each level is downsampled from the previous one, the first from the
 * array. So the items of the array are read once.
 *
 * With TESS_DOWNSAMPLE_NEAREST, MIN and MAX each level is the same as if it were downsampled from
 * the array directly. With MEAN it has the means of the rounded items of the previous level, in
 * which smaller cells at the edges have the same weight as others; with MODE, the modes of the
 * previous level.
 *
 * @param a         Open array, or a view; any number of threads may read one array at once.
 * @param op        How a cell becomes an item.
 * @param factors   As for tess_array_downsample(). NULL: 2 for each axis.
 * @param options   NULL: the defaults.
 * @param storages  Where to create each level: nlevels pointers.
 * @param nlevels   Number of levels, >= 0; see tess_pyramid_levels().
 * @param params    Parameters of all levels, as for tess_array_downsample().
 * @param levels    Receives nlevels open arrays; close each with tess_array_close(). NULL: they are
 *                  closed before the call returns, and each storage must have a path.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_downsample(). After a failure all elements of levels are NULL; files of
 *         levels that were finished before the failure remain.
 */
TESS_API TESS_NODISCARD tess_status tess_array_pyramid(const tess_array *a, tess_downsampling op,
                                                       const int64_t *factors,
                                                       const tess_downsample_options *options,
                                                       const tess_storage *const *storages,
                                                       int nlevels, const tess_params *params,
                                                       tess_array **levels, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
