/*
 * chunks_ahead.h - prefetch of the chunks of a far frame, in the order of its list.
 *
 * For copies and checks, which need all bytes of all chunks, and for plain frames. Neighbours in
 * the file are coalesced (io/ahead.h). For near frames, and directories, it does nothing.
 *
 * Threads: one thread at a time takes; what it takes may be used by any. No lock but those of
 * io/ahead.h.
 */
#ifndef FRAME_CHUNKS_AHEAD_H
#define FRAME_CHUNKS_AHEAD_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

struct frame;
struct io_ahead;
struct io_want;
struct watch;

struct chunks_ahead {
    const struct frame *f;
    struct io_ahead *ahead; // NULL: nothing is read early
    struct io_want **wants; // a ring, of places from `at` on; NULL: none for that place
    int64_t at, next; // next: the first place that is not wanted
    int64_t stop; // no place from here on is
    int64_t whole_from, whole_to; // chunks of other places are not wanted whole
    int64_t budget; // bytes
    struct watch *watch;
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

// The bytes of the chunk in place n, which must ascend; held for the caller; NULL: none are on
// their way.
tess_status chunks_ahead_take(struct chunks_ahead *x, int64_t n, struct io_want **want,
                              tess_error *err);

#endif
