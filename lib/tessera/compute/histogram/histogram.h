/*
 * histogram.h - the items of a box, counted in bins.
 *
 * Each grain of the job takes a counter that no other grain has, and gives it back; there are as
 * many as threads worked at once. All are added up in the end: counts are integers, so that it does
 * not matter which grain had which. Equal items that need no decoding are added to a row of atomic
 * numbers. There is no lock.
 */
#ifndef COMPUTE_HISTOGRAM_HISTOGRAM_H
#define COMPUTE_HISTOGRAM_HISTOGRAM_H

#include "array/array.h"

#include <tessera/histogram.h>

// The box is inside the shape. TESS_ERR_UNSUPPORTED: the items are no numbers.
tess_status array_histogram(const tess_array *a, const int64_t *start, const int64_t *stop,
                            int64_t nitems, const tess_bins *bins, int64_t *counts,
                            tess_outside *outside, struct watch *watch, tess_error *err);

#endif
