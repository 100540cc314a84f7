/*
 * grains.h - the parts of a job that a thread works on, made in order, and the stored bytes of
 * each.
 *
 * A grain is a run of blocks of one chunk, many enough grains for the threads and each large enough
 * to be worth handing out (blocks_run_length()). It is a whole chunk where nothing is decoded block
 * by block: one item again and again, or items in order. Blocks of another layout are put together
 * by one cursor, so all that a chunk has of them are one grain, and each stored block is decoded
 * once. In a job of several threads, opening a chunk ahead of its turn is a grain, too
 * (upcoming.h), and so is reading (planned.h).
 *
 * Where blocks wait in the cache to be written back, some of them may be those of a chunk that is
 * one item, so then all chunks are read block by block.
 *
 * Threads: grains are made by one thread at a time, `next` of a task; a grain is dropped by any.
 */
#ifndef GRID_READ_GRAINS_H
#define GRID_READ_GRAINS_H

#include "grid/read/fetch.h"
#include "grid/read/upcoming.h"

#include <stddef.h>

struct gate;
struct io_ahead;
struct io_progress;
struct io_want;
struct open_chunk;
struct opening;

typedef unsigned char fetch_position[FETCH_POSITION_SIZE];

enum grain_kind {
    GRAIN_OPENING, // of a chunk
    GRAIN_READING, // of stored bytes
    GRAIN_BLOCKS,
    GRAIN_EQUAL,
    GRAIN_IN_ORDER,
    GRAIN_OTHER,
};

struct fetch_grain {
    enum grain_kind kind;
    int32_t nblocks; // GRAIN_BLOCKS
    struct opening *opening; // GRAIN_OPENING
    struct open_chunk *open; // held; NULL: none
    struct io_want *want; // stored bytes of it, held; NULL: none
    int64_t kept; // open_chunk_kept(), of the first grain of a chunk; 0: of the others
    _Alignas(max_align_t) unsigned char tally[FETCH_TALLY_SIZE];
    _Alignas(max_align_t) fetch_position at; // of the first block, or of the chunk
};

struct grain_maker {
    const struct fetch *f;
    int32_t run; // blocks of a grain
    struct upcoming *upcoming; // NULL: each chunk is opened when its turn comes
    const struct io_progress *progress; // what may end reads then; NULL: nothing
    struct gate *gate; // NULL: not entered
    bool begun; // a chunk, since the gate was entered
    bool more_blocks;
    _Alignas(max_align_t) fetch_position chunk; // the chunk whose blocks are handed out
    _Alignas(max_align_t) fetch_position block; // the next of them
    struct open_chunk *open; // the chunk, held; NULL: none
    struct io_want *front; // what was read ahead of it, held; NULL: nothing
};

// upcoming: NULL, or prepared for the same job. progress: NULL, or what may end reads without it.
void grain_maker_init(struct grain_maker *m, const struct fetch *f, struct upcoming *upcoming,
                      const struct io_progress *progress);
void grain_maker_leave_chunk(struct grain_maker *m); // hold nothing of the chunk that was made last

// No chunk, nothing to be dropped.
void grain_init(struct fetch_grain *g);
void grain_drop(const struct grain_maker *m, struct fetch_grain *g);

// A grain of the next blocks, or of the next chunk. *more false: there is none.
tess_status grain_make(struct grain_maker *m, struct fetch_grain *g, bool *more, tess_error *err);

// Whether to let other calls change something: nothing is open, and something is left to read.
bool grain_maker_has_to_pause(const struct grain_maker *m);

// Want the ranges of the grain's blocks in g->want, which is made if it is NULL; blocks in the
// cache are left out. If the chunk is not stored in blocks of the grid, its whole range is added.
// front: what is already wanted of the chunk; NULL: nothing.
tess_status grain_want(struct fetch_grain *g, const struct fetch *f, struct io_ahead *ahead,
                       struct io_want *front, tess_error *err);

#endif
