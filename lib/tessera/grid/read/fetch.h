/*
 * fetch.h - the engine that reads: blocks of chunks, decoded in parallel, given to a sink. The
 * mirror of store.h.
 *
 * A *reader* says which chunk is next, which of its blocks are wanted and what of them, and takes
 * the items. The engine does the rest: opens chunks, ahead of their turn where that takes long;
 * divides their blocks into grains; fetches neighbouring blocks' stored bytes together; asks the
 * block cache; decodes in scratch memory of the thread; and makes blocks where a chunk has none
 * that are the grid's.
 *
 * A cheap job is done by the calling thread alone; others are tasks of several threads.
 *
 * A reader keeps its place in a *position*, bytes that the engine copies as it likes: one that
 * stands on a chunk, and one that stands on a block of it. A position holds no pointers to itself
 * and owns nothing.
 *
 * Threads: next_chunk, begin_blocks and finish are called by one thread at a time; all others by
 * any number at once. The first failure ends the job.
 *
 * Why so: what must be in order (which chunk, which grain) is cheap and done by one thread; what is
 * dear (reading, decoding, copying) is not in order. next_block runs in both parts, on positions of
 * their own: when blocks are divided into grains, and again by the thread that works on a grain,
 * which also looks ahead for stored bytes to read together. So it may write to its position only.
 *
 * There is no lock here but the gate of the grid. The calling thread enters it for the job; between
 * two chunks it leaves if a call wants to change something, and enters again. So the caller of
 * fetch_run() must not be inside, unless it says so (`inside`), and functions of the reader must
 * not enter, except in a job whose chunks are all FETCH_OTHER (`outside`), which does not enter.
 * task.h says when next and finish exclude each other.
 */
#ifndef GRID_READ_FETCH_H
#define GRID_READ_FETCH_H

#include "base/limits.h"
#include "chunk/decode.h"
#include "grid/grid.h"

struct chunk_cursor;

enum {
    FETCH_POSITION_SIZE = 2080, // at most
    FETCH_TALLY_SIZE = 128,
};

// What there is to read next.
enum fetch_next {
    FETCH_NOTHING, // all is read
    FETCH_CHUNK, // a chunk
    FETCH_OTHER, // something that needs no open chunk: reader->other() does it
};

struct fetch_reader {
    size_t position_size; // of both kinds

    // Stand on the next chunk. *all: all of its items are wanted.
    enum fetch_next (*next_chunk)(void *self, void *chunk, int64_t *n, bool *all);
    // Stand on chunk n again, which next_chunk() has returned. NULL: positions have to be kept.
    void (*stand)(const void *self, void *chunk, int64_t n);
    // Stand on the first wanted block of the chunk; there is one.
    void (*begin_blocks)(const void *self, const void *chunk, void *block);
    // Stand on the next one; false: there is none.
    bool (*next_block)(const void *self, void *block);
    // The number of the block; what of it is needed; *whole: all items it has in the array are
    // wanted.
    int32_t (*number)(const void *block);
    struct block_need (*need)(const void *self, const void *block, bool *whole);

    // The items of a block, which stay until this returns. equal: all are the first one. tally:
    // FETCH_TALLY_SIZE bytes of the grain, zeros at first.
    tess_status (*take)(void *self, void *tally, const void *block, const struct decoded *items,
                        bool equal, tess_error *err);
    // All wanted items of a chunk are this one. NULL: they come as blocks.
    tess_status (*take_equal)(void *self, void *tally, const void *chunk, const uint8_t *item,
                              tess_error *err);
    // A chunk of a linear or plain array: its items stand in order behind the cursor, from which
    // all failures come. NULL: there are none.
    tess_status (*take_in_order)(void *self, const void *chunk, struct chunk_cursor *items,
                                 tess_error *err);
    // FETCH_OTHER. NULL: next_chunk never returns it.
    tess_status (*other)(void *self, void *tally, const void *chunk, tess_error *err);

    // How much is done with so many blocks, or, if that is 0, with all of the chunk; as in
    // struct fetch.
    int64_t (*weight)(const void *self, const void *position, int32_t nblocks);
    // Each may be NULL. A grain is done, and so are all before it; no block is wanted any more; a
    // grain is over, also after a failure.
    tess_status (*finish)(void *self, void *tally, tess_error *err);
    bool (*stopped)(const void *self);
    void (*drop)(void *self, void *tally);

    size_t align; // of the items of a block; 1: any
};

struct fetch {
    const struct chunk_grid *grid;
    const struct fetch_reader *reader;
    void *self;
    int64_t nbytes; // of all wanted blocks, about
    int64_t weight; // of all, for the watch
    int64_t cost; // of more than decoding, nanoseconds of one thread; 0: none
    struct watch *watch;
    bool outside; // there are no chunks: other() enters the gate where it has to
    bool inside; // the caller has entered the gate, which is left for it
    bool missing; // the reader hands out blocks only that are not cached
};

tess_status fetch_run(const struct fetch *fetch, tess_error *err);

#endif
