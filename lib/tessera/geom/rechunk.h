/*
 * rechunk.h - in which pieces an array goes from one grid to another.
 *
 * A piece is a box of the target, read as a whole and then written. Where its border lies inside a
 * unit of the source, that unit is read once more for the next piece. So pieces grow, as far as
 * memory allows, along the axes where that saves most.
 */
#ifndef GEOM_RECHUNK_H
#define GEOM_RECHUNK_H

#include "base/limits.h"

#include <stdint.h>

struct rechunk {
    int ndim;
    int64_t shape[NDIM_MAX]; // of both sides, > 0
    int64_t unit[NDIM_MAX]; // what the source is read by
    int64_t chunk[NDIM_MAX], block[NDIM_MAX]; // of the target
};

// The shape of a piece of at most `nitems` items: whole chunks of the target; if a chunk has more,
// whole blocks of one; at the least, a block. Pieces of less than `enough` items are joined as long
// as they fit, so that there is something to do for several threads.
void rechunk_piece(const struct rechunk *r, int64_t nitems, int64_t enough, int64_t *piece);

#endif
