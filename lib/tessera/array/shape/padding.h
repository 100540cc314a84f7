/*
 * padding.h - items that are cut off do not stay in the padding of chunks.
 *
 * What an array loses may be meant to be gone, and is not worth its bytes: before the shape
 * changes, items that will be outside of it become zeros where their chunk stays. Chunks that are
 * one item again and again stay so.
 *
 * Blocks at the border are encoded once more for that. Where this would change the items that stay
 * (lossy codecs, means of cells), only blocks that lose all their items become zeros.
 *
 * Requires exclusive access, with no dirty blocks; no lock.
 */
#ifndef ARRAY_SHAPE_PADDING_H
#define ARRAY_SHAPE_PADDING_H

#include "array/array.h"

// As part of a change, before array_reshape(): axes are cut at their ends, down to `shape` where
// that is shorter.
tess_status padding_cut(tess_array *a, const int64_t *shape, struct watch *watch, tess_error *err);

// The same for the items [first, stop) along one axis, of one row of chunks that stays.
tess_status padding_clear(tess_array *a, int axis, int64_t first, int64_t stop, struct watch *watch,
                          tess_error *err);

#endif
