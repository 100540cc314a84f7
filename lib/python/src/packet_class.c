/*
 * packet_class.c - the class _tessera.Packet: bytes of any object, as memory that is read-only.
 *
 * Not a subclass of bytes: schedulers send those as bytes, and forget the class.
 */
#include "packet_class.h"

struct packet {
    PyObject ob_base; // first, as in all objects of Python
    Py_buffer bytes; // obj NULL: none yet
};

// Packet(bytes)
static PyObject *
packet_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *object;
    const allocfunc allocate = (allocfunc)(uintptr_t)PyType_GetSlot(type, Py_tp_alloc);

    if (!PyArg_ParseTupleAndKeywords(args, named, "O", PY_KEYWORDS("data"), &object))
        return NULL;
    PyObject *const self = allocate(type, 0);
    if (!self)
        return NULL;
    if (PyObject_GetBuffer(object, &((struct packet *)(void *)self)->bytes, PyBUF_SIMPLE) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

static void
packet_dealloc(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);

    PyBuffer_Release(&((struct packet *)(void *)self)->bytes);
    ((freefunc)(uintptr_t)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

static int
packet_buffer(PyObject *self, Py_buffer *view, int flags)
{
    const Py_buffer *const bytes = &((struct packet *)(void *)self)->bytes;
    return PyBuffer_FillInfo(view, self, bytes->buf, bytes->len, 1, flags);
}

static Py_ssize_t
packet_length(PyObject *self)
{
    return ((struct packet *)(void *)self)->bytes.len;
}

bool
py_packet_class_add(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)(uintptr_t) "tessera.Packet is the class of programs."},
        {Py_tp_new, (void *)packet_new},
        {Py_tp_dealloc, (void *)packet_dealloc},
        {Py_bf_getbuffer, (void *)packet_buffer},
        {Py_sq_length, (void *)packet_length},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "tessera._tessera.Packet",
                        .basicsize = sizeof(struct packet),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};

    PyObject *const class = PyType_FromSpec(&spec);
    const bool ok = class && PyModule_AddObjectRef(module, "Packet", class) == 0;
    Py_XDECREF(class);
    return ok;
}
