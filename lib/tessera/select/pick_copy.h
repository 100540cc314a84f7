/*
 * pick_copy.h - single items and short runs out of a decoded block.
 */
#ifndef SELECT_PICK_COPY_H
#define SELECT_PICK_COPY_H

#include "chunk/decode.h"
#include "select/selection.h"

// Put the picks of a block where they belong in dst. Where the last shuffle was left to us, it is
// undone for these items only.
void take_picks(const struct decoded *block, size_t typesize, const struct pick *picks, int64_t n,
                uint8_t *dst);

// What take_picks() needs of a block.
struct block_need take_need(const struct geometry *g, const struct reach *reach);

// The other way round: into the items of a block.
void give_picks(uint8_t *items, size_t typesize, const struct pick *picks, int64_t n,
                const uint8_t *src);

// All picks are the same item.
void repeat_picks(const uint8_t *item, size_t typesize, const struct pick *picks, int64_t n,
                  uint8_t *dst);

#endif
