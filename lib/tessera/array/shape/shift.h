/*
 * shift.h - the items of a box from another place in the same array.
 *
 * They pass through memory piece by piece. A piece is a box of whole chunks: along `axis` as many
 * as have SHIFT_PIECE bytes, but one at least, because items that move come from two chunks for
 * each that is written; along others only up to SHIFT_ENOUGH, as what was just read is in cache
 * when it is written.
 *
 * Requires exclusive access. One piece after the other, on the calling thread: a piece is read as a
 * whole before it is written, so that workers never read items that others of them write. No lock.
 */
#ifndef ARRAY_SHAPE_SHIFT_H
#define ARRAY_SHAPE_SHIFT_H

#include "array/array.h"

enum { SHIFT_PIECE = 1 << 26, SHIFT_ENOUGH = 1 << 22 };

struct shift {
    int axis;
    // Along the axis, item i comes from i - by. Pieces go from the end backwards where by > 0: no
    // item is written before it was read.
    int64_t by;
};

// As part of a change: write the box [start, stop). Both boxes are inside the array.
// TESS_ERR_LIMIT: a chunk exceeds the memory that a file may ask for, and is not one item again and
// again.
tess_status array_shift(tess_array *a, const int64_t *start, const int64_t *stop,
                        const struct shift *shift, struct watch *watch, tess_error *err);

#endif
