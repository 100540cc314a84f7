/*
 * ahead.h - prefetch of the chunks of a far frame, in the order of its list.
 *
 * For copies and checks, which need all bytes of all chunks, and for plain frames. Neighbours in a
 * file are coalesced (io/ahead.h); of a directory, files are opened concurrently. For near frames
 * it does nothing.
 *
 * Threads: one thread at a time takes; what it takes may be used by any. Locks: `lock` guards the
 * state of what is being opened; io/ahead.h has its own.
 */
#ifndef FRAME_CHUNKS_AHEAD_H
#define FRAME_CHUNKS_AHEAD_H

#include "base/error.h"
#include "frame/container.h"
#include "task/gate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct frame;
struct io_ahead;
struct io_want;
struct watch;

// What was read early of a chunk, for a chunk_scratch: nothing, if both are NULL.
struct chunk_ahead {
    struct io_want *want; // bytes on their way; more may be added
    struct chunk_place place; // of a directory: its file, open; else io is NULL
};

// Where it was found; NULL: it was not, or its file is open anyhow.
static inline const struct chunk_place *
chunk_ahead_place(const struct chunk_ahead *chunk)
{
    return chunk->place.io ? &chunk->place : NULL;
}

struct ahead_place; // of the ring

struct chunks_ahead {
    const struct frame *f;
    struct io_ahead *ahead; // NULL: nothing is read early
    struct ahead_place *ring; // of places from `at` on
    int most; // places at a time
    int64_t at, next; // next: the first place that is not wanted
    int64_t stop; // no place from here on is
    int64_t whole_from, whole_to; // chunks of other places are not wanted whole
    int64_t budget; // bytes
    struct watch *watch;
    struct waitlock lock;
    atomic_bool over;
};

// budget: bytes in memory; 0: the default. within: that of the call (io_ahead_new_within()); NULL:
// this is all of the call. To be ended also after a failure.
tess_status chunks_ahead_begin(struct chunks_ahead *x, const struct frame *f, int64_t budget,
                               struct io_ahead *within, struct watch *watch, tess_error *err);
void chunks_ahead_end(struct chunks_ahead *x); // all that was taken is released; zeroed: fine

// Before the first is taken: no place from `stop` on is needed, and of places before whole_from,
// and from whole_to on, only what opening the chunk needs. Else all is.
void chunks_ahead_limit(struct chunks_ahead *x, int64_t stop, int64_t whole_from, int64_t whole_to);

// Take the chunk in place n; n ascends from call to call. A read that failed ahead of time is no
// failure here: reading the chunk tries it again.
tess_status chunks_ahead_take(struct chunks_ahead *x, int64_t n, struct chunk_ahead *chunk,
                              tess_error *err);
void chunk_ahead_release(
    struct chunk_ahead *chunk); // closed before: chunks that have it; zeroed: fine

#endif
