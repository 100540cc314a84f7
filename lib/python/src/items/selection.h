/*
 * selection.h - what an index selects, for the functions of the library.
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
#ifndef PYTHON_ITEMS_SELECTION_H
#define PYTHON_ITEMS_SELECTION_H

#include "base/memory.h"
#include "base/py.h"

enum py_pick { PY_PICK_SLICE, PY_PICK_MASK, PY_PICK_LISTS, PY_PICK_POINTS, PY_PICK_BOXES };

struct py_selection {
    enum py_pick pick;
    int array_ndim; // of the array, and bytes of an item
    int64_t typesize;
    bool scalar; // one item, and the result has no axes because of that

    // PY_PICK_SLICE, per axis of the array. length: also of other picks, 1 for a single index.
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM], length[TESS_MAX_NDIM];
    int result_axis[TESS_MAX_NDIM]; // axis of the result that a slice became; -1: a single index

    struct py_memory mask; // PY_PICK_MASK: bytes in C order
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

// Nothing is selected, and nothing is owned.
void py_selection_init(struct py_selection *s);

// Memory for numbers, which the selection owns. NULL: MemoryError is set.
int64_t *py_selection_numbers(struct py_selection *s, int64_t count);

// Free what the selection owns.
void py_selection_finish(struct py_selection *s);

#endif
