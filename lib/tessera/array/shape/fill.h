/*
 * fill.h - the item that growth shows, and what becomes of items that are cut off.
 *
 * The value of an open array changes with a refresh alone (array/open/open.h), so any thread may
 * read it. What writes requires exclusive access. In array_fill_grown() workers look at chunks,
 * each with a scratch of its own and an entry of `wanted` of its own; the calling thread writes
 * afterwards. There is no lock.
 *
 * What an array loses may be meant to be gone, and is not worth its bytes: before the shape
 * changes, items that will be outside of it become zeros where their chunk stays. Chunks that are
 * one item again and again stay so. Blocks at the border are encoded once more for that. Where this
 * would change the items that stay (lossy codecs, means of cells), only blocks that lose all their
 * items become zeros. No block may be dirty.
 */
#ifndef ARRAY_SHAPE_FILL_H
#define ARRAY_SHAPE_FILL_H

#include "array/array.h"
#include "meta/layers.h"

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

#endif
