/*
 * reshape.c - the public functions that change an array's shape.
 */
#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/shape/shape.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "meta/dtype.h"
#include "task/watch.h"

#include <inttypes.h>
#include <string.h>

static tess_status
reshape_check_axis(const tess_array *a, int axis, tess_error *err)
{
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_no_view(a, err);
    if (st != TESS_OK)
        return st;
    if (axis < 0 || axis >= a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d of an array with %d dimensions", axis,
                       a->g->ndim);
    return TESS_OK;
}

static tess_status
reshape_check_shape(const tess_array *a, const int64_t *shape, tess_error *err)
{
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_no_view(a, err);
    if (st == TESS_OK && a->g->ndim > 0 && !shape)
        return err_set(err, TESS_ERR_ARG, -1, "no shape is given");
    return st;
}

static bool
reshape_has_shape(const tess_array *a, const int64_t *shape)
{
    return a->g->ndim == 0 || memcmp(shape, a->g->shape, (size_t)a->g->ndim * sizeof *shape) == 0;
}

TESS_API tess_status
tess_array_resize(tess_array *a, const int64_t *shape, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    const tess_status st = reshape_check_shape(a, shape, err);
    if (st != TESS_OK || reshape_has_shape(a, shape))
        return st;
    array_watch(&watch, a, a->g->nitems);
    return watch_end(&watch, array_update_shape(a, shape, NULL, NULL, &watch, err));
}

// A box inside a shape that the array is to have; *nitems of it.
static tess_status
check_future_box(const tess_array *a, const int64_t *shape, const struct box *box, int64_t *nitems,
                 tess_error *err)
{
    struct geometry future = *a->g;
    if (a->g->ndim > 0 && (!box->start || !box->stop))
        return err_set(err, TESS_ERR_ARG, -1, "no box is given");
    for (int i = 0; i < a->g->ndim; i++) {
        if (shape[i] < 0)
            return err_set(err, TESS_ERR_ARG, -1, "axis %d: %" PRId64 " items", i, shape[i]);
        future.shape[i] = shape[i];
    }
    return geometry_check_box(&future, box, nitems, err);
}

TESS_API tess_status
tess_array_resize_write(tess_array *a, const int64_t *shape, const int64_t *start,
                        const int64_t *stop, const void *src, size_t src_size,
                        const int64_t *strides, tess_error *err)
{
    UNCANCELLED;
    const struct box box = {start, stop, NULL};
    struct box_memory_const from = {.items = src};
    struct watch watch;
    int64_t count[NDIM_MAX];
    int64_t nitems;
    tess_status st = reshape_check_shape(a, shape, err);
    if (st == TESS_OK)
        st = check_future_box(a, shape, &box, &nitems, err);
    if (st != TESS_OK)
        return st;
    if (nitems == 0)
        return tess_array_resize(a, shape, err);
    for (int i = 0; i < a->g->ndim; i++)
        count[i] = stop[i] - start[i];
    st = strides_choose(a->g->ndim, count, a->g->typesize, strides, from.stride, err);
    if (st == TESS_OK)
        st = strides_check_memory(a->g->ndim, count, a->g->typesize, from.stride, src, src_size,
                                  err);
    if (st != TESS_OK)
        return st;
    array_watch(&watch, a, nitems);
    return watch_end(&watch, reshape_has_shape(a, shape)
                                 ? array_update_box(a, &box, &from, &watch, err)
                                 : array_update_shape(a, shape, &box, &from, &watch, err));
}

TESS_API tess_status
tess_array_resize_at(tess_array *a, const int64_t *shape, const int64_t *position, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    if (!position)
        return tess_array_resize(a, shape, err);
    const tess_status st = reshape_check_shape(a, shape, err);
    if (st != TESS_OK)
        return st;
    for (int i = 0; i < a->g->ndim; i++) {
        const int64_t n = a->g->shape[i];
        if (shape[i] < 0)
            return err_set(err, TESS_ERR_ARG, -1, "axis %d: %" PRId64 " items", i, shape[i]);
        if (position[i] < 0 || position[i] > n)
            return err_set(err, TESS_ERR_ARG, -1,
                           "axis %d: a change at %" PRId64 ", there are %" PRId64 " items", i,
                           position[i], n);
        if (shape[i] < n && position[i] > shape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "axis %d: %" PRId64 " items to remove at %" PRId64
                           ", there are %" PRId64,
                           i, n - shape[i], position[i], n);
    }
    if (reshape_has_shape(a, shape))
        return TESS_OK;
    array_watch(&watch, a, a->g->nitems);
    return watch_end(&watch, array_resize_at(a, shape, position, &watch, err));
}

// Memory for so many layers across an axis. from->items is NULL if the layers have no items.
static tess_status
check_layers(const tess_array *a, int axis, int64_t count, const void *src, size_t src_size,
             const int64_t *strides, struct box_memory_const *from, tess_error *err)
{
    const int ndim = a->g->ndim;
    const int64_t itemsize = a->g->typesize;
    int64_t extent[NDIM_MAX];
    int64_t longer, needed = itemsize;
    bool empty = false, fits = true;

    if (count < 0)
        return err_set(err, TESS_ERR_ARG, -1, "%" PRId64 " layers", count);
    if (!add_i64(a->g->shape[axis], count, &longer))
        return err_set(err, TESS_ERR_LIMIT, -1, "axis %d would have 2^63 items or more", axis);
    for (int i = 0; i < ndim; i++) {
        extent[i] = i == axis ? count : a->g->shape[i];
        empty |= extent[i] == 0;
        fits = fits && mul_i64(needed, extent[i], &needed);
    }
    from->items = NULL;
    if (empty)
        return TESS_OK;
    if (!fits)
        return err_set(err, TESS_ERR_LIMIT, -1, "%" PRId64 " layers do not fit in memory", count);
    if (!strides && (uint64_t)needed > src_size)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%zu bytes of memory, %" PRId64 " layers across axis %d have %" PRId64,
                       src_size, count, axis, needed);
    from->items = src;
    const tess_status st = strides_choose(ndim, extent, itemsize, strides, from->stride, err);
    return st == TESS_OK
               ? strides_check_memory(ndim, extent, itemsize, from->stride, src, src_size, err)
               : st;
}

static tess_status
insert_layers(tess_array *a, int axis, int64_t position, int64_t count,
              const struct box_memory_const *from, tess_error *err)
{
    struct watch watch;
    array_watch(&watch, a, a->g->nitems);
    return watch_end(
        &watch, array_insert(a, axis, position, count, from->items ? from : NULL, &watch, err));
}

TESS_API tess_status
tess_array_append(tess_array *a, int axis, int64_t count, const void *src, size_t src_size,
                  const int64_t *strides, tess_error *err)
{
    UNCANCELLED;
    struct box_memory_const from = {0};
    tess_status st = reshape_check_axis(a, axis, err);
    if (st == TESS_OK)
        st = check_layers(a, axis, count, src, src_size, strides, &from, err);
    if (st != TESS_OK || count == 0)
        return st;
    return insert_layers(a, axis, a->g->shape[axis], count, &from, err);
}

TESS_API tess_status
tess_array_insert(tess_array *a, int axis, int64_t position, int64_t count, const void *src,
                  size_t src_size, const int64_t *strides, tess_error *err)
{
    UNCANCELLED;
    struct box_memory_const from = {0};
    tess_status st = reshape_check_axis(a, axis, err);
    if (st != TESS_OK)
        return st;
    if (position < 0 || position > a->g->shape[axis])
        return err_set(err, TESS_ERR_ARG, -1,
                       "insertion at %" PRId64 ", axis %d has %" PRId64 " items", position, axis,
                       a->g->shape[axis]);
    st = check_layers(a, axis, count, src, src_size, strides, &from, err);
    if (st != TESS_OK || count == 0)
        return st;
    return insert_layers(a, axis, position, count, &from, err);
}

TESS_API tess_status
tess_array_delete(tess_array *a, int axis, int64_t start, int64_t stop, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    const tess_status st = reshape_check_axis(a, axis, err);
    if (st != TESS_OK)
        return st;
    const int64_t n = a->g->shape[axis];
    if (start < 0 || start > stop || stop > n)
        return err_set(err, TESS_ERR_ARG, -1,
                       "items %" PRId64 " to %" PRId64 " to delete, axis %d has %" PRId64, start,
                       stop, axis, n);
    if (start == stop)
        return TESS_OK;
    array_watch(&watch, a, a->g->nitems);
    return watch_end(&watch, array_delete(a, axis, start, stop - start, &watch, err));
}

// Whether items mean the same; of arrays that do not record a type the size has to do.
static bool
same_type(const tess_array *a, const tess_array *b)
{
    if (a->g->typesize != b->g->typesize)
        return false;
    if (!a->nd.dtype || !b->nd.dtype)
        return true;
    if (strcmp(a->nd.dtype, b->nd.dtype) == 0)
        return true;
    const tess_dtype s = dtype_parse(a->nd.dtype), t = dtype_parse(b->nd.dtype);
    switch (s.kind) {
    case TESS_KIND_BOOL:
    case TESS_KIND_INT:
    case TESS_KIND_UINT:
    case TESS_KIND_FLOAT:
    case TESS_KIND_COMPLEX: // other names of one type
        return s.kind == t.kind && s.order == t.order && s.size == t.size;
    default:
        return false;
    }
}

static tess_status
check_other(const tess_array *a, int axis, const tess_array *other, tess_error *err)
{
    if (other->g->ndim != a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "an array of %d dimensions behind one of %d",
                       other->g->ndim, a->g->ndim);
    if (!same_type(a, other))
        return err_set(err, TESS_ERR_ARG, -1,
                       "items \"%.64s\" of %" PRId32 " bytes behind \"%.64s\" of %" PRId32,
                       other->nd.dtype ? other->nd.dtype : "", other->g->typesize,
                       a->nd.dtype ? a->nd.dtype : "", a->g->typesize);
    for (int i = 0; i < a->g->ndim; i++)
        if (i != axis && a->g->shape[i] != other->g->shape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "axis %d: %" PRId64 " items, the array has %" PRId64, i,
                           other->g->shape[i], a->g->shape[i]);
    return TESS_OK;
}

TESS_API tess_status
tess_array_append_array(tess_array *a, int axis, const tess_array *other, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    int64_t longer;
    tess_status st = reshape_check_axis(a, axis, err);
    if (st != TESS_OK)
        return st;
    if (!other)
        return err_set(err, TESS_ERR_ARG, -1, "no other array is given");
    st = check_other(a, axis, other, err);
    if (st != TESS_OK)
        return st;
    if (!add_i64(a->g->shape[axis], other->g->shape[axis], &longer))
        return err_set(err, TESS_ERR_LIMIT, -1, "axis %d would have 2^63 items or more", axis);
    if (other->g->shape[axis] == 0)
        return TESS_OK;
    array_watch(&watch, a, other->g->nitems);
    return watch_end(&watch, array_append_array(a, axis, other, &watch, err));
}
