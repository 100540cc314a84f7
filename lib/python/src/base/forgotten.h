/*
 * forgotten.h - arrays and adoptions whose objects are gone, and that the program did not close.
 */
#ifndef PYTHON_BASE_FORGOTTEN_H
#define PYTHON_BASE_FORGOTTEN_H

#include "base/family.h"
#include "base/py.h"

// Close an array, or end an adoption without a commit: one of the two is NULL. No exclusive call
// runs on its family, which is left by one. sys.unraisablehook gets a failure. An exception that is
// set stays. Calls that wait for the family are to be woken.
void py_forgotten_close(tess_array *handle, tess_adoption *adoption, struct py_family *family,
                        PyObject *place);

// The same later: a handler of a signal runs, inside a call that may hold locks of the array, or an
// exclusive call of another thread.
void py_forgotten_keep(tess_array *handle, tess_adoption *adoption, struct py_family *family);

// Close and end what was kept, but for what an exclusive call runs on. Whether there was any.
bool py_forgotten_close_kept(void);

#endif
