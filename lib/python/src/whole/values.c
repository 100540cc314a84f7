/*
 * values.c - values of attributes: those of the library, and objects of Python.
 *
 * What msgpack has and Python lacks are two classes of tuples: Ext(code, data), an extension, and
 * Opaque(data), bytes that are not msgpack at all.
 */
#include "whole/values.h"

#include <limits.h>

static PyTypeObject *ext_class, *opaque_class;

static bool
add_class(PyObject *module, const char *name, PyStructSequence_Desc *desc, PyTypeObject **class)
{
    *class = PyStructSequence_NewType(desc);
    return *class && PyModule_AddObjectRef(module, name, (PyObject *)*class) == 0;
}

bool
py_values_add(PyObject *module)
{
    static PyStructSequence_Field ext_fields[] = {
        {"code", "Number of the extension, -128 to 127."}, {"data", "Its bytes."}, {NULL, NULL}};
    static PyStructSequence_Field opaque_fields[] = {{"data", "The bytes."}, {NULL, NULL}};
    static PyStructSequence_Desc ext = {"tessera.Ext", "An extension of msgpack.", ext_fields, 2};
    static PyStructSequence_Desc opaque = {
        "tessera.Opaque", "An attribute that is not a value of msgpack.", opaque_fields, 1};
    return add_class(module, "Ext", &ext, &ext_class) &&
           add_class(module, "Opaque", &opaque, &opaque_class);
}

static PyObject *
list_object(const tess_value *value)
{
    PyObject *const list = PyList_New((Py_ssize_t)value->as.list.count);
    for (size_t i = 0; list && i < value->as.list.count; i++) {
        PyObject *const item = py_values_object(&value->as.list.items[i]);
        if (!item) {
            Py_DECREF(list);
            return NULL;
        }
        (void)PyList_SetItem(list, (Py_ssize_t)i, item);
    }
    return list;
}

// Keys that Python cannot hash, lists and maps, are TypeError.
static PyObject *
map_object(const tess_value *value)
{
    PyObject *const map = PyDict_New();
    for (size_t i = 0; map && i < value->as.map.count; i++) {
        PyObject *const key = py_values_object(&value->as.map.pairs[i].key);
        PyObject *const item = key ? py_values_object(&value->as.map.pairs[i].value) : NULL;
        const bool ok = item && PyDict_SetItem(map, key, item) == 0;
        Py_XDECREF(item);
        Py_XDECREF(key);
        if (!ok) {
            Py_DECREF(map);
            return NULL;
        }
    }
    return map;
}

static PyObject *
bytes_object(const tess_value *value)
{
    return PyBytes_FromStringAndSize(value->as.bytes.data, (Py_ssize_t)value->as.bytes.size);
}

// An object of a class of tuples; takes the fields over.
static PyObject *
tuple_object(PyTypeObject *class, PyObject *first, PyObject *second)
{
    PyObject *const tuple =
        first && (second || class == opaque_class) ? PyStructSequence_New(class) : NULL;
    if (!tuple) {
        Py_XDECREF(second);
        Py_XDECREF(first);
        return NULL;
    }
    PyStructSequence_SetItem(tuple, 0, first);
    if (second)
        PyStructSequence_SetItem(tuple, 1, second);
    return tuple;
}

PyObject *
py_values_object(const tess_value *value)
{
    switch (value->type) {
    case TESS_VALUE_NULL:
        return Py_NewRef(Py_None);
    case TESS_VALUE_BOOL:
        return PyBool_FromLong(value->as.boolean);
    case TESS_VALUE_INT:
        return PyLong_FromLongLong(value->as.i64);
    case TESS_VALUE_UINT:
        return PyLong_FromUnsignedLongLong(value->as.u64);
    case TESS_VALUE_FLOAT:
        return PyFloat_FromDouble(value->as.f64);
    case TESS_VALUE_STRING:
        return PyUnicode_DecodeUTF8(value->as.string.data, (Py_ssize_t)value->as.string.size,
                                    "surrogateescape");
    case TESS_VALUE_BYTES:
        return bytes_object(value);
    case TESS_VALUE_LIST:
        return list_object(value);
    case TESS_VALUE_MAP:
        return map_object(value);
    case TESS_VALUE_EXT:
        return tuple_object(ext_class, PyLong_FromLong(value->ext), bytes_object(value));
    case TESS_VALUE_OPAQUE:
        return tuple_object(opaque_class, bytes_object(value), NULL);
    }
    PyErr_Format(PyExc_TypeError, "a value of type %d, which this version does not know",
                 (int)value->type);
    return NULL;
}

static void *
new_block(struct py_values *memory, size_t count, size_t size)
{
    void **const blocks = PyMem_Realloc(memory->blocks, (memory->n + 1) * sizeof *blocks);
    void *const block = blocks ? PyMem_Calloc(count + !count, size) : NULL;
    if (blocks)
        memory->blocks = blocks;
    if (block)
        memory->blocks[memory->n++] = block;
    else
        PyErr_NoMemory();
    return block;
}

static bool take_at(struct py_values *memory, PyObject *object, tess_value *value, int depth);

static bool
take_integer(const struct py_values *memory, PyObject *object, tess_value *value)
{
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (number == -1 && PyErr_Occurred())
        return false;
    if (overflow == 0) {
        *value = (tess_value){.type = TESS_VALUE_INT, .as = {.i64 = number}};
        return true;
    }
    if (overflow > 0) {
        const unsigned long long large = PyLong_AsUnsignedLongLong(object);
        if (!PyErr_Occurred()) {
            *value = (tess_value){.type = TESS_VALUE_UINT, .as = {.u64 = large}};
            return true;
        }
        PyErr_Clear();
    }
    PyErr_Format(PyExc_OverflowError, "the attribute '%s': %R is not in -2**63 to 2**64 - 1",
                 memory->name, object);
    return false;
}

static bool
take_bytes(PyObject *object, tess_value *value)
{
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &data, &size) < 0)
        return false;
    value->as.bytes.data = data;
    value->as.bytes.size = (size_t)size;
    return true;
}

// Of lists and tuples, whose items the sequence holds.
static bool
take_list(struct py_values *memory, PyObject *sequence, tess_value *value, int depth)
{
    const Py_ssize_t count = PySequence_Size(sequence);
    tess_value *const items =
        count < 0 ? NULL : new_block(memory, (size_t)count, sizeof(tess_value));
    bool ok = items != NULL;

    for (Py_ssize_t i = 0; ok && i < count; i++) {
        PyObject *const item = PySequence_GetItem(sequence, i);
        ok = item && take_at(memory, item, &items[i], depth + 1);
        Py_XDECREF(item); // the list has it
    }
    if (ok) {
        value->type = TESS_VALUE_LIST;
        value->as.list.items = items;
        value->as.list.count = (size_t)count;
    }
    return ok;
}

static bool
take_map(struct py_values *memory, PyObject *map, tess_value *value, int depth)
{
    const size_t count = (size_t)PyDict_Size(map);
    tess_pair *const pairs = new_block(memory, count, sizeof(tess_pair));
    PyObject *key, *item;
    Py_ssize_t position = 0;
    size_t n = 0;

    while (pairs && n < count && PyDict_Next(map, &position, &key, &item)) {
        if (!take_at(memory, key, &pairs[n].key, depth + 1) ||
            !take_at(memory, item, &pairs[n].value, depth + 1))
            return false;
        n++;
    }
    value->type = TESS_VALUE_MAP;
    value->as.map.pairs = pairs;
    value->as.map.count = n;
    return pairs != NULL;
}

static bool
take_ext(PyObject *object, tess_value *value)
{
    const long code = PyLong_AsLong(PyTuple_GetItem(object, 0));
    if (PyErr_Occurred() || !take_bytes(PyTuple_GetItem(object, 1), value))
        return false;
    value->type = TESS_VALUE_EXT;
    value->ext = code < INT_MIN || code > INT_MAX ? INT_MAX : (int)code; // the library checks it
    return true;
}

static bool
take_string(PyObject *object, tess_value *value)
{
    Py_ssize_t size;
    value->type = TESS_VALUE_STRING;
    value->as.string.data = PyUnicode_AsUTF8AndSize(object, &size);
    value->as.string.size = (size_t)size;
    return value->as.string.data != NULL;
}

static bool
no_value(const struct py_values *memory, PyObject *object)
{
    PyObject *const type = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__qualname__");
    PyObject *const module = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__module__");
    const bool in_module = module && PyUnicode_CompareWithASCIIString(module, "builtins") != 0;

    if (type && module)
        PyErr_Format(
            PyExc_TypeError,
            "the attribute '%s' cannot be %V%s%S, which is %R: it is None, bool, int, float, "
            "str, bytes, or lists and dicts of them",
            memory->name, in_module ? module : NULL, "", in_module ? "." : "", type, object);
    Py_XDECREF(module);
    Py_XDECREF(type);
    return false;
}

static bool
take_at(struct py_values *memory, PyObject *object, tess_value *value, int depth)
{
    *value = (tess_value){.type = TESS_VALUE_NULL};
    if (depth > TESS_VALUE_MAX_DEPTH) {
        PyErr_Format(PyExc_ValueError,
                     "the attribute '%s' has more than %d levels of lists and dicts", memory->name,
                     TESS_VALUE_MAX_DEPTH);
        return false;
    }
    if (object == Py_None)
        return true;
    if (PyBool_Check(object)) {
        *value = (tess_value){.type = TESS_VALUE_BOOL, .as = {.boolean = object == Py_True}};
        return true;
    }
    if (PyLong_Check(object))
        return take_integer(memory, object, value);
    if (PyFloat_Check(object)) {
        *value = (tess_value){.type = TESS_VALUE_FLOAT, .as = {.f64 = PyFloat_AsDouble(object)}};
        return true;
    }
    if (PyUnicode_Check(object))
        return take_string(object, value);
    if (PyBytes_Check(object)) {
        value->type = TESS_VALUE_BYTES;
        return take_bytes(object, value);
    }
    if (Py_TYPE(object) == ext_class)
        return take_ext(object, value);
    if (Py_TYPE(object) == opaque_class) {
        value->type = TESS_VALUE_OPAQUE;
        return take_bytes(PyTuple_GetItem(object, 0), value);
    }
    if (PyDict_Check(object))
        return take_map(memory, object, value, depth);
    if (PyList_Check(object) || PyTuple_Check(object))
        return take_list(memory, object, value, depth);
    return no_value(memory, object);
}

bool
py_values_take(struct py_values *memory, const char *name, PyObject *object, tess_value *value)
{
    *memory = (struct py_values){.name = name};
    return take_at(memory, object, value, 0);
}

void
py_values_finish(struct py_values *memory)
{
    for (size_t i = 0; i < memory->n; i++)
        PyMem_Free(memory->blocks[i]);
    PyMem_Free(memory->blocks);
    *memory = (struct py_values){0};
}
