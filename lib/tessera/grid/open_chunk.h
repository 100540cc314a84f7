/*
 * open_chunk.h - an opened chunk: header, block table, and how its blocks can be had.
 *
 * Counted references: any number of threads may hold it, and the last release closes it. It does
 * not change once it is open.
 *
 * `users` is atomic; everything else is written before open_chunk_new() returns, and needs no lock.
 * Any worker may ask for a span, an item or a block, with a scratch of its own. Bytes that were
 * fetched from a frame in memory may move when the frame changes; store.h has the lock for that.
 * `generation` tells open_chunks.h whether the list of chunks has changed since.
 */
#ifndef GRID_OPEN_CHUNK_H
#define GRID_OPEN_CHUNK_H

#include "frame/chunks/stored.h"
#include "grid/grid.h"

#include <stdatomic.h>

struct chunk_ahead;
struct io_progress;

// How the blocks of a chunk can be had.
enum open_kind {
    OPEN_SPECIAL, // all items are equal
    OPEN_MEMCPYED, // plain bytes, in the order of the grid's blocks
    OPEN_BLOCKS, // the chunk's blocks are the grid's
    OPEN_BYTES, // anything else: as bytes, in order
};

struct open_chunk {
    struct stored_chunk stored;
    enum open_kind kind;
    int64_t n; // number of the chunk
    int64_t generation; // of the frame's list, when the chunk was opened
    uint8_t *ref; // content of block 0, where the filters need it
    atomic_int users;
};

// Open chunk n, whether it is open already or not (open_chunks.h); *v is held once. all: the caller
// wants all of its blocks. early: what was read early of it; if that has its file, *v takes it
// over; NULL: nothing was. progress: what may end the reads; NULL: nothing. open_chunk_staged():
// what it will be, by a staged entry (frame/commit/change.h).
tess_status open_chunk_new(const struct chunk_grid *grid, int64_t n, bool all,
                           struct chunk_ahead *early, const struct io_progress *progress,
                           struct open_chunk **v, tess_error *err);
tess_status open_chunk_staged(const struct chunk_grid *grid, int64_t n, int64_t entry,
                              struct open_chunk **v, tess_error *err);
void open_chunk_hold(struct open_chunk *v);
void open_chunk_release(struct open_chunk *v); // NULL: fine

// Bytes of memory it takes, about.
size_t open_chunk_size(const struct open_chunk *v);

// Stored bytes that were read when it was opened, and that its file keeps in memory, about.
int64_t open_chunk_kept(const struct open_chunk *v);

// Stored bytes of the grid's block `nblock`: OPEN_BLOCKS and OPEN_MEMCPYED only.
struct span open_chunk_span(const struct chunk_grid *grid, const struct open_chunk *v,
                            int32_t nblock);

// Whether what the special chunk n repeats can be items of the array. TESS_ERR_CORRUPT.
tess_status open_chunk_check_special(const struct chunk_grid *grid, const struct chunk *c,
                                     int64_t n, tess_error *err);

// The item of a OPEN_SPECIAL chunk, `typesize` bytes.
tess_status open_chunk_item(const struct chunk_grid *grid, const struct open_chunk *v,
                            uint8_t *item, tess_error *err);

// All items of the grid's block `nblock`, whatever the kind: blocksize bytes.
tess_status open_chunk_block(const struct chunk_grid *grid, const struct open_chunk *v,
                             int32_t nblock, uint8_t *dst, struct chunk_scratch *s,
                             tess_error *err);

#endif
