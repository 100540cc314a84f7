/*
 * store.h - an open store as an object of Python.
 *
 * One that is written shares its family with its arrays: all calls on it are exclusive, since the
 * library wants a thread at a time, and no calls on the arrays beside some of them. Arrays of one
 * that is read have families of their own; calls on it are shared, but for refresh() and close().
 */
#ifndef PYTHON_BASE_STORE_H
#define PYTHON_BASE_STORE_H

#include "base/call.h"
#include "base/py.h"

struct py_store {
    PyObject ob_base; // first, as in all objects of Python
    tess_store *handle; // NULL: closed
    struct py_family *family;
    PyObject *place; // path or URL as str; None: memory
    bool written; // open for writing
};

// Set the class that py_store_of() accepts; called once.
void py_store_set_class(PyObject *class);

// Cast the object to struct py_store. NULL: TypeError is set.
struct py_store *py_store_of(PyObject *object);

// Begin a call on it. False: an exception is set, also where the store is one that the parent of
// this process has open for writing. other: an array that is read, or NULL.
bool py_store_begin(struct py_call *call, const struct py_store *store, enum py_access access,
                    const struct py_array *other);

// What most calls on it need.
enum py_access py_store_access(const struct py_store *store);

#endif
