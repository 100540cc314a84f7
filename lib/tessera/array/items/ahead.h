/*
 * ahead.h - boxes of an array, which may be a view, that a call will read one after the other.
 *
 * Here boxes of a view become those of its base; grid/read/boxes_ahead.h has the rest, and says
 * which thread may call what.
 */
#ifndef ARRAY_ITEMS_AHEAD_H
#define ARRAY_ITEMS_AHEAD_H

#include "array/array.h"

struct array_ahead; // NULL: nothing is read early

// next_box: the next box, of the indices of `a`, all items of which are needed; false: there is
// none. Called as that of boxes_ahead_begin(). *x is NULL after a failure.
tess_status array_ahead_new(struct array_ahead **x, const tess_array *a,
                            bool (*next_box)(void *arg, int64_t *start, int64_t *stop), void *arg,
                            struct watch *watch, tess_error *err);
// All of a call are stopped before the first is freed; NULL: fine.
void array_ahead_stop(struct array_ahead *x);
void array_ahead_free(struct array_ahead *x);

tess_status array_ahead_reach(struct array_ahead *x, int64_t k, tess_error *err);
void array_ahead_leave(struct array_ahead *x, int64_t k);

#endif
