/*
 * place.h - from a decoded block to where its items belong.
 */
#ifndef GRID_PLACE_H
#define GRID_PLACE_H

#include "chunk/decode.h"
#include "geom/walk.h"
#include "grid/grid.h"

/*
 * Put the items of a block that the walk stands on into dst, whose first item is where the first
 * of them goes. Where the last shuffle was left to us, it is undone on the way, for these items
 * only.
 */
void place_block(const struct geometry *g, const struct decoded *block, const struct walk *w,
                 uint8_t *dst, const int64_t *dst_stride);

// What place_block() needs of a block, for memory of these strides.
struct block_need place_need(const struct geometry *g, const struct walk *w,
                             const int64_t *dst_stride);

#endif
