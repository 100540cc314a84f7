/*
 * put.h - stored bytes of the program become a chunk of an array.
 *
 * The bytes come from a stranger. They are checked before anything changes; what is stored is
 * exactly what was checked, so the program must not change them meanwhile.
 *
 * Any number of threads at once; the call takes the turn of the chunk (grid/write/turns.h).
 */
#ifndef ARRAY_CHUNKS_PUT_H
#define ARRAY_CHUNKS_PUT_H

#include "array/array.h"
#include "chunk/header.h"

struct whole_chunk;

// Whether frames of this library have chunks of such a format; whether all blocks can be decoded.
tess_status chunk_check_format(const struct chunk_header *h, tess_error *err);
tess_status chunk_check_blocks(const struct chunk_grid *grid, const struct whole_chunk *w,
                               tess_error *err);

// Whether stored bytes are a chunk that can stand at place n: header, table and dictionary, and all
// blocks, unless they are trusted. *special: what the chunk is. chunk_check_header(): the same of
// the header, of `cbytes` stored bytes, if no more is at hand.
tess_status chunk_check_put(const struct chunk_grid *grid, int64_t n, const uint8_t *chunk,
                            size_t size, bool trusted, enum chunk_special *special,
                            tess_error *err);
tess_status chunk_check_header(const struct chunk_grid *grid, int64_t n, const uint8_t *header,
                               int32_t cbytes, enum chunk_special *special, tess_error *err);

// The array is writable and no view. trusted: blocks are not decoded as a check. On failure nothing
// has changed.
tess_status array_put_chunk(tess_array *a, int64_t n, const uint8_t *chunk, size_t size,
                            bool trusted, tess_error *err);

#endif
