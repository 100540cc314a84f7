/*
 * grain_want.h - the stored bytes of a grain, wanted before it is worked on.
 *
 * Functions without state; called by the thread that makes grains.
 */
#ifndef GRID_READ_GRAIN_WANT_H
#define GRID_READ_GRAIN_WANT_H

#include "grid/read/grains.h"

// Add the ranges of the grain's blocks to g->want, which is made if it is NULL; blocks in the cache
// are left out. If the chunk is not stored in blocks of the grid, its whole range is added. front:
// what is already wanted of the chunk; NULL: nothing.
tess_status grain_want(struct grain *g, const struct fetch *f, struct io_ahead *ahead,
                       struct io_want *front, tess_error *err);

#endif
