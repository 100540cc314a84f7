/*
 * write.c - assignment to items of an array.
 *
 * Slices are written from the memory of the value, whatever its order: an axis along which it is
 * broadcast has the stride 0. For lists of indices and masks, the value is brought into the raw
 * order first, unless it is a single item.
 */
#include "python/src/items/write.h"

#include "python/src/base/array.h"
#include "python/src/base/call.h"
#include "python/src/base/memory.h"
#include "python/src/base/methods.h"
#include "python/src/base/names.h"
#include "python/src/items/index.h"
#include "python/src/items/selection.h"
#include "python/src/items/value.h"

static bool
no_broadcast(const struct py_selection *s, const Py_buffer *value)
{
    int64_t shape[PY_MAX_NDIM];
    for (int i = 0; i < value->ndim && i < PY_MAX_NDIM; i++)
        shape[i] = value->shape[i];
    PyObject *const have = py_memory_tuple(value->ndim, shape);
    PyObject *const want = py_memory_tuple(s->ndim, s->shape);
    if (have && want)
        PyErr_Format(PyExc_ValueError,
                     "could not broadcast input array from shape %R into shape %R", have, want);
    Py_XDECREF(want);
    Py_XDECREF(have);
    return false;
}

// Bytes from one item of the value to the next per axis of the result; 0 where it is broadcast.
static bool
broadcast_strides(const struct py_selection *s, const Py_buffer *value, int64_t *strides)
{
    const int more = value->ndim - s->ndim; // axes of length 1 in front, which NumPy allows
    for (int i = 0; i < more; i++)
        if (value->shape[i] != 1)
            return no_broadcast(s, value);
    for (int i = 0; i < s->ndim; i++) {
        const int axis = i + more;
        strides[i] = axis < 0 || value->shape[axis] == 1 ? 0 : value->strides[axis];
        if (axis >= 0 && value->shape[axis] != 1 && value->shape[axis] != s->shape[i])
            return no_broadcast(s, value);
    }
    return true;
}

static bool
write_slice(const struct py_selection *s, struct py_array *a, const struct py_memory *value)
{
    int64_t result[PY_MAX_NDIM], strides[TESS_MAX_NDIM];
    struct py_call call;
    tess_status st;

    if (!broadcast_strides(s, &value->view, result))
        return false;
    for (int i = 0; i < s->array_ndim; i++)
        strides[i] = s->result_axis[i] < 0 ? 0 : result[s->result_axis[i]];
    const size_t reach = py_memory_reach(value);
    const bool one = value->view.len == value->view.itemsize;
    if (!py_call_begin(&call, a, PY_SHARED))
        return false;
    st = py_index_fits(s, a, &call.err);
    if (st != TESS_OK)
        ; // call.err says why
    else if (s->scalar)
        st = tess_array_set_item(a->handle, s->start, value->view.buf, reach, &call.err);
    else if (one)
        st = tess_array_fill(a->handle, s->start, s->stop, s->step, value->view.buf, reach,
                             &call.err);
    else
        st = tess_array_set_slice(a->handle, s->start, s->stop, s->step, value->view.buf, reach,
                                  strides, &call.err);
    return py_call_end(&call, st);
}

// New memory in the raw order, to which a value was assigned as NumPy does it.
static bool
raw_value(const struct py_selection *s, const struct py_array *a, PyObject *value,
          struct py_memory *raw)
{
    if (!py_memory_empty(raw, s->raw_ndim, s->raw, a->dtype))
        return false;
    PyObject *const result = py_index_turn(s, raw->array);
    const bool ok = result && PyObject_SetItem(result, Py_Ellipsis, value) == 0;
    Py_XDECREF(result);
    return ok;
}

static bool
write_raw(const struct py_selection *s, struct py_array *a, const struct py_memory *value,
          const struct py_memory *mask)
{
    struct py_call call;
    tess_status st;
    const void *const src = value->view.buf;
    const size_t size = (size_t)value->view.len;

    if (!py_call_begin(&call, a, PY_SHARED))
        return false;
    st = py_index_fits(s, a, &call.err);
    if (st != TESS_OK) {
        ; // call.err says why
    } else if (s->pick == PY_PICK_MASK) {
        const tess_mask bytes = {
            .ndim = s->mask_ndim, .bytes = mask->view.buf, .bytes_size = (size_t)mask->view.len};
        st = tess_array_set_mask(a->handle, &bytes, src, size, &call.err);
    } else if (s->pick == PY_PICK_LISTS) {
        st = tess_array_set_orthogonal(a->handle, s->counts, (const int64_t *const *)s->lists, src,
                                       size, &call.err);
    } else if (s->pick == PY_PICK_POINTS) {
        st = tess_array_set_points(a->handle, s->npoints, s->points, src, size, &call.err);
    } else {
        st = tess_array_set_boxes(a->handle, s->npoints, s->points, s->box, src, size, &call.err);
    }
    return py_call_end(&call, st);
}

// Lists and masks.
static bool
write_chosen(struct py_selection *s, struct py_array *a, PyObject *value, const Py_buffer *view)
{
    int64_t strides[PY_MAX_NDIM];
    struct py_memory raw = {0}, mask = {0};
    bool ok =
        py_index_count(s) && (s->pick != PY_PICK_MASK || py_memory_hold(&mask, s->mask, false));

    ok = ok && broadcast_strides(s, view, strides);
    const bool one = s->pick == PY_PICK_MASK && view->len == view->itemsize;
    ok = ok && (one ? py_memory_hold(&raw, value, false) : raw_value(s, a, value, &raw)) &&
         write_raw(s, a, &raw, &mask);
    py_memory_drop(&raw);
    py_memory_drop(&mask);
    return ok;
}

static bool
write_index(struct py_array *a, PyObject *index, enum py_index_way way, PyObject *value)
{
    struct py_selection s;
    struct py_memory memory = {0};
    PyObject *const items = py_value_items(a, value);
    bool ok = items && py_memory_hold(&memory, items, false);

    if (ok) {
        ok = py_index_parse(&s, a, index, way);
        if (ok)
            ok = s.pick == PY_PICK_SLICE ? write_slice(&s, a, &memory)
                                         : write_chosen(&s, a, items, &memory.view);
        py_selection_finish(&s);
    }
    py_memory_drop(&memory);
    Py_XDECREF(items);
    return ok;
}

int
py_write_item(PyObject *self, PyObject *index, PyObject *value)
{
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "items cannot be deleted; delete() removes layers");
        return -1;
    }
    return write_index((struct py_array *)(void *)self, index, PY_INDEX_NUMPY, value) ? 0 : -1;
}

// _write(index, way, value)
static PyObject *
array_write(PyObject *self, PyObject *args)
{
    PyObject *index, *value;
    int way;

    if (!PyArg_ParseTuple(args, "OiO", &index, &way, &value))
        return NULL;
    if (!write_index((struct py_array *)(void *)self, index, (enum py_index_way)way, value))
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef py_write_methods[] = {
    {"_write", array_write, METH_VARARGS, "_write(index, way, value): as _read()."},
    {NULL, NULL, 0, NULL},
};
