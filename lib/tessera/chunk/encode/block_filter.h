/*
 * block_filter.h - from the items of a block to the bytes that a codec gets.
 */
#ifndef CHUNK_ENCODE_BLOCK_FILTER_H
#define CHUNK_ENCODE_BLOCK_FILTER_H

#include "chunk/encode/encoder.h"
#include "chunk/scratch.h"

// A block as the codec gets it: so many streams of neblock bytes each.
struct filtered {
    const uint8_t *bytes; // in the scratch, or the items themselves
    int32_t nstreams;
    size_t neblock;
};

// Filter the content of block `nblock`: chunk_block_nbytes() bytes, which may stand in a buffer of
// the scratch. The scratch has room for blocks of the encoder (scratch_reserve()).
tess_status block_filter(const struct encoding *x, int32_t nblock, const uint8_t *items,
                         struct chunk_scratch *s, struct filtered *f, tess_error *err);

#endif
