/*
 * adoption.c - the class _tessera.Adoption: an array that adopts the chunks of packets.
 *
 * Calls on an adoption are shared calls on its array; its end is an exclusive one, so that it waits
 * for them. The handle is read and changed inside such calls only, or with the GIL held when the
 * array is closed: then none is running, and none begins.
 */
#include "adoption.h"

#include "base/array.h"
#include "base/call.h"
#include "base/family.h"

struct py_adoption {
    PyObject ob_base; // first, as in all objects of Python
    tess_adoption *handle; // NULL: ended
    struct py_array *array;
};

static struct py_adoption *
adoption_of(PyObject *self)
{
    return (struct py_adoption *)(void *)self;
}

// A shared call on an adoption that has not ended. False: an exception is set.
static bool
begin(struct py_call *call, const struct py_adoption *ad)
{
    if (!py_call_begin(call, ad->array, PY_SHARED))
        return false;
    if (ad->handle)
        return true;
    if (py_call_end(call, TESS_OK))
        PyErr_SetString(PyExc_ValueError, "the adoption has ended");
    return false;
}

// Adoption(array)
static PyObject *
adoption_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    struct py_call call;
    PyObject *object;
    const allocfunc allocate = (allocfunc)(uintptr_t)PyType_GetSlot(type, Py_tp_alloc);

    if (!PyArg_ParseTupleAndKeywords(args, named, "O", PY_KEYWORDS("array"), &object))
        return NULL;
    struct py_array *const a = py_array_of(object);
    struct py_adoption *const ad = a ? adoption_of(allocate(type, 0)) : NULL;
    if (!ad)
        return NULL;
    ad->array = (struct py_array *)(void *)Py_NewRef(object);
    if (py_call_begin(&call, a, PY_SHARED)) {
        const tess_status st = tess_adoption_begin(a->handle, &ad->handle, &call.err);
        if (py_call_end(&call, st))
            return (PyObject *)ad;
    }
    Py_DECREF((PyObject *)ad);
    return NULL;
}

static int
adoption_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)adoption_of(self)->array);
    return 0;
}

static void
adoption_dealloc(PyObject *self)
{
    struct py_adoption *const ad = adoption_of(self);
    PyTypeObject *const type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    // What a call left that a fork() cut off may be in any state, as for arrays.
    if (ad->handle)
        py_family_notice_fork(ad->array->family);
    if (ad->handle && !ad->array->family->broken) {
        ad->array->family->refs++;
        py_call_forget((struct py_gone){.adoption = ad->handle}, ad->array->family, NULL);
    }
    Py_XDECREF((PyObject *)ad->array);
    ((freefunc)(uintptr_t)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

// _add(packet, trusted)
static PyObject *
adoption_add(PyObject *self, PyObject *args)
{
    const struct py_adoption *const ad = adoption_of(self);
    struct py_call call;
    Py_buffer bytes;
    int trusted;
    bool ok = false;

    if (!PyArg_ParseTuple(args, "y*p", &bytes, &trusted))
        return NULL;
    if (begin(&call, ad)) {
        const tess_status st =
            tess_adoption_add(ad->handle, bytes.buf, (size_t)bytes.len,
                              trusted ? TESS_CHUNK_TRUSTED : TESS_CHUNK_UNTRUSTED, &call.err);
        ok = py_call_end(&call, st);
    }
    PyBuffer_Release(&bytes);
    return ok ? Py_NewRef(Py_None) : NULL;
}

// _lease(size): (first, size)
static PyObject *
adoption_lease(PyObject *self, PyObject *number)
{
    const struct py_adoption *const ad = adoption_of(self);
    struct py_call call;
    tess_lease lease;
    const int64_t size = PyNumber_AsSsize_t(number, PyExc_OverflowError);

    if (PyErr_Occurred() || !begin(&call, ad))
        return NULL;
    const tess_status st = tess_adoption_lease(ad->handle, size, &lease, &call.err);
    return py_call_end(&call, st)
               ? Py_BuildValue("(LL)", (long long)lease.first, (long long)lease.size)
               : NULL;
}

// _give_back(first, size)
static PyObject *
adoption_give_back(PyObject *self, PyObject *args)
{
    const struct py_adoption *const ad = adoption_of(self);
    struct py_call call;
    long long first, size;

    if (!PyArg_ParseTuple(args, "LL", &first, &size) || !begin(&call, ad))
        return NULL;
    const tess_lease lease = {.first = first, .size = size};
    const tess_status st = tess_adoption_return(ad->handle, &lease, &call.err);
    return py_call_end(&call, st) ? Py_NewRef(Py_None) : NULL;
}

// _missing(from): the number of the next chunk, or -1
static PyObject *
adoption_missing(PyObject *self, PyObject *number)
{
    const struct py_adoption *const ad = adoption_of(self);
    struct py_call call;
    int64_t next = -1;
    const int64_t from = PyNumber_AsSsize_t(number, PyExc_OverflowError);

    if (PyErr_Occurred() || !begin(&call, ad))
        return NULL;
    const tess_status st = tess_adoption_missing(ad->handle, from, &next, &call.err);
    return py_call_end(&call, st) ? PyLong_FromLongLong(next) : NULL;
}

static tess_adoption *
take_handle(struct py_adoption *ad)
{
    tess_adoption *const handle = ad->handle;
    ad->handle = NULL;
    return handle;
}

// Begins the call that ends the adoption, and takes its handle; NULL if it has ended. False: an
// exception is set.
static bool
begin_end(struct py_call *call, struct py_adoption *ad, tess_adoption **handle)
{
    if (ad->array->handle) {
        if (py_call_begin(call, ad->array, PY_EXCLUSIVE)) {
            *handle = take_handle(ad);
            return true;
        }
        if (!call->closed || !PyErr_ExceptionMatches(PyExc_ValueError))
            return false;
        PyErr_Clear(); // another thread closed it while this one waited
    }
    // The library keeps an array open that is closed before its adoption ends.
    *handle = take_handle(ad); // with the GIL: no call on the array keeps other ends away
    if (py_call_begin_new(call))
        return true;
    ad->handle = *handle;
    return false;
}

// _end(commit). It is over afterwards, also after a failure; once more does nothing.
static PyObject *
adoption_end(PyObject *self, PyObject *commit)
{
    struct py_adoption *const ad = adoption_of(self);
    struct py_call call;
    tess_adoption *handle;
    const int flag = PyObject_IsTrue(commit);

    if (flag < 0)
        return NULL;
    if (!ad->handle)
        Py_RETURN_NONE;
    if (!begin_end(&call, ad, &handle))
        return NULL;
    const tess_status st = tess_adoption_end(handle, flag == 1, &call.err);
    return py_call_end_at(&call, st, ad->array->place) ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef methods[] = {
    {"_add", adoption_add, METH_VARARGS, "_add(packet, trusted)"},
    {"_lease", adoption_lease, METH_O, "_lease(size)"},
    {"_give_back", adoption_give_back, METH_VARARGS, "_give_back(first, size)"},
    {"_missing", adoption_missing, METH_O, "_missing(from)"},
    {"_end", adoption_end, METH_O, "_end(commit)"},
    {NULL, NULL, 0, NULL},
};

bool
py_adoption_add(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)(uintptr_t) "tessera.Adoption is the class of programs."},
        {Py_tp_new, (void *)adoption_new},
        {Py_tp_traverse, (void *)adoption_traverse},
        {Py_tp_dealloc, (void *)adoption_dealloc},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "tessera._tessera.Adoption",
                        .basicsize = sizeof(struct py_adoption),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                        .slots = slots};

    PyObject *const class = PyType_FromSpec(&spec);
    const bool ok = class && PyModule_AddObjectRef(module, "Adoption", class) == 0;
    Py_XDECREF(class);
    return ok;
}
