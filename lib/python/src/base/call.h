/*
 * call.h - calls of the library on arrays of Python: without the GIL, counted, interruptible.
 *
 *     struct py_call call;
 *     if (!py_call_begin(&call, a, PY_SHARED))
 *         return NULL;
 *     const tess_status st = tess_array_read(a->handle, ..., &call.err);
 *     if (!py_call_end(&call, st))
 *         return NULL;
 *
 * Between the two, nothing of Python may be used: the GIL is released.
 *
 * What depends on the shape or type of the array has a phase before, in which the call counts as
 * running, so that they stay as they are, and the GIL is held:
 *
 *     do {
 *         if (!py_call_enter(&call, a, PY_SHARED))
 *             return NULL;
 *         if (!resolve the index, allocate memory) {
 *             py_call_leave(&call);
 *             return NULL;
 *         }
 *     } while (!py_call_go(&call));
 *
 * Python runs no code of programs in that phase but finalizers, at an allocation. They may use the
 * array. If one closes or resizes an array, this call gives way to it: py_call_go() is false, and
 * the phase starts again.
 */
#ifndef PYTHON_CALL_H
#define PYTHON_CALL_H

#include "python/src/base/family.h"
#include "python/src/base/py.h"

// What a call asks for: array.h of the library says it for each function.
enum py_access {
    PY_SHARED, // beside any number of others
    PY_EXCLUSIVE // no other call on the array or a view of it
};

struct py_array;

struct py_call {
    const struct py_array *array; // names the file in errors; NULL: none yet
    const struct py_array *other; // the second one of a call on two; NULL
    struct py_family *families[2]; // those that are in use until the end; NULL: none
    enum py_access access[2];
    bool closed; // py_call_begin() failed, and an array is closed
    bool gave_way; // it was entered, and does not count any more
    struct py_call *outer; // of the same thread, entered before this one
    PyThreadState *thread;
    tess_error err; // for the function of the library
};

// Adds to the module what the children of fork() call. False: an exception is set.
bool py_call_add(PyObject *module);

// Waits until the call may run, and releases the GIL. False: an exception is set, the GIL held. It
// is an error if the array is closed.
bool py_call_begin(struct py_call *call, const struct py_array *a, enum py_access access);

// The same, with the GIL held until py_call_go(). PY_EXCLUSIVE: nothing of Python may be used
// before that.
bool py_call_enter(struct py_call *call, const struct py_array *a, enum py_access access);

// Releases the GIL for the function of the library. False: the call gave way, the GIL is held, and
// no exception is set.
bool py_call_go(struct py_call *call);

// Ends a call that was entered and has not gone on. An exception that is set stays.
void py_call_leave(struct py_call *call);

// The same as py_call_begin() for a call on two arrays; the second is only read.
bool py_call_begin_both(struct py_call *call, const struct py_array *a, enum py_access access,
                        const struct py_array *other);

// The same for a call that is on no open array, such as one that opens it.
bool py_call_begin_new(struct py_call *call);

// Acquires the GIL before the end of a call, to change what the object knows of its handle. Until
// py_call_end(), this thread cannot begin other calls (RuntimeError).
void py_call_back(struct py_call *call);

// Acquires the GIL. False: the call failed, or a signal handler raised; an exception is set.
bool py_call_end(struct py_call *call, tess_status st);

// The same, where the path that is named in errors is not that of the array.
bool py_call_end_at(struct py_call *call, tess_status st, PyObject *where);

// The progress function of all arrays: runs the handlers of signals in the main thread of Python,
// and cancels the call if one of them raises.
bool py_call_progress(int64_t done, int64_t total, void *user);

// Close an array, or end an adoption without a commit, one of which is NULL, whose object is gone:
// now, or when the calls that are in the way end. The family, which is no broken one, is left by
// one. An exception that is set stays.
void py_call_forget(tess_array *handle, tess_adoption *adoption, struct py_family *family,
                    PyObject *place);

#endif
