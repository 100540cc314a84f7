/*
 * points.h - several lists of indices as points, or as boxes of the slices beside them.
 */
#ifndef PYTHON_ITEMS_POINTS_H
#define PYTHON_ITEMS_POINTS_H

#include "base/array.h"
#include "base/py.h"
#include "items/parts.h"
#include "items/selection.h"

// The shape to which all lists are broadcast.
struct py_common {
    int ndim;
    int64_t shape[PY_MAX_NDIM];
    int64_t count; // of its items
    int nlists;
    int list; // the part of one of them
};

// False: an exception is set.
bool py_points_common(struct py_common *common, const struct py_parts *parts);

// Points, or boxes, as what is picked: of the lists, for which the start of slices is taken from
// the selection. False: an exception is set.
bool py_points_take(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
                    const struct py_common *common);

#endif
