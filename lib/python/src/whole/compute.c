/*
 * compute.c - operations on all items: reductions along axes, and comparisons.
 *
 * The library stores the result in an array in memory, which is then copied to an array of NumPy.
 */
#include "base/array.h"
#include "base/call.h"
#include "base/dtype.h"
#include "base/memory.h"
#include "base/methods.h"
#include "base/names.h"

// Read all items of the result of a call into an array of NumPy.
static PyObject *
read_result(tess_array *handle)
{
    const int64_t start[TESS_MAX_NDIM] = {0};
    struct py_memory memory = {0};
    struct py_call call;
    tess_info info;
    PyObject *items = NULL;

    tess_array_info(handle, &info);
    PyObject *const dtype = py_dtype_of(&info);
    if (dtype && py_memory_empty(&memory, info.ndim, info.shape, dtype) &&
        py_call_begin_new(&call)) {
        const tess_status st = tess_array_read(handle, start, info.shape, memory.view.buf,
                                               (size_t)memory.view.len, &call.err);
        if (py_call_end(&call, st))
            items = py_memory_take(&memory);
    }
    py_memory_drop(&memory);
    Py_XDECREF(dtype);
    return items;
}

// Ends a call, and converts its result to an array of NumPy. A new reference; NULL: an exception is
// set.
static PyObject *
end_compute(struct py_call *call, tess_status st, tess_array *handle)
{
    PyObject *const result = py_call_end(call, st) ? read_result(handle) : NULL;
    tess_array_discard(handle);
    return result;
}

// Storage and threads for a result: in memory, with as many threads as the array.
static void
in_memory(const struct py_array *a, tess_storage *storage, tess_context *context)
{
    tess_storage_init(storage);
    tess_array_get_context(a->handle, context);
    context->cache = TESS_CACHE_SHARED;
    storage->context = context;
}

// _reduce(op, axes, keep_axes, skip_nan, ddof): axes None: all. op is a number of tess_reduction.
static PyObject *
array_reduce(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyObject *sequence;
    tess_reduce_options options;
    tess_storage storage;
    tess_context context;
    tess_array *handle = NULL;
    int64_t numbers[TESS_MAX_NDIM];
    int axes[TESS_MAX_NDIM], op, n = 0;
    long long ddof;
    struct py_call call;

    tess_reduce_options_init(&options);
    if (!PyArg_ParseTuple(args, "iOppL", &op, &sequence, &options.keep_axes, &options.skip_nan,
                          &ddof))
        return NULL;
    options.ddof = ddof;
    if (sequence != Py_None)
        n = py_memory_numbers(sequence, "axis", TESS_MAX_NDIM, numbers);
    for (int i = 0; i < n; i++) {
        axes[i] = py_array_axis(a, numbers[i]);
        if (axes[i] < 0)
            return NULL;
    }
    if (n < 0 || !py_call_begin(&call, a, PY_SHARED))
        return NULL;
    in_memory(a, &storage, &context);
    const tess_status st =
        tess_array_reduce(a->handle, (tess_reduction)op, sequence == Py_None ? NULL : axes, n,
                          &options, &storage, NULL, &handle, &call.err);
    return end_compute(&call, st, handle);
}

// Convert a number of Python to a number of the library. False: an exception is set.
static bool
take_number(PyObject *object, tess_number *number)
{
    if (PyFloat_Check(object)) {
        *number = (tess_number){.kind = TESS_KIND_FLOAT, .f = PyFloat_AsDouble(object)};
        return true;
    }
    *number = (tess_number){.kind = TESS_KIND_INT, .i = PyLong_AsLongLong(object)};
    if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_OverflowError))
        return !PyErr_Occurred();
    PyErr_Clear();
    *number = (tess_number){.kind = TESS_KIND_UINT, .u = PyLong_AsUnsignedLongLong(object)};
    return !PyErr_Occurred();
}

static PyObject *
compare_number(struct py_array *a, tess_comparison op, PyObject *value)
{
    tess_storage storage;
    tess_context context;
    tess_array *mask = NULL;
    tess_number number;
    struct py_call call;

    if (!take_number(value, &number) || !py_call_begin(&call, a, PY_SHARED))
        return NULL;
    in_memory(a, &storage, &context);
    const tess_status st =
        tess_array_compare(a->handle, op, &number, &storage, NULL, &mask, &call.err);
    return end_compute(&call, st, mask);
}

static PyObject *
compare_arrays(struct py_array *a, tess_comparison op, struct py_array *b)
{
    tess_storage storage;
    tess_context context;
    tess_array *mask = NULL;
    struct py_call call;

    if (!py_call_begin_both(&call, a, PY_SHARED, b))
        return NULL;
    in_memory(a, &storage, &context);
    const tess_status st =
        tess_array_compare_arrays(a->handle, op, b->handle, &storage, NULL, &mask, &call.err);
    return end_compute(&call, st, mask);
}

// _compare(op, value): of an int, a float or an array. op is a number of tess_comparison.
static PyObject *
array_compare(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyObject *value;
    int op;

    if (!PyArg_ParseTuple(args, "iO", &op, &value))
        return NULL;
    if (PyLong_Check(value) || PyFloat_Check(value))
        return compare_number(a, (tess_comparison)op, value);
    struct py_array *const b = py_array_of(value);
    return b ? compare_arrays(a, (tess_comparison)op, b) : NULL;
}

PyMethodDef py_compute_methods[] = {
    {"_reduce", array_reduce, METH_VARARGS, "_reduce(op, axes, keep_axes, skip_nan, ddof)"},
    {"_compare", array_compare, METH_VARARGS, "_compare(op, value)"},
    {NULL, NULL, 0, NULL},
};
