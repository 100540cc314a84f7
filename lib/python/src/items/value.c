/*
 * value.c - values of Python and NumPy as items of an array.
 */
#include "items/value.h"

#include "base/dtype.h"
#include "base/names.h"

// Whether an integer without axes stays what it is in another type, which same_kind does not ask.
static int
same_number(PyObject *array, PyObject *cast)
{
    PyObject *const same = PyObject_CallFunctionObjArgs(py_names.array_equal, array, cast, NULL);
    const int result = same ? PyObject_IsTrue(same) : -1;
    Py_XDECREF(same);
    return result;
}

static bool
is_single_integer(PyObject *array, PyObject *dtype)
{
    PyObject *const ndim = PyObject_GetAttrString(array, "ndim");
    const long n = ndim ? PyLong_AsLong(ndim) : -1;
    const char kind = n == 0 ? py_dtype_kind(dtype) : 0;
    Py_XDECREF(ndim);
    return kind == 'i' || kind == 'u';
}

static PyObject *
cast_items(const struct py_array *a, PyObject *array, PyObject *dtype)
{
    PyObject *const answer =
        PyObject_CallFunctionObjArgs(py_names.can_cast, dtype, a->dtype, py_names.same_kind, NULL);
    int may = answer ? PyObject_IsTrue(answer) : -1;
    const bool single = may == 0 && is_single_integer(array, dtype);
    PyObject *cast = NULL;

    Py_XDECREF(answer);
    if (may == 1 || single)
        cast = PyObject_CallMethod(array, "astype", "O", a->dtype);
    if (cast && single)
        may = same_number(array, cast);
    if (may == 0 && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError,
                     "cannot cast items of type %S to type %S according to the rule 'same_kind'",
                     dtype, a->dtype);
    if (may != 1)
        Py_CLEAR(cast);
    return cast;
}

PyObject *
py_value_items(const struct py_array *a, PyObject *value)
{
    PyObject *dtype = PyObject_GetAttrString(value, "dtype");
    if (!dtype) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return NULL;
        PyErr_Clear();
        return PyObject_CallFunctionObjArgs(py_names.asarray, value, a->dtype, NULL);
    }
    PyObject *array = PyObject_CallFunctionObjArgs(py_names.asarray, value, NULL);
    const int equal = array ? py_dtype_equal(dtype, a->dtype) : -1;
    if (equal == 0) {
        PyObject *const cast = cast_items(a, array, dtype);
        Py_DECREF(array);
        array = cast;
    } else if (equal < 0) {
        Py_CLEAR(array);
    }
    Py_DECREF(dtype);
    return array;
}
