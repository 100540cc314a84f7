/*
 * grain_want.h - the stored bytes of a grain, wanted before it is worked on.
 *
 * Functions without state; called by the thread that makes grains.
 */
#ifndef GRID_READ_GRAIN_WANT_H
#define GRID_READ_GRAIN_WANT_H

#include "grid/read/grains.h"

// Want them (g->want, or more of it if there is one), all but those of blocks that are in the
// cache. Where the blocks are not those of the chunk, all of the chunk. front: bytes of the chunk
// that are wanted already; NULL: none.
tess_status grain_want(struct grain *g, const struct fetch *f, struct io_ahead *ahead,
                       struct io_want *front, tess_error *err);

#endif
