/*
 * vl_encode.h - chunks of blocks that differ in size, out of bytes that stand in memory.
 *
 * Functions without state: any thread may call.
 */
#ifndef CHUNK_ENCODE_VL_ENCODE_H
#define CHUNK_ENCODE_VL_ENCODE_H

#include "base/error.h"
#include "chunk/encode/encoder.h"
#include "chunk/scratch.h"

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
