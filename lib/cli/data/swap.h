/*
 * swap.h - items in the other byte order.
 */
#ifndef CLI_SWAP_H
#define CLI_SWAP_H

#include <tessera/dtype.h>

// Bytes of the words that change places inside an item of a type that has a byte order.
int32_t swap_word_size(const tess_dtype *type);

// size bytes, in words of that size.
void swap_words(uint8_t *bytes, int64_t size, int32_t word);

#endif
