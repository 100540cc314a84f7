/*
 * ndcopy.h - copies, fills and comparisons of N-dimensional boxes with arbitrary strides.
 *
 * A box has an extent per axis, in items, and on each side a stride per axis, in bytes; strides
 * may be negative, and 0 on the side that is read. Both sides hold items of the same size.
 *
 * struct ndrows is the walk underneath, for callers with an inner loop of their own: the box as a
 * series of tiles of rows.
 */
#ifndef NDCOPY_NDCOPY_H
#define NDCOPY_NDCOPY_H

#include "geom/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ndrows {
    // The current tile: `rows` rows of `row_nitems` items. When an item follows the other without
    // gap on both sides `packed` is set; else the items of a row are item_dst and item_src apart.
    int64_t rows, row_nitems;
    int64_t row_dst, row_src; // bytes from one row to the next
    int64_t item_dst, item_src; // bytes from one item to the next
    bool packed;
    int64_t dst, src; // bytes from the start of the box to the tile

    int outer; // axes walked over outside the tile
    int64_t extent[NDIM_MAX], dst_stride[NDIM_MAX], src_stride[NDIM_MAX], at[NDIM_MAX];
};

// Start at the first tile; false if the box has no items. Axes that continue each other on both
// sides are merged, so that rows are as long as they can be.
bool ndrows_begin(struct ndrows *r, int ndim, const int64_t *extent, int64_t itemsize,
                  const int64_t *dst_stride, const int64_t *src_stride);

// The next tile; false behind the last one.
bool ndrows_next(struct ndrows *r);

// Copy a box. The two sides do not overlap.
void ndcopy(int ndim, const int64_t *extent, int64_t itemsize, uint8_t *restrict dst,
            const int64_t *dst_stride, const uint8_t *restrict src, const int64_t *src_stride);

// Set all items of a box to one item.
void ndfill(int ndim, const int64_t *extent, int64_t itemsize, uint8_t *restrict dst,
            const int64_t *dst_stride, const uint8_t *restrict item);

// Whether all items of a box equal its first; false for an empty box.
bool ndconstant(int ndim, const int64_t *extent, int64_t itemsize, const uint8_t *src,
                const int64_t *src_stride);

#endif
