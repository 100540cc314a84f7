/*
 * index.h - the list of a frame's chunks: for each, where it is stored, or what it is.
 *
 * An entry >= 0 is the position of the chunk, counted from the end of the frame's header, or in a
 * sparse frame the number of its file; an entry < 0 a special chunk that is not stored. A list of
 * special chunks of one kind (an array of zeros that nothing was written to) takes no memory,
 * whatever its length. No list without memory has a stored chunk, also where it is the only one.
 *
 * Part of a frame, of which it has the rule: any number of threads may read, what changes it
 * requires exclusive access. There is no lock.
 */
#ifndef FRAME_INDEX_H
#define FRAME_INDEX_H

#include "base/error.h"
#include "chunk/header.h"

#include <stdbool.h>
#include <stdint.h>

#define INDEX_NCHUNKS_MAX (CHUNK_NBYTES_MAX / 8) // the index must fit in one chunk

struct frame_index {
    int64_t nchunks;
    int64_t *entries; // NULL: all are `uniform`
    enum chunk_special uniform; // SPECIAL_NONE: INDEX_LOST
    int64_t capacity;
};

void index_finish(struct frame_index *x); // zeroed: fine

// The entry of a chunk of which nothing is known, in a list that was salvaged. Never on a disk.
#define INDEX_LOST INT64_MIN

// The entry for a special chunk (zeros, NaNs, uninitialised), and back.
int64_t index_entry_of(enum chunk_special special); // SPECIAL_NONE: INDEX_LOST
enum chunk_special index_special(int64_t entry); // SPECIAL_NONE for a stored chunk, INDEX_LOST

static inline int64_t
index_get(const struct frame_index *x, int64_t n)
{
    return x->entries ? x->entries[n] : index_entry_of(x->uniform);
}

// n special chunks of one kind.
void index_init_uniform(struct frame_index *x, int64_t n, enum chunk_special special);

// Set an entry. The first one that differs makes the list take memory.
tess_status index_set(struct frame_index *x, int64_t n, int64_t entry, tess_error *err);

// Make room to set any entry of a list of `n` without failure.
tess_status index_reserve(struct frame_index *x, int64_t n, tess_error *err);

// Change the length; new chunks are special ones of that kind.
tess_status index_resize(struct frame_index *x, int64_t n, enum chunk_special special,
                         tess_error *err);

/*
 * Decode an index chunk that stands in memory. nchunks: as the header says, or -1 to take what is
 * there. Entries >= 0 are at most `entry_max`.
 */
tess_status index_parse(struct frame_index *x, const uint8_t *src, size_t size, int64_t nchunks,
                        int64_t entry_max, int64_t limit, tess_error *err);

// The same for one that may be damaged: if it is not compressed, what cannot be right is
// INDEX_LOST. nchunks: as is known.
tess_status index_salvage(struct frame_index *x, const uint8_t *src, size_t size, int64_t nchunks,
                          int64_t entry_max, int64_t limit, tess_error *err);

// The stored chunks (entries >= 0) in ascending order, *n of them, with room for one more;
// allocated for the caller.
tess_status index_sorted(const struct frame_index *x, int64_t **entries, size_t *n,
                         tess_error *err);

// Encode the list; *chunk is allocated for the caller. nchunks > 0.
tess_status index_write(const struct frame_index *x, uint8_t **chunk, int32_t *size,
                        tess_error *err);

#endif
