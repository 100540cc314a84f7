/*
 * read.h - items of an array as arrays and scalars of NumPy.
 */
#ifndef PYTHON_ITEMS_READ_H
#define PYTHON_ITEMS_READ_H

#include "base/py.h"

// a[index]. A new reference; NULL: an exception is set.
PyObject *py_read_item(PyObject *self, PyObject *index);

#endif
