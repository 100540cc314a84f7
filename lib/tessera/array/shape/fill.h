/*
 * fill.h - the item that growth shows.
 *
 * The value of an open array changes with a refresh alone (refresh.h), so any thread may read it.
 * What writes requires exclusive access. In array_fill_grown() workers look at chunks, each with a
 * scratch of its own and an entry of `wanted` of its own; the calling thread writes afterwards.
 * There is no lock.
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
tess_status array_fill_box(tess_array *a, const int64_t *start, const int64_t *stop,
                           struct watch *watch, tess_error *err);
tess_status array_fill_grown(tess_array *a, const struct geometry *before, struct watch *watch,
                             tess_error *err);

#endif
