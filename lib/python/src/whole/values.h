/*
 * values.h - values of attributes: those of the library, and objects of Python.
 */
#ifndef PYTHON_WHOLE_VALUES_H
#define PYTHON_WHOLE_VALUES_H

#include "base/py.h"

// Adds the classes Ext and Opaque to the module. False: an exception is set.
bool py_values_add(PyObject *module);

// A value as an object: None, bool, int, float, str, bytes, list, dict, Ext or Opaque. NULL: an
// exception is set.
PyObject *py_values_object(const tess_value *value);

// Memory for lists and maps of a value that is built.
struct py_values {
    const char *name; // of the attribute, for errors
    void **blocks;
    size_t n;
};

// An object as the value of an attribute, whose text and bytes are those of the object. False: an
// exception is set, which names the attribute. Free the memory in either case; hold the object, and
// let nothing of Python run, until then.
bool py_values_take(struct py_values *memory, const char *name, PyObject *object,
                    tess_value *value);

void py_values_finish(struct py_values *memory);

#endif
