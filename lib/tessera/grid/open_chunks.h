/*
 * open_chunks.h - the chunks that were opened last.
 *
 * Header and block table of a chunk are read and checked once, not by each call that meets it. What
 * is kept takes no more memory than agreed on, whatever the chunks are like. A chunk that was
 * opened before the frame's list of chunks changed (frame_generation()) is not found any more.
 *
 * Locks: one mutex per slot, held for a lookup or the exchange of a pointer, never during I/O.
 *
 * By member: `lock` of a slot guards its `open` and `size`; the sum of sizes and the hand are
 * atomic, and may exceed the limit for a moment while several threads add. Any thread may call
 * open_chunks_get() while nothing changes the frame. Two threads that miss the same chunk both open
 * it, and the later one is kept: holding a lock during the read would stop all readers of that
 * slot.
 */
#ifndef GRID_OPEN_CHUNKS_H
#define GRID_OPEN_CHUNKS_H

#include "grid/open_chunk.h"

struct open_chunks;

// They may take a small part of what the cache may, and a little in any case; more, if it takes
// long to read one again (far). NULL: no memory.
struct open_chunks *open_chunks_new(int64_t cache_size, bool far);
void open_chunks_free(struct open_chunks *all); // NULL: fine

// Chunk n, held once: as it was opened last in this generation of the list, or opened now and kept,
// if it is small enough. The array's pool lends memory if it has to be read. all, front, progress:
// as for open_chunk_new().
tess_status open_chunks_get(const struct chunk_grid *grid, int64_t n, bool all,
                            const struct io_want *front, const struct io_progress *progress,
                            struct open_chunk **v, tess_error *err);

// The same if there is nothing to read: held once; NULL: it is not open.
struct open_chunk *open_chunks_find(const struct chunk_grid *grid, int64_t n);

#endif
