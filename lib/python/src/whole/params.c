/*
 * params.c - descriptions of new arrays, as dicts of Python.
 */
#include "whole/params.h"

#include "base/dtype.h"
#include "base/memory.h"

#include <string.h>

// A key of the dict, and what it changes.
struct key {
    const char *name;
    bool (*change)(struct py_params *p, PyObject *value);
};

// A number of a member that is an int in [least, most].
static bool
take_int(PyObject *value, const char *name, int least, int most, int *number)
{
    const long n = PyLong_AsLong(value);
    if (n == -1 && PyErr_Occurred())
        return false;
    if (n < least || n > most) {
        PyErr_Format(PyExc_ValueError, "%s is %ld, expected %d to %d", name, n, least, most);
        return false;
    }
    *number = (int)n;
    return true;
}

static bool
take_shape(struct py_params *p, PyObject *value)
{
    const int n = py_memory_numbers(value, "shape", TESS_MAX_NDIM, p->params.shape);
    if (n >= 0)
        p->params.ndim = n;
    return n >= 0;
}

// Shapes of chunks and blocks, which come behind that of the array.
static bool
take_grid(const struct py_params *p, PyObject *value, const char *name, int64_t *to)
{
    const int n = py_memory_numbers(value, name, TESS_MAX_NDIM, to);
    if (n >= 0 && n != p->params.ndim)
        PyErr_Format(PyExc_ValueError, "%s has length %d, the array has %d dimensions", name, n,
                     p->params.ndim);
    return !PyErr_Occurred();
}

static bool
take_chunks(struct py_params *p, PyObject *value)
{
    return take_grid(p, value, "chunks", p->params.chunkshape);
}

static bool
take_blocks(struct py_params *p, PyObject *value)
{
    return take_grid(p, value, "blocks", p->params.blockshape);
}

static bool
take_dtype(struct py_params *p, PyObject *value)
{
    Py_ssize_t size;
    PyObject *const text = py_dtype_text(value);
    Py_XDECREF(p->dtype);
    p->dtype = text;
    p->params.typesize = 0;
    p->params.dtype = text ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
    return p->params.dtype != NULL;
}

static bool
take_codec(struct py_params *p, PyObject *value)
{
    tess_codec_info codec;
    const char *const name = py_memory_text(value, "codec");
    if (!name)
        return false;
    if (!tess_codec_find(name, &codec)) {
        PyErr_Format(PyExc_ValueError, "codec %R is not known to this build", value);
        return false;
    }
    p->params.codec = codec.id;
    return true;
}

static bool
take_codec_meta(struct py_params *p, PyObject *value)
{
    int number = 0;
    const bool ok = take_int(value, "codec_meta", -128, 255, &number);
    p->params.codec_meta = (uint8_t)number;
    return ok;
}

static bool
take_level(struct py_params *p, PyObject *value)
{
    return take_int(value, "level", 0, 9, &p->params.clevel);
}

static bool
take_split(struct py_params *p, PyObject *value)
{
    return take_int(value, "split", 0, 4, &p->params.split);
}

static bool
take_filter(PyObject *pair, uint8_t *id, uint8_t *meta)
{
    tess_filter_info filter;
    const char *name;
    int number;

    if (!PyArg_ParseTuple(pair, "si;a filter is a pair: name and number", &name, &number))
        return false;
    if (!tess_filter_find(name, &filter)) {
        PyErr_Format(PyExc_ValueError, "filter '%s' is not known to this build", name);
        return false;
    }
    if (number < -128 || number > 255) {
        PyErr_Format(PyExc_ValueError, "the parameter of filter '%s' is %d, expected -128 to 255",
                     name, number);
        return false;
    }
    *id = (uint8_t)filter.id;
    *meta = (uint8_t)number;
    return true;
}

// A tuple of pairs; the last slots are filled, as other writers of Blosc2 do.
static bool
take_filters(struct py_params *p, PyObject *value)
{
    const Py_ssize_t n = PyTuple_Size(value);
    if (n < 0)
        return false;
    if (n > TESS_MAX_FILTERS) {
        PyErr_Format(PyExc_ValueError, "%zd filters, expected %d at most", n, TESS_MAX_FILTERS);
        return false;
    }
    memset(p->params.filters, 0, sizeof p->params.filters);
    memset(p->params.filters_meta, 0, sizeof p->params.filters_meta);
    for (Py_ssize_t i = 0; i < n; i++) {
        const Py_ssize_t slot = TESS_MAX_FILTERS - n + i;
        if (!take_filter(PyTuple_GetItem(value, i), &p->params.filters[slot],
                         &p->params.filters_meta[slot]))
            return false;
    }
    return true;
}

static bool
take_dictionary(struct py_params *p, PyObject *value)
{
    p->params.dictionary = PyObject_IsTrue(value) == 1;
    return !PyErr_Occurred();
}

static bool
take_sparse(struct py_params *p, PyObject *value)
{
    p->params.layout = PyObject_IsTrue(value) == 1 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    return !PyErr_Occurred();
}

static bool
take_fill(struct py_params *p, PyObject *value)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(value, &bytes, &size) < 0)
        return false;
    Py_XDECREF(p->fill);
    p->fill = Py_NewRef(value);
    p->params.fill = bytes;
    p->params.fill_size = (size_t)size;
    return true;
}

static const struct key keys[] = {
    {"shape", take_shape}, // before chunks and blocks
    {"dtype", take_dtype},
    {"chunks", take_chunks},
    {"blocks", take_blocks},
    {"codec", take_codec},
    {"codec_meta", take_codec_meta},
    {"level", take_level},
    {"filters", take_filters},
    {"split", take_split},
    {"dictionary", take_dictionary},
    {"sparse", take_sparse},
    {"fill", take_fill},
};

bool
py_params_change(struct py_params *p, PyObject *dict)
{
    Py_ssize_t found = 0;

    p->dtype = p->fill = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        bool ok;
        PyObject *const value = py_memory_key(dict, keys[i].name, &ok);
        if (!ok)
            return false;
        if (!value)
            continue;
        found++;
        if (!keys[i].change(p, value))
            return false;
    }
    if (found == PyDict_Size(dict))
        return true;
    PyErr_Format(PyExc_TypeError, "unknown parameter of an array: %R", dict);
    return false;
}

void
py_params_finish(struct py_params *p)
{
    Py_CLEAR(p->dtype);
    Py_CLEAR(p->fill);
}

static PyObject *
filters_of(const tess_params *params)
{
    int n = 0, at = 0;
    for (int i = 0; i < TESS_MAX_FILTERS; i++)
        n += params->filters[i] != TESS_FILTER_NONE;
    PyObject *const list = PyTuple_New(n);
    for (int i = 0; list && i < TESS_MAX_FILTERS; i++) {
        tess_filter_info filter = {.name = "unknown"};
        if (params->filters[i] == TESS_FILTER_NONE)
            continue;
        (void)tess_filter_get(params->filters[i], &filter);
        PyObject *const pair =
            Py_BuildValue("(si)", filter.name, (int)(int8_t)params->filters_meta[i]);
        if (!pair) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyTuple_SetItem(list, at++, pair);
    }
    return list;
}

PyObject *
py_params_layout(const tess_params *params)
{
    tess_codec_info codec = {.name = "unknown"};
    PyObject *const chunks = py_memory_tuple(params->ndim, params->chunkshape);
    PyObject *const blocks = py_memory_tuple(params->ndim, params->blockshape);
    PyObject *const filters = filters_of(params);
    PyObject *all = NULL;

    (void)tess_codec_get(params->codec, &codec);
    if (chunks && blocks && filters)
        all = Py_BuildValue("{sO sO ss si si sO si sO}", "chunks", chunks, "blocks", blocks,
                            "codec", codec.name, "codec_meta", (int)params->codec_meta, "level",
                            params->clevel, "filters", filters, "split", params->split,
                            "dictionary", params->dictionary ? Py_True : Py_False);
    Py_XDECREF(filters);
    Py_XDECREF(blocks);
    Py_XDECREF(chunks);
    return all;
}
