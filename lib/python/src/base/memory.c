/*
 * memory.c - the memory of NumPy's arrays, for functions of the library.
 *
 * The buffer protocol is asked without a format, which NumPy has no words for where items are
 * dates.
 */
#include "base/memory.h"

#include "base/names.h"

#include <string.h>

PyObject *
py_memory_key(PyObject *dict, const char *key, bool *ok)
{
    PyObject *const name = PyUnicode_FromString(key); // PyDict_GetItemString() hides its failure
    PyObject *const value = name ? PyDict_GetItemWithError(dict, name) : NULL;
    Py_XDECREF(name);
    *ok = value || !PyErr_Occurred();
    return value;
}

const char *
py_memory_text(PyObject *text, const char *name)
{
    Py_ssize_t size;
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "%s is a str, not %R", name, text);
        return NULL;
    }
    const char *const utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (!utf8 || strlen(utf8) == (size_t)size)
        return utf8;
    PyErr_Format(PyExc_ValueError, "%s has a zero byte: %R", name, text);
    return NULL;
}

const char *
py_memory_name(PyObject *name, const char *what)
{
    const char *const text = py_memory_text(name, what);
    if (!text &&
        (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError)))
        PyErr_SetObject(PyExc_KeyError, name);
    return text;
}

PyObject *
py_memory_tuple(int n, const int64_t *numbers)
{
    PyObject *const tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *const number = PyLong_FromLongLong(numbers[i]);
        if (!number) {
            Py_DECREF(tuple);
            return NULL;
        }
        (void)PyTuple_SetItem(tuple, i, number);
    }
    return tuple;
}

int
py_memory_numbers(PyObject *sequence, const char *name, int most, int64_t *numbers)
{
    if (PyIndex_Check(sequence)) {
        numbers[0] = PyNumber_AsSsize_t(sequence, PyExc_OverflowError);
        if (!PyErr_Occurred())
            return 1;
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return -1;
        PyErr_Clear(); // an array of NumPy with several numbers
    }
    PyObject *const tuple = PySequence_Tuple(sequence);
    if (!tuple)
        return -1;
    const Py_ssize_t n = PyTuple_Size(tuple);
    if (n > most)
        PyErr_Format(PyExc_ValueError, "%s has length %zd, an array has %d dimensions at most",
                     name, n, most);
    for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++)
        numbers[i] = PyNumber_AsSsize_t(PyTuple_GetItem(tuple, i), PyExc_OverflowError);
    Py_DECREF(tuple);
    return PyErr_Occurred() ? -1 : (int)n;
}

bool
py_memory_hold(struct py_memory *memory, PyObject *array, bool write)
{
    if (PyObject_GetBuffer(array, &memory->view, write ? PyBUF_STRIDED : PyBUF_STRIDED_RO) < 0) {
        if (write && PyErr_ExceptionMatches(PyExc_ValueError))
            PyErr_SetString(PyExc_TypeError, "out is read-only");
        return false;
    }
    memory->held = true;
    memory->array = Py_NewRef(array);
    return true;
}

bool
py_memory_empty(struct py_memory *memory, int ndim, const int64_t *shape, PyObject *dtype)
{
    PyObject *const tuple = py_memory_tuple(ndim, shape);
    PyObject *const array =
        tuple ? PyObject_CallFunctionObjArgs(py_names.empty, tuple, dtype, NULL) : NULL;
    const bool ok = array && py_memory_hold(memory, array, true);
    Py_XDECREF(array);
    Py_XDECREF(tuple);
    return ok;
}

bool
py_memory_from(struct py_memory *memory, PyObject *value, PyObject *dtype)
{
    // ascontiguousarray() gives what has no axes one; asarray() in C order does not
    PyObject *const array = PyObject_CallFunction(py_names.asarray, "OOs", value, dtype, "C");
    const bool ok = array && py_memory_hold(memory, array, false);
    Py_XDECREF(array);
    return ok;
}

PyObject *
py_memory_take(struct py_memory *memory)
{
    PyObject *const array = Py_XNewRef(memory->array);
    py_memory_drop(memory);
    return array;
}

void
py_memory_drop(struct py_memory *memory)
{
    if (memory->held)
        PyBuffer_Release(&memory->view);
    memory->held = false;
    Py_CLEAR(memory->array);
}

size_t
py_memory_reach(const struct py_memory *memory)
{
    int64_t reach = memory->view.itemsize;
    for (int i = 0; i < memory->view.ndim; i++) {
        if (memory->view.shape[i] == 0)
            return 0;
        if (memory->view.strides[i] > 0)
            reach += memory->view.strides[i] * (memory->view.shape[i] - 1);
    }
    return (size_t)reach;
}
