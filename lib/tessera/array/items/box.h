/*
 * box.h - items of an array, which may be a view: a box to memory and back, boxes that are read one
 * after the other, points and lists of indices.
 *
 * Here the indices of a view become those of its base (geom/index_map.h); the grid below knows no
 * views, but for the boxes that it reads ahead, which it is given one by one. Points and indices
 * lie inside the shape, and some are chosen; their items stand in memory one after the other, in C
 * order of the indices.
 *
 * Nothing is kept between calls, and there is no lock. Any number of threads at once; those that
 * write have the turn of the chunks of the base (grid/write/turns.h), or exclusive access to it. A
 * selection is made by the calling thread, does not change afterwards, and is read by the workers
 * of the job. Of boxes that are read ahead, grid/read/boxes_ahead.h says which thread may call
 * what.
 */
#ifndef ARRAY_ITEMS_BOX_H
#define ARRAY_ITEMS_BOX_H

#include "array/array.h"
#include "frame/query.h"
#include "geom/index_map.h"
#include "grid/box_memory.h"
#include "grid/write/constant.h"

struct boxes_ahead;
struct frame_staged;
struct selection;

// As grid_read() (grid/read/read.h).
tess_status array_read(const tess_array *a, const struct box *box, const struct box_memory *dst,
                       struct watch *watch, tess_error *err);

// Whether a read begins with what is cached (grid_read_begin()), without a lock file or a look at
// the frame: of an array in memory, which no other program changes, without a view or progress.
static inline bool
array_reads_cache_first(const tess_array *a)
{
    return !a->view && !a->grid->plain && !a->context.progress && frame_in_memory(a->grid->frame);
}

// As grid_write() (grid/write/write.h).
tess_status array_write(tess_array *a, const struct box *box, const struct box_memory_const *src,
                        struct frame_staged *staged, struct watch *watch, tess_error *err);

// A box of a view, and the memory that it comes from, as those of its base.
tess_status array_base_box(const tess_array *a, const struct box *box,
                           const struct box_memory_const *src, struct index_box *base,
                           struct box_memory_const *base_src, tess_error *err);

// As constant_box() (grid/write/constant.h), of an array that may be a view; enters the gate.
tess_status array_is_constant(const tess_array *a, const struct box *box, enum constant_look look,
                              struct watch *watch, uint8_t *item, bool *is, tess_error *err);

// Boxes of an array, which may be a view, that a call will read one after the other: as
// boxes_ahead_new() (grid/read/boxes_ahead.h).
tess_status array_boxes_ahead(struct boxes_ahead **x, const tess_array *a,
                              bool (*next_box)(void *arg, int64_t *start, int64_t *stop), void *arg,
                              struct watch *watch, tess_error *err);

tess_status array_get_points(const tess_array *a, int64_t npoints, const int64_t *coords,
                             uint8_t *dst, struct watch *watch, tess_error *err);
tess_status array_get_orthogonal(const tess_array *a, const int64_t *counts,
                                 const int64_t *const *indices, uint8_t *dst, struct watch *watch,
                                 tess_error *err);

// What is chosen, to be written (select/gather.h).
tess_status array_choose_points(const tess_array *a, int64_t npoints, const int64_t *coords,
                                struct selection *s, tess_error *err);
tess_status array_choose_orthogonal(const tess_array *a, const int64_t *counts,
                                    const int64_t *const *indices, struct selection *s,
                                    tess_error *err);

#endif
