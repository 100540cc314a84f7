/*
 * packet.c - packets of encoded chunks: sketches, encoding, what a packet says of itself.
 *
 * What is made here are bytes objects; the class of packets is packet_class.c.
 */
#include "base/array.h"
#include "base/call.h"
#include "base/memory.h"
#include "base/methods.h"

#include <stdlib.h>
#include <string.h>

// What a call of the library allocated, as bytes; it is freed.
static PyObject *
bytes_of(struct py_call *call, tess_status st, PyObject *where, void *memory, size_t size)
{
    PyObject *bytes = NULL;
    if (where ? py_call_end_at(call, st, where) : py_call_end(call, st))
        bytes = PyBytes_FromStringAndSize(memory, (Py_ssize_t)size);
    tess_free(memory);
    return bytes;
}

// _sketch()
static PyObject *
array_sketch(PyObject *self, PyObject *none)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    struct py_call call;
    void *image = NULL;
    size_t size = 0;

    (void)none;
    if (!py_call_begin(&call, a, PY_SHARED))
        return NULL;
    const tess_status st = tess_array_sketch(a->handle, &image, &size, &call.err);
    return bytes_of(&call, st, NULL, image, size);
}

// The items must have the shape of the box, and the type of the array: Python has seen to it.
static bool
box_fits(const struct py_array *a, const int64_t *start, const int64_t *stop, const Py_buffer *view)
{
    bool ok = view->ndim == a->ndim && view->itemsize == a->typesize;
    for (int i = 0; ok && i < a->ndim; i++)
        ok = start[i] >= 0 && stop[i] >= start[i] && view->shape[i] == stop[i] - start[i];
    if (!ok)
        PyErr_SetString(PyExc_ValueError, "the items have another shape or type than the box");
    return ok;
}

static PyObject *
encode_box(struct py_array *sketch, const int64_t *start, const int64_t *stop,
           const struct py_memory *items)
{
    int64_t strides[TESS_MAX_NDIM];
    struct py_call call;
    void *packet = NULL;
    size_t size = 0;

    for (int i = 0; i < sketch->ndim; i++)
        strides[i] = items->view.strides[i];
    const size_t reach = py_memory_reach(items);
    if (!py_call_begin(&call, sketch, PY_SHARED))
        return NULL;
    const tess_status st = tess_packet_encode(sketch->handle, start, stop, items->view.buf, reach,
                                              strides, &packet, &size, &call.err);
    return bytes_of(&call, st, NULL, packet, size);
}

// _encode(start, stop, items): a packet of the chunks of a box.
static PyObject *
array_encode(PyObject *self, PyObject *args)
{
    struct py_array *const a = (struct py_array *)(void *)self;
    PyObject *from, *to, *array, *packet = NULL;
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    struct py_memory items = {0};

    if (!PyArg_ParseTuple(args, "OOO", &from, &to, &array))
        return NULL;
    const int n = py_memory_numbers(from, "start", TESS_MAX_NDIM, start);
    if (n < 0)
        return NULL;
    const int m = py_memory_numbers(to, "stop", TESS_MAX_NDIM, stop);
    if (m < 0)
        return NULL;
    if (n != a->ndim || m != a->ndim) {
        PyErr_Format(PyExc_ValueError,
                     "a box of %d and %d numbers, and the array has %d dimensions", n, m, a->ndim);
        return NULL;
    }
    if (py_memory_hold(&items, array, false) && box_fits(a, start, stop, &items.view))
        packet = encode_box(a, start, stop, &items);
    py_memory_drop(&items);
    return packet;
}

// _packet_info(packet): (kind, chunks, chunks with stored bytes, stored bytes)
static PyObject *
packet_info(PyObject *module, PyObject *object)
{
    static const char *const kinds[] = {"bytes", "extents", "files"};
    struct py_call call;
    Py_buffer bytes;
    tess_packet_info info;

    (void)module;
    if (PyObject_GetBuffer(object, &bytes, PyBUF_SIMPLE) < 0)
        return NULL;
    if (!py_call_begin_new(&call)) {
        PyBuffer_Release(&bytes);
        return NULL;
    }
    const tess_status st = tess_packet_info(bytes.buf, (size_t)bytes.len, &info, &call.err);
    const bool ok = py_call_end(&call, st);
    PyBuffer_Release(&bytes);
    return ok ? Py_BuildValue("(sLLL)", kinds[info.kind], (long long)info.nchunks,
                              (long long)info.nstored, (long long)info.cbytes)
              : NULL;
}

static PyObject *
chunk_list(const tess_packet_chunk *chunks, size_t count)
{
    PyObject *const list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *const chunk =
            Py_BuildValue("(LLL)", (long long)chunks[i].number, (long long)chunks[i].cbytes,
                          (long long)chunks[i].offset);
        if (!chunk) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, (Py_ssize_t)i, chunk);
    }
    return list;
}

// _packet_chunks(packet): a list of (number, stored bytes, offset)
static PyObject *
packet_chunks(PyObject *module, PyObject *object)
{
    struct py_call call;
    Py_buffer bytes;
    tess_packet_info info = {0};
    tess_packet_chunk *chunks = NULL;
    PyObject *list = NULL;

    (void)module;
    if (PyObject_GetBuffer(object, &bytes, PyBUF_SIMPLE) < 0)
        return NULL;
    if (py_call_begin_new(&call)) {
        tess_status st = tess_packet_info(bytes.buf, (size_t)bytes.len, &info, &call.err);
        const size_t count = st == TESS_OK ? (size_t)info.nchunks : 0;
        chunks = calloc(count + 1, sizeof *chunks); // no more than the packet has bytes for
        if (st == TESS_OK && chunks)
            st = tess_packet_chunks(bytes.buf, (size_t)bytes.len, chunks, count, &call.err);
        if (py_call_end(&call, st))
            list = chunks ? chunk_list(chunks, count) : PyErr_NoMemory();
    }
    free(chunks);
    PyBuffer_Release(&bytes);
    return list;
}

// _packet_place(packet, path, first, size, sync): a packet of where the chunks were written.
static PyObject *
packet_place(PyObject *module, PyObject *args)
{
    struct py_call call;
    Py_buffer bytes;
    PyObject *path, *name = NULL, *placed = NULL;
    long long first, size;
    int sync;
    char *text;
    void *memory = NULL;
    size_t memory_size = 0;

    (void)module;
    if (!PyArg_ParseTuple(args, "y*OLLp", &bytes, &path, &first, &size, &sync))
        return NULL;
    if (PyUnicode_FSConverter(path, &name) && PyBytes_AsStringAndSize(name, &text, NULL) == 0 &&
        py_call_begin_new(&call)) {
        const tess_lease part = {.first = first, .size = size};
        const tess_status st = tess_packet_place(
            bytes.buf, (size_t)bytes.len, text, &part,
            sync ? TESS_DURABILITY_FSYNC : TESS_DURABILITY_NONE, &memory, &memory_size, &call.err);
        placed = bytes_of(&call, st, path, memory, memory_size);
    }
    Py_XDECREF(name);
    PyBuffer_Release(&bytes);
    return placed;
}

PyMethodDef py_packet_methods[] = {
    {"_sketch", array_sketch, METH_NOARGS, "_sketch()"},
    {"_encode", array_encode, METH_VARARGS, "_encode(start, stop, items)"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef py_packet_functions[] = {
    {"_packet_info", packet_info, METH_O, "_packet_info(packet)"},
    {"_packet_chunks", packet_chunks, METH_O, "_packet_chunks(packet)"},
    {"_packet_place", packet_place, METH_VARARGS, "_packet_place(packet, path, first, size, sync)"},
    {NULL, NULL, 0, NULL},
};
