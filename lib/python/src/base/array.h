/*
 * array.h - an open array, or a view of one, as an object of Python.
 */
#ifndef PYTHON_BASE_ARRAY_H
#define PYTHON_BASE_ARRAY_H

#include "base/call.h"
#include "base/py.h"

struct py_array {
    PyObject ob_base; // first, as in all objects of Python
    tess_array *handle; // NULL: closed
    struct py_family *family; // calls in progress, of the array and its views
    PyObject *dtype; // numpy.dtype
    PyObject *place; // path or URL as str; None: memory
    PyObject *base; // of a view: the array that it shows, kept open; else NULL
    // Copies of the members of the handle, as is dtype. They change only inside exclusive calls,
    // with the GIL held. So an index must be resolved inside a call that was entered (call.h).
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    int64_t typesize;
    // Of a store that is written: the store, which stays; and the arrays and views of the family.
    PyObject *store; // NULL: it is not
    struct py_array *before, *after;
    bool lost; // closed, since its store was closed, or its changes were forgotten
};

// Set the class that py_array_of() accepts; called once.
void py_array_set_class(PyObject *class);

// Make an object of a subclass of _tessera.Array, which owns the handle. NULL: an exception is set,
// and the handle was discarded. base: the array that a view shows; NULL: not a view, and the object
// owns the family, too.
PyObject *py_array_new(PyObject *class, tess_array *handle, struct py_family *family,
                       PyObject *place, struct py_array *base);

// An array of a store that is written, store.h, becomes one of the list of the family. lost: since
// the call that made it, another one has closed all of them.
void py_array_join(struct py_array *a, PyObject *store, bool lost);

// It is none any more; fine if it never was.
void py_array_part(struct py_array *a);

// All arrays and views of a family whose store is closed, or forgot its changes, are closed: inside
// an exclusive call, between py_call_back() and py_call_end().
void py_array_lose_all(struct py_family *family);

// Cast the object to struct py_array. NULL: TypeError is set.
struct py_array *py_array_of(PyObject *object);

// Ends a call, and copies the shape of the handle to the object before waiting calls run; `type`:
// the type, too. Also after a failure: the library may have changed the shape, and failed at the
// commit. False: an exception is set.
bool py_array_end_change(struct py_array *a, struct py_call *call, tess_status st, bool type);

// Check an axis; a negative one counts from the end. -1: an exception is set.
int py_array_axis(const struct py_array *a, int64_t axis);

#endif
