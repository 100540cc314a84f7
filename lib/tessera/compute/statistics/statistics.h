/*
 * statistics.h - what the numbers of an array are like, as a whole.
 *
 * Workers tally the parts of their grain in order; grains are added up in finish, one at a time and
 * in order. So the sum of floats is the same for any number of threads, and no lock is needed.
 */
#ifndef COMPUTE_STATISTICS_STATISTICS_H
#define COMPUTE_STATISTICS_STATISTICS_H

#include "array/array.h"

#include <tessera/iterate.h>

// The box is inside the shape. TESS_ERR_UNSUPPORTED: the items are no numbers.
tess_status array_statistics(const tess_array *a, const int64_t *start, const int64_t *stop,
                             int64_t nitems, tess_statistics *out, struct watch *watch,
                             tess_error *err);

#endif
