/*
 * select.c - the public functions on selections and on many boxes: arguments are checked here,
 * once.
 */
#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/items/box.h"
#include "array/items/boxes.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/sized.h"
#include "select/gather.h"
#include "task/watch.h"

#include <tessera/boxes.h>
#include <tessera/select.h>

#include <inttypes.h>

// -- selections

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

// -- many boxes

TESS_API void
tess_boxes_options_init_sized(tess_boxes_options *options, size_t struct_size)
{
    tess_boxes_options own = {.struct_size = struct_size, .edge = TESS_EDGE_ERROR};
    sized_give(options, struct_size, &own, sizeof own);
}

// given NULL: the defaults.
static tess_status
take_options(tess_boxes_options *own, const tess_boxes_options *given, tess_error *err)
{
    tess_boxes_options_init(own);
    return given ? sized_take(own, sizeof *own, SIZED_UP_TO(tess_boxes_options, fill_size), given,
                              "boxes_options", err)
                 : TESS_OK;
}

static tess_status
check_options(const tess_array *a, const tess_boxes_options *o, tess_error *err)
{
    if (o->edge < TESS_EDGE_ERROR || o->edge > TESS_EDGE_MIRROR)
        return err_set(err, TESS_ERR_ARG, -1, "edge mode %d", o->edge);
    if (o->edge == TESS_EDGE_FILL && o->fill && (uint64_t)o->fill_size < (uint64_t)a->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a fill value of %zu bytes, items of the array have %" PRId32, o->fill_size,
                       a->g->typesize);
    for (int i = 0; i < a->g->ndim; i++)
        if (o->edge >= TESS_EDGE_NEAREST && a->g->shape[i] == 0)
            return err_set(err, TESS_ERR_ARG, -1, "axis %d has no items to be shown past its edge",
                           i);
    return TESS_OK;
}

// How many items a box has; 0, too, if all boxes together have none.
static tess_status
check_box_shape(const tess_array *a, struct boxes *b, const void *memory, size_t size,
                tess_error *err)
{
    bool empty = b->n == 0, fits = true;
    int64_t nitems;

    b->nitems = 1;
    for (int i = 0; i < a->g->ndim; i++) {
        if (b->shape[i] < 0)
            return err_set(err, TESS_ERR_ARG, -1, "boxes of %" PRId64 " items along axis %d",
                           b->shape[i], i);
        empty |= b->shape[i] == 0;
        fits = fits && mul_i64(b->nitems, b->shape[i], &b->nitems);
    }
    if (empty) {
        b->nitems = 0;
        return TESS_OK;
    }
    if (!fits || !mul_i64(b->nitems, b->n, &nitems))
        return err_set(err, TESS_ERR_ARG, -1, "the boxes have 2^63 items or more");
    if ((uint64_t)nitems > size / (size_t)a->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%zu bytes of memory for %" PRId64 " boxes of %" PRId64 " items of %" PRId32
                       " bytes",
                       size, b->n, b->nitems, a->g->typesize);
    if (!memory)
        return err_set(err, TESS_ERR_ARG, -1, "no memory is given");
    return TESS_OK;
}

static tess_status
check_starts(const tess_array *a, const struct boxes *b, tess_error *err)
{
    const int ndim = a->g->ndim;
    for (int64_t n = 0; ndim > 0 && n < b->n; n++)
        for (int i = 0; i < ndim; i++) {
            const int64_t start = b->starts[n * ndim + i];
            int64_t stop;
            if (!add_i64(start, b->shape[i], &stop))
                return err_set(err, TESS_ERR_ARG, -1, "box %" PRId64 " ends beyond 2^63 on axis %d",
                               n, i);
            if (b->edge == TESS_EDGE_ERROR && (start < 0 || stop > a->g->shape[i]))
                return err_set(err, TESS_ERR_ARG, -1,
                               "box %" PRId64 " has the indices %" PRId64 " to %" PRId64
                               " on axis %d of %" PRId64,
                               n, start, stop, i, a->g->shape[i]);
        }
    return TESS_OK;
}

static tess_status
check_boxes(const tess_array *a, struct boxes *b, const void *memory, size_t size, tess_error *err)
{
    const size_t ndim = (size_t)a->g->ndim;
    if (b->n < 0)
        return err_set(err, TESS_ERR_ARG, -1, "%" PRId64 " boxes", b->n);
    if (ndim > 0 && !b->shape)
        return err_set(err, TESS_ERR_ARG, -1, "no shape is given");
    if (ndim > 0 && b->n > 0 && !b->starts)
        return err_set(err, TESS_ERR_ARG, -1, "no boxes are given");
    if (ndim > 0 && (uint64_t)b->n > SIZE_MAX / sizeof *b->starts / ndim)
        return err_set(err, TESS_ERR_ARG, -1, "%" PRId64 " boxes do not fit in memory", b->n);
    const tess_status st = check_box_shape(a, b, memory, size, err);
    return st == TESS_OK ? check_starts(a, b, err) : st;
}

TESS_API tess_status
tess_array_get_boxes(const tess_array *a, int64_t nboxes, const int64_t *starts,
                     const int64_t *shape, const tess_boxes_options *options, void *dst,
                     size_t dst_size, tess_error *err)
{
    UNCANCELLED;
    tess_boxes_options own;
    struct boxes boxes = {.n = nboxes, .starts = starts, .shape = shape};
    struct reading r;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = take_options(&own, options, err);
    if (st == TESS_OK)
        st = check_options(a, &own, err);
    if (st != TESS_OK)
        return st;
    boxes.edge = (tess_edge)own.edge;
    boxes.fill = own.fill;
    st = check_boxes(a, &boxes, dst, dst_size, err);
    if (st != TESS_OK || boxes.nitems == 0)
        return st;
    st = reading_begin(&r, a, nboxes * boxes.nitems, err);
    if (st == TESS_OK)
        st = array_get_boxes(a, &boxes, dst, &r.watch, err);
    return reading_end(&r, st, err);
}

TESS_API tess_status
tess_array_set_boxes(tess_array *a, int64_t nboxes, const int64_t *starts, const int64_t *shape,
                     const void *src, size_t src_size, tess_error *err)
{
    UNCANCELLED;
    struct boxes boxes = {.n = nboxes, .starts = starts, .shape = shape, .edge = TESS_EDGE_ERROR};
    struct watch watch;
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_boxes(a, &boxes, src, src_size, err);
    if (st != TESS_OK || boxes.nitems == 0)
        return st;
    array_watch(&watch, a, nboxes * boxes.nitems);
    return watch_end(&watch, array_update_boxes(a, &boxes, src, &watch, err));
}
