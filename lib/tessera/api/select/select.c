/*
 * select.c - the public functions on selections: arguments are checked here, once.
 */
#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/items/box.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/sized.h"
#include "select/add.h"
#include "task/watch.h"

#include <tessera/select.h>

#include <inttypes.h>

static tess_status
check_memory(const tess_array *a, int64_t nitems, const void *memory, size_t size, tess_error *err)
{
    if ((uint64_t)nitems > size / (size_t)a->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%zu bytes of memory for %" PRId64 " items of %" PRId32 " bytes", size,
                       nitems, a->g->typesize);
    if (nitems > 0 && !memory)
        return err_set(err, TESS_ERR_ARG, -1, "no memory is given");
    return TESS_OK;
}

static bool
is_inside(const tess_array *a, int axis, int64_t index)
{
    return (uint64_t)index < (uint64_t)a->g->shape[axis];
}

static tess_status
check_coords(const tess_array *a, int64_t npoints, const int64_t *coords, tess_error *err)
{
    const int ndim = a->g->ndim;
    if (ndim > 0 && npoints > 0 && !coords)
        return err_set(err, TESS_ERR_ARG, -1, "no points are given");
    if (ndim > 0 && (uint64_t)npoints > SIZE_MAX / sizeof *coords / (size_t)ndim)
        return err_set(err, TESS_ERR_ARG, -1, "%" PRId64 " points do not fit in memory", npoints);
    for (int64_t n = 0; ndim > 0 && n < npoints; n++)
        for (int i = 0; i < ndim; i++)
            if (!is_inside(a, i, coords[n * ndim + i]))
                return err_set(err, TESS_ERR_ARG, -1,
                               "point %" PRId64 " has index %" PRId64 " on axis %d of %" PRId64, n,
                               coords[n * ndim + i], i, a->g->shape[i]);
    return TESS_OK;
}

static tess_status
check_count(int64_t npoints, tess_error *err)
{
    return npoints < 0 ? err_set(err, TESS_ERR_ARG, -1, "%" PRId64 " points", npoints) : TESS_OK;
}

static tess_status
check_points(const tess_array *a, int64_t npoints, const int64_t *coords, const void *memory,
             size_t size, tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = check_count(npoints, err);
    if (st == TESS_OK)
        st = check_memory(a, npoints, memory, size, err);
    return st == TESS_OK ? check_coords(a, npoints, coords, err) : st;
}

static tess_status
check_list(const tess_array *a, int axis, int64_t count, const int64_t *list, tess_error *err)
{
    if (count < 0)
        return err_set(err, TESS_ERR_ARG, -1, "%" PRId64 " indices for axis %d", count, axis);
    if (count > 0 && !list)
        return err_set(err, TESS_ERR_ARG, -1, "no indices are given for axis %d", axis);
    for (int64_t n = 0; n < count; n++)
        if (!is_inside(a, axis, list[n]))
            return err_set(err, TESS_ERR_ARG, -1,
                           "index %" PRId64 " of the list for axis %d is %" PRId64
                           ", the axis has %" PRId64,
                           n, axis, list[n], a->g->shape[axis]);
    return TESS_OK;
}

static tess_status
check_lists(const tess_array *a, const int64_t *counts, const int64_t *const *indices,
            const void *memory, size_t size, int64_t *nitems, tess_error *err)
{
    bool empty = false, fits = true;

    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    if (a->g->ndim > 0 && (!counts || !indices))
        return err_set(err, TESS_ERR_ARG, -1, "no indices are given");
    *nitems = 1;
    for (int i = 0; i < a->g->ndim; i++) {
        const tess_status st = check_list(a, i, counts[i], indices[i], err);
        if (st != TESS_OK)
            return st;
        empty |= counts[i] == 0;
        fits = fits && mul_i64(*nitems, counts[i], nitems);
    }
    if (empty)
        *nitems = 0;
    if (!empty && !fits)
        return err_set(err, TESS_ERR_ARG, -1, "the lists stand for 2^63 items or more");
    return check_memory(a, *nitems, memory, size, err);
}

TESS_API tess_status
tess_array_get_points(const tess_array *a, int64_t npoints, const int64_t *coords, void *dst,
                      size_t dst_size, tess_error *err)
{
    UNCANCELLED;
    struct reading r;
    tess_status st = check_points(a, npoints, coords, dst, dst_size, err);
    if (st != TESS_OK || npoints == 0)
        return st;
    st = reading_begin(&r, a, npoints, err);
    if (st == TESS_OK)
        st = array_get_points(a, npoints, coords, dst, &r.watch, err);
    return reading_end(&r, st, err);
}

TESS_API tess_status
tess_array_get_orthogonal(const tess_array *a, const int64_t *counts, const int64_t *const *indices,
                          void *dst, size_t dst_size, tess_error *err)
{
    UNCANCELLED;
    struct reading r;
    int64_t nitems = 0;
    tess_status st = check_lists(a, counts, indices, dst, dst_size, &nitems, err);
    if (st != TESS_OK || nitems == 0)
        return st;
    st = reading_begin(&r, a, nitems, err);
    if (st == TESS_OK)
        st = array_get_orthogonal(a, counts, indices, dst, &r.watch, err);
    return reading_end(&r, st, err);
}

TESS_API tess_status
tess_array_set_points(tess_array *a, int64_t npoints, const int64_t *coords, const void *src,
                      size_t src_size, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_points(a, npoints, coords, src, src_size, err);
    if (st != TESS_OK || npoints == 0)
        return st;
    array_watch(&watch, a, npoints);
    return watch_end(&watch, array_update_points(a, npoints, coords, src, &watch, err));
}

TESS_API tess_status
tess_array_set_orthogonal(tess_array *a, const int64_t *counts, const int64_t *const *indices,
                          const void *src, size_t src_size, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    int64_t nitems = 0;
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_lists(a, counts, indices, src, src_size, &nitems, err);
    if (st != TESS_OK || nitems == 0)
        return st;
    array_watch(&watch, a, nitems);
    return watch_end(&watch, array_update_orthogonal(a, counts, indices, src, &watch, err));
}

// -- additions

TESS_API void
tess_add_options_init_sized(tess_add_options *options, size_t struct_size)
{
    tess_add_options own = {.struct_size = struct_size, .misfit = TESS_MISFIT_ERROR};
    sized_give(options, struct_size, &own, sizeof own);
}

// given NULL: the defaults.
static tess_status
take_add_options(tess_add_options *own, const tess_add_options *given, tess_error *err)
{
    tess_add_options_init(own);
    const tess_status st =
        given ? sized_take(own, sizeof *own, SIZED_UP_TO(tess_add_options, reserved), given,
                           "add_options", err)
              : TESS_OK;
    if (st != TESS_OK)
        return st;
    if (own->reserved != 0)
        return err_set(err, TESS_ERR_ARG, -1, "a reserved option is %d", own->reserved);
    if (own->misfit < TESS_MISFIT_ERROR || own->misfit > TESS_MISFIT_WRAP)
        return err_set(err, TESS_ERR_ARG, -1, "misfit %d is not known", own->misfit);
    return TESS_OK;
}

TESS_API tess_status
tess_array_add_points(tess_array *a, int64_t npoints, const int64_t *coords, const void *src,
                      size_t src_size, const tess_add_options *options, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    struct addition add;
    tess_add_options o;
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = take_add_options(&o, options, err);
    if (st != TESS_OK)
        return st;
    const bool same = src_size == (size_t)a->g->typesize; // one item for all
    st = check_count(npoints, err);
    if (st == TESS_OK)
        st = check_memory(a, same && npoints > 1 ? 1 : npoints, src, src_size, err);
    if (st == TESS_OK)
        st = check_coords(a, npoints, coords, err);
    if (st == TESS_OK &&
        !addition_init(&add, a->nd.dtype ? a->nd.dtype : "", a->g->typesize, o.misfit))
        st = err_set(err, TESS_ERR_UNSUPPORTED, -1, "items of type \"%.80s\" are no numbers",
                     a->nd.dtype ? a->nd.dtype : "");
    if (st != TESS_OK || npoints == 0)
        return st;
    add.src = src;
    add.src_step = same ? 0 : a->g->typesize;
    add.coords = coords;
    add.ndim = a->g->ndim;
    array_watch(&watch, a, npoints);
    return watch_end(&watch, array_update_add(a, npoints, coords, &add, &watch, err));
}
