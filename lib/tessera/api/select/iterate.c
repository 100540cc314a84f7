/*
 * iterate.c - the public functions on parts of an array: arguments are checked here, once.
 */
#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/iterate/each.h"
#include "array/iterate/statistics.h"
#include "base/error.h"
#include "base/sized.h"
#include "geom/shape.h"
#include "task/watch.h"

static tess_status
check_each(tess_unit unit, bool function, tess_error *err)
{
    if (unit != TESS_BLOCKS && unit != TESS_CHUNKS)
        return err_set(err, TESS_ERR_ARG, -1, "%d is no unit", (int)unit);
    if (!function)
        return err_set(err, TESS_ERR_ARG, -1, "no function is given");
    return TESS_OK;
}

TESS_API tess_status
tess_array_each(const tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
                tess_each_fn *fn, void *user, tess_error *err)
{
    UNCANCELLED;
    int64_t nitems = 0;
    struct reading r;
    tess_status st = check_each(unit, fn != NULL, err);
    if (st == TESS_OK)
        st = check_box_or_all(a, &start, &stop, &nitems, err);
    if (st != TESS_OK || nitems == 0)
        return st;
    st = reading_begin(&r, a, nitems, err);
    if (st == TESS_OK)
        st = array_each(a, unit, start, stop, fn, user, &r.watch, err);
    return reading_end(&r, st, err);
}

TESS_API tess_status
tess_array_change(tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
                  tess_change_fn *fn, void *user, tess_error *err)
{
    UNCANCELLED;
    int64_t nitems = 0;
    struct watch watch;
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_each(unit, fn != NULL, err);
    if (st == TESS_OK)
        st = check_box_or_all(a, &start, &stop, &nitems, err);
    if (st != TESS_OK || nitems == 0)
        return st;
    array_watch(&watch, a, nitems);
    return watch_end(&watch, array_change(a, unit, start, stop, fn, user, &watch, err));
}

TESS_API tess_status
tess_array_statistics_sized(const tess_array *a, const int64_t *start, const int64_t *stop,
                            tess_statistics *out, size_t out_size, tess_error *err)
{
    UNCANCELLED;
    tess_statistics own;
    int64_t nitems = 0;
    struct reading r;
    tess_status st = check_box_or_all(a, &start, &stop, &nitems, err);
    if (st != TESS_OK)
        return st;
    if (!out)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the statistics is given");
    st = reading_begin(&r, a, nitems, err);
    if (st == TESS_OK)
        st = array_statistics(a, start, stop, nitems, &own, &r.watch, err);
    st = reading_end(&r, st, err);
    if (st == TESS_OK)
        sized_give(out, out_size, &own, sizeof own);
    return st;
}
