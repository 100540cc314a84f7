/*
 * reduce.c - the public functions whose results are smaller than the array: reductions, histograms,
 * pyramids. Arguments are checked here, once.
 */
#include "compute/reduce/reduce.h"
#include "api/check.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/keep/keep.h"
#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/sized.h"
#include "compute/histogram/histogram.h"

#include <tessera/histogram.h>
#include <tessera/reduce.h>

#include <inttypes.h>

// -- reductions

TESS_API void
tess_reduce_options_init_sized(tess_reduce_options *options, size_t struct_size)
{
    tess_reduce_options own = {.struct_size = struct_size};
    sized_give(options, struct_size, &own, sizeof own);
}

// given NULL: the defaults.
static tess_status
take_reduce_options(tess_reduce_options *own, const tess_reduce_options *given, tess_error *err)
{
    tess_reduce_options_init(own);
    return given ? sized_take(own, sizeof *own, SIZED_UP_TO(tess_reduce_options, ddof), given,
                              "reduce_options", err)
                 : TESS_OK;
}

static tess_status
take_axes(const tess_array *a, const int *axes, int naxes, bool *reduced, tess_error *err)
{
    const int ndim = a->g->ndim;
    for (int i = 0; i < ndim; i++)
        reduced[i] = !axes;
    if (axes && (naxes < 0 || naxes > ndim))
        return err_set(err, TESS_ERR_ARG, -1, "%d axes of an array with %d dimensions", naxes,
                       ndim);
    for (int i = 0; axes && i < naxes; i++) {
        if (axes[i] < 0 || axes[i] >= ndim)
            return err_set(err, TESS_ERR_ARG, -1, "axis %d of an array with %d dimensions", axes[i],
                           ndim);
        if (reduced[axes[i]])
            return err_set(err, TESS_ERR_ARG, -1, "axis %d is given twice", axes[i]);
        reduced[axes[i]] = true;
    }
    return TESS_OK;
}

// Where a result goes, and what it is.
static tess_status
take_place(const tess_array *a, struct taken_storage *at, const tess_storage *storage,
           tess_params *own, const tess_params *params, tess_array **out, tess_error *err)
{
    if (out)
        *out = NULL;
    if (!a || !out)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for the result is given");
    tess_status st = view_check(a, err);
    if (st == TESS_OK)
        st = take_target(at, storage, false, err);
    if (st == TESS_OK && at->storage.path)
        st = array_check_target(a, &at->storage, err);
    tess_params_init(own);
    return st == TESS_OK && params ? take_params(own, params, err) : st;
}

TESS_API tess_status
tess_array_reduce(const tess_array *a, tess_reduction op, const int *axes, int naxes,
                  const tess_reduce_options *options, const tess_storage *storage,
                  const tess_params *params, tess_array **out, tess_error *err)
{
    UNCANCELLED;
    struct taken_storage at;
    struct reduction r;
    struct home home;
    tess_reduce_options o;
    tess_params own;
    char dtype[PLAN_DTYPE_SIZE];
    bool reduced[NDIM_MAX];

    tess_status st = take_place(a, &at, storage, &own, params, out, err);
    if (st == TESS_OK)
        st = take_reduce_options(&o, options, err);
    if (st == TESS_OK)
        st = take_axes(a, axes, naxes, reduced, err);
    if (st == TESS_OK && (op < TESS_REDUCE_SUM || op > TESS_REDUCE_ALL))
        st = err_set(err, TESS_ERR_ARG, -1, "reduction %d is not known", (int)op);
    if (st == TESS_OK)
        st = plan_reduction(&r, a, op, reduced, &o, &own, dtype, err);
    if (st == TESS_OK)
        st = home_create(&at.storage, own.layout, &home, err);
    return st == TESS_OK ? reduction_create(&r, &home, &at.storage, &own, out, err) : st;
}

// -- downsampling

TESS_API void
tess_downsample_options_init_sized(tess_downsample_options *options, size_t struct_size)
{
    tess_downsample_options own = {.struct_size = struct_size};
    sized_give(options, struct_size, &own, sizeof own);
}

static tess_status
take_downsample_options(tess_downsample_options *own, const tess_downsample_options *given,
                        tess_error *err)
{
    tess_downsample_options_init(own);
    return given ? sized_take(own, sizeof *own, SIZED_UP_TO(tess_downsample_options, reserved),
                              given, "downsample_options", err)
                 : TESS_OK;
}

static tess_status
check_downsampling(const tess_array *a, tess_downsampling op, const int64_t *factors,
                   const tess_downsample_options *o, tess_error *err)
{
    if (op < TESS_DOWNSAMPLE_MEAN || op > TESS_DOWNSAMPLE_MODE)
        return err_set(err, TESS_ERR_ARG, -1, "downsampling %d is not known", (int)op);
    if (o->reserved != 0)
        return err_set(err, TESS_ERR_ARG, -1, "a reserved option is %d", o->reserved);
    if (!factors && a->g->ndim > 0)
        return err_set(err, TESS_ERR_ARG, -1, "no factors are given");
    for (int i = 0; i < a->g->ndim; i++)
        if (factors[i] < 1)
            return err_set(err, TESS_ERR_ARG, -1, "a factor of %" PRId64 " for axis %d", factors[i],
                           i);
    return TESS_OK;
}

TESS_API tess_status
tess_array_downsample(const tess_array *a, tess_downsampling op, const int64_t *factors,
                      const tess_downsample_options *options, const tess_storage *storage,
                      const tess_params *params, tess_array **out, tess_error *err)
{
    UNCANCELLED;
    struct taken_storage at;
    struct reduction r;
    struct home home;
    tess_downsample_options o;
    tess_params own;
    char dtype[PLAN_DTYPE_SIZE];

    tess_status st = take_place(a, &at, storage, &own, params, out, err);
    if (st == TESS_OK)
        st = take_downsample_options(&o, options, err);
    if (st == TESS_OK)
        st = check_downsampling(a, op, factors, &o, err);
    if (st != TESS_OK)
        return st;
    const bool picks = op == TESS_DOWNSAMPLE_NEAREST || op == TESS_DOWNSAMPLE_MODE;
    st = picks ? resample_plan(a, factors, &own, err)
               : plan_downsampling(&r, a, op, factors, o.skip_nan != 0, &own, dtype, err);
    if (st == TESS_OK)
        st = home_create(&at.storage, own.layout, &home, err);
    if (st != TESS_OK)
        return st;
    return picks ? resample_create(a, op == TESS_DOWNSAMPLE_MODE, factors, &home, &at.storage, &own,
                                   out, err)
                 : reduction_create(&r, &home, &at.storage, &own, out, err);
}

// -- histograms

TESS_API void
tess_bins_init_sized(tess_bins *bins, size_t struct_size)
{
    tess_bins own = {.struct_size = struct_size, .nbins = 10, .lo = 0, .hi = 1};
    sized_give(bins, struct_size, &own, sizeof own);
}

static tess_status
take_bins(tess_bins *own, const tess_bins *given, const int64_t *counts, size_t counts_size,
          tess_error *err)
{
    tess_bins_init(own);
    const tess_status st =
        sized_take(own, sizeof *own, SIZED_UP_TO(tess_bins, edges), given, "bins", err);
    if (st != TESS_OK)
        return st;
    if (own->nbins > 0 && (uint64_t)own->nbins > counts_size / sizeof *counts)
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory for %" PRId64 " counts",
                       counts_size, own->nbins);
    return counts ? TESS_OK : err_set(err, TESS_ERR_ARG, -1, "no memory is given");
}

TESS_API tess_status
tess_array_histogram_sized(const tess_array *a, const int64_t *start, const int64_t *stop,
                           const tess_bins *bins, int64_t *counts, size_t counts_size,
                           tess_outside *outside, size_t outside_size, tess_error *err)
{
    UNCANCELLED;
    int64_t nitems = 0;
    struct box box = {start, stop, NULL};
    tess_bins own;
    tess_outside rest = {0};
    struct reading r;
    tess_status st = take_bins(&own, bins, counts, counts_size, err);
    if (st == TESS_OK)
        st = check_box_or_all(a, &box, &nitems, err);
    if (st != TESS_OK)
        return st;
    st = reading_begin(&r, a, nitems, err);
    if (st == TESS_OK)
        st = array_histogram(a, box.start, box.stop, nitems, &own, counts, &rest, &r.watch, err);
    st = reading_end(&r, st, err);
    if (st == TESS_OK && outside)
        sized_give(outside, outside_size, &rest, sizeof rest);
    return st;
}

// -- pyramids: a level is made by the public call for one level, of the level before

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
