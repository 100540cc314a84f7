/*
 * each.h - parts of an array for a function of the program.
 *
 * fn is called without any lock, by any worker, several at once. array_change() keeps what fn
 * changed and stores it when a batch of chunks is done, on the calling thread: a part is handed out
 * once, and never while the frame changes.
 */
#ifndef COMPUTE_PARTS_EACH_H
#define COMPUTE_PARTS_EACH_H

#include "array/array.h"

#include <tessera/iterate.h>

// The box is inside the shape, and has items; so below.
tess_status array_each(const tess_array *a, tess_unit unit, const int64_t *start,
                       const int64_t *stop, tess_each_fn *fn, void *user, struct watch *watch,
                       tess_error *err);

// As one change of the frame. Writes that wait in the cache are written back first.
tess_status array_change(tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
                         tess_change_fn *fn, void *user, struct watch *watch, tess_error *err);

#endif
