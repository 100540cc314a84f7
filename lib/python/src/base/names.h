/*
 * names.h - functions of NumPy, found once.
 *
 * NumPy is used as any program of Python uses it: its functions are called, and the memory of its
 * arrays is found through the buffer protocol. So one build serves all versions of NumPy.
 */
#ifndef PYTHON_BASE_NAMES_H
#define PYTHON_BASE_NAMES_H

#include "base/py.h"

// Filled by py_names_load(), never changed afterwards.
struct py_names {
    PyObject *empty, *asarray, *nonzero, *can_cast, *array_equal; // functions
    PyObject *ndarray, *dtype; // classes
    PyObject *from_descr, *to_descr; // of numpy.lib.format: types of several fields
    PyObject *literal; // ast.literal_eval
    PyObject *same_kind; // the string
    PyObject *i8, *bytes_1; // dtypes of indices, and of the bytes of masks
    PyObject *no_index; // (): a[()] is the item of an array without axes
};

extern struct py_names py_names;

// False: an exception is set.
bool py_names_load(void);

#endif
