/*
 * names.c - functions of NumPy, found once.
 */
#include "base/names.h"

struct py_names py_names;

static const struct {
    const char *module, *name;
    PyObject **where;
} wanted[] = {
    {"numpy", "empty", &py_names.empty},
    {"numpy", "asarray", &py_names.asarray},
    {"numpy", "nonzero", &py_names.nonzero},
    {"numpy", "can_cast", &py_names.can_cast},
    {"numpy", "array_equal", &py_names.array_equal},
    {"numpy", "ndarray", &py_names.ndarray},
    {"numpy", "dtype", &py_names.dtype},
    {"numpy.lib.format", "descr_to_dtype", &py_names.from_descr},
    {"numpy.lib.format", "dtype_to_descr", &py_names.to_descr},
    {"ast", "literal_eval", &py_names.literal},
};

static bool
load(const char *module_name, const char *name, PyObject **where)
{
    PyObject *const module = PyImport_ImportModule(module_name);
    if (!module)
        return false;
    *where = PyObject_GetAttrString(module, name);
    Py_DECREF(module);
    return *where != NULL;
}

bool
py_names_load(void)
{
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!load(wanted[i].module, wanted[i].name, wanted[i].where))
            return false;
    py_names.same_kind = PyUnicode_FromString("same_kind");
    py_names.no_index = PyTuple_New(0);
    py_names.i8 = PyObject_CallFunction(py_names.dtype, "s", "int64");
    py_names.bytes_1 = PyObject_CallFunction(py_names.dtype, "s", "bool");
    return py_names.same_kind && py_names.no_index && py_names.i8 && py_names.bytes_1;
}
