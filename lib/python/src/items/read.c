/*
 * read.c - reads items of an array into arrays and scalars of NumPy.
 *
 * The library writes directly into the memory of the result. If an index has both lists and slices,
 * the order of axes of the raw items may differ from that of the result: then the result is a
 * transposed view of the raw items, as in NumPy.
 */
#include "items/read.h"

#include "base/array.h"
#include "base/call.h"
#include "base/dtype.h"
#include "base/memory.h"
#include "base/methods.h"
#include "base/names.h"
#include "items/index.h"
#include "items/parts.h"
#include "items/selection.h"

#include <string.h>

// A single item; most of the time is NumPy's.
static PyObject *
read_one(const struct py_array *a, const int64_t *numbers)
{
    int64_t position[TESS_MAX_NDIM];
    struct py_memory memory = {0};
    struct py_call call;
    PyObject *scalar = NULL;

    do {
        py_memory_drop(&memory);
        if (!py_call_enter(&call, a, PY_SHARED))
            return NULL;
        if (!py_index_wrap(a, numbers, position) || !py_memory_empty(&memory, 0, NULL, a->dtype)) {
            py_call_leave(&call);
            return NULL;
        }
    } while (!py_call_go(&call));
    const tess_status st = tess_array_get_item(a->handle, position, memory.view.buf,
                                               (size_t)memory.view.len, &call.err);
    if (py_call_end(&call, st))
        scalar = PyObject_GetItem(memory.array, py_names.no_index);
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
mask_of(const struct py_selection *s)
{
    return (tess_mask){
        .ndim = s->mask_ndim, .bytes = s->mask.view.buf, .bytes_size = (size_t)s->mask.view.len};
}

// Read the selected items; the GIL is not held. Slices are written with the strides of `out`, other
// selections in raw order.
static tess_status
read_into(const struct py_selection *s, const struct py_array *a, const struct py_memory *to,
          tess_error *err)
{
    int64_t strides[TESS_MAX_NDIM];
    void *const dst = to->view.buf;
    const size_t size = (size_t)to->view.len;

    if (s->pick == PY_PICK_SLICE) {
        slice_strides(s, &to->view, strides);
        return tess_array_get_slice(a->handle, s->start, s->stop, s->step, dst, py_memory_reach(to),
                                    strides, err);
    }
    if (s->pick == PY_PICK_MASK) {
        const tess_mask mask = mask_of(s);
        return tess_array_get_mask(a->handle, &mask, dst, size, err);
    }
    if (s->pick == PY_PICK_LISTS)
        return tess_array_get_orthogonal(a->handle, s->counts, (const int64_t *const *)s->lists,
                                         dst, size, err);
    if (s->pick == PY_PICK_POINTS)
        return tess_array_get_points(a->handle, s->npoints, s->points, dst, size, err);
    return tess_array_get_boxes(a->handle, s->npoints, s->points, s->box, NULL, dst, size, err);
}

// Whether `out` has the type and shape of the result. False: an exception is set.
static bool
out_fits(const struct py_selection *s, const struct py_array *a, const struct py_memory *out)
{
    const Py_buffer *const view = &out->view;
    PyObject *const dtype = PyObject_GetAttrString(out->array, "dtype");
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
    PyObject *const have = PyObject_GetAttrString(out->array, "shape");
    if (want && have)
        PyErr_Format(PyExc_ValueError, "out has the shape %R, the items the shape %R", have, want);
    Py_XDECREF(have);
    Py_XDECREF(want);
    return false;
}

// Whether the library can write directly into `out`: its order of items is the raw order.
static bool
is_direct(const struct py_selection *s, const struct py_memory *out)
{
    return s->pick == PY_PICK_SLICE || (!s->turned && PyBuffer_IsContiguous(&out->view, 'C'));
}

// Resolve the index, and choose the memory that the library writes to: *out if possible, else new
// memory in *made. False: an exception is set.
static bool
prepare_read(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
             enum py_index_way way, const struct py_memory *out, struct py_memory *made)
{
    if (!py_index_select(s, a, parts, way))
        return false;
    if (out->held && !out_fits(s, a, out))
        return false;
    if (out->held && is_direct(s, out))
        return true;
    return s->turned ? py_memory_empty(made, s->raw_ndim, s->raw, a->dtype)
                     : py_memory_empty(made, s->ndim, s->shape, a->dtype);
}

// Make the result of the items that were read. If they are in *made, they are copied to *out.
static PyObject *
result_of(const struct py_selection *s, const struct py_memory *out, const struct py_memory *made)
{
    PyObject *result = NULL;

    if (made->held)
        result = s->turned                 ? py_index_turn(s, made->array)
                 : s->scalar && !out->held ? PyObject_GetItem(made->array, py_names.no_index)
                                           : Py_NewRef(made->array);
    if (!out->held || (made->held && !result))
        return result;
    const bool ok = !made->held || PyObject_SetItem(out->array, Py_Ellipsis, result) == 0;
    Py_XDECREF(result);
    return ok ? Py_NewRef(out->array) : NULL;
}

// Read a[index], into *out if `out` is held.
static PyObject *
read_parts(const struct py_array *a, const struct py_parts *parts, enum py_index_way way,
           const struct py_memory *out)
{
    struct py_selection s;
    struct py_memory made = {0};
    struct py_call call;
    PyObject *result = NULL;

    py_selection_init(&s);
    do {
        py_selection_finish(&s);
        py_memory_drop(&made);
        if (!py_call_enter(&call, a, PY_SHARED))
            return NULL;
        if (!prepare_read(&s, a, parts, way, out, &made)) {
            py_call_leave(&call);
            goto out;
        }
    } while (!py_call_go(&call));
    const tess_status st = read_into(&s, a, made.held ? &made : out, &call.err);
    if (py_call_end(&call, st))
        result = result_of(&s, out, &made);
out:
    py_memory_drop(&made);
    py_selection_finish(&s);
    return result;
}

static PyObject *
read_index(const struct py_array *a, PyObject *index, enum py_index_way way, PyObject *out)
{
    struct py_parts parts;
    struct py_memory memory = {0};
    PyObject *result = NULL;

    if (py_parts_parse(&parts, a, index) && (!out || py_memory_hold(&memory, out, true)))
        result = read_parts(a, &parts, way, &memory);
    py_memory_drop(&memory);
    py_parts_finish(&parts);
    return result;
}

PyObject *
py_read_item(PyObject *self, PyObject *index)
{
    const struct py_array *const a = (struct py_array *)(void *)self;
    int64_t numbers[TESS_MAX_NDIM];
    int n;

    if (py_index_numbers(index, &n, numbers) && n == a->ndim)
        return read_one(a, numbers);
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
