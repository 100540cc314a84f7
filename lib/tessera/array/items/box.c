/*
 * box.c - items of an array, which may be a view, by the indices of its base.
 */
#include "array/items/box.h"

#include "array/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "geom/index_map.h"
#include "grid/box_memory.h"
#include "grid/read/boxes_ahead.h"
#include "grid/read/read.h"
#include "grid/write/write.h"
#include "select/gather.h"
#include "select/selection.h"
#include "task/gate.h"
#include "task/watch.h"

#include <string.h>

static tess_status
base_box(const tess_array *a, const struct box *box, const int64_t *stride, struct index_box *base,
         tess_error *err)
{
    const tess_status st = view_check(a, err);
    if (st == TESS_OK)
        index_map_box(&a->view->map, box, stride, base);
    return st;
}

// Items are called by their indices in the view, whose axes are others than those of the base.
static void
rename_items(const struct index_map *map, const struct box *box, struct converted *as)
{
    for (int i = 0; i < map->ndim; i++) {
        const int b = map->axis[i];
        const int64_t by = box->step ? box->step[i] : 1;
        const bool downwards = b >= 0 && map->step[b] < 0;
        as->axis[i] = b;
        as->first[i] = downwards ? box->stop[i] - 1 : box->start[i];
        as->step[i] = downwards ? -by : by;
    }
}

tess_status
array_read(const tess_array *a, const struct box *box, const struct box_memory *dst,
           struct watch *watch, tess_error *err)
{
    struct index_box base;
    struct box_memory to;
    struct converted as;

    if (!a->view)
        return grid_read(a->grid, box, dst, watch, err);
    const tess_status st = base_box(a, box, dst->stride, &base, err);
    if (st != TESS_OK)
        return st;
    to.items = dst->items + base.offset;
    to.as = NULL;
    if (dst->as) {
        as = *dst->as;
        rename_items(&a->view->map, box, &as);
        to.as = &as;
    }
    memcpy(to.stride, base.stride, sizeof to.stride);
    return grid_read(a->grid, &base.box, &to, watch, err);
}

tess_status
array_base_box(const tess_array *a, const struct box *box, const struct box_memory_const *src,
               struct index_box *base, struct box_memory_const *base_src, tess_error *err)
{
    const tess_status st = base_box(a, box, src->stride, base, err);
    if (st != TESS_OK)
        return st;
    base_src->items = src->items + base->offset;
    base_src->as = src->as;
    memcpy(base_src->stride, base->stride, sizeof base_src->stride);
    return TESS_OK;
}

tess_status
array_write(tess_array *a, const struct box *box, const struct box_memory_const *src,
            struct frame_staged *staged, struct watch *watch, tess_error *err)
{
    struct index_box base;
    struct box_memory_const from;

    if (!a->view)
        return grid_write(a->grid, box, src, staged, watch, err);
    const tess_status st = array_base_box(a, box, src, &base, &from, err);
    return st == TESS_OK ? grid_write(a->grid, &base.box, &from, staged, watch, err) : st;
}

tess_status
array_is_constant(const tess_array *a, const struct box *box, enum constant_look look,
                  struct watch *watch, uint8_t *item, bool *is, tess_error *err)
{
    static const int64_t no_memory[NDIM_MAX];
    struct index_box base;

    *is = false;
    tess_status st = a->view ? base_box(a, box, no_memory, &base, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    gate_enter(a->grid->gate);
    st = constant_box(a->grid, a->view ? &base.box : box, look, watch, item, is, err);
    gate_leave(a->grid->gate);
    return st;
}

tess_status
array_boxes_ahead(struct boxes_ahead **x, const tess_array *a,
                  bool (*next_box)(void *arg, int64_t *start, int64_t *stop), void *arg,
                  struct watch *watch, tess_error *err)
{
    *x = NULL;
    const tess_status st = view_check(a, err);
    return st == TESS_OK ? boxes_ahead_new(x, a->grid, a->view ? &a->view->map : NULL, next_box,
                                           arg, watch, err)
                         : st;
}

// -- points and lists of indices of an array, which may be a view

tess_status
array_choose_points(const tess_array *a, int64_t npoints, const int64_t *coords,
                    struct selection *s, tess_error *err)
{
    struct index_map map;
    const tess_status st = view_map(a, &map, err);
    return st == TESS_OK ? selection_of_points(s, a->grid, &map, npoints, coords, err) : st;
}

tess_status
array_choose_orthogonal(const tess_array *a, const int64_t *counts, const int64_t *const *indices,
                        struct selection *s, tess_error *err)
{
    struct index_map map;
    const tess_status st = view_map(a, &map, err);
    return st == TESS_OK ? selection_of_axes(s, a->grid, &map, counts, indices, err) : st;
}

tess_status
array_get_points(const tess_array *a, int64_t npoints, const int64_t *coords, uint8_t *dst,
                 struct watch *watch, tess_error *err)
{
    struct selection s = {0};
    tess_status st = array_choose_points(a, npoints, coords, &s, err);
    if (st == TESS_OK)
        st = selection_read(&s, dst, watch, err);
    selection_finish(&s);
    return st;
}

tess_status
array_get_orthogonal(const tess_array *a, const int64_t *counts, const int64_t *const *indices,
                     uint8_t *dst, struct watch *watch, tess_error *err)
{
    struct selection s = {0};
    tess_status st = array_choose_orthogonal(a, counts, indices, &s, err);
    const struct watch_range all = watch_divide(watch);
    for (int64_t n = 0; n < s.ncopies && st == TESS_OK; n++) {
        watch_part(watch, &all, n + 1, s.ncopies);
        st = selection_read(&s, dst + selection_copy(&s, n) * a->g->typesize, watch, err);
    }
    selection_finish(&s);
    return st;
}
