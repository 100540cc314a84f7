/*
 * class.c - the class _tessera.Array: the life of its objects, and their properties.
 *
 * A view refers to the array that it is of, and that does not know its views. Cycles of references
 * arise where a program sets attributes of objects, such as a view of an array at that array; since
 * clearing those attributes breaks every cycle, the garbage collector only has to see the
 * reference.
 */
#include "class.h"

#include "base/array.h"
#include "base/call.h"
#include "base/family.h"
#include "base/memory.h"
#include "base/methods.h"
#include "base/names.h"
#include "items/read.h"
#include "items/write.h"

#include <string.h>

static int
array_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct py_array *)(void *)self)->base);
    Py_VISIT(((struct py_array *)(void *)self)->store);
    return 0;
}

static void
array_dealloc(PyObject *self)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyTypeObject *const type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    py_family_notice_fork(a->family);
    py_array_part(a);
    // A call of another thread that a fork() cut off may have left the handle in any state.
    if (!a->handle || a->family->broken)
        py_family_leave(a->family);
    else
        py_call_forget((struct py_gone){.array = a->handle}, a->family, a->place);
    Py_CLEAR(a->store);
    Py_CLEAR(a->base);
    Py_CLEAR(a->place);
    Py_CLEAR(a->dtype);
    ((freefunc)(uintptr_t)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

// Begins a call that closes the array, and takes its handle. NULL: it is closed, or an exception is
// set.
static tess_array *
begin_close(struct py_call *call, struct py_array *a)
{
    if (!a->handle)
        return NULL;
    if (!py_call_begin(call, a, PY_EXCLUSIVE)) {
        if (call->closed && PyErr_ExceptionMatches(PyExc_ValueError))
            PyErr_Clear(); // another thread closed it while this one waited
        return NULL;
    }
    tess_array *const handle = a->handle;
    a->handle = NULL; // calls that wait for this one find it closed
    return handle;
}

static PyObject *
array_close(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;

    (void)none;
    tess_array *const handle = begin_close(&call, a);
    if (!handle)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    const tess_status st = tess_array_close(handle, &call.err);
    return py_call_end(&call, st) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *
array_discard(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;

    (void)none;
    tess_array *const handle = begin_close(&call, a);
    if (!handle)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    tess_array_discard(handle);
    return py_call_end(&call, TESS_OK) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *
array_flush(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;

    (void)none;
    if (!py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_array_flush(a->handle, &call.err);
    return py_call_end(&call, st) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *
array_refresh(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    bool changed = false;

    (void)none;
    if (!py_call_begin(&call, a, PY_EXCLUSIVE))
        return NULL;
    const tess_status st = tess_array_refresh(a->handle, &changed, &call.err);
    return py_array_end_change(a, &call, st, changed) ? PyBool_FromLong(changed) : NULL;
}

static Py_ssize_t
array_length(PyObject *self)
{
    const struct py_array *const a = (struct py_array *)(void *)self;
    if (a->ndim > 0)
        return (Py_ssize_t)a->shape[0];
    PyErr_SetString(PyExc_TypeError, "an array without axes has no length");
    return -1;
}

static PyObject *
get_shape(PyObject *self, void *none)
{
    const struct py_array *const a = (struct py_array *)(void *)self;
    (void)none;
    return py_memory_tuple(a->ndim, a->shape);
}

static PyObject *
get_dtype(PyObject *self, void *none)
{
    (void)none;
    return Py_NewRef(((struct py_array *)(void *)self)->dtype);
}

static PyObject *
get_place(PyObject *self, void *none)
{
    (void)none;
    return Py_NewRef(((struct py_array *)(void *)self)->place);
}

static PyObject *
get_closed(PyObject *self, void *none)
{
    (void)none;
    return PyBool_FromLong(!((struct py_array *)(void *)self)->handle);
}

static PyObject *
get_base(PyObject *self, void *none)
{
    const struct py_array *const a = (struct py_array *)(void *)self;
    (void)none;
    return Py_NewRef(a->base ? a->base : Py_None);
}

static PyObject *
get_fill(PyObject *self, void *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_memory memory = {0};
    struct py_call call;
    tess_info info;
    PyObject *scalar = NULL;

    (void)none;
    do {
        py_memory_drop(&memory);
        if (!py_call_enter(&call, a, PY_SHARED))
            return NULL;
        if (!py_memory_empty(&memory, 0, NULL, a->dtype)) {
            py_call_leave(&call);
            return NULL;
        }
    } while (!py_call_go(&call));
    tess_array_info(a->handle, &info);
    if (info.fill)
        memcpy(memory.view.buf, info.fill, (size_t)info.typesize);
    else
        memset(memory.view.buf, 0, (size_t)info.typesize);
    if (py_call_end(&call, TESS_OK))
        scalar = PyObject_GetItem(memory.array, py_names.no_index);
    py_memory_drop(&memory);
    return scalar;
}

static PyObject *
get_filters(const tess_info *info)
{
    PyObject *const list = PyList_New(0);
    for (int i = 0; list && i < TESS_MAX_FILTERS; i++) {
        tess_filter_info filter = {.name = "unknown"};
        if (info->filters[i] == TESS_FILTER_NONE)
            continue;
        (void)tess_filter_get(info->filters[i], &filter);
        PyObject *const pair =
            Py_BuildValue("(si)", filter.name, (int)(int8_t)info->filters_meta[i]);
        if (!pair || PyList_Append(list, pair) < 0) {
            Py_XDECREF(pair);
            Py_DECREF(list);
            return NULL;
        }
        Py_DECREF(pair);
    }
    return list;
}

static PyObject *
array_info(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    tess_info info;

    (void)none;
    if (!py_call_begin(&call, a, PY_SHARED))
        return NULL;
    tess_array_info(a->handle, &info);
    if (!py_call_end(&call, TESS_OK))
        return NULL;
    PyObject *const chunks = py_memory_tuple(info.ndim, info.chunkshape);
    PyObject *const blocks = py_memory_tuple(info.ndim, info.blockshape);
    PyObject *const filters = get_filters(&info);
    PyObject *const all =
        chunks && blocks && filters
            ? Py_BuildValue("{sO sO ss si si sO si sL sL sL sL sL sL sN sN sN sN}", "chunks",
                            chunks, "blocks", blocks, "codec", info.codec_name, "codec_meta",
                            info.codec_meta, "level", info.clevel, "filters", filters, "split",
                            info.split, "nchunks", (long long)info.nchunks, "nbytes",
                            (long long)info.nbytes, "cbytes", (long long)info.cbytes, "file_size",
                            (long long)info.file_size, "cache_hits", (long long)info.cache_hits,
                            "cache_misses", (long long)info.cache_misses, "dictionary",
                            PyBool_FromLong(info.dictionary), "writable",
                            PyBool_FromLong(info.writable), "contiguous",
                            PyBool_FromLong(info.contiguous), "view", PyBool_FromLong(info.view))
            : NULL;
    Py_XDECREF(filters);
    Py_XDECREF(blocks);
    Py_XDECREF(chunks);
    return all;
}

static PyMethodDef life_methods[] = {
    {"close", array_close, METH_NOARGS,
     "Commit all changes and close the array. Waits for calls of other threads."},
    {"discard", array_discard, METH_NOARGS, "Close the array without committing."},
    {"flush", array_flush, METH_NOARGS, "Commit all changes."},
    {"refresh", array_refresh, METH_NOARGS,
     "Move to the newest state of the file; returns whether there was one."},
    {"_info", array_info, METH_NOARGS, "The properties that tess_array_info() tells, as a dict."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"shape", get_shape, NULL, "Items along each axis.", NULL},
    {"dtype", get_dtype, NULL, "Type of the items, a numpy.dtype.", NULL},
    {"path", get_place, NULL, "Path or URL; None for an array in memory.", NULL},
    {"closed", get_closed, NULL, "Whether the array is closed.", NULL},
    {"base", get_base, NULL, "The array that a view is of; None.", NULL},
    {"fill_value", get_fill, NULL, "Value of items that growth adds.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

// The tables of methods of all units in one, which the class keeps for ever.
static PyMethodDef *
all_methods(void)
{
    static PyMethodDef *const tables[] = {
        life_methods,    py_read_methods, py_write_methods,   py_shape_methods, py_view_methods,
        py_attr_methods, py_copy_methods, py_compute_methods, py_chunk_methods, py_packet_methods};
    static PyMethodDef all[64];
    size_t n = 0;

    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const PyMethodDef *m = tables[t]; m->ml_name; m++)
            if (n < sizeof all / sizeof all[0] - 1)
                all[n++] = *m;
    return all;
}

bool
py_class_add(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)(uintptr_t) "An open array; tessera.Array is the class of programs."},
        {Py_tp_traverse, (void *)array_traverse},
        {Py_tp_dealloc, (void *)array_dealloc},
        {Py_tp_methods, all_methods()},
        {Py_tp_getset, properties},
        {Py_mp_length, (void *)array_length},
        {Py_mp_subscript, (void *)py_read_item},
        {Py_mp_ass_subscript, (void *)py_write_item},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "tessera._tessera.Array",
                        .basicsize = sizeof(struct py_array),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        .slots = slots};

    PyObject *const class = PyType_FromSpec(&spec);
    py_array_set_class(class);
    return class && PyModule_AddObjectRef(module, "Array", class) == 0;
}
