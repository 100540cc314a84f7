/*
 * forgotten.h - arrays and adoptions whose objects are gone, and that the program did not close.
 */
#ifndef PYTHON_FORGOTTEN_H
#define PYTHON_FORGOTTEN_H

#include "python/src/base/family.h"
#include "python/src/base/py.h"

// Close an array; its family is left by one. sys.unraisablehook gets a failure. An exception that
// is set stays.
void py_forgotten_close(tess_array *handle, struct py_family *family, PyObject *place);

// Close an array later: a handler of a signal runs, inside a call that may hold locks of it.
void py_forgotten_keep(tess_array *handle, struct py_family *family);

// The same for an adoption: ends without a commit, now or later.
void py_forgotten_end(tess_adoption *adoption);
void py_forgotten_keep_adoption(tess_adoption *adoption);

// Close and end what was kept.
void py_forgotten_close_kept(void);

#endif
