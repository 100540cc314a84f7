/*
 * pyramid.c - the public functions that make smaller and smaller arrays.
 *
 * A level is made by the public call for one level, of the level before.
 */
#include "api/uncancelled.h"
#include "array/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <tessera/reduce.h>

static const int64_t twos[NDIM_MAX] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

TESS_API int
tess_pyramid_levels(const tess_array *a, const int64_t *factors, int64_t length)
{
    int most = 0;
    if (!a || length < 1)
        return 0;
    for (int i = 0; i < a->g->ndim; i++) {
        const int64_t f = factors ? factors[i] : 2;
        int n = 0;
        for (int64_t left = a->g->shape[i]; left > length && f > 1; left = ceil_div(left, f))
            n++;
        most = n > most ? n : most;
    }
    return most;
}

static tess_status
check_levels(const tess_array *a, const tess_storage *const *storages, int nlevels, bool kept,
             tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    if (nlevels < 0 || (nlevels > 0 && !storages))
        return err_set(err, TESS_ERR_ARG, -1, "%d levels, or no storages for them", nlevels);
    for (int n = 0; n < nlevels; n++) {
        if (!storages[n])
            return err_set(err, TESS_ERR_ARG, -1, "no storage for level %d", n);
        if (!kept && !storages[n]->path)
            return err_set(err, TESS_ERR_ARG, -1, "no place for level %d, and no path", n);
    }
    return TESS_OK;
}

TESS_API tess_status
tess_array_pyramid(const tess_array *a, tess_downsampling op, const int64_t *factors,
                   const tess_downsample_options *options, const tess_storage *const *storages,
                   int nlevels, const tess_params *params, tess_array **levels, tess_error *err)
{
    UNCANCELLED;
    tess_array *before = NULL, *made = NULL; // that are not kept
    tess_status st;
    for (int n = 0; n < nlevels && levels; n++)
        levels[n] = NULL;
    st = check_levels(a, storages, nlevels, levels != NULL, err);
    for (int n = 0; n < nlevels && st == TESS_OK; n++) {
        const tess_array *const from = n == 0 ? a : levels ? levels[n - 1] : before;
        st = tess_array_downsample(from, op, factors ? factors : twos, options, storages[n], params,
                                   &made, err);
        if (st != TESS_OK)
            break;
        if (levels) {
            levels[n] = made;
            continue;
        }
        if (before)
            st = tess_array_close(before, err);
        before = made;
    }
    if (before && st == TESS_OK)
        return tess_array_close(before, err);
    tess_array_discard(before);
    for (int n = 0; n < nlevels && levels && st != TESS_OK; n++) {
        tess_array_discard(levels[n]);
        levels[n] = NULL;
    }
    return st;
}
