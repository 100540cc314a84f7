/*
 * prefetch.h - prefetch: the chunks of a job are opened before their turn, by workers.
 *
 * A chunk that is compared with its checksum is read as a whole when it is opened. In a job, `next`
 * opens the chunks one after the other, and no other thread can make grains meanwhile. So `next`
 * announces chunks early, and each opening is a grain of its own. If no worker has begun to open a
 * chunk when `next` needs it, `next` opens it itself. `next` may wait for a worker; workers never
 * wait for `next`. Of far frames, I/O threads open chunks, whose number is bounded: `next` waits
 * for them.
 *
 * prefetch_take() returns the outcome of the opening, also a failure.
 *
 * Locks: `lock` guards the state of all openings; it is free while a chunk is opened.
 *
 * By member: `lock` guards `users` and `state` of each opening. `open`, `status` and `error` are
 * written without it by the thread that set BEGUN, or by opening_skip(), before it sets DONE, and
 * read by `next` after that. `elsewhere`, `first`, `last` and `count` are touched by `next` alone,
 * and by prefetch_finish() when no grain is left: they need no lock. Workers call opening_work()
 * and opening_release(), everything else is called from `next`.
 */
#ifndef GRID_READ_PREFETCH_H
#define GRID_READ_PREFETCH_H

#include "grid/open_chunk.h"
#include "task/gate.h"

#include <stdbool.h>

struct io_progress;
struct opening;

struct prefetch {
    const struct chunk_grid *grid;
    const struct io_progress *progress; // what may end the openings; NULL: nothing
    int most; // chunks at a time; 0: opening chunks does not take long, or there are no workers
    bool far; // I/O threads open them
    int count; // that were announced, and not taken
    struct opening *first, *last; // in the order they were announced
    struct waitlock lock; // for the state of all openings
};

// For a job of so many threads.
void prefetch_init(struct prefetch *x, const struct chunk_grid *grid, int threads);
// For a frame whose chunks are opened by other threads than workers, so many at a time.
void prefetch_init_far(struct prefetch *x, const struct chunk_grid *grid, int chunks);
void prefetch_finish(struct prefetch *x); // the job is over

// From next. Announce a chunk, at most `most` at a time; all: as for open_chunks_get(). The opening
// is a grain's, which lets go of it in the end.
tess_status prefetch_announce(struct prefetch *x, int64_t n, bool all, struct opening **o,
                              tess_error *err);
// The chunk that was announced first, held once.
tess_status prefetch_take(struct prefetch *x, struct open_chunk **v, tess_error *err);

// Whether prefetch_take() would not wait.
bool prefetch_is_ready(const struct prefetch *x);

// Open it, unless another thread does already.
void opening_work(struct opening *o);
void opening_release(struct opening *o); // by any thread
// Instead of both, from next, of far frames: no I/O thread can, so prefetch_take() will.
void opening_leave(struct opening *o);
// The same: the chunk is open already. Takes over what is held.
void opening_skip(struct opening *o, struct open_chunk *open);

#endif
