/*
 * view.c - the public functions that make views: arguments are checked here, once.
 */
#include "array/view.h"
#include "api/select/slice.h"
#include "api/uncancelled.h"
#include "base/error.h"

#include <tessera/view.h>

#include <inttypes.h>

static tess_status
view_begin(const tess_array *a, tess_array **view, tess_error *err)
{
    if (!view)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the view is given");
    *view = NULL;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    return view_check(a, err);
}

TESS_API tess_status
tess_array_view_read_only(const tess_array *a, tess_array **view, tess_error *err)
{
    UNCANCELLED;
    const tess_status st = view_begin(a, view, err);
    return st == TESS_OK ? view_read_only(a, view, err) : st;
}

TESS_API tess_status
tess_array_view_slice(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
                      tess_array **view, tess_error *err)
{
    UNCANCELLED;
    struct slice s;
    tess_status st = view_begin(a, view, err);
    if (st == TESS_OK)
        st = slice_check(a, start, stop, step, &s, err);
    return st == TESS_OK ? view_slice(a, s.first, s.count, s.step, view, err) : st;
}

TESS_API tess_status
tess_array_view_squeeze(tess_array *a, int axis, tess_array **view, tess_error *err)
{
    UNCANCELLED;
    int axes[NDIM_MAX];
    int ndim = 0;
    const tess_status st = view_begin(a, view, err);
    if (st != TESS_OK)
        return st;
    if (axis < -1 || axis >= a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d of an array with %d dimensions", axis,
                       a->g->ndim);
    if (axis >= 0 && a->g->shape[axis] != 1)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d has %" PRId64 " items, not 1", axis,
                       a->g->shape[axis]);
    for (int i = 0; i < a->g->ndim; i++)
        if (axis < 0 ? a->g->shape[i] != 1 : i != axis)
            axes[ndim++] = i;
    return view_axes(a, ndim, axes, view, err);
}

TESS_API tess_status
tess_array_view_expand(tess_array *a, int axis, tess_array **view, tess_error *err)
{
    UNCANCELLED;
    int axes[NDIM_MAX];
    int from = 0;
    const tess_status st = view_begin(a, view, err);
    if (st != TESS_OK)
        return st;
    if (axis < 0 || axis > a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "a new axis %d for an array with %d dimensions", axis,
                       a->g->ndim);
    if (a->g->ndim == NDIM_MAX)
        return err_set(err, TESS_ERR_ARG, -1, "the array has %d dimensions already", NDIM_MAX);
    for (int i = 0; i <= a->g->ndim; i++)
        axes[i] = i == axis ? -1 : from++;
    return view_axes(a, a->g->ndim + 1, axes, view, err);
}

TESS_API tess_status
tess_array_view_permute(tess_array *a, const int *axes, tess_array **view, tess_error *err)
{
    UNCANCELLED;
    int order[NDIM_MAX];
    bool used[NDIM_MAX] = {false};
    const tess_status st = view_begin(a, view, err);
    if (st != TESS_OK)
        return st;
    for (int i = 0; i < a->g->ndim; i++) {
        order[i] = axes ? axes[i] : a->g->ndim - 1 - i;
        if (order[i] < 0 || order[i] >= a->g->ndim)
            return err_set(err, TESS_ERR_ARG, -1, "axis %d of an array with %d dimensions",
                           order[i], a->g->ndim);
        if (used[order[i]])
            return err_set(err, TESS_ERR_ARG, -1, "axis %d is named twice", order[i]);
        used[order[i]] = true;
    }
    return view_axes(a, a->g->ndim, order, view, err);
}
