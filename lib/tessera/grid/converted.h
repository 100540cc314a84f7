/*
 * converted.h - items that become others between a grid and memory.
 *
 * On reading, an item that does not fit ends the call with the index that the caller knows it by.
 * On writing, all of them were looked at before (array/convert/typed.h).
 *
 * Functions without state: any thread, without a lock.
 */
#ifndef GRID_CONVERTED_H
#define GRID_CONVERTED_H

#include "base/error.h"
#include "grid/strided.h"
#include "ndcopy/convert/convert.h"

// How the items of a box are read, and what they are called.
struct converted {
    const struct converter *how;
    const char *dtype; // that they are to have
    // An item of the array of the caller: `ndim` indices, each first[i] + step[i] * the item of the
    // grid's box along axis[i]; axis[i] < 0: first[i].
    int ndim;
    int axis[NDIM_MAX];
    int64_t first[NDIM_MAX], step[NDIM_MAX];
};

// Say which item does not fit: behind `done` items, in C order, of a box of `extent`, which starts
// `from` items behind the start of the grid's box.
tess_status converted_misfit(const struct converted *as, int ndim, const int64_t *from,
                             const int64_t *extent, int64_t done, tess_error *err);

// Set all items of a box to the one that this item becomes.
tess_status converted_fill(const struct converted *as, int ndim, const int64_t *from,
                           const int64_t *extent, uint8_t *dst, const int64_t *stride,
                           const uint8_t *item, tess_error *err);

// Put the caller's items, from src on, where they are stored.
void converted_put(const struct strided_const *memory, int ndim, const int64_t *extent,
                   int64_t itemsize, uint8_t *dst, const int64_t *dst_stride, const uint8_t *src);

#endif
