/*
 * methods.h - the methods that each unit adds to the class _tessera.Array, and to the module.
 */
#ifndef PYTHON_BASE_METHODS_H
#define PYTHON_BASE_METHODS_H

#include "base/py.h"

extern PyMethodDef py_read_methods[];
extern PyMethodDef py_write_methods[];
extern PyMethodDef py_shape_methods[];
extern PyMethodDef py_view_methods[];
extern PyMethodDef py_attr_methods[];
extern PyMethodDef py_copy_methods[];
extern PyMethodDef py_compute_methods[];
extern PyMethodDef py_chunk_methods[];
extern PyMethodDef py_packet_methods[];

// Of the module.
extern PyMethodDef py_open_functions[];
extern PyMethodDef py_layout_functions[];
extern PyMethodDef py_packet_functions[];

#endif
