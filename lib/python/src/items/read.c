/*
 * read.c - items of an array as arrays and scalars of NumPy.
 *
 * The library writes straight into the memory of the result. Where lists of indices and slices
 * meet, the raw items have other axes first than the result, which then is a transposed array, as
 * it is in NumPy.
 */
#include "python/src/items/read.h"

#include "python/src/base/array.h"
#include "python/src/base/call.h"
#include "python/src/base/dtype.h"
#include "python/src/base/memory.h"
#include "python/src/base/methods.h"
#include "python/src/base/names.h"
#include "python/src/items/index.h"
#include "python/src/items/selection.h"

#include <string.h>

// A single item; most of the time is NumPy's.
static PyObject *
read_one(const struct py_array *a, const int64_t *position)
{
    struct py_memory memory = {0};
    struct py_call call;
    PyObject *scalar = NULL;

    if (py_memory_empty(&memory, 0, NULL, a->dtype) && py_call_begin(&call, a, PY_SHARED)) {
        const tess_status st = tess_array_get_item(a->handle, position, memory.view.buf,
                                                   (size_t)memory.view.len, &call.err);
        if (py_call_end(&call, st))
            scalar = PyObject_GetItem(memory.array, py_names.no_index);
    }
    py_memory_drop(&memory);
    return scalar;
}

// The bytes from one item to the next in the memory of the result, per axis of the array.
static void
slice_strides(const struct py_selection *s, const Py_buffer *view, int64_t *strides)
{
    for (int i = 0; i < s->array_ndim; i++)
        strides[i] = s->result_axis[i] < 0 ? s->typesize : view->strides[s->result_axis[i]];
}

static tess_mask
mask_of(const struct py_selection *s, const Py_buffer *bytes)
{
    return (tess_mask){.ndim = s->mask_ndim, .bytes = bytes->buf, .bytes_size = (size_t)bytes->len};
}

// The items of the selection into memory: in any order for slices, else in the raw one.
static bool
read_into(const struct py_selection *s, const struct py_array *a, const struct py_memory *to)
{
    int64_t strides[TESS_MAX_NDIM];
    struct py_memory mask = {0};
    struct py_call call;
    tess_status st = TESS_OK;
    void *const dst = to->view.buf;
    const size_t size = s->pick == PY_PICK_SLICE ? py_memory_reach(to) : (size_t)to->view.len;

    if (s->pick == PY_PICK_MASK && !py_memory_hold(&mask, s->mask, false))
        return false;
    if (s->pick == PY_PICK_SLICE)
        slice_strides(s, &to->view, strides);
    if (!py_call_begin(&call, a, PY_SHARED)) {
        py_memory_drop(&mask);
        return false;
    }
    st = py_index_fits(s, a, &call.err);
    if (st != TESS_OK) {
        ; // call.err says why
    } else if (s->pick == PY_PICK_SLICE) {
        st = tess_array_get_slice(a->handle, s->start, s->stop, s->step, dst, size, strides,
                                  &call.err);
    } else if (s->pick == PY_PICK_MASK) {
        const tess_mask bytes = mask_of(s, &mask.view);
        st = tess_array_get_mask(a->handle, &bytes, dst, size, &call.err);
    } else if (s->pick == PY_PICK_LISTS) {
        st = tess_array_get_orthogonal(a->handle, s->counts, (const int64_t *const *)s->lists, dst,
                                       size, &call.err);
    } else if (s->pick == PY_PICK_POINTS) {
        st = tess_array_get_points(a->handle, s->npoints, s->points, dst, size, &call.err);
    } else {
        st = tess_array_get_boxes(a->handle, s->npoints, s->points, s->box, NULL, dst, size,
                                  &call.err);
    }
    const bool ok = py_call_end(&call, st);
    py_memory_drop(&mask);
    return ok;
}

static PyObject *
read_new(const struct py_selection *s, const struct py_array *a)
{
    struct py_memory memory = {0};
    PyObject *result = NULL;
    const bool ok = s->turned ? py_memory_empty(&memory, s->raw_ndim, s->raw, a->dtype)
                              : py_memory_empty(&memory, s->ndim, s->shape, a->dtype);

    if (ok && read_into(s, a, &memory)) {
        PyObject *const array = py_memory_take(&memory);
        result = s->turned   ? py_index_turn(s, array)
                 : s->scalar ? PyObject_GetItem(array, py_names.no_index)
                             : Py_NewRef(array);
        Py_DECREF(array);
    }
    py_memory_drop(&memory);
    return result;
}

// Whether memory of the program is such that the items fit. False: an exception is set.
static bool
out_fits(const struct py_selection *s, const struct py_array *a, PyObject *out,
         const Py_buffer *view)
{
    PyObject *const dtype = PyObject_GetAttrString(out, "dtype");
    const int equal = dtype ? py_dtype_equal(dtype, a->dtype) : -1;
    bool same = view->ndim == s->ndim;

    if (equal == 0)
        PyErr_Format(PyExc_TypeError, "out has items of type %S, the array of type %S", dtype,
                     a->dtype);
    Py_XDECREF(dtype);
    if (equal != 1)
        return false;
    for (int i = 0; same && i < s->ndim; i++)
        same = view->shape[i] == s->shape[i];
    if (same)
        return true;
    PyObject *const want = py_memory_tuple(s->ndim, s->shape);
    PyObject *const have = PyObject_GetAttrString(out, "shape");
    if (want && have)
        PyErr_Format(PyExc_ValueError, "out has the shape %R, the items the shape %R", have, want);
    Py_XDECREF(have);
    Py_XDECREF(want);
    return false;
}

// Into memory of the program. Where its order is not that of the library, by a copy.
static bool
read_out(const struct py_selection *s, const struct py_array *a, PyObject *out)
{
    struct py_memory memory = {0};
    bool ok = py_memory_hold(&memory, out, true) && out_fits(s, a, out, &memory.view);

    if (ok &&
        (s->pick == PY_PICK_SLICE || (!s->turned && PyBuffer_IsContiguous(&memory.view, 'C')))) {
        ok = read_into(s, a, &memory);
    } else if (ok) {
        PyObject *const items = read_new(s, a);
        ok = items && PyObject_SetItem(out, Py_Ellipsis, items) == 0;
        Py_XDECREF(items);
    }
    py_memory_drop(&memory);
    return ok;
}

static PyObject *
read_index(const struct py_array *a, PyObject *index, enum py_index_way way, PyObject *out)
{
    struct py_selection s;
    PyObject *result = NULL;

    if (py_index_parse(&s, a, index, way) && py_index_count(&s)) {
        if (!out)
            result = read_new(&s, a);
        else if (read_out(&s, a, out))
            result = Py_NewRef(out);
    }
    py_selection_finish(&s);
    return result;
}

PyObject *
py_read_item(PyObject *self, PyObject *index)
{
    const struct py_array *const a = (struct py_array *)(void *)self;
    int64_t position[TESS_MAX_NDIM];
    const int item = py_index_item(a, index, position);

    if (item != 0)
        return item > 0 ? read_one(a, position) : NULL;
    return read_index(a, index, PY_INDEX_NUMPY, NULL);
}

// _read(index, way, out)
static PyObject *
array_read(PyObject *self, PyObject *args)
{
    PyObject *index, *out;
    int way;

    if (!PyArg_ParseTuple(args, "OiO", &index, &way, &out))
        return NULL;
    if (out == Py_None)
        return read_index((struct py_array *)(void *)self, index, (enum py_index_way)way, NULL);
    if (PyObject_IsInstance(out, py_names.ndarray) != 1) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "out is an array of NumPy, not %R", out);
        return NULL;
    }
    return read_index((struct py_array *)(void *)self, index, (enum py_index_way)way, out);
}

PyMethodDef py_read_methods[] = {
    {"_read", array_read, METH_VARARGS,
     "_read(index, way, out): items of an index; way 0 as in NumPy, 1 .oindex, 2 .vindex."},
    {NULL, NULL, 0, NULL},
};
