/*
 * attrs.c - attributes of an array, and the names of its axes.
 */
#include "base/array.h"
#include "base/call.h"
#include "base/memory.h"
#include "base/methods.h"
#include "whole/values.h"

#include <stdio.h>
#include <stdlib.h>

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
    const char *const text = py_memory_name(name, "the name of an attribute");
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
    PyObject *object, *key;
    struct py_values memory = {0};
    struct py_call call;
    tess_value value;
    bool ok = false;

    if (!PyArg_ParseTuple(args, "OO", &key, &object))
        return NULL;
    const char *const name = py_memory_text(key, "the name of an attribute");
    if (name && py_values_take(&memory, name, object, &value) &&
        py_call_begin(&call, a, PY_SHARED)) {
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
    const char *const text = py_memory_name(name, "the name of an attribute");
    struct py_call call;

    if (!text || !py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_attr_delete(a->handle, text, &call.err);
    return end_attr(&call, st, name) ? Py_NewRef(Py_None) : NULL;
}

// A name of a metalayer, with its zero byte.
struct attr_name {
    char text[TESS_MAX_NAME + 1];
};

// The names of all attributes; without the GIL. Free them with free(). NULL: no memory.
static struct attr_name *
copy_names(const tess_array *a, int *count)
{
    tess_info info;
    tess_array_info(a, &info);
    struct attr_name *const names = malloc(((size_t)info.nvlmetalayers + 1) * sizeof *names);
    int n = 0;

    for (const char *name; names && n < info.nvlmetalayers && (name = tess_vlmeta_name(a, n)); n++)
        (void)snprintf(names[n].text, sizeof names[n].text, "%s", name);
    *count = n;
    return names;
}

static PyObject *
list_of(const struct attr_name *names, int count)
{
    PyObject *const list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        PyObject *const name = PyUnicode_FromString(names[i].text);
        if (!name) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, i, name);
    }
    return list;
}

// _attr_names(): exclusive, since a name is valid until an attribute is set or deleted.
static PyObject *
attr_names(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    PyObject *list = NULL;
    int count = 0;

    (void)none;
    if (!py_call_begin(&call, a, PY_EXCLUSIVE))
        return NULL;
    struct attr_name *const names = copy_names(a->handle, &count);
    if (py_call_end(&call, TESS_OK))
        list = names ? list_of(names, count) : PyErr_NoMemory();
    free(names);
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
        PyErr_Format(PyExc_ValueError, "dims has length %zd, the array has %d dimensions", n,
                     a->ndim);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        names[i] = py_memory_text(PyTuple_GetItem(tuple, i), "the name of an axis");
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
