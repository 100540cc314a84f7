/*
 * forgotten.c - arrays and adoptions whose objects are gone, and that the program did not close.
 *
 * Objects also go while a handler of a signal runs inside a call, and while another thread is in an
 * exclusive call on the array that a view is of. Closing one there could wait for a lock that the
 * call holds, or change what that call changes, so these are kept until a call ends.
 */
#include "base/forgotten.h"
#include "base/family.h"

#include "base/error.h"

#include <stdlib.h>

struct kept {
    struct kept *next;
    tess_array *handle; // NULL: it is an adoption
    struct py_family *family;
    tess_adoption *adoption;
};

static struct kept *kept; // under the GIL

static void
close_array(tess_array *handle, PyObject *place)
{
    tess_error err;
    PyThreadState *const thread = PyEval_SaveThread();
    const tess_status st = tess_array_close(handle, &err);
    PyEval_RestoreThread(thread);
    if (st != TESS_OK)
        py_error_set(st, &err, place);
    if (PyErr_Occurred()) // a handler of a signal may have raised, too
        PyErr_WriteUnraisable(NULL);
}

static void
end_adoption(tess_adoption *adoption)
{
    PyThreadState *const thread = PyEval_SaveThread();
    (void)tess_adoption_end(adoption, false, NULL); // cannot fail without a commit
    PyEval_RestoreThread(thread);
}

void
py_forgotten_close(tess_array *handle, tess_adoption *adoption, struct py_family *family,
                   PyObject *place)
{
    PyObject *type, *value, *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    family->users++; // as a call that others may run beside
    if (handle)
        close_array(handle, place);
    else
        end_adoption(adoption);
    family->users--;
    py_family_leave(family);
    PyErr_Restore(type, value, traceback);
}

void
py_forgotten_keep(tess_array *handle, tess_adoption *adoption, struct py_family *family)
{
    struct kept *const one = malloc(sizeof *one);
    if (!one)
        return; // open until the process ends; closing here could wait for ever
    *one = (struct kept){.next = kept, .handle = handle, .adoption = adoption, .family = family};
    kept = one;
}

// Takes one out of the list on whose family no exclusive call runs; NULL: there is none.
static struct kept *
take_one(void)
{
    for (struct kept **at = &kept; *at; at = &(*at)->next) {
        struct kept *const one = *at;
        if (one->family->exclusive)
            continue;
        *at = one->next;
        return one;
    }
    return NULL;
}

bool
py_forgotten_close_kept(void)
{
    bool any = false;
    for (struct kept *one; (one = take_one()) != NULL; any = true) {
        py_forgotten_close(one->handle, one->adoption, one->family, NULL);
        free(one);
    }
    return any;
}
