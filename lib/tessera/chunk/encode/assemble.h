/*
 * assemble.h - from encoded blocks to a chunk.
 *
 *     assembly_begin()
 *     assembly_add()        encoded blocks or stored ones, in order
 *     assembly_end()        unless it is full: then the chunk is smaller as plain bytes
 */
#ifndef CHUNK_ENCODE_ASSEMBLE_H
#define CHUNK_ENCODE_ASSEMBLE_H

#include "chunk/chunk.h"
#include "chunk/encode/encoder.h"

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

#endif
