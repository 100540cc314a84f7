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
 * Between begin and end the GIL is released: no function of the Python API may be called.
 *
 * Code that depends on the shape or type of the array runs in a phase before, between enter and go.
 * In it the call counts as running, so that shape and type cannot change, and the GIL is held:
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
 * In that phase, allocations may run finalizers of the program, which may use the array; no other
 * code of the program runs. If a finalizer closes or resizes an array, the entered call is
 * cancelled: py_call_go() returns false, and the phase is repeated.
 */
#ifndef PYTHON_BASE_CALL_H
#define PYTHON_BASE_CALL_H

#include "base/family.h"
#include "base/forgotten.h"
#include "base/py.h"

// The access that a call requires: see array.h of the library for each function.
enum py_access {
    PY_SHARED, // any number of shared calls run at once
    PY_EXCLUSIVE // no other call on the array or a view of it
};

struct py_array;
struct py_store;

struct py_call {
    const struct py_store *store; // that the call is on, in place of the first array; or NULL
    const struct py_array *array; // names the file in errors; NULL: none yet
    const struct py_array *other; // the second array of a call on two; else NULL
    struct py_family *families[2]; // counted as in use until the end; NULL: none
    enum py_access access[2];
    bool closed; // py_call_begin() failed, and an array is closed
    bool gave_way; // cancelled while entered: it does not count as running any more
    struct py_call *outer; // the call that this thread entered before, and has not left; or NULL
    PyThreadState *thread;
    tess_error err; // for the function of the library
};

// Adds to the module what the children of fork() call. False: an exception is set.
bool py_call_add(PyObject *module);

// Waits until the call may run, and releases the GIL. False: an exception is set, the GIL held. It
// is an error if the array is closed.
bool py_call_begin(struct py_call *call, const struct py_array *a, enum py_access access);

// Enter a call: the same, but the GIL is held until py_call_go(). PY_EXCLUSIVE: until then, no
// function of the Python API may be called.
bool py_call_enter(struct py_call *call, const struct py_array *a, enum py_access access);

// Releases the GIL, so that the function of the library can be called. False: the call was
// cancelled, the GIL is held, and no exception is set.
bool py_call_go(struct py_call *call);

// Leaves a call that was entered, in place of py_call_go(). Keeps the current exception.
void py_call_leave(struct py_call *call);

// The same as py_call_begin() for a call on two arrays; the second is only read.
bool py_call_begin_both(struct py_call *call, const struct py_array *a, enum py_access access,
                        const struct py_array *other);

// The same for a call on a store. other: an array that is read, or NULL.
bool py_call_begin_store(struct py_call *call, const struct py_store *store, enum py_access access,
                         const struct py_array *other);

// The same for a call that is on no open array, such as one that opens it.
bool py_call_begin_new(struct py_call *call);

// Acquires the GIL before the end of a call, to update the members of the object. Until
// py_call_end(), this thread cannot begin other calls (RuntimeError).
void py_call_back(struct py_call *call);

// Acquires the GIL. False: the call failed, or a signal handler raised; an exception is set.
bool py_call_end(struct py_call *call, tess_status st);

// The same, where the path that is named in errors is not that of the array.
bool py_call_end_at(struct py_call *call, tess_status st, PyObject *where);

// The progress function of all arrays: runs the handlers of signals in the main thread of Python,
// and cancels the call if one of them raises.
bool py_call_progress(int64_t done, int64_t total, void *user);

// Close that whose object is gone: now, or when the calls that are in the way end. The family,
// which is no broken one, is left by one. An exception that is set stays.
void py_call_forget(struct py_gone gone, struct py_family *family, PyObject *place);

#endif
