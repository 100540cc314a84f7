/*
 * layout.c - the layout search: chunks, blocks, codec and filters for a use of an array.
 */
#include "base/array.h"
#include "base/call.h"
#include "base/error.h"
#include "base/methods.h"
#include "whole/params.h"

#include <string.h>

// A mix of accesses as text, and what is kept, as the options of a search.
static bool
take_options(tess_tuner_options *options, tess_access *accesses, const tess_params *params,
             const char *mix, unsigned keep)
{
    tess_error err;
    int n = 0;

    tess_tuner_options_init(options);
    options->keep = keep;
    const tess_status st =
        tess_access_parse(mix, params->ndim, params->shape, accesses, TESS_MAX_ACCESSES, &n, &err);
    if (st != TESS_OK) {
        py_error_set(st, &err, NULL);
        return false;
    }
    options->accesses = accesses;
    options->naccesses = n;
    return true;
}

static PyObject *
with_seconds(const tess_params *layout, double seconds)
{
    PyObject *const dict = py_params_layout(layout);
    PyObject *const number = PyFloat_FromDouble(seconds);
    const bool ok = dict && number && PyDict_SetItemString(dict, "seconds", number) == 0;
    Py_XDECREF(number);
    if (ok)
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

// _propose(params, mix, keep): by a model, without data.
static PyObject *
propose(PyObject *module, PyObject *args)
{
    PyObject *dict, *result = NULL;
    const char *mix;
    unsigned keep;
    struct py_params p = {.dtype = NULL};
    tess_tuner_options options;
    tess_access accesses[TESS_MAX_ACCESSES];
    tess_params layout;
    double seconds = 0;
    int count = 0;
    struct py_call call;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!zI", &PyDict_Type, &dict, &mix, &keep))
        return NULL;
    tess_params_init(&p.params);
    tess_params_init(&layout);
    if (py_params_change(&p, dict) && take_options(&options, accesses, &p.params, mix, keep) &&
        py_call_begin_new(&call)) {
        const tess_status st =
            tess_layout_propose(&p.params, &options, 1, &layout, &seconds, &count, &call.err);
        if (py_call_end(&call, st))
            result = with_seconds(&layout, seconds);
    }
    py_params_finish(&p);
    return result;
}

// The best layout that a search finds; without the GIL.
static tess_status
search(const struct py_array *a, const tess_params *params, const tess_tuner_options *options,
       tess_params *layout, double *seconds, tess_error *err)
{
    tess_tuner *tuner = NULL;
    tess_layout_result best;
    tess_status st = tess_tuner_open(a->handle, params, options, &tuner, err);

    if (st == TESS_OK)
        st = tess_tuner_search(tuner, err);
    const int rank = st == TESS_OK ? tess_tuner_find(tuner, TESS_ROLE_BEST) : 0;
    if (st == TESS_OK)
        st = tess_tuner_result(tuner, rank, &best, err);
    if (st == TESS_OK) {
        (void)tess_tuner_get_layout(tuner, rank, layout);
        *seconds = best.seconds;
    }
    tess_tuner_close(tuner);
    return st;
}

// _search(array, params, mix, keep, budget): by measurements on a sample of the array.
static PyObject *
search_layout(PyObject *module, PyObject *args)
{
    PyObject *object, *dict, *result = NULL;
    const char *mix;
    unsigned keep;
    double budget, seconds = 0;
    struct py_params p = {.dtype = NULL};
    tess_tuner_options options;
    tess_context context;
    tess_access accesses[TESS_MAX_ACCESSES];
    tess_params layout;
    struct py_call call;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO!zId", &object, &PyDict_Type, &dict, &mix, &keep, &budget))
        return NULL;
    struct py_array *const a = py_array_of(object);
    if (!a)
        return NULL;
    tess_params_init(&p.params);
    tess_params_init(&layout);
    tess_context_init(&context);
    context.progress = py_call_progress;
    p.params.ndim = a->ndim;
    if (!py_params_change(&p, dict))
        goto out;
    do {
        if (!py_call_enter(&call, a, PY_SHARED))
            goto out;
        memcpy(p.params.shape, a->shape, sizeof a->shape);
        if (!take_options(&options, accesses, &p.params, mix, keep)) {
            py_call_leave(&call);
            goto out;
        }
    } while (!py_call_go(&call));
    options.budget = budget;
    options.context = &context;
    const tess_status st = search(a, &p.params, &options, &layout, &seconds, &call.err);
    if (py_call_end(&call, st))
        result = with_seconds(&layout, seconds);
out:
    py_params_finish(&p);
    return result;
}

PyMethodDef py_layout_functions[] = {
    {"_propose", propose, METH_VARARGS, "_propose(params, mix, keep)"},
    {"_search", search_layout, METH_VARARGS, "_search(array, params, mix, keep, budget)"},
    {NULL, NULL, 0, NULL},
};
