/*
 * decode.h - from the stored bytes of a block to its items.
 */
#ifndef CHUNK_DECODE_H
#define CHUNK_DECODE_H

#include "chunk/chunk.h"
#include "chunk/scratch.h"

/*
 * What is wanted of a block: its items [first, stop), of `itemsize` bytes each. All zero: all of
 * it, in order. The others may be anything in the result, and damage among them may not be found.
 */
struct block_need {
    int32_t itemsize;
    int32_t first, stop;
    bool planes; // a shuffle of the width of an item may be left to the reader
    // NULL, or room for all of a block whose size is known, where the last filter that is undone
    // puts it. Where no filter is undone, or one of the program that could not write there, it
    // stays in the scratch.
    uint8_t *into;
};

// What a block became.
struct decoded {
    const uint8_t *bytes; // block_need.into, or in the scratch, until it is used again
    int32_t nbytes;
    // 0: `bytes` are the items in order. Else the last shuffle was left to the reader: byte j of
    // item i is at bytes[j * (nbytes / planes) + i].
    int32_t planes;
};

/*
 * Decode block `nblock` from its span. `ref` is the content of block 0 (chunk_needs_reference()),
 * NULL otherwise. Errors count their offset from the start of the chunk.
 */
tess_status block_decode(const struct chunk *c, int32_t nblock, const uint8_t *stored,
                         const uint8_t *ref, const struct block_need *need, struct chunk_scratch *s,
                         struct decoded *out, tess_error *err);

/*
 * The uncompressed size of a block that has a size of its own: its stored bytes begin with it. Of
 * those the first VL_SIZE are at hand, or all there are. It is at most `left`, which is what the
 * blocks in front of it leave of the chunk's content, or all of that where they are not known.
 */
enum { VL_SIZE = 4 };
tess_status block_vl_nbytes(const struct chunk *c, int32_t nblock, const uint8_t *stored,
                            int32_t left, int32_t *nbytes, tess_error *err);

// Whether blocks other than the first need the content of the first.
static inline bool
chunk_needs_reference(const struct chunk *c)
{
    return c->pipeline.referring && !c->h.vlblocks && c->h.nblocks > 1;
}

// Where the stored bytes of a chunk come from.
struct chunk_bytes {
    void *from;
    // `size` bytes at `offset` of the chunk; they stay until the scratch is used again.
    tess_status (*fetch)(void *from, int32_t offset, int32_t size, struct chunk_scratch *s,
                         const uint8_t **bytes, tess_error *err);
};

// The uncompressed sizes of all blocks, nblocks of them; their sum is that of the chunk.
tess_status chunk_block_sizes(const struct chunk *c, const struct chunk_bytes *source,
                              struct chunk_scratch *s, int32_t *sizes, tess_error *err);

// Fetch and decode block `nblock`.
tess_status block_load(const struct chunk *c, int32_t nblock, const struct chunk_bytes *source,
                       const uint8_t *ref, const struct block_need *need, struct chunk_scratch *s,
                       struct decoded *out, tess_error *err);

// The content of block 0, allocated for the caller; *ref is NULL if !chunk_needs_reference().
tess_status chunk_reference(const struct chunk *c, const struct chunk_bytes *source,
                            struct chunk_scratch *s, uint8_t **ref, tess_error *err);

#endif
