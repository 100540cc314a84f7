/*
 * class.h - the class _tessera.Array.
 */
#ifndef PYTHON_CLASS_H
#define PYTHON_CLASS_H

#include "base/py.h"

// Adds the class to the module. False: an exception is set.
bool py_class_add(PyObject *module);

#endif
