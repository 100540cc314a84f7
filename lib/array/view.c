/*
 * view.c - an array that is another one, seen through slices and with its axes in another order.
 */
#include "array/view.h"

#include "base/checked.h"
#include "base/error.h"
#include "geom/shape.h"

#include <stdlib.h>
#include <string.h>

tess_array *
view_base(tess_array *a)
{
    return a->view ? a->view->base : a;
}

const tess_array *
view_base_const(const tess_array *a)
{
    return a->view ? a->view->base : a;
}

tess_status
view_check(const tess_array *a, tess_error *err)
{
    if (!a->view)
        return TESS_OK;
    if (a->view->base->discarded)
        return err_set(err, TESS_ERR_STALE, -1, "the array of this view was discarded");
    if (a->view->moved != a->view->base->moved)
        return err_set(err, TESS_ERR_STALE, -1,
                       "the array of this view has got another shape since the view was made");
    return TESS_OK;
}

int
view_axis_of(const struct view *v, int ndim, int base_axis)
{
    for (int i = 0; i < ndim; i++)
        if (v->axis[i] == base_axis)
            return i;
    return -1;
}

int64_t
view_index(const struct view *v, int ndim, int base_axis, const int64_t *index)
{
    const int i = view_axis_of(v, ndim, base_axis);
    return i < 0 ? v->first[base_axis] : v->first[base_axis] + index[i] * v->step[base_axis];
}

tess_status
view_box(const tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
         const struct strided_const *memory, struct view_box *box,
         struct strided_const *base_memory, tess_error *err)
{
    const struct view *const v = a->view;
    const tess_status st = view_check(a, err);
    if (st != TESS_OK)
        return st;
    base_memory->items = memory->items;
    for (int b = 0; b < v->base->g.ndim; b++) { // what the view does not run along
        box->start[b] = v->first[b];
        box->stop[b] = v->first[b] + 1;
        box->step[b] = 1;
        base_memory->stride[b] = 0;
    }
    for (int i = 0; i < a->g.ndim; i++) {
        const int b = v->axis[i];
        if (b < 0)
            continue;
        const int64_t by = step ? step[i] : 1;
        const int64_t first = v->first[b] + start[i] * v->step[b];
        const int64_t last = v->first[b] + (stop[i] - 1) * v->step[b];
        box->start[b] = min_i64(first, last);
        box->stop[b] = max_i64(first, last) + 1;
        box->step[b] = first == last ? 1 : by * max_i64(v->step[b], -v->step[b]);
        base_memory->stride[b] = memory->stride[i];
        if (v->step[b] < 0) { // the memory runs the other way
            base_memory->items += (stop[i] - 1 - start[i]) / by * memory->stride[i];
            base_memory->stride[b] = -memory->stride[i];
        }
    }
    return TESS_OK;
}

// What the base's chunks and blocks are through the view, about.
static tess_status
choose_geometry(const tess_array *base, const struct view *v, int ndim, const int64_t *shape,
                struct geometry *g, tess_error *err)
{
    int64_t chunkshape[NDIM_MAX], blockshape[NDIM_MAX];
    for (int i = 0; i < ndim; i++) {
        const int b = v->axis[i];
        const int64_t step = b < 0 ? 1 : max_i64(v->step[b], -v->step[b]);
        int64_t chunk = 1, block = 1;
        if (b >= 0) {
            chunk = base->g.chunkshape[b];
            block = base->g.blockshape[b];
        }
        if (base->plain) { // 0: they differ
            chunk = chunk > 0 ? chunk : ceil_div(base->g.shape[0], max_i64(base->g.nchunks, 1));
            chunk = max_i64(chunk, 1);
            block = min_i64(max_i64(block, 1), chunk);
        }
        chunkshape[i] = ceil_div(chunk, step);
        blockshape[i] = ceil_div(block, step);
    }
    return geometry_init(g, ndim, shape, chunkshape, blockshape, base->g.typesize, TESS_ERR_ARG,
                         err);
}

// What tess_array_info() tells of the items; the base may get others (refresh.c).
static tess_status
copy_type(const tess_array *base, tess_array *a, tess_error *err)
{
    const size_t typesize = (size_t)base->g.typesize;
    a->nd = base->nd;
    a->nd.dtype = base->nd.dtype ? strdup(base->nd.dtype) : NULL;
    a->fill = base->fill ? malloc(typesize) : NULL;
    if (a->fill)
        memcpy(a->fill, base->fill, typesize);
    return !a->nd.dtype == !base->nd.dtype && !a->fill == !base->fill
               ? TESS_OK
               : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a view");
}

// Takes the content of *v.
static tess_status
new_view(const struct view *v, int ndim, const int64_t *shape, tess_array **out, tess_error *err)
{
    tess_array *const base = v->base;
    tess_array *const a = array_new();
    struct view *const copy = malloc(sizeof *copy);
    tess_status st = a && copy ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a view");

    if (st == TESS_OK)
        st = choose_geometry(base, v, ndim, shape, &a->g, err);
    if (st == TESS_OK)
        st = copy_type(base, a, err);
    if (st != TESS_OK) {
        free(copy);
        array_free(a);
        return st;
    }
    *copy = *v;
    copy->moved = base->moved;
    array_hold(base);
    a->view = copy;
    a->frame = base->frame;
    a->offset = base->offset;
    a->layer = base->layer;
    a->context = base->context;
    *out = a;
    return TESS_OK;
}

// The array itself, as a view.
static void
identity(tess_array *a, struct view *v)
{
    if (a->view) {
        *v = *a->view;
        return;
    }
    *v = (struct view){.base = a};
    for (int i = 0; i < a->g.ndim; i++) {
        v->axis[i] = i;
        v->step[i] = 1;
    }
}

tess_status
view_slice(tess_array *a, const int64_t *first, const int64_t *count, const int64_t *step,
           tess_array **view, tess_error *err)
{
    struct view v;
    identity(a, &v);
    for (int i = 0; i < a->g.ndim; i++) {
        const int b = v.axis[i];
        if (b < 0)
            continue;
        if (count[i] > 0) // else it may be any number
            v.first[b] += first[i] * v.step[b];
        v.step[b] = count[i] > 1 ? v.step[b] * step[i] : 1; // that of one item means nothing
    }
    return new_view(&v, a->g.ndim, count, view, err);
}

tess_status
view_axes(tess_array *a, int ndim, const int *axes, tess_array **view, tess_error *err)
{
    struct view v, from;
    int64_t shape[NDIM_MAX];
    identity(a, &from);
    v = from;
    for (int i = 0; i < ndim; i++) {
        v.axis[i] = axes[i] < 0 ? -1 : from.axis[axes[i]];
        shape[i] = axes[i] < 0 ? 1 : a->g.shape[axes[i]];
    }
    return new_view(&v, ndim, shape, view, err);
}
