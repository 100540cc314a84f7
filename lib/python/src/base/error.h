/*
 * error.h - failures of the library as exceptions of Python.
 */
#ifndef PYTHON_BASE_ERROR_H
#define PYTHON_BASE_ERROR_H

#include "base/py.h"

// Adds the classes to the module: Error, and one below it for each kind of failure. False: an
// exception is set.
bool py_error_add(PyObject *module);

// Sets the exception of a failure, with the library's sentence. `where` is the path or URL for
// OSError, NULL or None if there is none. An exception that a signal handler raised stays.
void py_error_set(tess_status st, const tess_error *err, PyObject *where);

#endif
