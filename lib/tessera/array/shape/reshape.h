/*
 * reshape.h - items inserted and removed anywhere, and arrays behind each other.
 *
 * What the arguments promise is checked by the caller. Each is one change: after a failure the
 * array is as it was.
 *
 * Require exclusive access. The calling thread goes step by step; workers run inside the steps
 * (resize.h, grid/write/write.h). Blocks in the cache are forgotten when their chunks get other
 * numbers.
 */
#ifndef ARRAY_SHAPE_RESHAPE_H
#define ARRAY_SHAPE_RESHAPE_H

#include "array/array.h"
#include "grid/box_memory.h"

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
