/*
 * read.h - a box of an array into memory.
 */
#ifndef ARRAY_READ_H
#define ARRAY_READ_H

#include "array/array.h"
#include "array/strided.h"

/*
 * A box is inside the shape. With `step` it is every step[i]-th item along an axis (>= 1), from
 * start[i] to stop[i] - 1, which is one of them; NULL: every item. The array may be a view.
 */
tess_status array_read(const tess_array *a, const int64_t *start, const int64_t *stop,
                       const int64_t *step, const struct strided *dst, struct watch *watch,
                       tess_error *err);

#endif
