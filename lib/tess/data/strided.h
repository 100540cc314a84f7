/*
 * strided.h - orders of items in memory.
 */
#ifndef TESS_DATA_STRIDED_H
#define TESS_DATA_STRIDED_H

#include <stddef.h>
#include <stdint.h>

// Bytes between neighbours along each axis for items in C order without gaps.
void strided_c_order(int ndim, const int64_t *shape, size_t item_size, int64_t *strides);

// Items without gaps, the first axis fastest in src and the last one in dst; no overlap.
void strided_from_fortran(int ndim, const int64_t *shape, size_t item_size, uint8_t *restrict dst,
                          const uint8_t *restrict src);

#endif
