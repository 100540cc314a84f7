/*
 * write.h - assignment to items of an array.
 */
#ifndef PYTHON_ITEMS_WRITE_H
#define PYTHON_ITEMS_WRITE_H

#include "base/py.h"

// a[index] = value. -1: an exception is set, and the array is as it was.
int py_write_item(PyObject *self, PyObject *index, PyObject *value);

#endif
