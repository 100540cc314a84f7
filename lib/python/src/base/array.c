/*
 * array.c - an open array, or a view of one, as an object of Python.
 */
#include "base/array.h"
#include "base/call.h"
#include "base/family.h"

#include "base/dtype.h"

#include <stdlib.h>
#include <string.h>

static PyObject *array_class; // _tessera.Array

void
py_array_set_class(PyObject *class)
{
    array_class = class;
}

struct py_array *
py_array_of(PyObject *object)
{
    const int is = PyObject_IsInstance(object, array_class);
    if (is == 0)
        PyErr_Format(PyExc_TypeError, "expected a tessera.Array, not %R", object);
    return is == 1 ? (struct py_array *)object : NULL;
}

int
py_array_axis(const struct py_array *a, int64_t axis)
{
    if (axis >= -a->ndim && axis < a->ndim)
        return (int)(axis < 0 ? axis + a->ndim : axis);
    PyErr_Format(PyExc_IndexError, "axis %lld is out of bounds for array of dimension %d",
                 (long long)axis, a->ndim);
    return -1;
}

// Closes an array when the calls that are in the way have ended.
static void
lose(struct py_array *a)
{
    a->family->refs++;
    py_call_forget((struct py_gone){.array = a->handle}, a->family, NULL);
    a->handle = NULL;
    a->lost = true;
}

void
py_array_join(struct py_array *a, PyObject *store, bool lost)
{
    a->store = Py_NewRef(store);
    a->after = a->family->arrays;
    if (a->after)
        a->after->before = a;
    a->family->arrays = a;
    if (lost)
        lose(a);
}

void
py_array_part(struct py_array *a)
{
    if (!a->store)
        return;
    if (a->after)
        a->after->before = a->before;
    if (a->before)
        a->before->after = a->after;
    else
        a->family->arrays = a->after;
    a->before = a->after = NULL;
}

// Takes the handles of all arrays of a family; NULL: no memory, nothing is taken.
static tess_array **
take_handles(struct py_family *family, size_t *n)
{
    *n = 0;
    for (const struct py_array *a = family->arrays; a; a = a->after)
        *n += a->handle != NULL;
    tess_array **const handles = malloc((*n + 1) * sizeof *handles);
    *n = 0;
    for (struct py_array *a = family->arrays; handles && a; a = a->after)
        if (a->handle) {
            handles[(*n)++] = a->handle;
            a->handle = NULL;
            a->lost = true;
        }
    return handles;
}

void
py_array_lose_all(struct py_family *family)
{
    size_t n;
    tess_array **const handles = take_handles(family, &n);

    family->losses++;
    for (struct py_array *a = handles ? NULL : family->arrays; a; a = a->after)
        if (a->handle)
            lose(a);
    // Before calls that wait: an array cannot be opened again as long as it is open.
    PyThreadState *const thread = PyEval_SaveThread();
    for (size_t i = 0; handles && i < n; i++)
        (void)tess_array_close(handles[i], NULL); // commits nothing, so it does not fail
    PyEval_RestoreThread(thread);
    free(handles);
}

static void
take_shape(struct py_array *a, const tess_info *info)
{
    a->ndim = info->ndim;
    memcpy(a->shape, info->shape, sizeof a->shape);
}

// Other objects of the same array of a store.
static void
give_shape(const struct py_array *a, const tess_info *info)
{
    for (struct py_array *other = a->family->arrays; other; other = other->after)
        if (other != a && other->handle == a->handle)
            take_shape(other, info);
}

static bool
take_info(struct py_array *a, const tess_info *info)
{
    PyObject *const dtype = py_dtype_of(info);
    if (!dtype)
        return false;
    PyObject *const old = a->dtype;
    a->dtype = dtype;
    Py_XDECREF(old);
    a->typesize = info->typesize;
    take_shape(a, info);
    return true;
}

bool
py_array_end_change(struct py_array *a, struct py_call *call, tess_status st, bool type)
{
    tess_info info;
    bool known = true;

    tess_array_info(a->handle, &info);
    py_call_back(call);
    if (type)
        known = take_info(a, &info);
    else
        take_shape(a, &info);
    give_shape(a, &info);
    return py_call_end(call, st) && known;
}

// A new array, which nothing else uses.
static bool
take_new(struct py_array *a)
{
    tess_info info;
    tess_array_info(a->handle, &info);
    return take_info(a, &info);
}

static bool
take_view(struct py_array *a)
{
    struct py_call call;
    return py_call_begin(&call, a, PY_SHARED) && py_array_end_change(a, &call, TESS_OK, true);
}

PyObject *
py_array_new(PyObject *class, tess_array *handle, struct py_family *family, PyObject *place,
             struct py_array *base)
{
    const allocfunc allocate =
        (allocfunc)(uintptr_t)PyType_GetSlot((PyTypeObject *)class, Py_tp_alloc);
    struct py_array *const a = (struct py_array *)(void *)allocate((PyTypeObject *)class, 0);

    if (!a) {
        if (base) {
            base->family->refs++;
            py_call_forget((struct py_gone){.array = handle}, base->family, NULL);
        } else if (family->alone) { // other objects may have it, too
            py_call_forget((struct py_gone){.array = handle}, family, NULL);
        } else {
            tess_array_discard(handle);
            py_family_leave(family);
        }
        return NULL;
    }
    a->handle = handle;
    a->family = base ? base->family : family;
    a->place = Py_NewRef(place);
    if (base) {
        a->base = Py_NewRef((PyObject *)base);
        base->family->refs++;
        if (base->store)
            py_array_join(a, base->store, base->lost);
    }
    if (!(base ? take_view(a) : take_new(a))) {
        Py_DECREF((PyObject *)a);
        return NULL;
    }
    return (PyObject *)a;
}
