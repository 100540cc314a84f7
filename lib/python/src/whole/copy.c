/*
 * copy.c - arrays as new arrays, files and bytes.
 */
#include "base/array.h"
#include "base/call.h"
#include "base/memory.h"
#include "base/methods.h"
#include "whole/params.h"
#include "whole/place.h"

#include <stdlib.h>
#include <string.h>

// Type and fill value of an array, which stay when it is closed; without the GIL. False: no memory.
static bool
keep_pointers(tess_params *params, void **dtype, void **fill)
{
    *dtype = *fill = NULL;
    if (params->dtype) {
        *dtype = malloc(strlen(params->dtype) + 1);
        if (!*dtype)
            return false;
        params->dtype = strcpy(*dtype, params->dtype);
    }
    if (params->fill) {
        *fill = malloc(params->fill_size);
        if (!*fill)
            return false;
        params->fill = memcpy(*fill, params->fill, params->fill_size);
    }
    return true;
}

// _copy(class, place, params): with the parameters of the array, where params says nothing else.
static PyObject *
array_copy(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyObject *class, *where, *what, *array = NULL;
    struct py_place place;
    struct py_params params = {.dtype = NULL};
    struct py_call call;
    tess_array *handle = NULL;
    void *dtype = NULL, *fill = NULL;

    if (!PyArg_ParseTuple(args, "OO!O!", &class, &PyDict_Type, &where, &PyDict_Type, &what))
        return NULL;
    bool ok = py_place_parse(&place, where) && py_call_begin(&call, a, PY_SHARED);
    if (ok) {
        tess_array_params(a->handle, &params.params);
        const bool kept = keep_pointers(&params.params, &dtype, &fill);
        ok = py_call_end(&call, TESS_OK) && kept;
        if (!kept)
            PyErr_NoMemory();
    }
    if (ok && py_memory_key(what, "chunks", &ok)) // blocks are chosen for them
        for (int i = 0; i < params.params.ndim; i++)
            params.params.blockshape[i] = 0;
    if (ok && py_params_change(&params, what) && py_place_begin(&place, &call, a)) {
        const tess_status st =
            tess_array_copy(a->handle, &place.storage, &params.params, &handle, &call.err);
        array = py_place_array(&place, class, &call, st, handle);
    }
    free(dtype);
    free(fill);
    py_params_finish(&params);
    py_place_finish(&place);
    return array;
}

// _save(place, sparse): as it is stored.
static PyObject *
array_save(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyObject *where;
    struct py_place place;
    struct py_call call;
    int sparse;
    bool ok = false;

    if (!PyArg_ParseTuple(args, "O!p", &PyDict_Type, &where, &sparse))
        return NULL;
    if (py_place_parse(&place, where) && py_call_begin(&call, a, PY_SHARED)) {
        const tess_status st =
            tess_array_save(a->handle, &place.storage,
                            sparse ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS, &call.err);
        ok = py_call_end_at(&call, st, place.name);
    }
    py_place_finish(&place);
    return ok ? Py_NewRef(Py_None) : NULL;
}

// to_bytes()
static PyObject *
array_to_bytes(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    void *image = NULL;
    size_t size = 0;
    PyObject *bytes = NULL;

    (void)none;
    if (!py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_array_to_image(a->handle, &image, &size, &call.err);
    if (py_call_end(&call, st))
        bytes = PyBytes_FromStringAndSize(image, (Py_ssize_t)size);
    tess_free(image);
    return bytes;
}

PyMethodDef py_copy_methods[] = {
    {"_copy", array_copy, METH_VARARGS, "_copy(class, place, params)"},
    {"_save", array_save, METH_VARARGS, "_save(place, sparse)"},
    {"to_bytes", array_to_bytes, METH_NOARGS,
     "The array as the bytes that its file has, or would have; tessera.open() takes them."},
    {NULL, NULL, 0, NULL},
};
