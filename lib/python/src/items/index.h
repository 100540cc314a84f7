/*
 * index.h - indices of NumPy as what a function of the library selects.
 *
 * Four functions of the library serve all indices:
 *
 *     numbers, slices             one slice                              PY_PICK_SLICE
 *     one mask of the first axes  the mask                               PY_PICK_MASK
 *     one list of indices         a list for each axis                   PY_PICK_LISTS
 *     several lists               points, or boxes where there are       PY_PICK_POINTS, _BOXES
 *                                 slices, too
 *
 * Each has items in an order of its own, the *raw* one, which `order` and `shape` turn into that
 * of NumPy.
 */
#ifndef PYTHON_INDEX_H
#define PYTHON_INDEX_H

#include "python/src/base/array.h"
#include "python/src/base/py.h"

// How several lists of indices go together.
enum py_index_way {
    PY_INDEX_NUMPY, // as in NumPy: broadcast against each other
    PY_INDEX_OUTER, // .oindex: each list is an axis of the result
    PY_INDEX_POINTS // .vindex: as in NumPy, and their axes are always the first ones
};

enum py_pick { PY_PICK_SLICE, PY_PICK_MASK, PY_PICK_LISTS, PY_PICK_POINTS, PY_PICK_BOXES };

struct py_selection {
    enum py_pick pick;
    bool scalar; // one item, and the result has no axes because of that

    // PY_PICK_SLICE, per axis of the array. length: also of other picks, 1 for a single index.
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM], length[TESS_MAX_NDIM];
    int result_axis[TESS_MAX_NDIM]; // axis of the result that a slice became; -1: a single index

    PyObject *mask; // PY_PICK_MASK: bytes in C order
    int mask_ndim;

    int64_t counts[TESS_MAX_NDIM]; // PY_PICK_LISTS
    int64_t *lists[TESS_MAX_NDIM];

    int64_t npoints; // PY_PICK_POINTS and _BOXES
    int64_t *points;
    int64_t box[TESS_MAX_NDIM]; // of PY_PICK_BOXES

    int64_t *memory[TESS_MAX_NDIM + 1]; // what lists and points point to; owned
    int nmemory;

    int raw_ndim; // the items as the library has them, in C order
    int64_t raw[TESS_MAX_NDIM + 1];
    int order[TESS_MAX_NDIM + 1]; // axis k of the turned items is axis order[k] of the raw ones
    bool turned; // order is not 0, 1, 2 ...
    int ndim; // of the result
    int64_t shape[PY_MAX_NDIM];
};

// Finds out what an index selects. False: an exception is set. Free it with py_index_finish() in
// either case. A mask leaves shape[0] and raw[0] at -1: its items are not counted.
bool py_index_parse(struct py_selection *s, const struct py_array *a, PyObject *index,
                    enum py_index_way way);

void py_index_finish(struct py_selection *s);

// Raw items in the axes and order of the result, without a copy: what is assigned to the one is
// assigned to the other. A new reference; NULL: an exception is set.
PyObject *py_index_turn(const struct py_selection *s, PyObject *raw);

// The plainest index, which is worth a way of its own: one number per axis. 1: it is, and index has
// them; 0: it is another one; -1: an exception is set.
int py_index_item(const struct py_array *a, PyObject *index, int64_t *position);

#endif
