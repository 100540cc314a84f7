/*
 * module.c - the module tessera._tessera.
 *
 * What programs use is the package around it, in Python: signatures, defaults, words. Here is what
 * needs the library: each function takes all of its arguments, by position.
 *
 * One interpreter of a process can load the module: classes and the functions of NumPy are kept in
 * variables of C.
 */
#include "adoption.h"
#include "base/call.h"
#include "base/error.h"
#include "base/methods.h"
#include "base/names.h"
#include "class.h"
#include "packet_class.h"
#include "store_class.h"
#include "whole/values.h"

static bool
fill(PyObject *module)
{
    return py_names_load() && py_error_add(module) && py_call_add(module) &&
           py_values_add(module) && py_class_add(module) && py_adoption_add(module) &&
           py_packet_class_add(module) && py_store_class_add(module) &&
           PyModule_AddFunctions(module, py_open_functions) == 0 &&
           PyModule_AddFunctions(module, py_layout_functions) == 0 &&
           PyModule_AddFunctions(module, py_packet_functions) == 0 &&
           PyModule_AddStringConstant(module, "version", tess_version()) == 0;
}

PyMODINIT_FUNC PyInit__tessera(void);

PyMODINIT_FUNC
PyInit__tessera(void)
{
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "tessera._tessera",
                                            .m_doc = "What the package tessera is made of.",
                                            .m_size = -1};
    PyObject *const module = PyModule_Create(&definition);

    if (module && !fill(module)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
