/*
 * call.c - calls of the library on arrays of Python: without the GIL, counted, interruptible.
 *
 * The GIL is released in every call, however short. A call can wait for a lock of the library that
 * another thread holds, and that thread may want the GIL to run the handlers of signals: with the
 * GIL held, both would wait for ever. Releasing and acquiring it takes 30 ns if no other thread
 * wants it.
 *
 * Of a call that resizes or closes an array, the library requires that no other call is running on
 * it. Calls are counted per array and its views, with the GIL held; a call that finds the array in
 * use waits without the GIL. Exclusive calls and others take turns, so that neither starve: a call
 * that wants to be exclusive goes before all others that begin, and at its end, those that waited
 * go before the next exclusive one.
 *
 * Handlers of signals run inside a call, in py_call_progress(), or while one waits. They may not
 * use arrays: the library may hold locks for the call, and one that waits may be what the handler
 * would wait for. py_call_begin() refuses that, in the words of RuntimeError.
 */
#include "base/call.h"
#include "base/family.h"

#include "base/array.h"
#include "base/error.h"
#include "base/forgotten.h"
#include "base/store.h"

#include <pthread.h>
#include <time.h>

// The main thread of Python, which runs the handlers; of a child, the thread that forked.
static unsigned long main_thread;

// Calls that wait for an array. The lock is only held for the lines that name it, never together
// with the wish for the GIL.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static unsigned generation; // counts the ends of calls; under the lock
static int waiters; // under the GIL

// This thread runs a handler of a signal inside a call, or is in py_call_back().
static _Thread_local bool in_handler;

// The innermost call of this thread between py_call_enter() and py_call_go() or py_call_leave().
static _Thread_local struct py_call *entered;

static PyObject *
after_fork(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    main_thread = PyThread_get_thread_ident();
    py_family_forked();
    waiters = 0;
    (void)pthread_mutex_init(&lock, NULL); // a thread that is gone may have held it
    (void)pthread_cond_init(&freed, NULL);
    Py_RETURN_NONE;
}

static PyMethodDef after_fork_method = {"_after_fork", after_fork, METH_NOARGS, NULL};

// os.register_at_fork(after_in_child=_after_fork)
static bool
register_at_fork(PyObject *function)
{
    PyObject *const os = PyImport_ImportModule("os");
    PyObject *const at_fork = os ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
    PyObject *const none = PyTuple_New(0);
    PyObject *const named = Py_BuildValue("{sO}", "after_in_child", function);
    PyObject *const done = at_fork && none && named ? PyObject_Call(at_fork, none, named) : NULL;
    Py_XDECREF(named);
    Py_XDECREF(none);
    Py_XDECREF(at_fork);
    Py_XDECREF(os);
    Py_XDECREF(done);
    return done != NULL;
}

// threading.main_thread().ident: the module may be imported by any thread.
static bool
find_main_thread(void)
{
    PyObject *const threading = PyImport_ImportModule("threading");
    PyObject *const thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
    PyObject *const ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
    if (ident)
        main_thread = PyLong_AsUnsignedLong(ident);
    Py_XDECREF(ident);
    Py_XDECREF(thread);
    Py_XDECREF(threading);
    return !PyErr_Occurred();
}

bool
py_call_add(PyObject *module)
{
    PyObject *const function = PyCFunction_NewEx(&after_fork_method, module, NULL);
    const bool ok = function && find_main_thread() && register_at_fork(function);
    Py_XDECREF(function);
    return ok;
}

// Whether a call of one array or two may begin on a family. `polite`: those that wait to be
// exclusive go first. A call that is exclusive on another array must not be: two of them, each
// reading the other's array, would let each other pass for ever.
static bool
may_run(const struct py_family *family, enum py_access access, bool polite)
{
    if (family->exclusive)
        return false;
    if (access == PY_EXCLUSIVE)
        return family->users == 0 && family->owed == 0;
    return !polite || family->wanting == 0;
}

// Sleep until the count of ends is another one; the main thread for a moment at most. Without the
// GIL.
static void
sleep_until_end(unsigned seen, bool is_main)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_mutex_lock(&lock);
    while (generation == seen)
        if (!is_main)
            (void)pthread_cond_wait(&freed, &lock);
        else if (pthread_cond_timedwait(&freed, &lock, &until) != 0)
            break;
    (void)pthread_mutex_unlock(&lock);
}

// Sleep until a call has ended. The main thread also runs handlers, which nothing else would wake
// it for. False: one of them raised.
static bool
wait_for_end(void)
{
    const bool is_main = PyThread_get_thread_ident() == main_thread;

    waiters++;
    (void)pthread_mutex_lock(&lock);
    const unsigned seen = generation;
    (void)pthread_mutex_unlock(&lock);
    PyThreadState *const thread = PyEval_SaveThread();
    sleep_until_end(seen, is_main);
    PyEval_RestoreThread(thread);
    waiters--;
    if (!is_main)
        return true;
    in_handler = true;
    const bool go_on = PyErr_CheckSignals() == 0;
    in_handler = false;
    return go_on;
}

static void
wake_waiters(void)
{
    if (waiters == 0)
        return;
    (void)pthread_mutex_lock(&lock);
    generation++;
    (void)pthread_cond_broadcast(&freed);
    (void)pthread_mutex_unlock(&lock);
}

static bool
all_may_run(const struct py_call *call, bool polite)
{
    for (int i = 0; i < 2; i++)
        if (call->families[i] && !may_run(call->families[i], call->access[i], polite))
            return false;
    return true;
}

// The exception for an array whose store was closed, or forgot its changes.
static void
set_lost(void)
{
    const tess_error err = {
        .message = "the array was closed: changes of its store were forgotten, or the store was "
                   "closed; open it again"};
    py_error_set(TESS_ERR_STALE, &err, NULL);
}

// False: an exception is set that says why the array, or the store, cannot be used. lost: NULL, or
// whether its store is why it is closed.
static bool
usable(struct py_call *call, const void *handle, const struct py_family *family, const bool *lost)
{
    call->closed = !handle;
    if (in_handler)
        PyErr_SetString(PyExc_RuntimeError,
                        "a handler of a signal cannot use an array: it runs inside a call on one");
    else if (call->closed && lost && *lost)
        set_lost();
    else if (call->closed)
        PyErr_SetString(PyExc_ValueError, lost ? "the array is closed" : "the store is closed");
    else if (family->broken)
        PyErr_SetString(PyExc_RuntimeError,
                        "the process was forked while another thread was in a call on this array: "
                        "open it again in the child");
    return !PyErr_Occurred();
}

static bool
all_usable(struct py_call *call)
{
    for (int i = 0; i < 2; i++)
        if (call->families[i])
            py_family_notice_fork(call->families[i]);
    const struct py_store *const s = call->store;
    if (s && !usable(call, s->handle, s->family, NULL))
        return false;
    const struct py_array *const arrays[] = {call->array, call->other};
    for (int i = 0; i < 2; i++)
        if (arrays[i] && !usable(call, arrays[i]->handle, arrays[i]->family, &arrays[i]->lost))
            return false;
    return true;
}

// Wait until all arrays of the call are free for it. The first one may be wanted exclusively.
// False: an exception is set.
static bool
wait_for_arrays(struct py_call *call)
{
    struct py_family *const first = call->families[0];
    const bool shared = call->access[0] == PY_SHARED;
    const unsigned turn = first->turn, forks = first->forks;
    int *const count = shared ? &first->waiting : &first->wanting;
    bool ok;

    ++*count;
    do // a handler may fork: the child goes on here
        ok = wait_for_end() && all_usable(call);
    while (ok && !all_may_run(call, shared && !entered && first->turn == turn));
    if (first->forks == forks) { // else the counts are new
        --*count;
        first->owed -= shared && first->turn != turn;
    }
    if (!ok)
        wake_waiters(); // those that let this call pass
    return ok;
}

static void
leave(struct py_family *family, enum py_access access)
{
    if (access == PY_SHARED) {
        family->users--;
        return;
    }
    family->exclusive = false;
    family->owed = family->waiting;
    family->turn++;
}

static void
leave_all(const struct py_call *call)
{
    for (int i = 0; i < 2; i++)
        if (call->families[i])
            leave(call->families[i], call->access[i]);
    wake_waiters();
}

// Cancel the calls that this thread has entered. A finalizer that runs inside them requires an
// exclusive call; that call would wait for them, or for calls of other threads that wait for them:
// a deadlock.
static void
give_way(void)
{
    for (struct py_call *call = entered; call; call = call->outer)
        if (!call->gave_way) {
            call->gave_way = true;
            leave_all(call);
        }
}

// Waits until the call may run, and counts it as running. If this thread has entered another call,
// waiting exclusive calls do not go first: they may be waiting for the end of that call. False: an
// exception is set.
static bool
count_in(struct py_call *call, const struct py_store *store, const struct py_array *a,
         enum py_access access, const struct py_array *other)
{
    struct py_family *const first = store ? store->family : a->family;
    struct py_family *const second = other && other->family != first ? other->family : NULL;

    *call = (struct py_call){.store = store,
                             .array = a,
                             .other = other,
                             .families = {first, second},
                             .access = {access, PY_SHARED}};
    if (!all_usable(call))
        return false;
    if (access == PY_EXCLUSIVE)
        give_way();
    if (!all_may_run(call, access == PY_SHARED && !entered) && !wait_for_arrays(call))
        return false;
    if (access == PY_EXCLUSIVE)
        first->exclusive = true;
    else
        first->users++;
    if (second)
        second->users++;
    return true;
}

bool
py_call_begin(struct py_call *call, const struct py_array *a, enum py_access access)
{
    return py_call_begin_both(call, a, access, NULL);
}

bool
py_call_begin_both(struct py_call *call, const struct py_array *a, enum py_access access,
                   const struct py_array *other)
{
    if (!count_in(call, NULL, a, access, other))
        return false;
    call->thread = PyEval_SaveThread();
    return true;
}

bool
py_call_begin_store(struct py_call *call, const struct py_store *store, enum py_access access,
                    const struct py_array *other)
{
    if (!count_in(call, store, NULL, access, other))
        return false;
    call->thread = PyEval_SaveThread();
    return true;
}

bool
py_call_enter(struct py_call *call, const struct py_array *a, enum py_access access)
{
    if (!count_in(call, NULL, a, access, NULL))
        return false;
    call->outer = entered;
    entered = call;
    return true;
}

bool
py_call_go(struct py_call *call)
{
    entered = call->outer;
    if (call->gave_way)
        return false;
    call->thread = PyEval_SaveThread();
    return true;
}

void
py_call_leave(struct py_call *call)
{
    entered = call->outer;
    if (!call->gave_way)
        leave_all(call);
    if (!in_handler && py_forgotten_close_kept())
        wake_waiters();
}

void
py_call_back(struct py_call *call)
{
    PyEval_RestoreThread(call->thread);
    call->thread = NULL;
    in_handler = true;
}

bool
py_call_begin_new(struct py_call *call)
{
    *call = (struct py_call){0};
    if (in_handler) {
        PyErr_SetString(PyExc_RuntimeError,
                        "a handler of a signal cannot use an array: it runs inside a call on one");
        return false;
    }
    call->thread = PyEval_SaveThread();
    return true;
}

// An exclusive call has ended for which another waits: that one needs the GIL, which a thread that
// makes such calls in a loop would not leave it for long enough.
static void
let_next_in(const struct py_call *call)
{
    const struct timespec moment = {.tv_nsec = 50000};

    if (in_handler || call->access[0] != PY_EXCLUSIVE || !call->families[0] ||
        call->families[0]->wanting == 0)
        return;
    PyThreadState *const thread = PyEval_SaveThread();
    (void)nanosleep(&moment, NULL);
    PyEval_RestoreThread(thread);
}

bool
py_call_end_at(struct py_call *call, tess_status st, PyObject *where)
{
    if (call->thread)
        PyEval_RestoreThread(call->thread);
    else
        in_handler = false; // py_call_back()
    leave_all(call);
    if (!in_handler && py_forgotten_close_kept())
        wake_waiters();
    if (st != TESS_OK)
        py_error_set(st, &call->err, where);
    let_next_in(call);
    return !PyErr_Occurred(); // also what a handler raised at the very end of the call
}

bool
py_call_end(struct py_call *call, tess_status st)
{
    return py_call_end_at(call, st,
                          call->store   ? call->store->place
                          : call->array ? call->array->place
                                        : NULL);
}

void
py_call_forget(struct py_gone gone, struct py_family *family, PyObject *place)
{
    if (in_handler || !py_forgotten_can_close(family)) {
        py_forgotten_keep(gone, family);
        return;
    }
    py_forgotten_close(gone, family, place);
    wake_waiters();
}

bool
py_call_progress(int64_t done, int64_t total, void *user)
{
    (void)done, (void)total, (void)user;
    if (PyThread_get_thread_ident() != main_thread)
        return true;
    const PyGILState_STATE state = PyGILState_Ensure();
    in_handler = true;
    const bool go_on = !PyErr_Occurred() && PyErr_CheckSignals() == 0;
    in_handler = false;
    PyGILState_Release(state);
    return go_on;
}
