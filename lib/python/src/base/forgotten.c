/*
 * forgotten.c - arrays and adoptions whose objects are gone, and that the program did not close.
 *
 * Objects also go while a handler of a signal runs inside a call. Closing one there could wait for
 * a lock that the call holds, so these are kept until a call ends outside of handlers.
 */
#include "python/src/base/forgotten.h"
#include "python/src/base/family.h"

#include "python/src/base/error.h"

#include <stdlib.h>

struct kept {
    struct kept *next;
    tess_array *handle; // NULL: it is an adoption
    struct py_family *family;
    tess_adoption *adoption;
};

static struct kept *kept; // under the GIL

void
py_forgotten_close(tess_array *handle, struct py_family *family, PyObject *place)
{
    PyObject *type, *value, *traceback;
    tess_error err;

    PyErr_Fetch(&type, &value, &traceback);
    PyThreadState *const thread = PyEval_SaveThread();
    const tess_status st = tess_array_close(handle, &err);
    PyEval_RestoreThread(thread);
    if (st != TESS_OK)
        py_error_set(st, &err, place);
    if (PyErr_Occurred()) // a handler of a signal may have raised, too
        PyErr_WriteUnraisable(NULL);
    py_family_leave(family);
    PyErr_Restore(type, value, traceback);
}

void
py_forgotten_end(tess_adoption *adoption)
{
    PyObject *type, *value, *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    PyThreadState *const thread = PyEval_SaveThread();
    (void)tess_adoption_end(adoption, false, NULL); // cannot fail without a commit
    PyEval_RestoreThread(thread);
    PyErr_Restore(type, value, traceback);
}

static void
keep(struct kept what)
{
    struct kept *const one = malloc(sizeof *one);
    if (!one)
        return; // open until the process ends; closing here could wait for ever
    *one = what;
    one->next = kept;
    kept = one;
}

void
py_forgotten_keep(tess_array *handle, struct py_family *family)
{
    keep((struct kept){.handle = handle, .family = family});
}

void
py_forgotten_keep_adoption(tess_adoption *adoption)
{
    keep((struct kept){.adoption = adoption});
}

void
py_forgotten_close_kept(void)
{
    while (kept) {
        struct kept *const one = kept;
        kept = one->next;
        if (one->adoption)
            py_forgotten_end(one->adoption);
        else
            py_forgotten_close(one->handle, one->family, NULL);
        free(one);
    }
}
