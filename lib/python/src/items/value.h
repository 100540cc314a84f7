/*
 * value.h - values of Python and NumPy as items of an array.
 */
#ifndef PYTHON_ITEMS_VALUE_H
#define PYTHON_ITEMS_VALUE_H

#include "base/array.h"
#include "base/py.h"

// A value as an array of NumPy with items of the array's type. What has a dtype is cast by NumPy's
// rule same_kind; other values are converted as numpy.asarray(value, dtype) does. A new reference;
// NULL: an exception is set.
PyObject *py_value_items(const struct py_array *a, PyObject *value);

#endif
