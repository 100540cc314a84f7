/*
 * packet_class.h - the class _tessera.Packet.
 */
#ifndef PYTHON_PACKET_CLASS_H
#define PYTHON_PACKET_CLASS_H

#include "base/py.h"

// Adds the class to the module. False: an exception is set.
bool py_packet_class_add(PyObject *module);

#endif
