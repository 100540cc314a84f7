/*
 * place.h - from a decoded block to where its items belong.
 */
#ifndef ARRAY_PLACE_H
#define ARRAY_PLACE_H

#include "array/array.h"

/*
 * Put the items [lo, hi) of a block (relative to the block) into dst, whose first item is where
 * item `lo` goes. Where the last shuffle was left to us, it is undone on the way, for these items
 * only.
 */
void place_block(const struct geometry *g, const struct decoded *block, const int64_t *lo,
                 const int64_t *hi, uint8_t *dst, const int64_t *dst_stride);

// What place_block() needs of a block for the items [lo, hi) and memory of these strides.
struct block_need place_need(const struct geometry *g, const int64_t *lo, const int64_t *hi,
                             const int64_t *dst_stride);

#endif
