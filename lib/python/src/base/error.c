/*
 * error.c - failures of the library as exceptions of Python.
 *
 * The system's failures are OSError with its subclasses, chosen by errno, and memory is
 * MemoryError: what Python programs catch. All others are classes below tessera.Error; those about
 * arguments are also ValueError or TypeError.
 */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>

static PyObject *error_class; // tessera.Error

// The classes, by status. Filled once when the module is loaded, never changed afterwards.
static struct {
    const tess_status status;
    const char *const name; // NULL: not a class of ours
    const char *const doc;
    PyObject *class;
} classes[] = {
    {TESS_ERR_ARG, "ArgumentError", "An argument is wrong: correct the call.", NULL},
    {TESS_ERR_FORMAT, "FormatError", "The file is not a Blosc2 frame.", NULL},
    {TESS_ERR_CORRUPT, "CorruptError", "The file is damaged.", NULL},
    {TESS_ERR_UNSUPPORTED, "UnsupportedError",
     "This version or build lacks a codec, filter or function.", NULL},
    {TESS_ERR_LIMIT, "LimitError", "A limit of the format, the machine or the caller is exceeded.",
     NULL},
    {TESS_ERR_STALE, "StaleError", "The file was changed by another handle or program.", NULL},
    {TESS_ERR_CANCELLED, "CancelledError", "The call was ended before it was done.", NULL},
    {TESS_ERR_TYPE, "KindError", "What was asked for exists, but is of another kind.", NULL},
};

#define NCLASSES (sizeof classes / sizeof classes[0])

// The built-in class that is a base, too; NULL: none.
static PyObject *
built_in_base(tess_status st)
{
    return st == TESS_ERR_ARG || st == TESS_ERR_LIMIT ? PyExc_ValueError
           : st == TESS_ERR_TYPE                      ? PyExc_TypeError
                                                      : NULL;
}

static PyObject *
new_class(const char *name, const char *doc, PyObject *built_in)
{
    char full[64];
    PyObject *bases =
        built_in ? PyTuple_Pack(2, error_class, built_in) : PyTuple_Pack(1, error_class);
    if (!bases)
        return NULL;
    (void)snprintf(full, sizeof full, "tessera.%s", name);
    PyObject *const class = PyErr_NewExceptionWithDoc(full, doc, bases, NULL);
    Py_DECREF(bases);
    return class;
}

bool
py_error_add(PyObject *module)
{
    error_class = PyErr_NewExceptionWithDoc(
        "tessera.Error", "Base of the exceptions of this package that are not OSError.", NULL,
        NULL);
    if (!error_class || PyModule_AddObjectRef(module, "Error", error_class) < 0)
        return false;
    for (size_t i = 0; i < NCLASSES; i++) {
        classes[i].class =
            new_class(classes[i].name, classes[i].doc, built_in_base(classes[i].status));
        if (!classes[i].class ||
            PyModule_AddObjectRef(module, classes[i].name, classes[i].class) < 0)
            return false;
    }
    return true;
}

static void
set_os_error(int sys, const char *message, PyObject *where)
{
    PyObject *const named = where && where != Py_None ? where : NULL;
    PyObject *const exception =
        named ? PyObject_CallFunction(PyExc_OSError, "isO", sys, message, named)
              : PyObject_CallFunction(PyExc_OSError, "is", sys, message);
    if (!exception)
        return;
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
}

void
py_error_set(tess_status st, const tess_error *err, PyObject *where)
{
    if (PyErr_Occurred())
        return;
    if (st == TESS_ERR_NOMEM) {
        PyErr_SetString(PyExc_MemoryError, err->message);
        return;
    }
    if (st == TESS_ERR_NOT_FOUND) {
        set_os_error(ENOENT, err->message, where);
        return;
    }
    for (size_t i = 0; i < NCLASSES; i++)
        if (classes[i].status == st) {
            PyErr_SetString(classes[i].class, err->message);
            return;
        }
    if (st == TESS_ERR_IO)
        set_os_error(err->sys ? err->sys : EIO, err->message, where);
    else
        PyErr_SetString(error_class, err->message);
}
