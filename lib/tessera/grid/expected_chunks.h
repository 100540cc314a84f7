/*
 * expected_chunks.h - table of prefetched chunks of a grid: opened, and their bytes wanted.
 *
 * A call that reads a far frame box by box fills it for the boxes to come (read/boxes_ahead.h). Any
 * job may use the open chunks. Only jobs of the call use its wants, since these end with the call.
 *
 * Locks: one mutex guards the table and what is in it. `ncalls` is atomic: where no call expects
 * anything, no lock is taken. The owner of an entry alone adds to its want, and takes the entry
 * back. Any thread may find one.
 */
#ifndef GRID_EXPECTED_CHUNKS_H
#define GRID_EXPECTED_CHUNKS_H

#include <stdint.h>

struct expected_chunks;
struct io_ahead;
struct io_want;
struct open_chunk;
struct watch;

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
