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

// Whether place_block() can undo a shuffle on the way into memory of these strides.
bool place_wants_planes(const struct geometry *g, const int64_t *dst_stride);

#endif
