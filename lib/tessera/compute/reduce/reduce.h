/*
 * reduce.h - an array in cells, each of which becomes an item of a new array: reductions along axes
 * and downsampling.
 *
 * The new array is made tile by tile. A tile is as large as memory allows. Where its items are
 * computed, the items that belong to it are divided into grains, boxes of whole blocks, and threads
 * share the grains. A grain is read piece by piece, about a block at a time, so that what is
 * reduced is still in the cache of the core. Where a grain has all items of its cells, its results
 * go straight to the memory of the tile; otherwise the states of grains are merged in the order of
 * the grains, so that sums do not depend on threads. Where its items are picked
 * (resample_create()), those that it needs are read into memory, by all threads, and one of each
 * cell is taken.
 *
 * Threads: finish of a job is called by one thread at a time (task/task.h), and the state of the
 * tile belongs to it. A worker has memory of its own. No lock; array_read() enters the gate of the
 * source itself.
 */
#ifndef COMPUTE_REDUCE_REDUCE_H
#define COMPUTE_REDUCE_REDUCE_H

#include "array/array.h"
#include "base/limits.h"
#include "compute/reduce/kernels.h"

#include <tessera/dtype.h>
#include <tessera/params.h>
#include <tessera/reduce.h>

#include <stddef.h>
#include <stdint.h>

struct home;

/*
 * Cells are boxes of `factor` items along each axis, at the edges of those that are left. A
 * reduction along an axis has one cell there, of as many items as the axis has; an axis that stays
 * has cells of one item.
 */
struct cells {
    int ndim;
    int64_t shape[NDIM_MAX]; // items
    int64_t factor[NDIM_MAX]; // > 0
};

// Items of a cell along an axis.
int64_t cells_length(const struct cells *c, int axis, int64_t at);

// The items [start, stop) of a box of cells, and the cells [first, last) that a box of items meets.
void cells_items(const struct cells *c, const int64_t *first, const int64_t *last, int64_t *start,
                 int64_t *stop);
void cells_of_items(const struct cells *c, const int64_t *start, const int64_t *stop,
                    int64_t *first, int64_t *last);

// -- what is made of which array; filled by plan_...(), does not change afterwards

enum gather_kind {
    GATHER_WHOLE, // sums of integers
    GATHER_FLOAT, // sums of floats
    GATHER_LEAST,
    GATHER_GREATEST,
    GATHER_WHOLE_SQUARES, // sums and sums of squares of integers of at most 4 bytes
    GATHER_SQUARES, // the same of integers of 8 bytes and of floats
    GATHER_NOTHING, // but what is missing
};

// What is gathered of items.
struct gathering {
    enum gather_kind kind;
    tess_dtype dtype; // of the items
    bool turn; // the other byte order
    bool truth; // all that is not 0 is 1
    bool skip_nan;
    bool missing; // NaNs are counted
    enum numeric number; // what kernels get, of
    size_t size; // bytes
};

// One number per cell.
enum result_value {
    RESULT_SUM, // i8 or u8 of integers; f8
    RESULT_MEAN, // f8
    RESULT_VARIANCE, // f8
    RESULT_EXTREME, // as the items
    RESULT_COUNT, // i8
    RESULT_NEAR_MEAN, // as the items: the nearest of them
};

struct result {
    enum result_value value;
    int64_t ddof;
    int32_t size; // bytes of an item
    bool turn; // into the other byte order
};

struct reduction {
    const tess_array *a;
    struct cells cells; // of a
    struct gathering gathering;
    struct result result;
    bool drop[NDIM_MAX]; // axes of one cell that the new array does not have
};

enum { PLAN_DTYPE_SIZE = 8 }; // bytes of a type's string

/*
 * reduced: per axis. params: of the new array, with its shape and type afterwards; what they bring
 * is checked. dtype: PLAN_DTYPE_SIZE bytes, which params may refer to.
 */
tess_status plan_reduction(struct reduction *r, const tess_array *a, tess_reduction op,
                           const bool *reduced, const tess_reduce_options *options,
                           tess_params *params, char *dtype, tess_error *err);

// The same for cells of `factors` items, of an operation that computes: not of NEAREST or MODE.
tess_status plan_downsampling(struct reduction *r, const tess_array *a, tess_downsampling op,
                              const int64_t *factors, bool skip_nan, tess_params *params,
                              char *dtype, tess_error *err);

// A new array, as planned; home and storage as for array_create().
tess_status reduction_create(const struct reduction *r, const struct home *home,
                             const tess_storage *storage, const tess_params *params,
                             tess_array **out, tess_error *err);

// -- items that the source has: of any type, as nothing is computed with them

// As tess_array_downsample() of TESS_DOWNSAMPLE_NEAREST or TESS_DOWNSAMPLE_MODE. params: of the new
// array, whose type and shape are set; home and storage as for array_create().
tess_status resample_create(const tess_array *a, bool mode, const int64_t *factors,
                            const struct home *home, const tess_storage *storage,
                            const tess_params *params, tess_array **out, tess_error *err);

// What params bring is checked, and completed by the type and shape of the result.
tess_status resample_plan(const tess_array *a, const int64_t *factors, tess_params *params,
                          tess_error *err);

#endif
