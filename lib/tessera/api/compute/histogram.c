/*
 * histogram.c - the public function on histograms: arguments are checked here, once.
 */
#include <tessera/histogram.h>

#include "api/check.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/sized.h"
#include "compute/histogram/histogram.h"

#include <inttypes.h>

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
    tess_bins own;
    tess_outside rest = {0};
    struct reading r;
    tess_status st = take_bins(&own, bins, counts, counts_size, err);
    if (st == TESS_OK)
        st = check_box_or_all(a, &start, &stop, &nitems, err);
    if (st != TESS_OK)
        return st;
    st = reading_begin(&r, a, nitems, err);
    if (st == TESS_OK)
        st = array_histogram(a, start, stop, nitems, &own, counts, &rest, &r.watch, err);
    st = reading_end(&r, st, err);
    if (st == TESS_OK && outside)
        sized_give(outside, outside_size, &rest, sizeof rest);
    return st;
}
