/*
 * forgotten.h - arrays, adoptions and stores whose objects are gone, and that the program did not
 * close.
 */
#ifndef PYTHON_BASE_FORGOTTEN_H
#define PYTHON_BASE_FORGOTTEN_H

#include "base/family.h"
#include "base/py.h"

// What is closed, or, of an adoption, ended without a commit: one of them, the others are NULL.
struct py_gone {
    tess_array *array;
    tess_adoption *adoption;
    tess_store *store;
};

// Whether it can be closed now: no exclusive call runs on the family; none at all, if it is that of
// a store that is written.
bool py_forgotten_can_close(const struct py_family *family);

// Close it, which can be. The family is left by one. sys.unraisablehook gets a failure. An
// exception that is set stays. Calls that wait for the family are to be woken.
void py_forgotten_close(struct py_gone gone, struct py_family *family, PyObject *place);

// The same later: a handler of a signal runs, inside a call that may hold locks of the array, or an
// exclusive call of another thread.
void py_forgotten_keep(struct py_gone gone, struct py_family *family);

// Close and end what was kept, as far as it can be. Whether there was any.
bool py_forgotten_close_kept(void);

#endif
