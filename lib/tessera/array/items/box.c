/*
 * box.c - a box of an array, which may be a view, to memory and back.
 */
#include "array/items/box.h"

#include "array/view.h"
#include "grid/converted.h"
#include "grid/read/read.h"
#include "grid/write/write.h"
#include "task/gate.h"

#include <string.h>

static tess_status
base_box(const tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
         const int64_t *stride, struct index_box *box, tess_error *err)
{
    const tess_status st = view_check(a, err);
    if (st == TESS_OK)
        index_map_box(&a->view->map, start, stop, step, stride, box);
    return st;
}

// Items are called by their indices in the view, whose axes are others than those of the base.
static void
rename_items(const struct index_map *map, const int64_t *start, const int64_t *stop,
             const int64_t *step, struct converted *as)
{
    for (int i = 0; i < map->ndim; i++) {
        const int b = map->axis[i];
        const int64_t by = step ? step[i] : 1;
        const bool downwards = b >= 0 && map->step[b] < 0;
        as->axis[i] = b;
        as->first[i] = downwards ? stop[i] - 1 : start[i];
        as->step[i] = downwards ? -by : by;
    }
}

tess_status
array_read(const tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
           const struct strided *dst, struct watch *watch, tess_error *err)
{
    struct index_box box;
    struct strided to;
    struct converted as;

    if (!a->view)
        return grid_read(a->grid, start, stop, step, dst, watch, err);
    const tess_status st = base_box(a, start, stop, step, dst->stride, &box, err);
    if (st != TESS_OK)
        return st;
    to.items = dst->items + box.offset;
    to.as = NULL;
    if (dst->as) {
        as = *dst->as;
        rename_items(&a->view->map, start, stop, step, &as);
        to.as = &as;
    }
    memcpy(to.stride, box.stride, sizeof to.stride);
    return grid_read(a->grid, box.start, box.stop, box.step, &to, watch, err);
}

tess_status
array_base_box(const tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
               const struct strided_const *src, struct index_box *box,
               struct strided_const *base_src, tess_error *err)
{
    const tess_status st = base_box(a, start, stop, step, src->stride, box, err);
    if (st != TESS_OK)
        return st;
    base_src->items = src->items + box->offset;
    base_src->as = src->as;
    memcpy(base_src->stride, box->stride, sizeof base_src->stride);
    return TESS_OK;
}

tess_status
array_write(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
            const struct strided_const *src, struct frame_staged *staged, struct watch *watch,
            tess_error *err)
{
    struct index_box box;
    struct strided_const from;

    if (!a->view)
        return grid_write(a->grid, start, stop, step, src, staged, watch, err);
    const tess_status st = array_base_box(a, start, stop, step, src, &box, &from, err);
    return st == TESS_OK
               ? grid_write(a->grid, box.start, box.stop, box.step, &from, staged, watch, err)
               : st;
}

tess_status
array_is_constant(const tess_array *a, const int64_t *start, const int64_t *stop,
                  enum constant_look look, struct watch *watch, uint8_t *item, bool *is,
                  tess_error *err)
{
    static const uint8_t nothing;
    const struct strided_const memory = {.items = &nothing};
    struct strided_const unused;
    struct index_box box;

    *is = false;
    tess_status st =
        a->view ? array_base_box(a, start, stop, NULL, &memory, &box, &unused, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    gate_enter(a->grid->gate);
    st = a->view ? constant_box(a->grid, box.start, box.stop, box.step, look, watch, item, is, err)
                 : constant_box(a->grid, start, stop, NULL, look, watch, item, is, err);
    gate_leave(a->grid->gate);
    return st;
}
