/*
 * index.h - indices of NumPy as what a function of the library selects.
 */
#ifndef PYTHON_INDEX_H
#define PYTHON_INDEX_H

#include "python/src/base/array.h"
#include "python/src/base/py.h"
#include "python/src/items/selection.h"

// How several lists of indices go together.
enum py_index_way {
    PY_INDEX_NUMPY, // as in NumPy: broadcast against each other
    PY_INDEX_OUTER, // .oindex: each list is an axis of the result
    PY_INDEX_POINTS // .vindex: as in NumPy, and their axes are always the first ones
};

// Finds out what an index selects. False: an exception is set. Free it with py_selection_finish()
// in either case. A mask leaves shape[0] and raw[0] at -1: its items are not counted.
bool py_index_parse(struct py_selection *s, const struct py_array *a, PyObject *index,
                    enum py_index_way way);

// Counts the items of a mask; of other selections, they are known. False: an exception is set.
bool py_index_count(struct py_selection *s);

// Whether the array still has as many axes, and items as large, as when the selection was made;
// otherwise TESS_ERR_STALE. Asked within the call: another thread may have refreshed the array.
tess_status py_index_fits(const struct py_selection *s, const struct py_array *a, tess_error *err);

// Raw items in the axes and order of the result, without a copy: what is assigned to the one is
// assigned to the other. A new reference; NULL: an exception is set.
PyObject *py_index_turn(const struct py_selection *s, PyObject *raw);

// The plainest index, which is worth a way of its own: one number per axis. 1: it is, and index has
// them; 0: it is another one; -1: an exception is set.
int py_index_item(const struct py_array *a, PyObject *index, int64_t *position);

#endif
