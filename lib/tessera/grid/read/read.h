/*
 * read.h - a box of a grid into memory.
 *
 * Any number of threads may read one grid at once. Each call is a job of its own (fetch.h): its
 * workers write to dst without a lock, each item once, as no item is in two blocks.
 */
#ifndef GRID_READ_READ_H
#define GRID_READ_READ_H

#include "grid/grid.h"
#include "grid/strided.h"

/*
 * A box is inside the shape. With `step` it is every step[i]-th item along an axis (>= 1), from
 * start[i] to stop[i] - 1, which is one of them; NULL: every item.
 */
tess_status grid_read(const struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                      const int64_t *step, const struct strided *dst, struct watch *watch,
                      tess_error *err);

#endif
