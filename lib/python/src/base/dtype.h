/*
 * dtype.h - types of items: numpy.dtype, and the strings of the library.
 */
#ifndef PYTHON_BASE_DTYPE_H
#define PYTHON_BASE_DTYPE_H

#include "base/py.h"

// The numpy.dtype of an array. Items of a type that NumPy does not know are `V`. A new reference;
// NULL: an exception is set.
PyObject *py_dtype_of(const tess_info *info);

// numpy.dtype(of) as the text that a file records: a new str. NULL: an exception is set, TypeError
// for items that are references to Python objects.
PyObject *py_dtype_text(PyObject *of);

// Bytes of an item; -1: an exception is set.
int64_t py_dtype_size(PyObject *dtype);

// The character of a numpy.dtype that tells numbers from text ("kind"); 0: an exception is set.
char py_dtype_kind(PyObject *dtype);

// Whether two dtypes are equal; -1: an exception is set.
int py_dtype_equal(PyObject *one, PyObject *other);

#endif
