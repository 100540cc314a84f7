/*
 * truncate.h - clearing low bits of numbers, for the filters trunc_prec and int_trunc.
 */
#ifndef FILTER_TRUNCATE_H
#define FILTER_TRUNCATE_H

#include <stddef.h>
#include <stdint.h>

// A meta byte is a signed number: bits to keep if positive, else bits to clear.
int truncate_meta(uint8_t meta);

// How many low bits a meta byte asks to clear of `total`; -1 if it is out of range.
int truncate_nbits(int total, uint8_t meta);

// Clear the `nbits` lowest bits of little-endian numbers of 1, 2, 4 or 8 bytes. Bytes behind the
// last whole number are copied.
void truncate_bits(uint8_t *restrict dst, const uint8_t *restrict src, size_t size,
                   int32_t typesize, int nbits);

#endif
