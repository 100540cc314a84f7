/*
 * write.h - assignment to items of an array.
 */
#ifndef PYTHON_WRITE_H
#define PYTHON_WRITE_H

#include "python/src/base/py.h"

// a[index] = value. -1: an exception is set, and the array is as it was.
int py_write_item(PyObject *self, PyObject *index, PyObject *value);

#endif
