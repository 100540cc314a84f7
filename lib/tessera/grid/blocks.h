/*
 * blocks.h - blocks of one chunk, decoded one after the other for a reader.
 *
 * A block comes from the array's cache, or is decoded; neighbouring blocks' stored bytes are
 * fetched together. Blocks that are read in part again and again get into the cache.
 *
 * Blocks of special chunks and other layouts are put together; all of such a chunk is better read
 * in one go, unless some of its blocks wait in the cache to be written back.
 *
 * Each thread has a struct blocks of its own, for one grain, and a scratch of its own. There is no
 * lock: the open chunk does not change, and the cache locks itself. `held` is pinned from
 * blocks_get() to blocks_done(), so that the cache cannot give its memory to another block
 * meanwhile. `bytes` stand in the scratch, or in the frame, which nothing changes while blocks are
 * read.
 *
 * A block that the cache admits is decoded as a whole and copied; if that fails because of items
 * that were not asked for, the wanted part is decoded alone. So the cache never makes damage
 * visible.
 */
#ifndef GRID_BLOCKS_H
#define GRID_BLOCKS_H

#include "chunk/content.h"
#include "grid/open_chunk.h"

struct cached;

struct blocks {
    const struct chunk_grid *grid;
    const struct open_chunk *v;
    struct chunk_scratch *s;
    // Grow the stored bytes of a block that is about to be read by those of the blocks that follow,
    // as long as blocks_join() agrees: to `most` bytes.
    void (*look_ahead)(const void *reader, struct span *span, int32_t most);
    const void *reader;
    size_t align; // of the items; at most 1: any
    bool missing; // the caller has asked the cache: no block is there

    // Zero at first:
    struct span window; // stored bytes at hand
    const uint8_t *bytes;
    struct cached *held; // the block in use, if it is the cache's
    uint8_t *items; // of a block that was put together, or moved; of a special chunk set once
    struct chunk_cursor cursor; // of a chunk of another layout
};

// Whether stored bytes that follow `span` should be read with it; then it is grown.
bool blocks_join(struct span *span, struct span next, int32_t most);

/*
 * Decode block `nblock` as far as it is needed; all of it, if it is to be kept. `whole`: all items
 * it has in the array are wanted. The result stays until blocks_done().
 */
tess_status blocks_get(struct blocks *b, int32_t nblock, bool whole, const struct block_need *need,
                       struct decoded *out, tess_error *err);
void blocks_done(struct blocks *b);
void blocks_finish(struct blocks *b);

// How many blocks a grain has, of a request for blocks of `nbytes` in all: many enough grains for
// the threads, each large enough to be worth handing out.
int32_t blocks_run_length(int64_t nbytes, int32_t blocksize);

#endif
