/*
 * array.c - an open array, or a view of one, as an object of Python.
 */
#include "python/src/base/array.h"
#include "python/src/base/call.h"
#include "python/src/base/family.h"

#include "python/src/base/dtype.h"

#include <string.h>

static PyObject *array_class; // _tessera.Array

void
py_array_set_class(PyObject *class)
{
    array_class = class;
}

struct py_array *
py_array_of(PyObject *object)
{
    const int is = PyObject_IsInstance(object, array_class);
    if (is == 0)
        PyErr_Format(PyExc_TypeError, "expected a tessera.Array, not %R", object);
    return is == 1 ? (struct py_array *)object : NULL;
}

int
py_array_axis(const struct py_array *a, int64_t axis)
{
    if (axis >= -a->ndim && axis < a->ndim)
        return (int)(axis < 0 ? axis + a->ndim : axis);
    PyErr_Format(PyExc_IndexError, "axis %lld is out of bounds for array of dimension %d",
                 (long long)axis, a->ndim);
    return -1;
}

bool
py_array_info(struct py_array *a, tess_info *info)
{
    struct py_call call;
    if (!py_call_begin(&call, a, PY_SHARED))
        return false;
    tess_array_info(a->handle, info);
    return py_call_end(&call, TESS_OK);
}

static bool
take_info(struct py_array *a, const tess_info *info)
{
    PyObject *const dtype = py_dtype_of(info);
    if (!dtype)
        return false;
    PyObject *const old = a->dtype;
    a->dtype = dtype;
    Py_XDECREF(old);
    a->ndim = info->ndim;
    a->typesize = info->typesize;
    memcpy(a->shape, info->shape, sizeof a->shape);
    return true;
}

void
py_array_reread(struct py_array *a)
{
    tess_info info;
    tess_array_info(a->handle, &info);
    a->ndim = info.ndim;
    a->typesize = info.typesize;
    memcpy(a->shape, info.shape, sizeof a->shape);
}

bool
py_array_update(struct py_array *a)
{
    tess_info info;
    return py_array_info(a, &info) && take_info(a, &info);
}

PyObject *
py_array_new(PyObject *class, tess_array *handle, struct py_family *family, PyObject *place,
             struct py_array *base)
{
    tess_info info;
    const allocfunc allocate =
        (allocfunc)(uintptr_t)PyType_GetSlot((PyTypeObject *)class, Py_tp_alloc);
    struct py_array *const a = (struct py_array *)(void *)allocate((PyTypeObject *)class, 0);

    if (!a) {
        if (base) {
            base->family->refs++;
            py_call_forget(handle, NULL, base->family, NULL);
        } else {
            tess_array_discard(handle);
            py_family_leave(family);
        }
        return NULL;
    }
    a->handle = handle;
    a->family = base ? base->family : family;
    a->place = Py_NewRef(place);
    if (base) {
        a->base = Py_NewRef((PyObject *)base);
        base->family->refs++;
    }
    if (!base)
        tess_array_info(handle, &info);
    if (!(base ? py_array_update(a) : take_info(a, &info))) {
        Py_DECREF((PyObject *)a);
        return NULL;
    }
    return (PyObject *)a;
}
