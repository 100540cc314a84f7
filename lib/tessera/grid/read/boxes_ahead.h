/*
 * boxes_ahead.h - prefetch across jobs: boxes that a call reads one after the other.
 *
 * A job prefetches only what it reads itself (planned.h). A call on a far frame that consists of
 * many small jobs (a reduction, a map, parts of an array) lists here the boxes that they will read,
 * in order. Chunks are opened, and their bytes wanted, as far ahead as tess_context.ahead allows;
 * jobs find them in grid/open_chunks.h. What was not prefetched, the job reads itself, within
 * the queue of requests of the call. Chunks of plain frames are left to the jobs.
 *
 *     boxes_ahead_begin(&x, ...);
 *         boxes_ahead_reach(&x, k);         one thread at a time, k ascending
 *             ... jobs that read box k ...
 *         boxes_ahead_leave(&x, k);         any thread
 *     boxes_ahead_stop(&x);
 *     boxes_ahead_free(&x);
 *
 * Locks: `lock` guards `visits`, `nvisits`, `kept` and the chunks in them. Everything else belongs
 * to the thread that reaches. Taken before the lock of expected chunks (grid/open_chunks.h).
 */
#ifndef GRID_READ_BOXES_AHEAD_H
#define GRID_READ_BOXES_AHEAD_H

#include "geom/walk.h"
#include "grid/open_chunks.h"
#include "grid/read/grains.h"

#include <pthread.h>
#include <stdatomic.h>

struct visit;
struct io_ahead;

struct boxes_ahead {
    struct expecting_call call;
    struct io_ahead *ahead;
    struct fetch fetch; // the chunks and blocks of all boxes
    struct upcoming upcoming;
    struct grain_maker maker; // a grain is what a box needs of a chunk
    bool (*next_box)(void *arg, int64_t *start, int64_t *stop, int64_t *step);
    void *arg;

    struct walk chunks; // of the box at hand; stands on the next one
    bool more; // there is a chunk
    int64_t box; // its number
    int64_t reached; // boxes before it are not read ahead any more
    bool all_made; // or it failed: the job that needs it says why
    struct room wanted, announced;
    atomic_bool over;

    pthread_mutex_t lock;
    struct visit *visits; // chunks that are expected, by boxes
    int nvisits;
    int64_t kept; // bytes that the files of these chunks keep
};

bool boxes_ahead_pays(const struct chunk_grid *grid);

/*
 * next_box: the next box, step as for grid_read(); false: there is none. Called by the thread that
 * reaches, and in boxes_ahead_begin(). watch: that of the jobs that will read the boxes,
 * watch_within() that of the call. To be stopped and freed also after a failure.
 */
tess_status boxes_ahead_begin(struct boxes_ahead *x, const struct chunk_grid *grid,
                              bool (*next_box)(void *arg, int64_t *start, int64_t *stop,
                                               int64_t *step),
                              void *arg, struct watch *watch, tess_error *err);
// No box is being read. What one of a call wants, others of it may hold, so all are stopped before
// the first is freed.
void boxes_ahead_stop(struct boxes_ahead *x);
void boxes_ahead_free(struct boxes_ahead *x);

// Box k (from 0) is next, or one of the next: waits until its chunks are open, and their bytes on
// their way, as far as the budget allows. Fails only if the call is cancelled: what cannot be read
// is a failure of the job that needs it.
tess_status boxes_ahead_reach(struct boxes_ahead *x, int64_t k, tess_error *err);

void boxes_ahead_leave(struct boxes_ahead *x, int64_t k); // nothing of it is needed any more

#endif
