/*
 * place.h - from a decoded block to where its items belong.
 *
 * Functions without state: any thread, without a lock. Threads that place blocks of one box write
 * to different items, so they need none among each other.
 *
 * A block may arrive as planes of bytes (struct decoded): to shuffle it back as a whole first would
 * be one more pass through memory, also over items that are not wanted.
 */
#ifndef GRID_PLACE_H
#define GRID_PLACE_H

#include "chunk/decode.h"
#include "geom/walk.h"
#include "grid/grid.h"

struct converter;

/*
 * Put the items of a block that the walk stands on into dst, whose first item is where the first
 * of them goes. Where the last shuffle was left to us, it is undone on the way, for these items
 * only.
 */
void place_block(const struct geometry *g, const struct decoded *block, const struct walk *w,
                 uint8_t *dst, const int64_t *dst_stride);

// The same for items that become others on the way. Returns how many did, as convert_box(). The
// block arrives in order.
int64_t place_converted(const struct geometry *g, const struct decoded *block, const struct walk *w,
                        const struct converter *how, uint8_t *dst, const int64_t *dst_stride);

// What place_block() needs of a block, for memory of these strides.
struct block_need place_need(const struct geometry *g, const struct walk *w,
                             const int64_t *dst_stride);

#endif
