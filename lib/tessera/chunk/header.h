/*
 * header.h - the fixed part at the front of a Blosc2 chunk.
 *
 * chunk_header_parse() is the one place that looks at these bytes; it hands out a struct
 * chunk_header only when the fields agree with each other and with the space the chunk has. The
 * rest of this module relies on that.
 */
#ifndef CHUNK_HEADER_H
#define CHUNK_HEADER_H

#include "base/error.h"
#include "base/limits.h"
#include "filter/pipeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHUNK_HEADER_MIN 16
#define CHUNK_HEADER_SIZE 32 // what we write, and what c-blosc2 writes in frames

enum chunk_special {
    SPECIAL_NONE = 0,
    SPECIAL_ZEROS = 1,
    SPECIAL_NANS = 2,
    SPECIAL_VALUE = 3,
    SPECIAL_UNINIT = 4,
};

struct chunk_header {
    int version;
    int header_size; // 16 or 32
    int32_t typesize;
    int32_t nbytes;
    int32_t blocksize; // rounded to whole items; 0 with vlblocks
    int32_t cbytes;
    int32_t nblocks; // 0 for special, memcpyed and empty chunks
    int32_t leftover; // size of the shorter last block; 0: it is full

    int codec_format;
    int udcodec;
    int codec_meta;
    uint8_t filters[FILTER_SLOTS];
    uint8_t filters_meta[FILTER_SLOTS];

    enum chunk_special special;
    bool memcpyed;
    bool split; // blocks are cut in typesize streams
    bool has_dict;
    bool vlblocks; // blocks of individual sizes
    bool instrumented;
};

/*
 * Parse the header in src; `size` bytes are at hand (CHUNK_HEADER_SIZE, or all there are). `room`
 * is the space the chunk may take, from its first byte on. itemsize: bytes of an item as the
 * frame knows it, or 0.
 */
tess_status chunk_header_parse(const uint8_t *src, size_t size, int64_t room, int32_t itemsize,
                               struct chunk_header *h, tess_error *err);

// Write a 32-byte header: of version 5, or of version 6 with vlblocks.
void chunk_header_write(const struct chunk_header *h, uint8_t *dst);

// Bytes of block i once decoded (not for vlblocks).
static inline int32_t
chunk_block_nbytes(const struct chunk_header *h, int32_t i)
{
    return i == h->nblocks - 1 && h->leftover > 0 ? h->leftover : h->blocksize;
}

#endif
