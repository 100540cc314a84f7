/*
 * scratch.h - memory that one thread needs to encode and decode blocks, kept between calls.
 */
#ifndef CHUNK_SCRATCH_H
#define CHUNK_SCRATCH_H

#include "base/error.h"
#include "codec/codec.h"

#include <stddef.h>
#include <stdint.h>

struct chunk_place;
struct io_progress;
struct io_want;

struct chunk_scratch {
    struct codec_state *codec;
    uint8_t *buffer[3]; // of `size` bytes each: streams, and two for the filters
    size_t size;
    uint8_t *stored; // compressed bytes on their way from or to storage
    size_t stored_size;
    int64_t limit; // largest block, in bytes; 0: none
    const struct io_want *want; // stored bytes that are read ahead (io/ahead.h); NULL: none
    const struct chunk_place *place; // of the next chunk to be opened, if it was found; or NULL
    const struct io_progress *progress; // what ends reads of others; NULL: nothing does
};

// Whether a block of `size` bytes may be asked for. TESS_ERR_LIMIT.
tess_status scratch_check(const struct chunk_scratch *s, int64_t size, tess_error *err);

// Make room for blocks of `size` bytes. TESS_ERR_LIMIT, TESS_ERR_NOMEM.
tess_status scratch_reserve(struct chunk_scratch *s, int64_t size, tess_error *err);

// How many stored bytes to ask for at once, where `most` would be best: no more than allowed.
int32_t scratch_piece(const struct chunk_scratch *s, int32_t most);

// Make room for `size` bytes that a file says are stored in one piece. TESS_ERR_LIMIT, NOMEM.
tess_status scratch_reserve_stored(struct chunk_scratch *s, int64_t size, tess_error *err);

// Make room in the same place for a chunk that we make: no claim, no limit.
tess_status scratch_reserve_chunk(struct chunk_scratch *s, int64_t size, tess_error *err);

void scratch_finish(struct chunk_scratch *s); // zeroed: fine

#endif
