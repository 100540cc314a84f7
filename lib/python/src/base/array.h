/*
 * array.h - an open array, or a view of one, as an object of Python.
 */
#ifndef PYTHON_ARRAY_H
#define PYTHON_ARRAY_H

#include "python/src/base/call.h"
#include "python/src/base/py.h"

struct py_array {
    PyObject ob_base; // first, as in all objects of Python
    tess_array *handle; // NULL: closed
    struct py_family *family; // calls in progress, of the array and its views
    PyObject *dtype; // numpy.dtype
    PyObject *place; // path or URL as str; None: memory
    PyObject *base; // of a view: the array that it is of, kept open; NULL
    // Of the handle, as is the type: changed within exclusive calls and with the GIL held, so an
    // index is resolved in a call that was entered (call.h).
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    int64_t typesize;
};

// What py_array_of() looks for; called once.
void py_array_set_class(PyObject *class);

// A new object of a class below _tessera.Array. It takes the handle over, also if it fails: NULL,
// an exception is set, the array is discarded. `base` is the array that a view is of, or NULL;
// otherwise the family is taken over, too.
PyObject *py_array_new(PyObject *class, tess_array *handle, struct py_family *family,
                       PyObject *place, struct py_array *base);

// The object as what it is; NULL: TypeError is set.
struct py_array *py_array_of(PyObject *object);

// Ends a call, with the shape of the handle as that of the object, also after a failure: the
// library may have changed it, and failed only at the commit. `type`: the type of items, too. Calls
// that wait for this one find what is new. False: an exception is set.
bool py_array_end_change(struct py_array *a, struct py_call *call, tess_status st, bool type);

// An axis of the array, counted from the end if it is negative; -1: an exception is set.
int py_array_axis(const struct py_array *a, int64_t axis);

#endif
