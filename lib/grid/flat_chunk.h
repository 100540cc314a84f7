/*
 * flat_chunk.h - a chunk whose content stands in memory as a whole, in the order of its blocks:
 * encoded and decoded, with blocks in parallel.
 *
 * Any thread may call; workers take scratch memory of their own from the pool. What comes out does
 * not depend on how many there are.
 */
#ifndef GRID_FLAT_CHUNK_H
#define GRID_FLAT_CHUNK_H

#include "base/error.h"
#include "chunk/chunk.h"
#include "chunk/decode.h"
#include "chunk/encoder.h"

#include <tessera/context.h>

struct pool;
struct watch;

// What a call works with.
struct flat_call {
    struct pool *pool;
    const tess_context *context; // threads and executor
    struct watch *watch; // NULL: nothing is reported
};

// The size of blocks that is chosen for a chunk of spec->nbytes bytes.
int32_t flat_chunk_blocksize(const struct chunk_spec *spec);

// Make the chunk of an encoder out of its nbytes bytes, in dst, which holds chunk_bound() bytes.
// *special: SPECIAL_ZEROS if all is zero, SPECIAL_VALUE if all items are equal and that is smaller;
// else SPECIAL_NONE. dst holds the bytes of such a chunk, too.
tess_status flat_chunk_encode(const struct flat_call *call, const struct chunk_encoder *e,
                              const uint8_t *src, uint8_t *dst, int32_t *cbytes,
                              enum chunk_special *special, tess_error *err);

// All nbytes bytes of its content.
tess_status flat_chunk_decode(const struct flat_call *call, const struct chunk *c,
                              const struct chunk_bytes *bytes, uint8_t *dst, tess_error *err);

#endif
