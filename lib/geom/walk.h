/*
 * walk.h - the cells of a regular grid that meet a box, one after the other.
 *
 * The same walk serves chunks of an array and blocks of a chunk. Cells come in C order; for each,
 * the part inside the box is given three ways: the ordinal of the cell, the overlap relative to
 * the cell, and where it starts relative to the box. Divisions happen only in walk_begin().
 *
 *     struct walk w;
 *     for (bool more = walk_begin(&w, ndim, cell, grid, start, stop); more; more = walk_next(&w))
 *         ... w.index, w.lo, w.hi, w.from ...
 */
#ifndef GEOM_WALK_H
#define GEOM_WALK_H

#include "geom/shape.h"

struct walk {
    int ndim;
    int64_t cell[NDIM_MAX];
    int64_t start[NDIM_MAX], stop[NDIM_MAX]; // the box
    int64_t first[NDIM_MAX], last[NDIM_MAX]; // cells that meet it, inclusive
    int64_t step[NDIM_MAX]; // ordinals between neighbours along an axis

    int64_t index; // ordinal of the cell
    int64_t at[NDIM_MAX]; // its coordinates
    int64_t lo[NDIM_MAX], hi[NDIM_MAX]; // the overlap, relative to the cell
    int64_t from[NDIM_MAX]; // its first item, relative to the box
};

// Start a walk and stand on the first cell; false if the box has no items. The box lies inside
// the grid: 0 <= start[i], stop[i] <= grid[i] * cell[i].
bool walk_begin(struct walk *w, int ndim, const int64_t *cell, const int64_t *grid,
                const int64_t *start, const int64_t *stop);

// The next cell; false behind the last one.
bool walk_next(struct walk *w);

// Whether the overlap is the whole cell, as far as the cell lies before `limit` (an array's or
// chunk's shape, in the coordinates of the box).
bool walk_covers(const struct walk *w, const int64_t *limit);

#endif
