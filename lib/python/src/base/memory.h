/*
 * memory.h - the memory of NumPy's arrays, for functions of the library.
 */
#ifndef PYTHON_BASE_MEMORY_H
#define PYTHON_BASE_MEMORY_H

#include "base/py.h"

// A NumPy array whose memory is held. Zeroed: nothing is.
struct py_memory {
    PyObject *array; // NULL: none
    Py_buffer view; // buf: the first item; shape, strides: of the array
    bool held;
};

// A new array in C order. False: an exception is set.
bool py_memory_empty(struct py_memory *memory, int ndim, const int64_t *shape, PyObject *dtype);

// An array of the program, in any order. False: an exception is set, TypeError if it is to be
// written to and is read-only.
bool py_memory_hold(struct py_memory *memory, PyObject *array, bool write);

// numpy.asarray(value), contiguous in C order, with items of dtype; converted as numpy.asarray()
// does. False: an exception is set.
bool py_memory_from(struct py_memory *memory, PyObject *value, PyObject *dtype);

// The array, which is now the caller's; the memory is no longer held.
PyObject *py_memory_take(struct py_memory *memory);

// Hold nothing any more.
void py_memory_drop(struct py_memory *memory);

// Bytes from the first item on, up to the last one that positive strides lead to.
size_t py_memory_reach(const struct py_memory *memory);

// The value of a key of a dict, which holds it: NULL if it has none, or if *ok becomes false, with
// an exception set.
PyObject *py_memory_key(PyObject *dict, const char *key, bool *ok);

// A str as UTF-8, which it holds, for functions that take text without zero bytes. NULL: an
// exception is set, which names it.
const char *py_memory_text(PyObject *text, const char *name);

// The same of a name that is looked for: KeyError if nothing can have it.
const char *py_memory_name(PyObject *name, const char *what);

// Numbers as a tuple; NULL: an exception is set.
PyObject *py_memory_tuple(int n, const int64_t *numbers);

// A sequence of `least` to `most` numbers, or one number. -1: an exception is set, which names it.
int py_memory_numbers(PyObject *sequence, const char *name, int most, int64_t *numbers);

#endif
