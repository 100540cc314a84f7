/*
 * py.h - the interface of CPython, as all sources here see it: the stable ABI of 3.11.
 */
#ifndef PYTHON_BASE_PY_H
#define PYTHON_BASE_PY_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <tessera.h>

#include <stdbool.h>
#include <stdint.h>

// What NumPy calls its arrays' most dimensions, and more than any release has had.
#define PY_MAX_NDIM 64

// Strings of C as keywords of PyArg_ParseTupleAndKeywords(), which does not change them.
#define PY_KEYWORDS(...) ((char **)(uintptr_t)(const char *const[]){__VA_ARGS__, NULL})

// A function as a member of a table of methods.
#define PY_METHOD(function) ((PyCFunction)(void (*)(void))(function))

#endif
