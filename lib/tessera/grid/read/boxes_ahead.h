/*
 * boxes_ahead.h - prefetch across jobs: boxes that a call reads one after the other.
 *
 * A job prefetches only what it reads itself (private.h). A call on a far frame that consists of
 * many small jobs (a reduction, a map, parts of an array) lists here the boxes that they will read,
 * in order. Chunks are opened, and their bytes wanted, as far ahead as tess_context.ahead allows;
 * jobs find them in grid/open_chunks.h. What was not prefetched, the job reads itself, within
 * the queue of requests of the call. Chunks of plain frames are left to the jobs.
 *
 *     boxes_ahead_new(&x, ...);
 *         boxes_ahead_reach(x, k);          one thread at a time, k ascending
 *             ... jobs that read box k ...
 *         boxes_ahead_leave(x, k);          any thread
 *     boxes_ahead_stop(x);
 *     boxes_ahead_free(x);
 */
#ifndef GRID_READ_BOXES_AHEAD_H
#define GRID_READ_BOXES_AHEAD_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct boxes_ahead; // all functions take NULL: nothing is read ahead, as the frame is not far
struct chunk_grid;
struct index_map;
struct watch;

/*
 * next_box: gives the next box, all items of which are needed; false: there is none. It is called
 * by this function, and then by the thread that reaches. map: from the indices of the boxes, which
 * are those of a view, to those of the grid; NULL: the boxes have those of the grid. The map must
 * stay as long as *x. watch: that of the jobs that will read the boxes, watch_within() that of the
 * call. *x is NULL after a failure.
 */
tess_status boxes_ahead_new(struct boxes_ahead **x, const struct chunk_grid *grid,
                            const struct index_map *map,
                            bool (*next_box)(void *arg, int64_t *start, int64_t *stop), void *arg,
                            struct watch *watch, tess_error *err);
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
