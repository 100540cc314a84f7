/*
 * index.h - converts indices of NumPy to selections of the library.
 */
#ifndef PYTHON_ITEMS_INDEX_H
#define PYTHON_ITEMS_INDEX_H

#include "base/array.h"
#include "base/py.h"
#include "items/parts.h"
#include "items/selection.h"

// How several lists of indices are combined.
enum py_index_way {
    PY_INDEX_NUMPY, // as in NumPy: broadcast against each other
    PY_INDEX_OUTER, // .oindex: each list is an axis of the result
    PY_INDEX_POINTS // .vindex: as in NumPy, and their axes are always the first ones
};

// Resolve the parts of an index for the current shape of an array. Must be called inside an entered
// call (call.h), so that the shape cannot change. False: an exception is set. Free the selection
// with py_selection_finish() in either case.
bool py_index_select(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
                     enum py_index_way way);

// Make a view of the raw items with the axes and order of the result. A new reference; NULL: an
// exception is set.
PyObject *py_index_turn(const struct py_selection *s, PyObject *raw);

// Fast path for an index of n numbers: parse them; negative ones stay negative. False: the index
// has other parts.
bool py_index_numbers(PyObject *index, int *n, int64_t *numbers);

// Check one number per axis; negative ones count from the end. False: an exception is set.
bool py_index_wrap(const struct py_array *a, const int64_t *numbers, int64_t *position);

#endif
