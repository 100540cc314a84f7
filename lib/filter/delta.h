/*
 * delta.h - exclusive or with the element before, or with the first block of the chunk.
 */
#ifndef FILTER_DELTA_H
#define FILTER_DELTA_H

#include <stddef.h>
#include <stdint.h>

// Filter a block of `size` bytes, and undo that. ref is the content of block 0, at least as long;
// NULL for block 0 itself. Bytes behind the last whole element are copied. Nothing overlaps.
void delta_forward(uint8_t *restrict dst, const uint8_t *restrict src, size_t size,
                   int32_t typesize, const uint8_t *restrict ref);
void delta_backward(uint8_t *restrict dst, const uint8_t *restrict src, size_t size,
                    int32_t typesize, const uint8_t *restrict ref);

#endif
