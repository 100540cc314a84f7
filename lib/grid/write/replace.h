/*
 * replace.h - blocks that are there decoded take the place of stored ones.
 *
 * Requires exclusive access to the grid. `blocks` and their items stay as they are until the call
 * returns; workers read both without a lock. With from_cache they are dirty, so the cache cannot
 * evict them meanwhile.
 */
#ifndef GRID_WRITE_REPLACE_H
#define GRID_WRITE_REPLACE_H

#include "grid/grid.h"

struct new_block {
    int64_t chunk;
    int32_t block;
    const uint8_t *items; // all of the block, padding included
};

/*
 * Store blocks, ordered by chunk and block, each with an item of the array, as part of a change of
 * the frame that the caller has begun, and undoes on failure. from_cache: they are the block
 * cache's own; else it forgets those of each chunk.
 */
tess_status replace_blocks(struct chunk_grid *grid, const struct new_block *blocks, size_t n,
                           bool from_cache, struct watch *watch, tess_error *err);

#endif
