/*
 * chosen.c - points and lists of indices of an array, which may be a view.
 */
#include "array/items/chosen.h"

#include "array/view.h"
#include "geom/index_map.h"
#include "select/gather.h"
#include "select/orthogonal.h"
#include "select/points.h"
#include "select/selection.h"
#include "task/watch.h"

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
