/*
 * combine.c - the public functions that make arrays and views of others: arguments are checked
 * here, once.
 */
#include "api/check.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/copy/copy.h"
#include "array/keep/keep.h"
#include "array/open/open.h"
#include "array/open/params.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"

#include <tessera/copy.h>
#include <tessera/view.h>

#include <inttypes.h>
#include <string.h>

// -- views

static tess_status
view_begin(const tess_array *a, tess_array **view, tess_error *err)
{
    if (!view)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the view is given");
    *view = NULL;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    return view_check(a, err);
}

TESS_API tess_status
tess_array_view_read_only(const tess_array *a, tess_array **view, tess_error *err)
{
    UNCANCELLED;
    const tess_status st = view_begin(a, view, err);
    return st == TESS_OK ? view_read_only(a, view, err) : st;
}

TESS_API tess_status
tess_array_view_slice(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
                      tess_array **view, tess_error *err)
{
    UNCANCELLED;
    struct slice s;
    tess_status st = view_begin(a, view, err);
    if (st == TESS_OK)
        st = slice_check(a, start, stop, step, &s, err);
    return st == TESS_OK ? view_slice(a, s.first, s.count, s.step, view, err) : st;
}

TESS_API tess_status
tess_array_view_squeeze(tess_array *a, int axis, tess_array **view, tess_error *err)
{
    UNCANCELLED;
    int axes[NDIM_MAX];
    int ndim = 0;
    const tess_status st = view_begin(a, view, err);
    if (st != TESS_OK)
        return st;
    if (axis < -1 || axis >= a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d of an array with %d dimensions", axis,
                       a->g->ndim);
    if (axis >= 0 && a->g->shape[axis] != 1)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d has %" PRId64 " items, not 1", axis,
                       a->g->shape[axis]);
    for (int i = 0; i < a->g->ndim; i++)
        if (axis < 0 ? a->g->shape[i] != 1 : i != axis)
            axes[ndim++] = i;
    return view_axes(a, ndim, axes, view, err);
}

TESS_API tess_status
tess_array_view_expand(tess_array *a, int axis, tess_array **view, tess_error *err)
{
    UNCANCELLED;
    int axes[NDIM_MAX];
    int from = 0;
    const tess_status st = view_begin(a, view, err);
    if (st != TESS_OK)
        return st;
    if (axis < 0 || axis > a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "a new axis %d for an array with %d dimensions", axis,
                       a->g->ndim);
    if (a->g->ndim == NDIM_MAX)
        return err_set(err, TESS_ERR_ARG, -1, "the array has %d dimensions already", NDIM_MAX);
    for (int i = 0; i <= a->g->ndim; i++)
        axes[i] = i == axis ? -1 : from++;
    return view_axes(a, a->g->ndim + 1, axes, view, err);
}

TESS_API tess_status
tess_array_view_permute(tess_array *a, const int *axes, tess_array **view, tess_error *err)
{
    UNCANCELLED;
    int order[NDIM_MAX];
    bool used[NDIM_MAX] = {false};
    const tess_status st = view_begin(a, view, err);
    if (st != TESS_OK)
        return st;
    for (int i = 0; i < a->g->ndim; i++) {
        order[i] = axes ? axes[i] : a->g->ndim - 1 - i;
        if (order[i] < 0 || order[i] >= a->g->ndim)
            return err_set(err, TESS_ERR_ARG, -1, "axis %d of an array with %d dimensions",
                           order[i], a->g->ndim);
        if (used[order[i]])
            return err_set(err, TESS_ERR_ARG, -1, "axis %d is named twice", order[i]);
        used[order[i]] = true;
    }
    return view_axes(a, a->g->ndim, order, view, err);
}

// -- arrays of others

TESS_API void
tess_array_params_sized(const tess_array *a, tess_params *params, size_t params_size)
{
    tess_params own;
    array_params(a, &own);
    own.struct_size = params_size;
    sized_give(params, params_size, &own, sizeof own);
}

// Where the new array goes, and what it is; params: those of the caller, completed, or NULL.
struct target {
    struct taken_storage at;
    tess_params given;
    const tess_params *params;
    bool inherits; // the caller gave none
};

static tess_status
target_take(struct target *t, const tess_storage *storage, const tess_params *params,
            tess_error *err)
{
    t->params = params ? &t->given : NULL;
    t->inherits = !params;
    const tess_status st = take_target(&t->at, storage, false, err);
    return st == TESS_OK && params ? take_params(&t->given, params, err) : st;
}

static const tess_array *const *
read_only(tess_array *const *arrays)
{
    return (const tess_array *const *)arrays;
}

static tess_status
combine_begin(struct target *t, const tess_array *const *arrays, int64_t n,
              const tess_storage *given, const tess_params *params, tess_array **out,
              tess_error *err)
{
    const tess_storage *const storage = &t->at.storage;
    if (out)
        *out = NULL;
    if (n < 1 || !arrays)
        return err_set(err, TESS_ERR_ARG, -1, "no arrays are given");
    tess_status st = target_take(t, given, params, err);
    if (st == TESS_OK && !storage->path && !storage->source && !out)
        st = err_set(err, TESS_ERR_ARG, -1,
                     "no place for the array, and neither a path nor a source is given");
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        if (!arrays[i])
            return err_set(err, TESS_ERR_ARG, -1, "array %" PRId64 " is not given", i);
        st = view_check(arrays[i], err);
        if (st == TESS_OK && storage->path)
            st = array_check_target(arrays[i], storage, err);
    }
    return st;
}

// The arrays side by side along an axis; they are alike.
static tess_status
combine(const tess_array *const *arrays, int64_t n, int axis, const struct target *t,
        tess_array **out, tess_error *err)
{
    struct combination c;
    tess_array *made = NULL;
    struct home home;

    tess_status st = combination_init(&c, arrays, n, axis, t->params, t->at.storage.path, err);
    c.content.inherits = t->inherits;
    if (st == TESS_OK)
        st = home_create(&t->at.storage, c.params.layout, &home, err);
    if (st == TESS_OK)
        st = array_create(&home, &t->at.storage, &c.params, &c.content, &made, err);
    combination_finish(&c);
    if (st == TESS_OK && !out) {
        made->source = (tess_source){0}; // stays the program's
        return tess_array_close(made, err);
    }
    if (st == TESS_OK)
        *out = made;
    return st;
}

TESS_API tess_status
tess_array_copy(const tess_array *a, const tess_storage *storage, const tess_params *params,
                tess_array **copy, tess_error *err)
{
    UNCANCELLED;
    struct target t;
    const tess_status st = combine_begin(&t, &a, 1, storage, params, copy, err);
    return st == TESS_OK ? combine(&a, 1, 0, &t, copy, err) : st;
}

TESS_API tess_status
tess_array_concatenate(tess_array *const *arrays, int64_t n, int axis, const tess_storage *storage,
                       const tess_params *params, tess_array **out, tess_error *err)
{
    UNCANCELLED;
    struct target t;
    tess_status st = combine_begin(&t, read_only(arrays), n, storage, params, out, err);
    if (st != TESS_OK)
        return st;
    if (axis < 0 || axis >= arrays[0]->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d of arrays with %d dimensions", axis,
                       arrays[0]->g->ndim);
    for (int64_t i = 1; i < n && st == TESS_OK; i++)
        st = combine_check_alike(arrays[0], arrays[i], axis, err);
    return st == TESS_OK ? combine(read_only(arrays), n, axis, &t, out, err) : st;
}

TESS_API tess_status
tess_array_stack(tess_array *const *arrays, int64_t n, int axis, const tess_storage *storage,
                 const tess_params *params, tess_array **out, tess_error *err)
{
    UNCANCELLED;
    struct target t;
    int64_t made = 0;
    tess_status st = combine_begin(&t, read_only(arrays), n, storage, params, out, err);
    if (st != TESS_OK)
        return st;
    for (int64_t i = 1; i < n && st == TESS_OK; i++)
        st = combine_check_alike(arrays[0], arrays[i], -1, err);
    tess_array **const views = st == TESS_OK ? mem_zeroed((size_t)n, sizeof(tess_array *)) : NULL;
    if (st == TESS_OK && !views)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " arrays", n);
    for (; made < n && st == TESS_OK; made += st == TESS_OK)
        st = tess_array_view_expand(arrays[made], axis, &views[made], err);
    if (st == TESS_OK && !t.params) { // blocks of one item along the new axis are rarely wanted
        array_params(views[0], &t.given);
        memset(t.given.chunkshape, 0, sizeof t.given.chunkshape);
        memset(t.given.blockshape, 0, sizeof t.given.blockshape);
        if (!t.at.storage.path)
            t.given.layout = TESS_LAYOUT_CONTIGUOUS;
        t.params = &t.given;
    }
    if (st == TESS_OK)
        st = combine(read_only(views), n, axis, &t, out, err);
    for (int64_t i = 0; i < made; i++)
        array_free(views[i]);
    mem_free(views);
    return st;
}
