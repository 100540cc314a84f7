/*
 * combine.c - the public functions that make arrays of others: arguments are checked here, once.
 */
#include "array/copy/combine.h"
#include "api/check.h"
#include "api/copy.h"
#include "api/storage.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/create.h"
#include "array/home.h"
#include "array/info.h"
#include "array/view.h"
#include "base/error.h"

#include <tessera/copy.h>
#include <tessera/view.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

TESS_API void
tess_array_params(const tess_array *a, tess_params *params)
{
    array_params(a, params);
}

// The arrays side by side along an axis; they are alike.
static tess_status
combine(tess_array *const *arrays, int64_t n, int axis, const tess_storage *storage,
        const tess_params *params, tess_array **out, tess_error *err)
{
    struct combination c;
    tess_array *made = NULL;
    struct home home;

    tess_status st = combination_init(&c, arrays, n, axis, params, storage->path, err);
    if (st == TESS_OK)
        st = home_create(storage, c.params.layout, &home, err);
    if (st == TESS_OK)
        st = array_create(&home, storage, &c.params, &c.content, &made, err);
    combination_finish(&c);
    if (st == TESS_OK && !out)
        return tess_array_close(made, err);
    if (st == TESS_OK)
        *out = made;
    return st;
}

static tess_status
check_sources(tess_array *const *arrays, int64_t n, const tess_storage *storage, tess_array **out,
              tess_error *err)
{
    if (out)
        *out = NULL;
    if (n < 1 || !arrays)
        return err_set(err, TESS_ERR_ARG, -1, "no arrays are given");
    tess_status st = check_storage(storage, err);
    if (st == TESS_OK && !storage->path && !out)
        st = err_set(err, TESS_ERR_ARG, -1, "no place for the array, and no path is given");
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        if (!arrays[i])
            return err_set(err, TESS_ERR_ARG, -1, "array %" PRId64 " is not given", i);
        st = view_check(arrays[i], err);
        if (st == TESS_OK && storage->path)
            st = copy_check_target(arrays[i], storage, err);
    }
    return st;
}

TESS_API tess_status
tess_array_copy(tess_array *a, const tess_storage *storage, const tess_params *params,
                tess_array **copy, tess_error *err)
{
    UNCANCELLED;
    const tess_status st = check_sources(&a, 1, storage, copy, err);
    return st == TESS_OK ? combine(&a, 1, 0, storage, params, copy, err) : st;
}

TESS_API tess_status
tess_array_concatenate(tess_array *const *arrays, int64_t n, int axis, const tess_storage *storage,
                       const tess_params *params, tess_array **out, tess_error *err)
{
    UNCANCELLED;
    tess_status st = check_sources(arrays, n, storage, out, err);
    if (st != TESS_OK)
        return st;
    if (axis < 0 || axis >= arrays[0]->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d of arrays with %d dimensions", axis,
                       arrays[0]->g->ndim);
    for (int64_t i = 1; i < n && st == TESS_OK; i++)
        st = combine_check_alike(arrays[0], arrays[i], axis, err);
    return st == TESS_OK ? combine(arrays, n, axis, storage, params, out, err) : st;
}

TESS_API tess_status
tess_array_stack(tess_array *const *arrays, int64_t n, int axis, const tess_storage *storage,
                 const tess_params *params, tess_array **out, tess_error *err)
{
    UNCANCELLED;
    tess_params chosen;
    int64_t made = 0;
    tess_status st = check_sources(arrays, n, storage, out, err);
    if (st != TESS_OK)
        return st;
    for (int64_t i = 1; i < n && st == TESS_OK; i++)
        st = combine_check_alike(arrays[0], arrays[i], -1, err);
    tess_array **const views = st == TESS_OK ? calloc((size_t)n, sizeof(tess_array *)) : NULL;
    if (st == TESS_OK && !views)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " arrays", n);
    for (; made < n && st == TESS_OK; made += st == TESS_OK)
        st = tess_array_view_expand(arrays[made], axis, &views[made], err);
    if (st == TESS_OK && !params) { // blocks of one item along the new axis are rarely wanted
        array_params(views[0], &chosen);
        memset(chosen.chunkshape, 0, sizeof chosen.chunkshape);
        memset(chosen.blockshape, 0, sizeof chosen.blockshape);
        if (!storage->path)
            chosen.layout = TESS_LAYOUT_CONTIGUOUS;
        params = &chosen;
    }
    if (st == TESS_OK)
        st = combine(views, n, axis, storage, params, out, err);
    for (int64_t i = 0; i < made; i++)
        array_free(views[i]);
    free(views);
    return st;
}
