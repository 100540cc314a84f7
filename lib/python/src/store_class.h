/*
 * store_class.h - the class _tessera.Store.
 */
#ifndef PYTHON_STORE_CLASS_H
#define PYTHON_STORE_CLASS_H

#include "base/py.h"

// Adds the class to the module. False: an exception is set.
bool py_store_class_add(PyObject *module);

#endif
