/*
 * parts.h - parses an index into its parts (separated by commas), and assigns axes to them.
 */
#ifndef PYTHON_ITEMS_PARTS_H
#define PYTHON_ITEMS_PARTS_H

#include "base/array.h"
#include "base/py.h"

enum py_part_kind {
    PY_PART_NEW, // None: an axis of length 1
    PY_PART_NUMBER, // one index
    PY_PART_SLICE,
    PY_PART_LIST, // an array of indices
    PY_PART_MASK, // an array of bool, of one axis or several, before it becomes lists
    PY_PART_GAP // an Ellipsis that stands for no axis; still parts lists from each other
};

struct py_part {
    enum py_part_kind kind;
    int axis; // of the array, the first one; -1: none, as of True and False
    int naxes; // 1, or those of a mask
    int64_t start, stop, step, length; // NUMBER: start. Negative ones until py_parts_place()
    PyObject *array; // LIST: of int64 in C order; MASK: of bool in C order. Owned
};

#define PY_MAX_PARTS (PY_MAX_NDIM + 2 * TESS_MAX_NDIM)

struct py_parts {
    struct py_part part[PY_MAX_PARTS];
    int n;
    int used; // number of axes of the parts
    int ellipsis; // index of the part behind the Ellipsis; -1: none, so the result may be a scalar
};

// Parse an index, without the shape of the array. This may run any code of the program, such as
// __index__() of an object. False: an exception is set. Free the parts with py_parts_finish() in
// either case.
bool py_parts_parse(struct py_parts *parts, const struct py_array *a, PyObject *index);

// Assign the axes of the array to copies of the parts, resolve them for its current shape, and
// replace an Ellipsis by slices. False: an exception is set. Free `placed` in either case.
bool py_parts_place(struct py_parts *placed, const struct py_parts *parts,
                    const struct py_array *a);

// Replace each mask by lists of indices, like numpy.nonzero(). False: an exception is set.
bool py_parts_open_masks(struct py_parts *parts);

void py_parts_finish(struct py_parts *parts);

// Check an index; a negative one counts from the end. Returns it counted from the start; -1:
// IndexError is set.
int64_t py_parts_wrap(int64_t index, int64_t length, int axis);

#endif
