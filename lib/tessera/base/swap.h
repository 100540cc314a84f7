/*
 * swap.h - items in the other byte order.
 */
#ifndef BASE_SWAP_H
#define BASE_SWAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether numbers of this machine start with their most significant byte.
static inline bool
machine_is_big_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

// Turn around the bytes of each `word` of them; size is a multiple of word.
void swap_bytes(uint8_t *items, size_t size, size_t word);

#endif
