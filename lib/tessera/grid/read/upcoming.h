/*
 * upcoming.h - the chunks of a job in order, with prefetch of what opening them needs. A job of one
 * thread that is not planned has none.
 *
 * - Chunks that are compared with their checksums are opened ahead by workers (prefetch.h): an
 *   opening is a grain.
 * - In a planned job (planned.h), the fronts of up to 4096 chunks are wanted ahead (io/ahead.h),
 *   and coalesced. In a far directory, I/O threads of the job open chunks ahead instead.
 *
 * Threads: all of it is called by one thread at a time, from `next` of a task, but
 * upcoming_finish(), which is called when no grain is left. No lock but those of prefetch.h and
 * io/ahead.h.
 */
#ifndef GRID_READ_UPCOMING_H
#define GRID_READ_UPCOMING_H

#include "grid/read/fetch.h"
#include "grid/read/prefetch.h"

struct io_ahead;
struct io_progress;
struct io_want;

// Bounds of reading ahead: a number of things, and their bytes. Refill once a quarter is free, and
// then to the bound: ranges that are added one by one could not be coalesced.
struct room {
    int64_t most, budget; // in number, in bytes
    bool filling;
};

// Whether there is room for one more beside n of so many bytes.
static inline bool
room_is_left(struct room *r, int64_t n, int64_t size)
{
    if (n <= r->most - r->most / 4 && size <= r->budget - r->budget / 4)
        r->filling = true;
    if (n >= r->most || size >= r->budget)
        r->filling = false;
    return r->filling;
}

// A chunk that was announced.
struct announced {
    int64_t n;
    bool all;
    struct io_want *front; // its first bytes, wanted; NULL: none
};

struct upcoming {
    const struct fetch *f;
    struct io_ahead *ahead; // NULL: the job is not planned
    const struct io_progress *progress; // what may end reads; NULL: nothing
    struct prefetch prefetch; // .most 0: no chunk is opened ahead
    struct announced *ring; // of `most`, NULL: none
    unsigned char
        *positions; // on the same chunks, of the reader's size; NULL: it stands on them again
    int most, first, count;
    bool more; // chunks to be announced
    enum fetch_next after; // what next_chunk() returned, and is not handed out yet: FETCH_OTHER
    _Alignas(max_align_t) unsigned char other[FETCH_POSITION_SIZE];
};

// ahead: NULL, or what reads for the job. progress: NULL, or what may end its other reads.
tess_status upcoming_init(struct upcoming *u, const struct fetch *f, int threads,
                          struct io_ahead *ahead, const struct io_progress *progress,
                          tess_error *err);
void upcoming_finish(struct upcoming *u); // zeroed: fine

// Announce one chunk, if there is room. *opening: for a grain to open it; NULL: nothing to do.
// False: none was announced.
tess_status upcoming_announce(struct upcoming *u, bool *announced, struct opening **opening,
                              tess_error *err);

// The reader's position on the chunk that was announced first; NULL: none is, or it was not kept.
const void *upcoming_peek(const struct upcoming *u);

// Pass over the chunk that was announced first.
void upcoming_skip(struct upcoming *u);

// Whether upcoming_next() would not wait.
bool upcoming_is_ready(const struct upcoming *u);

// Stand on the next chunk, and open it: *open is held, and so is *front (NULL: none), what is
// wanted of it already.
tess_status upcoming_next(struct upcoming *u, void *chunk, enum fetch_next *next,
                          struct open_chunk **open, struct io_want **front, tess_error *err);

#endif
