/*
 * chunk.h - one compressed buffer, as its reader sees it.
 *
 * A struct chunk holds what is needed once per chunk: header, where the blocks are, dictionary,
 * checked pipeline, codec. It does not hold or read the blocks' bytes; it says where they are
 * (chunk_span) and is given them back (decode.h). So it serves files, memory and remote storage.
 *
 *     chunk_header_parse(first 32 bytes)
 *     chunk_front_size()   how many bytes chunk_open() wants
 *     chunk_open(front)
 *     chunk_span(i)        the stored bytes of block i
 *     block_decode(span)   decode.h
 */
#ifndef CHUNK_CHUNK_H
#define CHUNK_CHUNK_H

#include "chunk/header.h"
#include "chunk/plugins.h"
#include "codec/codec.h"
#include "codec/dict.h"

// Two ends of a block's stored bytes, from the start of the chunk.
struct span {
    int32_t start;
    int32_t stop;
};

struct chunk {
    struct chunk_header h;
    struct pipeline pipeline;
    const struct codec *codec;
    const struct block_grid *grid; // not owned; NULL outside arrays
    int32_t *starts; // of the blocks' stored bytes, and behind the last one the end of the chunk
    int32_t *stops; // NULL: each block ends where the next one starts
    struct codec_dict dict;
    uint8_t *item; // of a repeated value
    int32_t item_size;
};

// Bytes from the start of the chunk that chunk_open() wants: header, block starts, dictionary as
// far as it can reach, repeated item. At most h->cbytes.
int64_t chunk_front_size(const struct chunk_header *h);

// What a chunk cannot say itself.
struct chunk_surroundings {
    int32_t typesize; // of the frame; 0 if there is none
    int codec; // id, of the frame: which encoder made the streams, where several share a format
    const struct block_grid *grid; // of the array; NULL if there is none; outlives the chunk
    const struct plugins *plugins; // of the program; NULL if it has none; outlive the chunk
};

/*
 * Make a chunk out of its first chunk_front_size() bytes. On failure *c is empty.
 * TESS_ERR_CORRUPT; TESS_ERR_UNSUPPORTED: a codec or filter this build does not have; NOMEM.
 */
tess_status chunk_open(struct chunk *c, const struct chunk_header *h, const uint8_t *front,
                       size_t front_size, const struct chunk_surroundings *around, tess_error *err);

// Whether codec and filters of a chunk are there, of which only the header is at hand. As
// chunk_open().
tess_status chunk_check_coding(const struct chunk_header *h,
                               const struct chunk_surroundings *around, tess_error *err);

void chunk_close(struct chunk *c); // zeroed: fine

// Stored bytes of block i, in a chunk with blocks.
static inline struct span
chunk_span(const struct chunk *c, int32_t i)
{
    return (struct span){c->starts[i], c->stops ? c->stops[i] : c->starts[i + 1]};
}

// Fill dst with bytes [offset, offset + size) of the content of a special chunk. Uninitialised
// content is zeros.
void chunk_special_bytes(const struct chunk *c, int32_t offset, uint8_t *dst, size_t size);

// The same from its header and, if it repeats a value, the item.
void chunk_repeat_item(const struct chunk_header *h, const uint8_t *item, int32_t item_size,
                       int32_t offset, uint8_t *dst, size_t size);

// A special chunk that is not stored, from an index entry.
void chunk_of_special(struct chunk *c, enum chunk_special special, int32_t nbytes,
                      int32_t typesize);

#endif
