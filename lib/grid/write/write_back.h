/*
 * write_back.h - write-back: small writes go to decoded blocks of the cache and are encoded later.
 *
 * A program that writes row after row touches each block many times. So a small write goes to
 * decoded blocks of the cache, which are dirty from then on. A dirty block is encoded when the
 * budget for dirty blocks is used up and it is among those that were not written to for the longest
 * time, or when all blocks have to be in the frame.
 *
 * Requires exclusive access to the grid. Dirty blocks are never evicted, so there is a limit for
 * them (cache_dirty_max()), and write_back_make_room() comes before write_back_box().
 *
 * Threads: workers decode blocks that are kept in part, each into memory that it alone has
 * reserved, and add them to the cache, which locks itself; a touched block is pinned from then
 * until the items are copied. Items are copied and blocks marked dirty by the calling thread, after
 * all workers are done. There is no lock here.
 */
#ifndef GRID_WRITE_WRITE_BACK_H
#define GRID_WRITE_WRITE_BACK_H

#include "grid/grid.h"
#include "grid/strided.h"

// Whether a box is to be written by write_back_box(): it is small against the cache.
bool write_back_wants(const struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                      const int64_t *step);

// Write back the oldest dirty blocks, so that write_back_box() of such a box finds room. Not inside
// of a change of the frame: these are some, with commits between them if they overwrite much.
tess_status write_back_make_room(struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                                 const int64_t *step, tess_error *err);

// Memory into a box. Nothing is changed on failure.
tess_status write_back_box(struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                           const int64_t *step, const struct strided_const *src, tess_error *err);

// Write back all dirty blocks, in the same way. On failure those stay dirty that are not in the
// frame.
tess_status write_back_all(struct chunk_grid *grid, tess_error *err);

#endif
