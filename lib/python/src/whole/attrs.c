/*
 * attrs.c - attributes of an array, and the names of its axes.
 */
#include "python/src/base/array.h"
#include "python/src/base/call.h"
#include "python/src/base/methods.h"
#include "python/src/whole/values.h"

#include <stdio.h>

// Ends a call on an attribute: one that is not there is KeyError.
static bool
end_attr(struct py_call *call, tess_status st, PyObject *name)
{
    if (st != TESS_ERR_NOT_FOUND)
        return py_call_end(call, st);
    if (py_call_end(call, TESS_OK))
        PyErr_SetObject(PyExc_KeyError, name);
    return false;
}

// _attr_get(name)
static PyObject *
attr_get(PyObject *self, PyObject *name)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    const char *const text = PyUnicode_AsUTF8AndSize(name, NULL);
    struct py_call call;
    tess_value *value = NULL;
    PyObject *object = NULL;

    if (!text || !py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_attr_get(a->handle, text, &value, &call.err);
    if (end_attr(&call, st, name))
        object = py_values_object(value);
    tess_free(value);
    return object;
}

// _attr_set(name, value)
static PyObject *
attr_set(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyObject *object;
    const char *name;
    struct py_values memory = {0};
    struct py_call call;
    tess_value value;
    bool ok = false;

    if (!PyArg_ParseTuple(args, "sO", &name, &object))
        return NULL;
    if (py_values_take(&memory, object, &value) && py_call_begin(&call, a, PY_SHARED)) {
        const tess_status st = tess_attr_set(a->handle, name, &value, &call.err);
        ok = py_call_end(&call, st);
    }
    py_values_finish(&memory);
    return ok ? Py_NewRef(Py_None) : NULL;
}

// _attr_delete(name)
static PyObject *
attr_delete(PyObject *self, PyObject *name)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    const char *const text = PyUnicode_AsUTF8AndSize(name, NULL);
    struct py_call call;

    if (!text || !py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_attr_delete(a->handle, text, &call.err);
    return end_attr(&call, st, name) ? Py_NewRef(Py_None) : NULL;
}

// _attr_names(): exclusive, since a name is valid until an attribute is set or deleted.
static PyObject *
attr_names(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    char names[TESS_MAX_METALAYERS][TESS_MAX_NAME + 1];
    int n = 0;

    (void)none;
    if (!py_call_begin(&call, a, PY_EXCLUSIVE))
        return NULL;
    for (const char *name; n < TESS_MAX_METALAYERS && (name = tess_vlmeta_name(a->handle, n)); n++)
        (void)snprintf(names[n], sizeof names[n], "%s", name);
    if (!py_call_end(&call, TESS_OK))
        return NULL;
    PyObject *const list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *const name = PyUnicode_FromString(names[i]);
        if (!name) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, i, name);
    }
    return list;
}

// _dims_get(): a list of str, one per axis; None if the array has no names.
static PyObject *
dims_get(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    const char **names = NULL;

    (void)none;
    if (!py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_dims_get(a->handle, &names, &call.err);
    if (!py_call_end(&call, st == TESS_ERR_NOT_FOUND ? TESS_OK : st) || !names) {
        tess_free(names);
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    PyObject *list = PyList_New(0);
    for (int i = 0; list && names[i]; i++) {
        PyObject *const name = PyUnicode_FromString(names[i]);
        if (!name || PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    tess_free(names);
    return list;
}

// _dims_set(names): a tuple of str, one per axis.
static PyObject *
dims_set(PyObject *self, PyObject *tuple)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    const char *names[TESS_MAX_NDIM + 1] = {NULL};
    struct py_call call;
    const Py_ssize_t n = PyTuple_Size(tuple);

    if (n < 0)
        return NULL;
    if (n != a->ndim) {
        PyErr_Format(PyExc_ValueError, "%zd names, and the array has %d dimensions", n, a->ndim);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL);
        if (!names[i])
            return NULL;
    }
    if (!py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_dims_set(a->handle, names, &call.err);
    return py_call_end(&call, st) ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef py_attr_methods[] = {
    {"_attr_get", attr_get, METH_O, "_attr_get(name)"},
    {"_attr_set", attr_set, METH_VARARGS, "_attr_set(name, value)"},
    {"_attr_delete", attr_delete, METH_O, "_attr_delete(name)"},
    {"_attr_names", attr_names, METH_NOARGS, "_attr_names()"},
    {"_dims_get", dims_get, METH_NOARGS, "_dims_get()"},
    {"_dims_set", dims_set, METH_O, "_dims_set(names)"},
    {NULL, NULL, 0, NULL},
};
