/*
 * shape.c - arrays that grow and shrink: append, insert, delete, resize.
 */
#include "python/src/base/array.h"
#include "python/src/base/call.h"
#include "python/src/base/memory.h"
#include "python/src/base/methods.h"
#include "python/src/base/names.h"
#include "python/src/items/value.h"

// Ends a call that changes the shape. The new one is taken over also after a failure: the library
// may have changed it, and failed only at the commit.
static PyObject *
end_change(struct py_call *call, tess_status st, struct py_array *a)
{
    py_array_reread(a);
    return py_call_end(call, st) ? Py_NewRef(Py_None) : NULL;
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

// Whether items are layers across an axis.
static bool
are_layers(const struct py_array *a, int axis, const Py_buffer *view)
{
    bool fits = view->ndim == a->ndim;
    for (int i = 0; fits && i < a->ndim; i++)
        fits = i == axis || view->shape[i] == a->shape[i];
    return fits;
}

static void
set_no_layers(const struct py_array *a, int axis, const Py_buffer *view)
{
    int64_t shape[PY_MAX_NDIM];
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
}

// Whether they fit is asked within the call, where no other thread changes the shape: the library
// takes strides as they are. position -1: at the end.
static PyObject *
insert_layers(struct py_array *a, int axis, int64_t position, const struct py_memory *items)
{
    struct py_call call;
    int64_t strides[TESS_MAX_NDIM] = {0};
    tess_status st = TESS_OK;
    const size_t reach = py_memory_reach(items);

    for (int i = 0; i < items->view.ndim && i < TESS_MAX_NDIM; i++)
        strides[i] = items->view.strides[i];
    if (!py_call_begin(&call, a, PY_EXCLUSIVE))
        return NULL;
    const bool fits = are_layers(a, axis, &items->view);
    if (fits && position < 0)
        st = tess_array_append(a->handle, axis, items->view.shape[axis], items->view.buf, reach,
                               strides, &call.err);
    else if (fits)
        st = tess_array_insert(a->handle, axis, position, items->view.shape[axis], items->view.buf,
                               reach, strides, &call.err);
    PyObject *const done = end_change(&call, st, a);
    if (done && !fits) {
        set_no_layers(a, axis, &items->view);
        Py_DECREF(done);
        return NULL;
    }
    return done;
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
    if (position < 0)
        position += a->shape[axis];
    if (position < 0 || position > a->shape[axis]) {
        PyErr_Format(PyExc_IndexError, "position %R is out of bounds for axis %d with size %lld",
                     where, axis, (long long)a->shape[axis]);
        return NULL;
    }
    PyObject *const layers = py_value_items(a, value);
    if (layers && py_memory_hold(&items, layers, false))
        result = insert_layers(a, axis, at_end ? -1 : position, &items);
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

// _delete(axis, start, stop)
static PyObject *
array_delete(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    long long number, start, stop;

    if (!PyArg_ParseTuple(args, "LLL", &number, &start, &stop))
        return NULL;
    const int axis = py_array_axis(a, number);
    if (axis < 0 || !py_call_begin(&call, a, PY_EXCLUSIVE))
        return NULL;
    const tess_status st = tess_array_delete(a->handle, axis, start, stop, &call.err);
    return end_change(&call, st, a);
}

PyMethodDef py_shape_methods[] = {
    {"resize", array_resize, METH_O,
     "Change the shape: axes grow or shrink at their ends. New items take the fill value."},
    {"_insert", array_insert, METH_VARARGS, "_insert(axis, position, items)"},
    {"_append_array", array_append_array, METH_VARARGS, "_append_array(axis, other)"},
    {"_delete", array_delete, METH_VARARGS, "_delete(axis, start, stop)"},
    {NULL, NULL, 0, NULL},
};
