/*
 * swap.h - items in the other byte order.
 */
#ifndef BASE_SWAP_H
#define BASE_SWAP_H

#include <stddef.h>
#include <stdint.h>

// Turn around the bytes of each `word` of them; size is a multiple of word.
void swap_bytes(uint8_t *items, size_t size, size_t word);

#endif
