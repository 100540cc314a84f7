/*
 * flat.h - chunks out of bytes that stand in memory: above all an index, or a metalayer; and those
 * whose blocks differ in size.
 *
 * Functions without state: any thread may call.
 */
#ifndef CHUNK_ENCODE_FLAT_H
#define CHUNK_ENCODE_FLAT_H

#include "base/error.h"
#include "chunk/encode/encoder.h"
#include "chunk/scratch.h"

#include <stddef.h>
#include <stdint.h>

// Make the chunk of an encoder out of its nbytes bytes, in dst, as chunk_encode() does.
tess_status chunk_encode_flat(const struct chunk_encoder *e, const uint8_t *src,
                              struct chunk_scratch *s, uint8_t *dst, int32_t *cbytes,
                              tess_error *err);

// Make a chunk of `size` bytes (0 too) that stand in memory; allocated for the caller.
// Typesize 8, shuffle, BloscLZ level 5, blocks of `blocksize` bytes, not split: an index or a
// metalayer.
tess_status chunk_of_bytes(const void *src, size_t size, int32_t blocksize, uint8_t **chunk,
                           int32_t *cbytes, tess_error *err);

// The same for bytes that the caller will put there: not compressed, *room gets `size` bytes.
tess_status chunk_of_room(size_t size, int32_t blocksize, uint8_t **chunk, int32_t *cbytes,
                          uint8_t **room, tess_error *err);

// Room that a chunk of so many blocks, with spec->nbytes in all, can be made in.
int64_t chunk_vl_bound(const struct chunk_spec *spec, int64_t nblocks);

/*
 * Make a chunk of nblocks blocks, which stand in src one behind the other and have 1 byte at least;
 * spec->nbytes are all of them. Of spec, sizes and shape of blocks, and splitting do not count.
 * dst holds chunk_vl_bound() bytes.
 */
tess_status chunk_encode_vl(const struct chunk_spec *spec, const uint8_t *src, const int32_t *sizes,
                            int32_t nblocks, struct chunk_scratch *s, uint8_t *dst, int32_t *cbytes,
                            tess_error *err);

#endif
