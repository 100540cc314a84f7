/*
 * resize.h - another shape: the grid, the list of chunks, the N-dimensional layer.
 *
 * Requires exclusive access; no lock. Geometry, list of chunks and the shape in the N-dimensional
 * layer change together or not at all: in array_reshape() all that can fail comes before the layer
 * and the geometry change.
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

#endif
