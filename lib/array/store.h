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
 */
#ifndef ARRAY_STORE_H
#define ARRAY_STORE_H

#include "array/array.h"

// What changes in one chunk.
struct edit {
    int64_t n; // number of the chunk
    bool whole; // nothing of it is kept: what is not touched becomes zeros
    const uint8_t *item; // not NULL: all items become this one, which stays until the chunk is put

    // For the source's own use.
    const uint8_t *items;
    int64_t lo[NDIM_MAX], hi[NDIM_MAX];
    int64_t first[NDIM_MAX], last[NDIM_MAX];
};

struct edit_source {
    const void *from;
    // The next chunk, each at most once; false: there is none. One call at a time.
    bool (*next)(void *cursor, struct edit *e);
    void *cursor;
    // The first touched block from `nblock` on (nblock < nblocks); nblocks if there is none.
    // *replaced: no item of it is kept. Any thread, any number of times; so is fill.
    int32_t (*touched)(const void *from, const struct edit *e, int32_t nblock, bool *replaced);
    // Put the new items of a touched block where they belong among the items of the block.
    void (*fill)(const void *from, const struct edit *e, int32_t nblock, uint8_t *items);
    int64_t nbytes; // of all touched blocks, about
    struct watch *watch;
    bool from_cache; // the blocks are the block cache's own; else it forgets those of each chunk
};

/*
 * Do all edits of a source, as part of a change of the frame that the caller has begun, and undoes
 * on failure. Chunks that come out as one item again and again are stored as special values.
 */
tess_status store_edits(tess_array *a, const struct edit_source *source, tess_error *err);

// What an array keeps from one store_edits() to the next; NULL: fine.
struct store;
void store_free(struct store *store);

#endif
