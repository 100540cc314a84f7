/*
 * mask_copy.h - chosen items between a block and the caller's memory, row after row of a mask.
 */
#ifndef SELECT_MASK_COPY_H
#define SELECT_MASK_COPY_H

#include "chunk/decode.h"
#include "select/selection.h"

// As in struct selection_kind.
bool mask_gather(const struct selection *s, const struct part *part, const struct decoded *block,
                 uint8_t *dst);
void mask_scatter(const struct selection *s, const struct part *part, uint8_t *items,
                  const uint8_t *src, bool same);

#endif
