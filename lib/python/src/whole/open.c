/*
 * open.c - arrays that are opened, and new ones: of one value, or of the items of NumPy.
 */
#include "base/call.h"
#include "base/dtype.h"
#include "base/memory.h"
#include "base/methods.h"
#include "whole/params.h"
#include "whole/place.h"

// _open(class, place)
static PyObject *
open_array(PyObject *module, PyObject *args)
{
    PyObject *class, *dict, *array = NULL;
    struct py_place place;
    struct py_call call;
    tess_array *handle = NULL;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO!", &class, &PyDict_Type, &dict))
        return NULL;
    if (py_place_parse(&place, dict) && py_call_begin_new(&call)) {
        const tess_status st = tess_array_open(&place.storage, &handle, &call.err);
        array = py_place_array(&place, class, &call, st, handle);
    }
    py_place_finish(&place);
    return array;
}

// The call that creates: the items are those of memory, the fill value, or zeros.
static tess_status
create(const struct py_place *place, struct py_params *p, const struct py_memory *items,
       tess_array **handle, tess_error *err)
{
    const void *const fill = p->params.fill;
    const size_t fill_size = p->params.fill_size;

    if (items->held)
        return tess_array_from(&place->storage, &p->params, items->view.buf,
                               (size_t)items->view.len, handle, err);
    if (!fill)
        return tess_array_zeros(&place->storage, &p->params, handle, err);
    p->params.fill = NULL; // that of the items
    p->params.fill_size = 0;
    return tess_array_full(&place->storage, &p->params, fill, fill_size, handle, err);
}

// _create(class, place, params, items): items None, or a NumPy array of the type and shape.
static PyObject *
create_array(PyObject *module, PyObject *args)
{
    PyObject *class, *where, *what, *items, *array = NULL;
    struct py_place place;
    struct py_params params = {.dtype = NULL};
    struct py_memory memory = {0};
    struct py_call call;
    tess_array *handle = NULL;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!O", &class, &PyDict_Type, &where, &PyDict_Type, &what,
                          &items))
        return NULL;
    tess_params_init(&params.params);
    if (py_place_parse(&place, where) && py_params_change(&params, what) &&
        (items == Py_None || py_memory_hold(&memory, items, false)) &&
        py_place_begin(&place, &call, NULL)) {
        const tess_status st = create(&place, &params, &memory, &handle, &call.err);
        array = py_place_array(&place, class, &call, st, handle);
    }
    py_memory_drop(&memory);
    py_params_finish(&params);
    py_place_finish(&place);
    return array;
}

// _is_url(text)
static PyObject *
is_url(PyObject *module, PyObject *text)
{
    static const char *const schemes[] = {"http://", "https://", "s3://"};
    (void)module;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        PyObject *const lower = PyObject_CallMethod(text, "lower", NULL);
        PyObject *const is =
            lower ? PyObject_CallMethod(lower, "startswith", "s", schemes[i]) : NULL;
        const int yes = is ? PyObject_IsTrue(is) : -1;
        Py_XDECREF(is);
        Py_XDECREF(lower);
        if (yes != 0)
            return yes < 0 ? NULL : Py_NewRef(Py_True);
    }
    Py_RETURN_FALSE;
}

PyMethodDef py_open_functions[] = {
    {"_open", open_array, METH_VARARGS, "_open(class, place)"},
    {"_create", create_array, METH_VARARGS, "_create(class, place, params, items)"},
    {"_is_url", is_url, METH_O, "Whether a text begins as a URL that arrays can be at."},
    {NULL, NULL, 0, NULL},
};
