/*
 * lazy.h - lazy chunks whose blocks differ in size: what is behind the table of blocks is told in
 * front of the blocks.
 *
 * c-blosc2 hands out header, table and a trailer: the number of the chunk (int32), its place in the
 * frame (int64), and the stored bytes of each block (int32). Here the blocks follow, so that any
 * context decodes such a chunk, and the place is -1.
 */
#ifndef COMPAT_CHUNK_LAZY_H
#define COMPAT_CHUNK_LAZY_H

#include <stdbool.h>
#include <stdint.h>

// Whether a chunk of `size` bytes at hand says that it is lazy.
bool b2_lazy_is(const uint8_t *chunk, int32_t size);

// Make a whole chunk a lazy one, in memory to be freed; *lazy is NULL if it stays whole, as all
// chunks do whose blocks are of one size. Returns its size, 0, or a code.
int b2_lazy_make(const uint8_t *chunk, int32_t size, int64_t nchunk, uint8_t **lazy);

// The other way round: the trailer is checked. Returns the size of the whole chunk, in memory to be
// freed, or a code.
int b2_lazy_open(const uint8_t *lazy, int32_t size, uint8_t **whole);

#endif
