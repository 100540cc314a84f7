/*
 * forgotten.c - arrays, adoptions and stores whose objects are gone, and that the program did not
 * close.
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
    struct py_gone gone;
    struct py_family *family;
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

static void
close_store(tess_store *store)
{
    PyThreadState *const thread = PyEval_SaveThread();
    tess_store_close(store);
    PyEval_RestoreThread(thread);
}

bool
py_forgotten_can_close(const struct py_family *family)
{
    return !family->exclusive && (!family->alone || family->users == 0);
}

void
py_forgotten_close(struct py_gone gone, struct py_family *family, PyObject *place)
{
    PyObject *type, *value, *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    if (family->alone)
        family->exclusive = true;
    else
        family->users++; // as a call that others may run beside
    if (gone.array)
        close_array(gone.array, place);
    else if (gone.adoption)
        end_adoption(gone.adoption);
    else
        close_store(gone.store);
    if (family->alone)
        family->exclusive = false;
    else
        family->users--;
    py_family_leave(family);
    PyErr_Restore(type, value, traceback);
}

void
py_forgotten_keep(struct py_gone gone, struct py_family *family)
{
    struct kept *const one = malloc(sizeof *one);
    if (!one)
        return; // open until the process ends; closing here could wait for ever
    *one = (struct kept){.next = kept, .gone = gone, .family = family};
    kept = one;
}

// Takes one out of the list that can be closed; NULL: there is none.
static struct kept *
take_one(void)
{
    for (struct kept **at = &kept; *at; at = &(*at)->next) {
        struct kept *const one = *at;
        if (!py_forgotten_can_close(one->family))
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
        py_forgotten_close(one->gone, one->family, NULL);
        free(one);
    }
    return any;
}
