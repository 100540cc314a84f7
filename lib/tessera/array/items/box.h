/*
 * box.h - a box of an array, which may be a view, to memory and back.
 *
 * Here a box of a view becomes one of its base; the grid below knows no views.
 *
 * Nothing is kept between calls, and there is no lock. Any number of threads at once; those that
 * write have the turn of the chunks of the base (grid/write/turns.h), or exclusive access to it.
 */
#ifndef ARRAY_ITEMS_BOX_H
#define ARRAY_ITEMS_BOX_H

#include "array/array.h"
#include "geom/index_map.h"
#include "grid/strided.h"
#include "grid/write/constant.h"

struct frame_staged;

// As grid_read() (grid/read/read.h).
tess_status array_read(const tess_array *a, const int64_t *start, const int64_t *stop,
                       const int64_t *step, const struct strided *dst, struct watch *watch,
                       tess_error *err);

// As grid_write() (grid/write/write.h).
tess_status array_write(tess_array *a, const int64_t *start, const int64_t *stop,
                        const int64_t *step, const struct strided_const *src,
                        struct frame_staged *staged, struct watch *watch, tess_error *err);

// A box of a view, and the memory that it comes from, as those of its base.
tess_status array_base_box(const tess_array *a, const int64_t *start, const int64_t *stop,
                           const int64_t *step, const struct strided_const *src,
                           struct index_box *box, struct strided_const *base_src, tess_error *err);

// As constant_box() (grid/write/constant.h), of an array that may be a view; enters the gate.
tess_status array_is_constant(const tess_array *a, const int64_t *start, const int64_t *stop,
                              enum constant_look look, struct watch *watch, uint8_t *item, bool *is,
                              tess_error *err);

#endif
