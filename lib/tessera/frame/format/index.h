/*
 * index.h - the list of a frame's chunks: the position of each stored chunk, the kind of others.
 *
 * An entry >= 0 is the position of the chunk, counted from the end of the frame's header, or in a
 * sparse frame the number of its file. An entry < 0 is a special chunk, which is not stored. A list
 * whose chunks are all special and of one kind (a new array of zeros) allocates no memory, whatever
 * its length. A list with a stored chunk always has memory, even if that chunk is the only one.
 *
 * Threads, as for the whole frame: any number may read; a change requires exclusive access. There
 * is no lock.
 */
#ifndef FRAME_FORMAT_INDEX_H
#define FRAME_FORMAT_INDEX_H

#include "base/error.h"
#include "chunk/header.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_NCHUNKS_MAX (CHUNK_NBYTES_MAX / 8) // the index must fit in one chunk

struct frame_index {
    int64_t nchunks;
    int64_t *entries; // NULL: all are `uniform`
    enum chunk_special uniform; // SPECIAL_NONE: INDEX_LOST
    int64_t capacity;
};

void index_finish(struct frame_index *x); // also for a zeroed list

// The entry of a lost chunk in a salvaged list. Never stored on the disk.
#define INDEX_LOST INT64_MIN

// Convert between an entry and the kind of a special chunk (zeros, NaNs, uninitialised).
int64_t index_entry_of(enum chunk_special special); // SPECIAL_NONE: INDEX_LOST
enum chunk_special index_special(int64_t entry); // SPECIAL_NONE for a stored chunk, INDEX_LOST

static inline int64_t
index_get(const struct frame_index *x, int64_t n)
{
    return x->entries ? x->entries[n] : index_entry_of(x->uniform);
}

// Make a list of n special chunks of one kind.
void index_init_uniform(struct frame_index *x, int64_t n, enum chunk_special special);

// Set an entry. If it differs from a uniform list, memory is allocated.
tess_status index_set(struct frame_index *x, int64_t n, int64_t entry, tess_error *err);

// Allocate memory, so that index_set() cannot fail on a list of `n`.
tess_status index_reserve(struct frame_index *x, int64_t n, tess_error *err);

// Change the length; new chunks are special chunks of the given kind.
tess_status index_resize(struct frame_index *x, int64_t n, enum chunk_special special,
                         tess_error *err);

/*
 * Decode an index chunk in memory. nchunks: the number according to the header; -1: the number in
 * the index chunk. Entries greater than `entry_max` are an error.
 */
tess_status index_parse(struct frame_index *x, const uint8_t *src, size_t size, int64_t nchunks,
                        int64_t entry_max, int64_t limit, tess_error *err);

// The same for an index chunk that may be damaged: if it is not compressed, impossible entries
// become INDEX_LOST.
tess_status index_salvage(struct frame_index *x, const uint8_t *src, size_t size, int64_t nchunks,
                          int64_t entry_max, int64_t limit, tess_error *err);

// Allocate an array of the entries >= 0 (stored chunks) in ascending order, *n of them, with room
// for one more.
tess_status index_sorted(const struct frame_index *x, int64_t **entries, size_t *n,
                         tess_error *err);

// Encode the list; *chunk is allocated for the caller. nchunks > 0.
tess_status index_write(const struct frame_index *x, uint8_t **chunk, int32_t *size,
                        tess_error *err);

// -- which stored chunk stands behind another one in the file
//
// The header of a chunk says how long it is; before that is read, the chunk that stands behind it
// bounds its length. Mostly that is the one that is next in the list. Chunks that were written or
// replaced in another order, and lists where few chunks are stored, need the positions, sorted.
// Filled when a frame is opened for reading only, whose list does not change.

// Zeroed: nothing is known but the list.
struct order {
    int64_t *entries; // of all stored chunks, ascending; NULL: the list tells
    size_t n;
};

enum { ORDER_UNKNOWN = -2, ORDER_LAST = -1 };

void order_learn(struct order *x, const struct frame_index *list); // without memory: not known
void order_finish(struct order *x); // zeroed: fine

// The entry of the chunk behind that of place n, which is `entry` >= 0; ORDER_LAST: there is none.
int64_t order_behind(const struct order *x, const struct frame_index *list, int64_t n,
                     int64_t entry);

#endif
