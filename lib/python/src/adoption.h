/*
 * adoption.h - the class _tessera.Adoption.
 */
#ifndef PYTHON_ADOPTION_H
#define PYTHON_ADOPTION_H

#include "base/py.h"

// Adds the class to the module. False: an exception is set.
bool py_adoption_add(PyObject *module);

#endif
