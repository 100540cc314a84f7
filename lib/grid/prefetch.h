/*
 * prefetch.h - the chunks of a job, opened before their turn by whoever has time.
 *
 * A chunk that is compared with its checksum is read as a whole when it is opened. In a job it is
 * `next` that comes to the chunks, one after the other, and nobody else can go on meanwhile. So
 * next says early which chunks it will come to, and hands out each opening as a grain of its own.
 * Where none has begun when the chunk is needed, next opens it itself: it only waits for those who
 * work, and who work do not wait for it.
 *
 * The outcome is told when the chunk is taken, also a failure: as if it had been opened then.
 */
#ifndef GRID_PREFETCH_H
#define GRID_PREFETCH_H

#include "grid/open_chunk.h"
#include "task/waitlock.h"

struct opening;

struct prefetch {
    const struct chunk_grid *grid;
    int most; // chunks at a time; 0: opening chunks does not take long, or nobody would help
    int count; // that were announced, and not taken
    struct opening *first, *last; // in the order they were announced
    struct waitlock lock; // for the state of all openings
};

// For a job of so many threads.
void prefetch_init(struct prefetch *x, const struct chunk_grid *grid, int threads);
void prefetch_finish(struct prefetch *x); // the job is over

// From next. Announce a chunk, at most `most` at a time; all: as for open_chunks_get(). The opening
// is a grain's, which lets go of it in the end.
tess_status prefetch_announce(struct prefetch *x, int64_t n, bool all, struct opening **o,
                              tess_error *err);
// The chunk that was announced first, held once.
tess_status prefetch_take(struct prefetch *x, struct open_chunk **v, tess_error *err);

// Open it, unless somebody does already. What comes of it is for prefetch_take().
void opening_work(struct opening *o);
void opening_release(struct opening *o); // by any thread

#endif
