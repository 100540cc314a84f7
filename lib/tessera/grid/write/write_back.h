/*
 * write_back.h - write-back: small writes go to decoded blocks of the cache and are encoded later.
 *
 * A program that writes row after row touches each block many times. So a small write goes to
 * decoded blocks of the cache, which are dirty from then on. A dirty block is encoded when the
 * budget for dirty blocks is used up and it is among those that were not written to for the longest
 * time, or when all blocks have to be in the frame.
 *
 * Dirty blocks are never evicted, so there is a limit for them (cache_dirty_max()), and
 * write_back_make_room() comes before write_back_box().
 *
 * Threads: any number, each with a turn (turns.h). The gate of the grid is entered while workers
 * decode blocks that are kept in part, each into memory that it alone has reserved, and add them to
 * the cache; a touched block is pinned from then until the items are copied. The gate is closed
 * while the calling thread copies items and marks blocks dirty, or clean. The calling thread is
 * outside of it.
 */
#ifndef GRID_WRITE_WRITE_BACK_H
#define GRID_WRITE_WRITE_BACK_H

#include "grid/box_memory.h"
#include "grid/grid.h"

struct edit_source;
struct turn;

// Whether a box is to be written by write_back_box(): it is small against the cache, and has a part
// of some chunk only: whole chunks of 16 KiB and more are encoded by the call that brings them,
// which is 1.4 times as fast. *size receives the bytes of the blocks that it touches.
bool write_back_wants(const struct chunk_grid *grid, const struct box *box, int64_t *size);
// The same for write_back_edits(): edits of nitems items in blocks of nbytes, of nchunks chunks.
bool write_back_wants_edits(const struct chunk_grid *grid, int64_t nbytes, int64_t nchunks,
                            int64_t nitems);

// Write back the oldest dirty blocks, as far as no other call has the turn of their chunks, so that
// blocks of so many bytes find room. *room: bytes that are the caller's own until
// write_back_end_room(); 0: there is no room. The caller has no turn, and no change of the frame is
// open: these are some, with commits between them if they overwrite much.
tess_status write_back_make_room(struct chunk_grid *grid, int64_t nbytes, int64_t *room,
                                 tess_error *err);
void write_back_end_room(const struct chunk_grid *grid,
                         int64_t room); // after the write, or instead

// Memory into a box, whose turn the caller has. Nothing is changed on failure.
tess_status write_back_box(struct chunk_grid *grid, const struct box *box,
                           const struct box_memory_const *src, tess_error *err);

// Edits, whose blocks are of source->nbytes bytes and source->nchunks chunks at most; the caller
// has their turn. The gate is closed while they are filled, by the calling thread, so that no read
// sees a part. Nothing is changed on failure, but for the source's cursor.
tess_status write_back_edits(struct chunk_grid *grid, const struct edit_source *source,
                             tess_error *err);

// Write back all dirty blocks of the chunks of a turn, which the caller has; or all, in a turn of
// its own. On failure those stay dirty that are not in the frame.
tess_status write_back_turn(struct chunk_grid *grid, const struct turn *turn, tess_error *err);
tess_status write_back_all(struct chunk_grid *grid, tess_error *err);

// An automatic commit, if enough was stored since the last one. Each call that wrote is in it as a
// whole or not at all: if some of its blocks are stored and others dirty, these are written back
// before. The caller has no turn.
tess_status write_back_commit(struct chunk_grid *grid, tess_error *err);

#endif
