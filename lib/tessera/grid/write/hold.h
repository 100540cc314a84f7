/*
 * hold.h - blocks that a small write touches, decoded in the cache and pinned until their items are
 * copied.
 *
 * Who writes says which blocks these are, one after the other (`step`). Blocks that are in the
 * cache are at hand; of the others, those that are kept in part are decoded, by as many threads as
 * pays, and added to the cache; those that are replaced get memory that others do not find yet. All
 * that can fail is done here, before the first item is changed.
 *
 * Threads: the calling thread is inside the gate of the grid in hold_blocks(), and has it closed,
 * or is inside, in hold_release(). `step` is called by one thread at a time.
 */
#ifndef GRID_WRITE_HOLD_H
#define GRID_WRITE_HOLD_H

#include "grid/grid.h"

#include <stddef.h>

struct cached;
struct open_chunk;

struct held_block {
    struct cached *b;
    bool found; // by others, too; those that are replaced only get their items before
};

struct hold {
    struct chunk_grid *grid;
    // Stand on the next touched block, in the order of chunks: set the next three; false: it was
    // the last.
    bool (*step)(struct hold *h);
    int64_t chunk;
    int32_t block;
    bool replaced; // nothing of the block is kept

    struct open_chunk *open; // of the chunk the step stands on
    struct held_block *blocks; // in the order of the steps
    size_t n;
};

// nbytes: of all blocks. On failure, too, hold_release() follows.
tess_status hold_blocks(struct hold *h, int64_t nbytes, tess_error *err);
void hold_release(struct hold *h);

// Let others find a block that was replaced and has its items, unless a reader was faster and added
// what is stored. The gate is closed.
void hold_show(const struct chunk_grid *grid, struct held_block *held);

#endif
