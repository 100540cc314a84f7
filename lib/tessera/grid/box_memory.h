/*
 * box_memory.h - memory that stands for a box of a grid, and items that become others on the way.
 *
 * On reading, an item that does not fit ends the call with the index that the caller knows it by.
 * On writing, all of them were looked at before (array/convert.h).
 *
 * Functions without state: any thread, without a lock.
 */
#ifndef GRID_BOX_MEMORY_H
#define GRID_BOX_MEMORY_H

#include "base/error.h"
#include "base/limits.h"
#include "ndcopy/convert/convert.h"

#include <stdint.h>

struct converted;

// Memory with arbitrary strides, in bytes, that stands for a box: they may be negative, and 0 where
// it is read. The first item of the box is at `items`.
struct box_memory {
    uint8_t *items;
    int64_t stride[NDIM_MAX];
    const struct converted *as; // items become others on the way; NULL: they do not
};
struct box_memory_const {
    const uint8_t *items;
    int64_t stride[NDIM_MAX];
    const struct converter *as; // all items fit; NULL: they are what is stored
};

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
void converted_put(const struct box_memory_const *memory, int ndim, const int64_t *extent,
                   int64_t itemsize, uint8_t *dst, const int64_t *dst_stride, const uint8_t *src);

#endif
