/*
 * mask_copy.h - chosen items between a block and the caller's memory, row after row of a mask.
 */
#ifndef ARRAY_MASK_COPY_H
#define ARRAY_MASK_COPY_H

#include "array/selection.h"
#include "chunk/decode.h"

// Whether mask_take() can be used: the mask has all axes, and the items of the block are in order.
bool mask_takes_rows(const struct selection *s, const struct decoded *block);

// The chosen items of a block, where they belong in dst. No other byte of dst is touched.
void mask_take(const struct selection *s, const struct part *block, const uint8_t *items,
               uint8_t *dst);

// The other way round, for any mask. `same`: src is one item for all.
void mask_give(const struct selection *s, const struct part *block, uint8_t *items,
               const uint8_t *src, bool same);

#endif
