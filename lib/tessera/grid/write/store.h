/*
 * store.h - changed chunks: encoded in parallel, put in order.
 *
 * What changes comes from a *source of edits*. It says which chunk is next, which of its blocks
 * are touched, and fills in the items of a touched block. The store does the rest: what of a chunk
 * is kept is copied as it is stored, in one piece where it stands in one; blocks that are touched
 * in part are decoded first; blocks are encoded by as many threads as may work; finished chunks
 * are given to the frame in the order of the source. The bytes stored do not depend on how many
 * threads there are.
 *
 * Memory: encoded blocks on their way, about 256 KiB or one block for each grain in flight, and
 * the chunks they belong to, if these have at most 16 MiB. Larger ones go to the frame in pieces.
 *
 * Two sources fit: a box in the caller's memory (write.c), where blocks at the border are overlaid;
 * and a list of whole blocks that stand somewhere decoded, where every touched block is replaced.
 *
 * Threads: any number of jobs per grid that do not meet in a chunk (turns.h); of those whose chunks
 * go to the open change of the frame, one. next and constant of the source are called by one thread
 * at a time; touched and fill by any worker. `struct store` is the call's own until its end; it is
 * touched inside next and finish of the job, which exclude each other (task.h), and by the calling
 * thread before and after it: it needs no lock.
 *
 * The gate of the grid: a thread enters it to read the frame, and closes it to store a chunk
 * (rewrite.c). No lock is held while it waits but that of the job's order. A call of this requires
 * that its thread is not inside.
 */
#ifndef GRID_WRITE_STORE_H
#define GRID_WRITE_STORE_H

#include "grid/grid.h"

struct frame_staged;

// What changes in one chunk.
struct edit {
    int64_t n; // number of the chunk
    bool whole; // nothing of it is kept: what is not touched becomes zeros

    // For the source's own use.
    const uint8_t *items;
    int64_t lo[NDIM_MAX], hi[NDIM_MAX];
    int64_t first, last;
    bool full; // all items of all blocks
    uint8_t item[16];
};

struct edit_source {
    const void *from;
    // The next chunk, each at most once; false: there is none. One call at a time.
    bool (*next)(void *cursor, struct edit *e);
    void *cursor;
    // The first touched block from `nblock` on (nblock < nblocks); nblocks if there is none.
    // *replaced: no item of it is kept. Any thread, any number of times; so is fill.
    int32_t (*touched)(const void *from, const struct edit *e, int32_t nblock, bool *replaced);
    // Put the new items of a touched block where they belong among the items of the block. On
    // failure the items are as they were.
    tess_status (*fill)(const void *from, const struct edit *e, int32_t nblock, uint8_t *items,
                        tess_error *err);
    // The block as it was before a fill() that succeeded. NULL: fill() does not fail.
    void (*unfill)(const void *from, const struct edit *e, int32_t nblock, uint8_t *items);
    // The item that all new items of the edit are, which stays until the chunk is put; NULL: they
    // differ. May itself be NULL. One call at a time.
    const uint8_t *(*constant)(const void *from, const struct edit *e);
    // The edits are zeros in padding: chunks that are one item again and again stay that, and no
    // item that is kept goes through a lossy filter or codec it has not been through.
    bool padding;
    int64_t nbytes; // of all touched blocks, about
    int64_t nchunks; // that are edited, about
    struct watch *watch;
    struct frame_staged *staged; // where the chunks go; NULL: to the open change
    // Of an open change: the blocks are the block cache's own, or it has none of these chunks; else
    // it forgets those of each chunk that is stored. What is staged it forgets later (install.h).
    bool from_cache;
};

/*
 * Do all edits of a source, as part of a change of the frame that the caller has begun, or of what
 * it stages; on failure it undoes that. Chunks that become one item again and again are stored as
 * special values; those that are that item already stay as they are, also where a part of them is
 * edited.
 */
tess_status store_edits(struct chunk_grid *grid, const struct edit_source *source, tess_error *err);

// A block that is there decoded, and takes the place of the stored one.
struct new_block {
    int64_t chunk;
    int32_t block;
    const uint8_t *items; // all of the block, padding included
};

/*
 * Store such blocks, ordered by chunk and block, each with an item of the array. staged: where the
 * chunks go, for the caller to install; NULL: to the open change of the frame, which the caller
 * undoes on failure. from_cache: they are the block cache's own; else it forgets those of each
 * chunk. `blocks` and their items stay as they are until this returns: workers read both without a
 * lock. Dirty blocks of the cache do, as it cannot evict them.
 */
tess_status replace_blocks(struct chunk_grid *grid, const struct new_block *blocks, size_t n,
                           struct frame_staged *staged, bool from_cache, struct watch *watch,
                           tess_error *err);

// What an array keeps from one store_edits() to the next; NULL: fine.
struct store;
void store_free(struct store *store);

#endif
