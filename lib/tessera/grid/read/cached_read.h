/*
 * cached_read.h - a box whose blocks are all in the cache.
 *
 * Any number of threads may ask at once, while nothing changes the grid. There is no lock here:
 * each block is pinned while its items are copied, and the cache locks its own tables. Blocks that
 * wait to be written back are found like all others, so the answer is what the array holds, which
 * the frame may not have yet.
 *
 * A box that may meet more than 64 blocks is refused: fetch.h divides such a box among threads.
 */
#ifndef GRID_READ_CACHED_READ_H
#define GRID_READ_CACHED_READ_H

#include "grid/grid.h"
#include "grid/strided.h"

/*
 * Copy a box if all of its blocks are decoded already; false if one is not, dst may then hold some
 * of the items. Nothing of the frame is looked at, and no other thread is asked: this is for
 * requests that are done before one would have woken up.
 */
bool grid_read_cached(const struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                      const int64_t *step, const struct strided *dst);

#endif
