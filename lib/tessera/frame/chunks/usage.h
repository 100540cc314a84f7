/*
 * usage.h - how many chunks of a frame's list are stored, how many were never written, and how many
 * bytes the stored ones have.
 *
 * Counting takes a pass over the list, and the bytes stand in the headers of the chunks: both are
 * learned when they are asked for, and kept from then on. Changes of the list (commit/change.c)
 * adjust them: a program that asks after each append pays for the last chunk only.
 *
 * The members of struct usage are atomic since any number of threads may ask at once; all come to
 * the same values. What adjusts them requires exclusive access to the frame.
 */
#ifndef FRAME_CHUNKS_USAGE_H
#define FRAME_CHUNKS_USAGE_H

#include "base/error.h"
#include "chunk/header.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct frame_index;
struct io;

// Of all places of a list: how many are stored, and how many were never written; the others are
// special. Counted now if they were not.
void frame_count_chunks(struct frame *f, int64_t *nstored, int64_t *nmissing);

// Stored bytes of the chunks that the list leads to, each counted once. frame_known_live_bytes():
// -1 if that takes a look at the chunks, which frame_live_bytes() does; TESS_ERR_STALE: they are
// not those of this state any more.
int64_t frame_known_live_bytes(const struct frame *f);
tess_status frame_live_bytes(struct frame *f, int64_t *live, tess_error *err);

// Bytes between the header and the index that no chunk of the list has; of a directory, which has
// a file for each chunk, 0. live: as is known.
int64_t frame_holes(const struct frame *f, int64_t live);

// -- for this module: the numbers themselves

struct usage {
    _Atomic int64_t nmissing; // never written; valid where nstored is
    _Atomic int64_t nstored; // chunks with bytes of their own; -1: not counted
    _Atomic int64_t live; // stored bytes of these; -1: not known
};

// The same, to be undone: a copy of the numbers.
struct usage_saved {
    int64_t nmissing, nstored, live;
};

void usage_init(struct usage *t, int64_t live); // nothing is counted
void usage_save(const struct usage *t, struct usage_saved *saved);
void usage_restore(struct usage *t, const struct usage_saved *saved);

// Place n of the list changes from one entry to another; size: bytes of the new chunk, 0 if it is
// not stored. The bytes of the old one count until usage_release().
void usage_put(struct usage *t, int64_t before, int64_t after, int64_t size);
// A chunk is stored, and gets its place in the list some other way.
void usage_added(struct usage *t, int64_t size);
// A chunk that left the list is not needed any more. size: its bytes, -1: not known.
void usage_release(struct usage *t, int64_t size);
// The length of the list changes; new chunks are special chunks of one kind.
void usage_resize(struct usage *t, const struct frame_index *list, int64_t nchunks,
                  enum chunk_special special);
// Count all of a list, unless that is known.
void usage_count(struct usage *t, const struct frame_index *list, int64_t *nstored,
                 int64_t *nmissing);
// How many are stored: counted now, and not kept, if that is not known.
int64_t usage_stored(const struct usage *t, const struct frame_index *list);
// The list became another one, of the same chunks without those that are released.
void usage_forget_counts(struct usage *t);

// The stored bytes of the chunks at ascending positions, as their headers claim: sizes[i] of
// positions[i]. At each of them the io has the bytes of a header.
tess_status heads_read_sizes(struct io *io, const int64_t *positions, size_t n, int32_t *sizes,
                             tess_error *err);

#endif
