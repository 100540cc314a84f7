/*
 * store.c - an open store as an object of Python.
 */
#include "base/store.h"

#include "base/call.h"
#include "base/family.h"

static PyObject *store_class; // _tessera.Store

void
py_store_set_class(PyObject *class)
{
    store_class = class;
}

struct py_store *
py_store_of(PyObject *object)
{
    const int is = PyObject_IsInstance(object, store_class);
    if (is == 0)
        PyErr_Format(PyExc_TypeError, "expected a tessera.Store, not %R", object);
    return is == 1 ? (struct py_store *)(void *)object : NULL;
}

bool
py_store_begin(struct py_call *call, const struct py_store *store, enum py_access access,
               const struct py_array *other)
{
    if (!py_call_begin_store(call, store, access, other))
        return false;
    if (!store->written || !py_family_is_inherited(store->family))
        return true;
    if (py_call_end(call, TESS_OK))
        PyErr_SetString(PyExc_RuntimeError,
                        "the store was opened for writing before this process was forked: open it "
                        "again in the child");
    return false;
}

enum py_access
py_store_access(const struct py_store *store)
{
    return store->written ? PY_EXCLUSIVE : PY_SHARED;
}
