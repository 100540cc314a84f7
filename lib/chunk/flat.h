/*
 * flat.h - chunks of plain bytes: an index, or a metalayer.
 */
#ifndef CHUNK_FLAT_H
#define CHUNK_FLAT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

// Make a chunk of `size` bytes (0 too) that stand in memory; allocated for the caller.
// Typesize 8, shuffle, BloscLZ level 5, blocks of `blocksize` bytes, not split: an index or a
// metalayer.
tess_status chunk_of_bytes(const void *src, size_t size, int32_t blocksize, uint8_t **chunk,
                           int32_t *cbytes, tess_error *err);

// The same for bytes that the caller will put there: not compressed, *room gets `size` bytes.
tess_status chunk_of_room(size_t size, int32_t blocksize, uint8_t **chunk, int32_t *cbytes,
                          uint8_t **room, tess_error *err);

#endif
