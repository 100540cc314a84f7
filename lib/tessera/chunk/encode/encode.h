/*
 * encode.h - from items to blocks of a chunk, and to whole chunks.
 *
 * A block is encoded on its own, by any thread with a scratch of its own; what all blocks of a
 * chunk share is made first. assemble.h puts blocks together. chunk_encode() does all of it, one
 * block after the other.
 */
#ifndef CHUNK_ENCODE_ENCODE_H
#define CHUNK_ENCODE_ENCODE_H

#include "chunk/encode/assemble.h"
#include "chunk/encode/encoder.h"
#include "chunk/scratch.h"

// Compress the content of block `nblock` (block_filter.h) into dst, which holds block_bound()
// bytes. *size receives how many came.
tess_status block_encode(const struct encoding *x, int32_t nblock, const uint8_t *items,
                         struct chunk_scratch *s, uint8_t *dst, int32_t *size, tess_error *err);

// Compress a stream into dst, which holds size + CODEC_SLACK bytes; *csize is 0 if it does not get
// smaller, and less than size otherwise.
tess_status stream_encode(const struct codec_call *call, const uint8_t *src, size_t size,
                          uint8_t *dst, size_t *csize, tess_error *err);

// Where the blocks of a new chunk come from.
struct block_source {
    void *from;
    // Put the content of block `nblock` into dst: chunk_block_nbytes() bytes, all of them.
    tess_status (*items)(void *from, int32_t nblock, uint8_t *dst, tess_error *err);
    // May be NULL. Stored bytes of the block that are right for this encoder, to be copied as they
    // are; *stored = NULL if it has to be encoded.
    tess_status (*stored)(void *from, int32_t nblock, const uint8_t **stored, int32_t *size,
                          tess_error *err);
    const struct codec_dict *dict; // of the stored blocks; the others get it, too. NULL: none
    // May be NULL. Where the content of the block stands in memory, in one piece: it is encoded from there.
    const uint8_t *(*bytes)(void *from, int32_t nblock);
};

// The content of block `nblock`: where it stands, or in `room`.
static inline tess_status
block_source_items(const struct block_source *source, int32_t nblock, uint8_t *room,
                   const uint8_t **items, tess_error *err)
{
    *items = source->bytes ? source->bytes(source->from, nblock) : room;
    return source->bytes ? TESS_OK : source->items(source->from, nblock, room, err);
}

/*
 * Make a chunk in dst, which holds chunk_bound() bytes. *special is SPECIAL_ZEROS when all of it is
 * zero (dst then holds the 32 bytes of such a chunk), SPECIAL_NONE otherwise. *cbytes receives the
 * size. A chunk that would not get smaller is stored plainly; the source is asked again for its
 * blocks then.
 */
tess_status chunk_encode(const struct chunk_encoder *e, const struct block_source *source,
                         struct chunk_scratch *s, uint8_t *dst, int32_t *cbytes,
                         enum chunk_special *special, tess_error *err);

#endif
