/*
 * ahead.h - prefetch of the chunks of a frame: what opening each needs, or all of it, is on its way
 * before its turn.
 *
 * Whoever reads chunks announces them in the order in which it will take them. Of one file, the
 * bytes are wanted (io/ahead.h), and those of neighbours are coalesced. Of a far directory, I/O
 * threads open the files, and want the rest.
 *
 * Threads: one thread at a time announces and takes; what it takes may be used by any. Locks:
 * `lock` guards the member `opening` of the places, io/ahead.h has its own.
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

// A chunk that was announced, and what was read early of it: nothing, if want and place.io are
// NULL.
struct chunk_ahead {
    int64_t n;
    bool all; // all of it is needed
    struct io_want *want; // bytes on their way, for a chunk_scratch; more may be added
    struct chunk_place place; // of a far directory: its file, open; else io is NULL
};

// Where it was found, for a chunk_scratch; NULL: it was not, or its file is open anyhow.
static inline const struct chunk_place *
chunk_ahead_place(const struct chunk_ahead *chunk)
{
    return chunk->place.io ? &chunk->place : NULL;
}

// Closed before: chunks that were opened in its place. Zeroed: fine.
void chunk_ahead_release(struct chunk_ahead *chunk);

struct ahead_place; // of the ring

struct chunks_ahead {
    const struct frame *f;
    struct io_ahead *ahead; // reads; it belongs to the caller
    struct ahead_place *ring;
    int most, first, count; // of it
    struct waitlock lock;
};

// most: chunks at a time; fewer of a far directory, whose files would be more than `budget` bytes.
// To be ended also after a failure.
tess_status chunks_ahead_begin(struct chunks_ahead *x, const struct frame *f,
                               struct io_ahead *ahead, int most, int64_t budget, tess_error *err);
// All that was taken is released, and `ahead` stopped. Zeroed: fine.
void chunks_ahead_end(struct chunks_ahead *x);

// One more, not beyond `most`. here: nothing is to be read early, as the chunk is open already.
// Bytes are read after an io_ahead_go().
tess_status chunks_ahead_announce(struct chunks_ahead *x, int64_t n, bool all, bool here,
                                  tess_error *err);
// Take the chunk that was announced first; waits until its file is open. Fails as opening the file
// did: of the chunk there is nothing then, and opening it tries again. Bytes that could not be read
// are a failure of opening the chunk.
tess_status chunks_ahead_take(struct chunks_ahead *x, struct chunk_ahead *chunk, tess_error *err);
bool chunks_ahead_is_ready(const struct chunks_ahead *x); // neither that nor opening it waits

/*
 * The same for jobs that take the chunks in the order of the frame's list: copies and checks, which
 * need all bytes of all, and plain frames. For near frames it does nothing.
 */
struct list_ahead {
    struct chunks_ahead chunks;
    struct io_ahead *ahead; // NULL: nothing is read early
    int64_t next; // the first that is not announced
    int64_t stop; // none from here on is
    int64_t all_from, all_to; // all bytes of these are needed
    int64_t budget; // bytes
    struct watch *watch;
    atomic_bool over;
};

// budget: bytes in memory; 0: the default. within: that of the call (io_ahead_new_within()); NULL:
// this is all of the call. To be ended also after a failure.
tess_status list_ahead_begin(struct list_ahead *x, const struct frame *f, int64_t budget,
                             struct io_ahead *within, struct watch *watch, tess_error *err);
void list_ahead_end(struct list_ahead *x); // all that was taken is released; zeroed: fine

// Before the first is taken: no chunk from `stop` on is needed, and of chunks before all_from, and
// from all_to on, only what opening them needs. Else all is.
void list_ahead_limit(struct list_ahead *x, int64_t stop, int64_t all_from, int64_t all_to);

// Take chunk n; n ascends from call to call. Fails only if the call is cancelled, or without
// memory: a file that could not be opened early is no failure, opening the chunk tries again.
tess_status list_ahead_take(struct list_ahead *x, int64_t n, struct chunk_ahead *chunk,
                            tess_error *err);

#endif
