/*
 * reduce.c - sums, means and extremes along axes, computed by the library.
 */
#include "python/src/base/array.h"
#include "python/src/base/call.h"
#include "python/src/base/dtype.h"
#include "python/src/base/memory.h"
#include "python/src/base/methods.h"
#include "python/src/base/names.h"

// All items of an array in memory that the call made, as an array of NumPy.
static PyObject *
items_of(tess_array *handle)
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

// _reduce(op, axes, keep_axes, skip_nan, ddof): axes None: all. op is a number of tess_reduction.
static PyObject *
array_reduce(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyObject *sequence, *result = NULL;
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
    tess_storage_init(&storage);
    tess_array_get_context(a->handle, &context);
    context.cache = TESS_CACHE_SHARED;
    storage.context = &context;
    const tess_status st =
        tess_array_reduce(a->handle, (tess_reduction)op, sequence == Py_None ? NULL : axes, n,
                          &options, &storage, NULL, &handle, &call.err);
    if (py_call_end(&call, st))
        result = items_of(handle);
    tess_array_discard(handle);
    return result;
}

PyMethodDef py_reduce_methods[] = {
    {"_reduce", array_reduce, METH_VARARGS, "_reduce(op, axes, keep_axes, skip_nan, ddof)"},
    {NULL, NULL, 0, NULL},
};
