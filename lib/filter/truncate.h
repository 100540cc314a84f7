/*
 * truncate.h - clearing low bits of numbers: the filters trunc_prec and int_trunc.
 */
#ifndef FILTER_TRUNCATE_H
#define FILTER_TRUNCATE_H

#include <stddef.h>
#include <stdint.h>

// How many low bits a meta byte asks to clear in each number; -1 if the filter does not work on
// numbers of that size or the meta is out of range.
int trunc_prec_nbits(int32_t typesize, uint8_t meta);
int int_trunc_nbits(int32_t typesize, uint8_t meta);

// Clear the `nbits` lowest bits of little-endian numbers of 1, 2, 4 or 8 bytes. Bytes behind the
// last whole number are copied.
void truncate_bits(uint8_t *restrict dst, const uint8_t *restrict src, size_t size,
                   int32_t typesize, int nbits);

#endif
