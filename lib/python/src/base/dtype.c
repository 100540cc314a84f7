/*
 * dtype.c - types of items: numpy.dtype, and the strings of the library.
 *
 * A type of one value is recorded as numpy.dtype.str, one of several fields as the text of
 * numpy.dtype.descr, with padding between fields as fields without a name.
 */
#include "base/dtype.h"

#include "base/names.h"

static PyObject *
from_fields(const char *text)
{
    PyObject *const fields = PyObject_CallFunction(py_names.literal, "s", text);
    PyObject *const dtype =
        fields ? PyObject_CallFunctionObjArgs(py_names.from_descr, fields, NULL) : NULL;
    Py_XDECREF(fields);
    return dtype;
}

static PyObject *
from_text(const char *text)
{
    return text[0] == '[' ? from_fields(text) : PyObject_CallFunction(py_names.dtype, "s", text);
}

PyObject *
py_dtype_of(const tess_info *info)
{
    if (info->dtype && info->dtype_format == 0) {
        PyObject *const dtype = from_text(info->dtype);
        if (dtype && py_dtype_size(dtype) == info->typesize && py_dtype_kind(dtype) != 'O')
            return dtype;
        Py_XDECREF(dtype);
        if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError))
            return NULL;
        PyErr_Clear(); // a text that is not NumPy's
    }
    PyObject *const opaque = PyUnicode_FromFormat("V%d", (int)info->typesize);
    PyObject *const dtype =
        opaque ? PyObject_CallFunctionObjArgs(py_names.dtype, opaque, NULL) : NULL;
    Py_XDECREF(opaque);
    return dtype;
}

PyObject *
py_dtype_text(PyObject *of)
{
    PyObject *text = NULL;
    PyObject *const dtype = PyObject_CallFunctionObjArgs(py_names.dtype, of, NULL);
    PyObject *const objects = dtype ? PyObject_GetAttrString(dtype, "hasobject") : NULL;
    PyObject *const fields = objects ? PyObject_GetAttrString(dtype, "names") : NULL;

    if (fields && objects == Py_True) {
        PyErr_Format(PyExc_TypeError, "items of type %R are Python objects, which cannot be stored",
                     dtype);
    } else if (fields && fields == Py_None) {
        text = PyObject_GetAttrString(dtype, "str");
    } else if (fields) {
        PyObject *const descr = PyObject_CallFunctionObjArgs(py_names.to_descr, dtype, NULL);
        text = descr ? PyObject_Str(descr) : NULL;
        Py_XDECREF(descr);
    }
    Py_XDECREF(fields);
    Py_XDECREF(objects);
    Py_XDECREF(dtype);
    return text;
}

int64_t
py_dtype_size(PyObject *dtype)
{
    PyObject *const size = PyObject_GetAttrString(dtype, "itemsize");
    const int64_t value = size ? PyLong_AsLongLong(size) : -1;
    Py_XDECREF(size);
    return value;
}

char
py_dtype_kind(PyObject *dtype)
{
    PyObject *const kind = PyObject_GetAttrString(dtype, "kind");
    const Py_UCS4 letter = kind ? PyUnicode_ReadChar(kind, 0) : (Py_UCS4)-1;
    Py_XDECREF(kind);
    return letter == (Py_UCS4)-1 ? 0 : (char)letter;
}

int
py_dtype_equal(PyObject *one, PyObject *other)
{
    return one == other ? 1 : PyObject_RichCompareBool(one, other, Py_EQ);
}
