/*
 * shape.h - another shape: the fill value and what is cut off (fill.c), the grid and items that
 * move (resize.c), items inserted and removed anywhere (reshape.c).
 *
 * All that writes requires exclusive access; there is no lock.
 *
 * The value of an open array changes with a refresh alone (array/open/open.h), so any thread may
 * read it. In array_fill_grown() workers look at chunks, each with a scratch of its own and an
 * entry of `wanted` of its own; the calling thread writes afterwards.
 *
 * What an array loses may be meant to be gone, and is not worth its bytes: before the shape
 * changes, items that will be outside of it become zeros where their chunk stays. Chunks that are
 * one item again and again stay so. Blocks at the border are encoded once more for that. Where this
 * would change the items that stay (lossy codecs, means of cells), only blocks that lose all their
 * items become zeros. No block may be dirty.
 *
 * Geometry, list of chunks and the shape in the N-dimensional layer change together or not at all:
 * in array_reshape() all that can fail comes before the layer and the geometry change.
 *
 * Items of a box move to another place in the same array through memory, piece by piece. A piece is
 * a box of whole chunks: along `axis` as many as have SHIFT_PIECE bytes, but one at least, because
 * items that move come from two chunks for each that is written; along others only up to
 * SHIFT_ENOUGH, as what was just read is in cache when it is written. One piece after the other, on
 * the calling thread: a piece is read as a whole before it is written, so that workers never read
 * items that others of them write.
 *
 * Of insertions and removals, the arguments are checked by the caller. Each is one change: after a
 * failure the array is as it was. The calling thread goes step by step; workers run inside the
 * steps. Blocks in the cache are forgotten when their chunks get other numbers.
 */
#ifndef ARRAY_SHAPE_SHAPE_H
#define ARRAY_SHAPE_SHAPE_H

#include "array/array.h"
#include "grid/box_memory.h"
#include "meta/layers.h"

// -- fill.c

// The item that growth shows; NULL or zeros: zeros. From the metalayer, for an open frame.
tess_status array_set_fill(tess_array *a, const uint8_t *item, tess_error *err);
tess_status array_load_fill(tess_array *a, tess_error *err);
// Whether a fixed metalayer is the one that holds the fill value: tess_info.fill shows it, lists of
// metalayers do not. In a plain frame, which has no fill value, the name means nothing.
bool array_is_fill_layer(const tess_array *a, const struct layer *layer);
// The fill value as a list's entry for chunks that are not stored; zeros if it is none.
enum chunk_special array_fill_special(const tess_array *a);
// As part of a change: items of a box become the fill value; or all that array_reshape() brought
// into sight at the ends of the axes.
tess_status array_fill_box(tess_array *a, const struct box *box, struct watch *watch,
                           tess_error *err);
tess_status array_fill_grown(tess_array *a, const struct geometry *before, struct watch *watch,
                             tess_error *err);

// As part of a change, before array_reshape(): axes are cut at their ends, down to `shape` where
// that is shorter.
tess_status padding_cut(tess_array *a, const int64_t *shape, struct watch *watch, tess_error *err);

// The same for the items [first, stop) along one axis, of one row of chunks that stays.
tess_status padding_clear(tess_array *a, int axis, int64_t first, int64_t stop, struct watch *watch,
                          tess_error *err);

// -- resize.c

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

// -- reshape.c

// Along each axis, what the shapes differ by is inserted or removed at start[axis], inside the old
// shape.
tess_status array_resize_at(tess_array *a, const int64_t *shape, const int64_t *start,
                            struct watch *watch, tess_error *err);

// src: the inserted items; NULL: the fill value. count > 0.
tess_status array_insert(tess_array *a, int axis, int64_t position, int64_t count,
                         const struct box_memory_const *src, struct watch *watch, tess_error *err);
tess_status array_delete(tess_array *a, int axis, int64_t position, int64_t count,
                         struct watch *watch, tess_error *err);

// The other array may be this one.
tess_status array_append_array(tess_array *a, int axis, const tess_array *other,
                               struct watch *watch, tess_error *err);

#endif
