/*
 * shape.c - arrays that grow and shrink: append, insert, delete, resize.
 */
#include "base/array.h"
#include "base/call.h"
#include "base/memory.h"
#include "base/methods.h"
#include "base/names.h"
#include "items/parts.h"
#include "items/value.h"

// Ends a call that changes the shape.
static PyObject *
end_change(struct py_call *call, tess_status st, struct py_array *a)
{
    return py_array_end_change(a, call, st, false) ? Py_NewRef(Py_None) : NULL;
}

// resize(shape)
static PyObject *
array_resize(PyObject *self, PyObject *sequence)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    int64_t shape[TESS_MAX_NDIM];
    struct py_call call;
    const int n = py_memory_numbers(sequence, "shape", TESS_MAX_NDIM, shape);

    if (n < 0)
        return NULL;
    if (n != a->ndim) {
        PyErr_Format(PyExc_ValueError, "shape has length %d, the array has %d dimensions", n,
                     a->ndim);
        return NULL;
    }
    if (!py_call_begin(&call, a, PY_EXCLUSIVE))
        return NULL;
    const tess_status st = tess_array_resize(a->handle, shape, &call.err);
    return end_change(&call, st, a);
}

// Whether the shape of `view` equals that of the array, except along `axis`. False: an exception is
// set.
static bool
are_layers(const struct py_array *a, int axis, const Py_buffer *view)
{
    int64_t shape[PY_MAX_NDIM];
    bool fits = view->ndim == a->ndim;

    for (int i = 0; fits && i < a->ndim; i++)
        fits = i == axis || view->shape[i] == a->shape[i];
    if (fits)
        return true;
    for (int i = 0; i < view->ndim && i < PY_MAX_NDIM; i++)
        shape[i] = view->shape[i];
    PyObject *const have = py_memory_tuple(a->ndim, a->shape);
    PyObject *const items = py_memory_tuple(view->ndim, shape);
    if (have && items)
        PyErr_Format(PyExc_ValueError,
                     "items of the shape %R do not fit an array of the shape %R along axis %d",
                     items, have, axis);
    Py_XDECREF(items);
    Py_XDECREF(have);
    return false;
}

// Parse the position of new layers; a negative one counts from the end. -1: an exception is set.
static int64_t
place_layers(const struct py_array *a, int axis, int64_t position)
{
    const int64_t length = a->shape[axis], from_start = position < 0 ? position + length : position;

    if (from_start >= 0 && from_start <= length)
        return from_start;
    PyErr_Format(PyExc_IndexError, "position %lld is out of bounds for axis %d with size %lld",
                 (long long)position, axis, (long long)length);
    return -1;
}

// Insert layers. Their shape and position are checked inside the entered call, so that no other
// thread changes the shape afterwards: the library cannot check strides. position NULL: at the end.
static PyObject *
insert_layers(struct py_array *a, int axis, const int64_t *position, const struct py_memory *items)
{
    struct py_call call;
    int64_t strides[TESS_MAX_NDIM] = {0}, at;
    tess_status st;
    const size_t reach = py_memory_reach(items);

    for (int i = 0; i < items->view.ndim && i < TESS_MAX_NDIM; i++)
        strides[i] = items->view.strides[i];
    do {
        if (!py_call_enter(&call, a, PY_EXCLUSIVE))
            return NULL;
        at = position ? place_layers(a, axis, *position) : 0;
        if (at < 0 || !are_layers(a, axis, &items->view)) {
            py_call_leave(&call);
            return NULL;
        }
    } while (!py_call_go(&call));
    if (position)
        st = tess_array_insert(a->handle, axis, at, items->view.shape[axis], items->view.buf, reach,
                               strides, &call.err);
    else
        st = tess_array_append(a->handle, axis, items->view.shape[axis], items->view.buf, reach,
                               strides, &call.err);
    return end_change(&call, st, a);
}

// _insert(axis, position, items): position None: at the end. items have all axes.
static PyObject *
array_insert(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyObject *where, *value, *result = NULL;
    struct py_memory items = {0};
    int64_t position = 0;
    long long number;

    if (!PyArg_ParseTuple(args, "LOO", &number, &where, &value))
        return NULL;
    const int axis = py_array_axis(a, number);
    if (axis < 0)
        return NULL;
    const bool at_end = where == Py_None;
    if (!at_end)
        position = PyNumber_AsSsize_t(where, PyExc_IndexError);
    if (PyErr_Occurred())
        return NULL;
    PyObject *const layers = py_value_items(a, value);
    if (layers && py_memory_hold(&items, layers, false))
        result = insert_layers(a, axis, at_end ? NULL : &position, &items);
    py_memory_drop(&items);
    Py_XDECREF(layers);
    return result;
}

// _append_array(axis, other): the items of another array of tessera.
static PyObject *
array_append_array(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyObject *object;
    struct py_call call;
    long long number;

    if (!PyArg_ParseTuple(args, "LO", &number, &object))
        return NULL;
    const int axis = py_array_axis(a, number);
    struct py_array *const other = axis < 0 ? NULL : py_array_of(object);
    if (!other || !py_call_begin_both(&call, a, PY_EXCLUSIVE, other))
        return NULL;
    const tess_status st = tess_array_append_array(a->handle, axis, other->handle, &call.err);
    return end_change(&call, st, a);
}

// Resolve a part of an index (a number or a slice) to the range of layers [*start, *stop). False:
// an exception is set.
static bool
select_layers(const struct py_array *a, int axis, const struct py_part *part, int64_t *start,
              int64_t *stop)
{
    if (part->kind == PY_PART_NUMBER) {
        *start = py_parts_wrap(part->start, a->shape[axis], axis);
        *stop = *start + 1;
        return *start >= 0;
    }
    Py_ssize_t from = (Py_ssize_t)part->start, to = (Py_ssize_t)part->stop;
    *stop = PySlice_AdjustIndices((Py_ssize_t)a->shape[axis], &from, &to, 1);
    *start = from;
    *stop += from;
    return true;
}

// Whether the index is one number, or one slice with step 1. False: an exception is set.
static bool
are_parts_of_layers(const struct py_parts *parts, PyObject *index)
{
    const struct py_part *const part = &parts->part[0];

    if (parts->n != 1 || parts->ellipsis >= 0 ||
        (part->kind != PY_PART_NUMBER && part->kind != PY_PART_SLICE))
        PyErr_Format(PyExc_TypeError, "layers are deleted by a number or a slice, not %R", index);
    else if (part->kind == PY_PART_SLICE && part->step != 1)
        PyErr_Format(PyExc_ValueError, "the slice has step %lld, expected 1",
                     (long long)part->step);
    return !PyErr_Occurred();
}

static PyObject *
delete_layers(struct py_array *a, int axis, const struct py_part *part)
{
    struct py_call call;
    int64_t start, stop;

    do {
        if (!py_call_enter(&call, a, PY_EXCLUSIVE))
            return NULL;
        if (!select_layers(a, axis, part, &start, &stop)) {
            py_call_leave(&call);
            return NULL;
        }
    } while (!py_call_go(&call));
    const tess_status st = tess_array_delete(a->handle, axis, start, stop, &call.err);
    return end_change(&call, st, a);
}

// _delete(axis, index): a number, or a slice with step 1.
static PyObject *
array_delete(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_parts parts;
    PyObject *index, *result = NULL;
    long long number;

    if (!PyArg_ParseTuple(args, "LO", &number, &index))
        return NULL;
    const int axis = py_array_axis(a, number);
    parts.n = 0;
    if (axis >= 0 && py_parts_parse(&parts, a, index) && are_parts_of_layers(&parts, index))
        result = delete_layers(a, axis, &parts.part[0]);
    py_parts_finish(&parts);
    return result;
}

PyMethodDef py_shape_methods[] = {
    {"resize", array_resize, METH_O,
     "Change the shape: axes grow or shrink at their ends. New items take the fill value."},
    {"_insert", array_insert, METH_VARARGS, "_insert(axis, position, items)"},
    {"_append_array", array_append_array, METH_VARARGS, "_append_array(axis, other)"},
    {"_delete", array_delete, METH_VARARGS, "_delete(axis, index)"},
    {NULL, NULL, 0, NULL},
};
