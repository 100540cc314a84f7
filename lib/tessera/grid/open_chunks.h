/*
 * open_chunks.h - the chunks of a grid that are open: those opened last, and those that reads to
 * come expect.
 *
 * Header and block table of a chunk are read and checked once, not by each call that meets it.
 *
 * *Kept* are the chunks that were opened last, in no more memory than agreed on, whatever the
 * chunks are like. A chunk that was opened before the frame's list of chunks changed
 * (frame_generation()) is not found any more. Two threads that miss the same chunk both open it,
 * and the later one is kept: holding a lock during the read would stop all readers of that slot.
 * Locks: one mutex per slot, held for a lookup or the exchange of a pointer, never during I/O; it
 * guards `open` and `size` of the slot. The sum of sizes and the hand are atomic, and may exceed
 * the limit for a moment while several threads add.
 *
 * *Expected* are chunks that were opened, and their bytes wanted, by a call that reads a far frame
 * box by box (read/boxes_ahead.h). Any job may use the open chunks. Only jobs of the call use its
 * wants, since these end with the call. Locks: one mutex guards the table and what is in it.
 * `ncalls` is atomic: where no call expects anything, no lock is taken. The owner of an entry alone
 * adds to its want, and takes the entry back. Any thread may find one.
 *
 * Any thread may call open_chunks_get() while nothing changes the frame.
 */
#ifndef GRID_OPEN_CHUNKS_H
#define GRID_OPEN_CHUNKS_H

#include "grid/open_chunk.h"

#include <stdint.h>

struct chunk_ahead;
struct expected_chunks;
struct io_ahead;
struct io_want;
struct open_chunk;
struct open_chunks;
struct watch;

// They may take a small part of what the cache may, and a little in any case; more, if it takes
// long to read one again (far). NULL: no memory.
struct open_chunks *open_chunks_new(int64_t cache_size, bool far);
void open_chunks_free(struct open_chunks *all); // NULL: fine

// Chunk n, held once: as it was opened last in this generation of the list, or opened now and kept,
// if it is small enough. The array's pool lends memory if it has to be read. all, early, progress:
// as for open_chunk_new().
tess_status open_chunks_get(const struct chunk_grid *grid, int64_t n, bool all,
                            struct chunk_ahead *early, const struct io_progress *progress,
                            struct open_chunk **v, tess_error *err);

// The same if there is nothing to read: held once; NULL: it is not open.
struct open_chunk *open_chunks_find(const struct chunk_grid *grid, int64_t n);

struct expected_chunk {
    struct expected_chunk *after; // of the same place in the table
    const void *owner;
    const struct watch *watch; // of the jobs that use the want
    struct open_chunk *open; // held
    struct io_want *want; // held; NULL: nothing of it is on its way
};

// A call. Its jobs prefetch within its queue of requests.
struct expecting_call {
    struct expecting_call *after;
    const struct watch *watch; // of the jobs
    struct io_ahead *ahead;
};

struct expected_chunks *expected_chunks_new(void); // NULL: no memory
void expected_chunks_free(struct expected_chunks *all); // nothing is expected; NULL: fine

// Before its first entry, and behind its last; no job of it runs. It stays with the caller.
void expected_chunks_begin(struct expected_chunks *all, struct expecting_call *c);
void expected_chunks_end(struct expected_chunks *all, struct expecting_call *c);
// The queue of the call whose jobs have a watch. NULL: none. all NULL: no call expects anything.
struct io_ahead *expected_chunks_ahead(struct expected_chunks *all, const struct watch *watch);

// The entry stays with the caller until it is removed. It may be filled before by the caller alone.
void expected_chunks_add(struct expected_chunks *all, struct expected_chunk *e);
void expected_chunks_remove(struct expected_chunks *all, struct expected_chunk *e);

// The entry that an owner has for chunk n; NULL: none.
struct expected_chunk *expected_chunks_of(struct expected_chunks *all, const void *owner,
                                          int64_t n);

// Chunk n, as it was opened in a generation of the frame's list: held; NULL: none.
// all NULL: nothing is expected.
struct open_chunk *expected_chunks_find(struct expected_chunks *all, int64_t n, int64_t generation);
// What the jobs of a watch want of a chunk that the caller holds: held; NULL: none. The chunk stays
// held until the want is released: where a chunk is opened twice, each has an io of its own.
struct io_want *expected_chunks_want(struct expected_chunks *all, const struct open_chunk *open,
                                     const struct watch *watch);

#endif
