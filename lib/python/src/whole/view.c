/*
 * view.c - views: slices and axes in another order, as arrays without a copy.
 */
#include "base/array.h"
#include "base/call.h"
#include "base/memory.h"
#include "base/methods.h"
#include "items/index.h"
#include "items/parts.h"
#include "items/selection.h"

// Ends a call that made a view of an array.
static PyObject *
end_view(struct py_call *call, tess_status st, tess_array *handle, struct py_array *a)
{
    if (py_call_end(call, st))
        return py_array_new((PyObject *)Py_TYPE((PyObject *)a), handle, NULL, a->place, a);
    if (st == TESS_OK) { // a handler of a signal raised
        a->family->refs++;
        py_call_forget((struct py_gone){.array = handle}, a->family, NULL);
    }
    return NULL;
}

// Views of one call, each of the one before; only the last one is kept.
struct chain {
    tess_array *last;
    bool owned; // last is a view
};

static void
step(struct chain *chain, tess_array *view)
{
    if (chain->owned)
        tess_array_discard(chain->last);
    chain->last = view;
    chain->owned = true;
}

// The slice, then without the axes that have a single index, then with the new ones.
static tess_status
make_view(const struct py_selection *s, const struct py_array *a, tess_array **view,
          tess_error *err)
{
    struct chain chain = {.last = a->handle};
    tess_array *next = NULL;
    tess_status st = tess_array_view_slice(chain.last, s->start, s->stop, s->step, &next, err);

    if (st == TESS_OK)
        step(&chain, next);
    for (int i = a->ndim - 1; st == TESS_OK && i >= 0; i--) {
        if (s->result_axis[i] >= 0)
            continue;
        st = tess_array_view_squeeze(chain.last, i, &next, err);
        if (st == TESS_OK)
            step(&chain, next);
    }
    for (int i = 0; st == TESS_OK && i < s->ndim; i++) {
        bool is_new = true;
        for (int k = 0; k < a->ndim; k++)
            is_new &= s->result_axis[k] != i;
        if (!is_new)
            continue;
        st = tess_array_view_expand(chain.last, i, &next, err);
        if (st == TESS_OK)
            step(&chain, next);
    }
    if (st != TESS_OK && chain.owned)
        tess_array_discard(chain.last);
    *view = chain.last;
    return st;
}

// What an index of a view selects. False: an exception is set.
static bool
select_view(struct py_selection *s, const struct py_array *a, const struct py_parts *parts)
{
    if (!py_index_select(s, a, parts, PY_INDEX_NUMPY))
        return false;
    if (s->pick != PY_PICK_SLICE)
        PyErr_SetString(PyExc_IndexError,
                        "a view is made by numbers, slices, '...' and None, not by lists or masks");
    return s->pick == PY_PICK_SLICE;
}

static PyObject *
view_parts(struct py_array *a, const struct py_parts *parts)
{
    struct py_selection s;
    struct py_call call;
    tess_array *view = NULL;
    PyObject *result = NULL;

    py_selection_init(&s);
    do {
        py_selection_finish(&s);
        if (!py_call_enter(&call, a, PY_SHARED))
            return NULL;
        if (!select_view(&s, a, parts)) {
            py_call_leave(&call);
            goto out;
        }
    } while (!py_call_go(&call));
    const tess_status st = make_view(&s, a, &view, &call.err);
    result = end_view(&call, st, view, a);
out:
    py_selection_finish(&s);
    return result;
}

// _view(index): numbers, slices, '...' and None.
static PyObject *
array_view(PyObject *self, PyObject *index)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_parts parts;
    PyObject *const result = py_parts_parse(&parts, a, index) ? view_parts(a, &parts) : NULL;

    py_parts_finish(&parts);
    return result;
}

// _permute(axes)
static PyObject *
array_permute(PyObject *self, PyObject *sequence)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    int64_t numbers[TESS_MAX_NDIM];
    int axes[TESS_MAX_NDIM];
    struct py_call call;
    tess_array *view = NULL;
    const int n = py_memory_numbers(sequence, "axes", TESS_MAX_NDIM, numbers);

    if (n < 0)
        return NULL;
    if (n != a->ndim) {
        PyErr_Format(PyExc_ValueError, "axes has length %d, the array has %d dimensions", n,
                     a->ndim);
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        axes[i] = py_array_axis(a, numbers[i]);
        if (axes[i] < 0)
            return NULL;
    }
    if (!py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_array_view_permute(a->handle, axes, &view, &call.err);
    return end_view(&call, st, view, a);
}

// _read_only()
static PyObject *
array_read_only(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    tess_array *view = NULL;

    (void)none;
    if (!py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_array_view_read_only(a->handle, &view, &call.err);
    return end_view(&call, st, view, a);
}

PyMethodDef py_view_methods[] = {
    {"_view", array_view, METH_O, "_view(index)"},
    {"_permute", array_permute, METH_O, "_permute(axes)"},
    {"_read_only", array_read_only, METH_NOARGS, "_read_only()"},
    {NULL, NULL, 0, NULL},
};
