/*
 * walk.h - the cells of a regular grid that meet a box, one after the other.
 *
 * The same walk serves chunks of an array and blocks of a chunk. Cells come in C order; for each,
 * the part inside the box is given three ways: the ordinal of the cell, the overlap relative to
 * the cell, and where it starts relative to the box. A box may have steps: then cells without an
 * item of it are left out. Without steps, divisions happen only in walk_begin().
 *
 *     struct walk w;
 *     for (bool more = walk_chunks(&w, g, box); more; more = walk_next(&w))
 *         ... w.index, w.lo, w.hi, w.count, w.from ...
 *
 * Halves are for work that is done at once for any number of cells if they have something in
 * common, and one by one otherwise: a box of cells that is refused is cut in two, across its
 * slowest axis of more than one cell, down to single cells. So the cells come in C order, whatever
 * their boxes.
 */
#ifndef GEOM_WALK_H
#define GEOM_WALK_H

#include "base/error.h"
#include "base/limits.h"
#include "geom/box.h"
#include "geom/shape.h"

#include <stdbool.h>
#include <stdint.h>

struct walk {
    int ndim;
    int64_t cell[NDIM_MAX];
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX]; // the box
    int64_t first[NDIM_MAX], last[NDIM_MAX]; // cells that meet it, inclusive
    int64_t pitch[NDIM_MAX]; // ordinals between neighbours along an axis

    int64_t index; // ordinal of the cell
    int64_t at[NDIM_MAX]; // its coordinates
    int64_t lo[NDIM_MAX], hi[NDIM_MAX]; // the overlap, relative to the cell: first item, and one
                                        // past the last
    int64_t count[NDIM_MAX]; // its items; without steps, hi - lo
    int64_t from[NDIM_MAX]; // items of the box before it
};

// Start a walk and stand on the first cell; false if the box has no items. The box lies inside
// the grid: 0 <= start[i], stop[i] <= grid[i] * cell[i].
bool walk_begin(struct walk *w, int ndim, const int64_t *cell, const int64_t *grid,
                const struct box *box);

// The chunks of an array that meet a box; and the blocks of the chunk that a walk stands on.
static inline bool
walk_chunks(struct walk *w, const struct geometry *g, const struct box *box)
{
    return walk_begin(w, g->ndim, g->chunkshape, g->grid, box);
}

static inline bool
walk_blocks(struct walk *w, const struct geometry *g, const struct walk *chunk)
{
    const struct box part = {chunk->lo, chunk->hi, chunk->step};
    return walk_begin(w, g->ndim, g->blockshape, g->bgrid, &part);
}

// The next cell; false behind the last one.
bool walk_next(struct walk *w);

// Stand on the first cell with items of the box whose ordinal is `index` or more; false: there is
// none, and the walk stands where it did.
bool walk_seek(struct walk *w, int64_t index);

// Stand on the cell of that ordinal, on which this walk stands at some time; also after its end.
void walk_stand(struct walk *w, int64_t index);

// Whether the overlap is the whole cell, as far as the cell lies before `limit` (an array's or
// chunk's shape, in the coordinates of the box).
bool walk_covers(const struct walk *w, const int64_t *limit);

// The items of the overlap.
static inline int64_t
walk_nitems(const struct walk *w)
{
    int64_t n = 1;
    for (int i = 0; i < w->ndim; i++)
        n *= w->count[i];
    return n;
}

struct halves {
    int ndim;
    int backwards; // the axis along which the last cells come first; -1: none
    void *user;
    // Do all cells of [first, last) at once. *done: false, nothing was done.
    tess_status (*box)(void *user, const int64_t *first, const int64_t *last, bool *done,
                       tess_error *err);
    // Do a cell that box() refused.
    tess_status (*cell)(void *user, const int64_t *at, tess_error *err);
};

// There is a cell. Ends with the first failure.
tess_status halves_do(const struct halves *h, const int64_t *first, const int64_t *last,
                      tess_error *err);

#endif
