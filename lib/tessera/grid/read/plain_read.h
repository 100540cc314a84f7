/*
 * plain_read.h - items of a frame without an N-dimensional layer (plain.h).
 *
 * Any number of threads may read at once. There is no lock: each thread that decodes has a scratch
 * of its own, and is inside of the gate of the grid while it has a chunk.
 */
#ifndef GRID_READ_PLAIN_READ_H
#define GRID_READ_PLAIN_READ_H

#include "grid/box_memory.h"
#include "grid/grid.h"

// The items start, start + step, ... before stop.
tess_status plain_read(const struct chunk_grid *grid, int64_t start, int64_t stop, int64_t step,
                       const struct box_memory *dst, struct watch *watch, tess_error *err);

#endif
