/*
 * resize.h - another shape: the grid, the list of chunks, the N-dimensional layer; and items that
 * move.
 *
 * Requires exclusive access; no lock. Geometry, list of chunks and the shape in the N-dimensional
 * layer change together or not at all: in array_reshape() all that can fail comes before the layer
 * and the geometry change.
 *
 * Items of a box move to another place in the same array through memory, piece by piece. A piece is
 * a box of whole chunks: along `axis` as many as have SHIFT_PIECE bytes, but one at least, because
 * items that move come from two chunks for each that is written; along others only up to
 * SHIFT_ENOUGH, as what was just read is in cache when it is written. One piece after the other, on
 * the calling thread: a piece is read as a whole before it is written, so that workers never read
 * items that others of them write.
 */
#ifndef ARRAY_SHAPE_RESIZE_H
#define ARRAY_SHAPE_RESIZE_H

#include "array/array.h"

// Another grid and shape, as part of a change of the frame; items that come into sight
// are what they are. Chunk rows along one axis may move, too: `gone` of them fall out from the row
// `first` on, those behind go `by` rows on. NULL: none. New chunks show the fill value where that
// is zeros or NaNs, else zeros.
struct row_move {
    int axis;
    int64_t first, gone, by;
};
tess_status array_reshape(tess_array *a, const int64_t *shape, const struct row_move *move,
                          tess_error *err);
// Whether chunks keep their numbers and none is lost.
bool array_grows_at_end(const tess_array *a, const int64_t *shape);

// To undo it, together with frame_undo(). Saved before the change.
struct saved_shape {
    struct geometry g;
    uint8_t *layer; // content of the N-dimensional layer; NULL: nothing saved
};
tess_status array_shape_save(const tess_array *a, struct saved_shape *saved, tess_error *err);
void array_shape_undo(tess_array *a, struct saved_shape *saved);

enum { SHIFT_PIECE = 1 << 26, SHIFT_ENOUGH = 1 << 22 };

struct shift {
    int axis;
    // Along the axis, item i comes from i - by. Pieces go from the end backwards where by > 0: no
    // item is written before it was read.
    int64_t by;
};

// As part of a change: write a box. Both boxes are inside the array.
// TESS_ERR_LIMIT: a chunk exceeds the memory that a file may ask for, and is not one item again and
// again.
tess_status array_shift(tess_array *a, const struct box *box, const struct shift *shift,
                        struct watch *watch, tess_error *err);

#endif
