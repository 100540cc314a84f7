/*
 * write.c - assignment to items of an array.
 *
 * Slices are written from the memory of the value, whatever its order: an axis along which it is
 * broadcast has the stride 0. For lists of indices and masks, the value is brought into the raw
 * order first, unless it is a single item.
 */
#include "items/write.h"

#include "base/array.h"
#include "base/call.h"
#include "base/memory.h"
#include "base/methods.h"
#include "base/names.h"
#include "items/index.h"
#include "items/parts.h"
#include "items/selection.h"
#include "items/value.h"

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

// Allocate memory in the raw order, and assign the value to it by NumPy.
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

// The assignment of a value to the items that an index selects.
struct assignment {
    struct py_selection s;
    struct py_memory value; // of the type of the array
    struct py_memory raw; // the value in the raw order, if that is needed
    int64_t strides[TESS_MAX_NDIM]; // PY_PICK_SLICE: of the value, per axis of the array
    bool one; // it is a single item
};

// Resolve the index, and prepare the value for the selection. False: an exception is set.
static bool
prepare_write(struct assignment *w, const struct py_array *a, const struct py_parts *parts,
              enum py_index_way way)
{
    int64_t strides[PY_MAX_NDIM];
    const Py_buffer *const view = &w->value.view;

    if (!py_index_select(&w->s, a, parts, way) || !broadcast_strides(&w->s, view, strides))
        return false;
    w->one = view->len == view->itemsize;
    if (w->s.pick != PY_PICK_SLICE)
        return (w->one && w->s.pick == PY_PICK_MASK) ||
               raw_value(&w->s, a, w->value.array, &w->raw);
    for (int i = 0; i < w->s.array_ndim; i++)
        w->strides[i] = w->s.result_axis[i] < 0 ? 0 : strides[w->s.result_axis[i]];
    return true;
}

// Write the value to the selected items. The GIL is not held.
static tess_status
write_from(const struct assignment *w, struct py_array *a, tess_error *err)
{
    const struct py_selection *const s = &w->s;
    const struct py_memory *const from = w->raw.held ? &w->raw : &w->value;
    const void *const src = from->view.buf;
    const size_t size = (size_t)from->view.len, reach = py_memory_reach(&w->value);

    if (s->pick == PY_PICK_SLICE && s->scalar)
        return tess_array_set_item(a->handle, s->start, src, reach, err);
    if (s->pick == PY_PICK_SLICE && w->one)
        return tess_array_fill(a->handle, s->start, s->stop, s->step, src, reach, err);
    if (s->pick == PY_PICK_SLICE)
        return tess_array_set_slice(a->handle, s->start, s->stop, s->step, src, reach, w->strides,
                                    err);
    if (s->pick == PY_PICK_MASK) {
        const tess_mask mask = {.ndim = s->mask_ndim,
                                .bytes = s->mask.view.buf,
                                .bytes_size = (size_t)s->mask.view.len};
        return tess_array_set_mask(a->handle, &mask, src, size, err);
    }
    if (s->pick == PY_PICK_LISTS)
        return tess_array_set_orthogonal(a->handle, s->counts, (const int64_t *const *)s->lists,
                                         src, size, err);
    if (s->pick == PY_PICK_POINTS)
        return tess_array_set_points(a->handle, s->npoints, s->points, src, size, err);
    return tess_array_set_boxes(a->handle, s->npoints, s->points, s->box, src, size, err);
}

// Convert the value to the current type of the array. False: an exception is set.
static bool
take_value(struct assignment *w, const struct py_array *a, PyObject *value, PyObject **dtype)
{
    py_memory_drop(&w->value);
    Py_XDECREF(*dtype);
    *dtype = Py_NewRef(a->dtype); // refresh() may change the type
    PyObject *const items = py_value_items(a, value);
    const bool ok = items && py_memory_hold(&w->value, items, false);
    Py_XDECREF(items);
    return ok;
}

// Enters a call. If the type of the array changed before, the value is converted again. False: an
// exception is set.
static bool
enter_write(struct py_call *call, struct assignment *w, struct py_array *a, PyObject *value,
            PyObject **dtype)
{
    for (;;) {
        if (!py_call_enter(call, a, PY_SHARED))
            return false;
        if (a->dtype == *dtype)
            return true;
        py_call_leave(call);
        if (!take_value(w, a, value, dtype))
            return false;
    }
}

static bool
write_index(struct py_array *a, PyObject *index, enum py_index_way way, PyObject *value)
{
    struct assignment w;
    struct py_parts parts;
    struct py_call call;
    PyObject *dtype = NULL;
    bool ok;

    py_selection_init(&w.s);
    w.value = w.raw = (struct py_memory){0};
    parts.n = 0;
    ok = take_value(&w, a, value, &dtype) && py_parts_parse(&parts, a, index);
    if (!ok)
        goto out;
    do {
        py_selection_finish(&w.s);
        py_memory_drop(&w.raw);
        ok = enter_write(&call, &w, a, value, &dtype);
        if (!ok)
            goto out;
        ok = prepare_write(&w, a, &parts, way);
        if (!ok) {
            py_call_leave(&call);
            goto out;
        }
    } while (!py_call_go(&call));
    const tess_status st = write_from(&w, a, &call.err);
    ok = py_call_end(&call, st);
out:
    py_selection_finish(&w.s);
    py_memory_drop(&w.raw);
    py_memory_drop(&w.value);
    py_parts_finish(&parts);
    Py_XDECREF(dtype);
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
