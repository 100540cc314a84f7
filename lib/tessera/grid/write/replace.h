/*
 * replace.h - blocks that are there decoded take the place of stored ones.
 *
 * The caller has the turn of the chunks (turns.h), or exclusive access. `blocks` and their items
 * stay as they are until the call returns; workers read both without a lock. With from_cache they
 * are dirty, so the cache cannot evict them meanwhile.
 */
#ifndef GRID_WRITE_REPLACE_H
#define GRID_WRITE_REPLACE_H

#include "grid/grid.h"

struct frame_staged;

struct new_block {
    int64_t chunk;
    int32_t block;
    const uint8_t *items; // all of the block, padding included
};

/*
 * Store blocks, ordered by chunk and block, each with an item of the array. staged: where the
 * chunks go, for the caller to install; NULL: to the open change of the frame, which the caller
 * undoes on failure. from_cache: they are the block cache's own; else it forgets those of each
 * chunk.
 */
tess_status replace_blocks(struct chunk_grid *grid, const struct new_block *blocks, size_t n,
                           struct frame_staged *staged, bool from_cache, struct watch *watch,
                           tess_error *err);

#endif
