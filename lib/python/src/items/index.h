/*
 * index.h - indices of NumPy as what a function of the library selects.
 */
#ifndef PYTHON_INDEX_H
#define PYTHON_INDEX_H

#include "python/src/base/array.h"
#include "python/src/base/py.h"
#include "python/src/items/parts.h"
#include "python/src/items/selection.h"

// How several lists of indices go together.
enum py_index_way {
    PY_INDEX_NUMPY, // as in NumPy: broadcast against each other
    PY_INDEX_OUTER, // .oindex: each list is an axis of the result
    PY_INDEX_POINTS // .vindex: as in NumPy, and their axes are always the first ones
};

// Finds out what the parts of an index select of an array as it is now: in the call that was
// entered to use them (call.h). False: an exception is set. Free the selection with
// py_selection_finish() in either case.
bool py_index_select(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
                     enum py_index_way way);

// Raw items in the axes and order of the result, without a copy: what is assigned to the one is
// assigned to the other. A new reference; NULL: an exception is set.
PyObject *py_index_turn(const struct py_selection *s, PyObject *raw);

// The plainest index, which is worth a way of its own: n numbers, as they are written. False: it is
// another one.
bool py_index_numbers(PyObject *index, int *n, int64_t *numbers);

// One number per axis, counted from the start. False: an exception is set.
bool py_index_wrap(const struct py_array *a, const int64_t *numbers, int64_t *position);

#endif
