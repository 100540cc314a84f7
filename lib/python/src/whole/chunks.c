/*
 * chunks.c - chunks as they are stored, for programs that move them without decoding.
 */
#include "base/array.h"
#include "base/call.h"
#include "base/methods.h"

// _chunk_get(n)
static PyObject *
chunk_get(PyObject *self, PyObject *number)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    void *chunk = NULL;
    size_t size = 0;
    PyObject *bytes = NULL;
    const int64_t n = PyNumber_AsSsize_t(number, PyExc_IndexError);

    if (PyErr_Occurred() || !py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_array_get_chunk(a->handle, n, &chunk, &size, &call.err);
    if (py_call_end(&call, st))
        bytes = PyBytes_FromStringAndSize(chunk, (Py_ssize_t)size);
    tess_free(chunk);
    return bytes;
}

// _chunk_set(n, bytes, trusted)
static PyObject *
chunk_set(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    Py_buffer bytes;
    long long n;
    int trusted;
    bool ok = false;

    if (!PyArg_ParseTuple(args, "Ly*p", &n, &bytes, &trusted))
        return NULL;
    if (py_call_begin(&call, a, PY_SHARED)) {
        const tess_status st =
            tess_array_set_chunk(a->handle, n, bytes.buf, (size_t)bytes.len,
                                 trusted ? TESS_CHUNK_TRUSTED : TESS_CHUNK_UNTRUSTED, &call.err);
        ok = py_call_end(&call, st);
    }
    PyBuffer_Release(&bytes);
    return ok ? Py_NewRef(Py_None) : NULL;
}

// _chunk_info(n): (kind, stored bytes, number of blocks)
static PyObject *
chunk_info(PyObject *self, PyObject *number)
{
    static const char *const kinds[] = {"blocks", "plain", "zeros", "nans", "value", "uninit"};
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    tess_chunk_info info;
    const int64_t n = PyNumber_AsSsize_t(number, PyExc_IndexError);

    if (PyErr_Occurred() || !py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_array_chunk(a->handle, n, &info, &call.err);
    if (!py_call_end(&call, st))
        return NULL;
    const size_t kind = (size_t)info.kind;
    return Py_BuildValue("(sLi)", kind < sizeof kinds / sizeof kinds[0] ? kinds[kind] : "unknown",
                         (long long)info.cbytes, (int)info.nblocks);
}

PyMethodDef py_chunk_methods[] = {
    {"_chunk_get", chunk_get, METH_O, "_chunk_get(n)"},
    {"_chunk_set", chunk_set, METH_VARARGS, "_chunk_set(n, bytes, trusted)"},
    {"_chunk_info", chunk_info, METH_O, "_chunk_info(n)"},
    {NULL, NULL, 0, NULL},
};
