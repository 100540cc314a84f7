/*
 * params.h - descriptions of new arrays, as dicts of Python.
 */
#ifndef PYTHON_WHOLE_PARAMS_H
#define PYTHON_WHOLE_PARAMS_H

#include "base/py.h"

// A description, and what it points to.
struct py_params {
    tess_params params;
    PyObject *dtype; // str, whose UTF-8 params.dtype is; NULL
    PyObject *fill; // bytes, which params.fill is; NULL
};

/*
 * Changes a description, which tess_params_init() or tess_array_params() has filled, to what a dict
 * says: shape, dtype, chunks, blocks (of numbers), codec (a name), codec_meta, level, filters (of
 * pairs: name, number), split, dictionary, sparse, fill (bytes of an item). What it lacks stays.
 * False: an exception is set. Free it with py_params_finish() in either case.
 */
bool py_params_change(struct py_params *p, PyObject *dict);

void py_params_finish(struct py_params *p);

// Shapes, codec and filters as such a dict. A new reference; NULL: an exception is set.
PyObject *py_params_layout(const tess_params *params);

#endif
