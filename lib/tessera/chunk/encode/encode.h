/*
 * encode.h - from items to blocks of a chunk, and to whole chunks.
 *
 * A block is encoded on its own, by any thread with a scratch of its own; what all blocks of a
 * chunk share is made first. An assembly puts blocks together:
 *
 *     assembly_begin()
 *     assembly_add()        encoded blocks or stored ones, in order
 *     assembly_end()        unless it is full: then the chunk is smaller as plain bytes
 *
 * chunk_encode() does all of it, one block after the other.
 */
#ifndef CHUNK_ENCODE_ENCODE_H
#define CHUNK_ENCODE_ENCODE_H

#include "chunk/chunk.h"
#include "chunk/encode/encoder.h"
#include "chunk/scratch.h"

struct assembly {
    const struct chunk_encoder *e;
    uint8_t *dst;
    int64_t capacity; // of dst; 0: blocks do not go there
    int64_t at; // where the next block goes
    int32_t nblocks; // that are there
    bool full; // it would not be smaller than the plain bytes: what is added is lost
    bool zeros; // nothing but zeros came
    bool has_dict;
};

// Start a chunk in dst, which holds chunk_bound() bytes at least. dict may be NULL. With capacity 0
// dst holds assembly_front() bytes and gets what stands in front of the blocks, up to `at` as it
// is now; the caller stores each block at `at`, before it is added.
void assembly_begin(struct assembly *x, const struct chunk_encoder *e,
                    const struct codec_dict *dict, uint8_t *dst, int64_t capacity);

// Bytes that can stand in front of the blocks.
int64_t assembly_front(const struct chunk_encoder *e);

// Bytes of dst that let every block be encoded where it belongs.
int64_t assembly_bound(const struct chunk_encoder *e);

// Where `size` bytes of blocks can be made, to be added without a copy; NULL if there is no room.
uint8_t *assembly_room(const struct assembly *x, int64_t size);

// The next block, encoded for this encoder and dictionary; may stand in the assembly's room.
void assembly_add(struct assembly *x, const uint8_t *bytes, int32_t size);

// The next `count` blocks, `size` bytes one behind the other; starts[i] - starts[0] says where.
void assembly_add_run(struct assembly *x, const int32_t *starts, int32_t count, int32_t size,
                      const uint8_t *bytes);

// All blocks are there, and it is not full: returns the chunk's size. *special is SPECIAL_ZEROS if
// all of it is zero; dst then holds the 32 bytes of such a chunk.
int32_t assembly_end(const struct assembly *x, enum chunk_special *special);

// The header of a chunk that is plain bytes; they follow it. Returns the chunk's size.
int32_t chunk_begin_plain(const struct chunk_encoder *e, uint8_t *dst);

// Make the chunk whose items all equal `item`; returns its size.
int32_t chunk_encode_value(const struct chunk_encoder *e, const uint8_t *item, uint8_t *dst);

// Compress the content of block `nblock` (block_filter()) into dst, which holds block_bound()
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
    // May be NULL. Where the content of the block stands in memory, in one piece: it is encoded
    // from there.
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
