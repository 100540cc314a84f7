/*
 * statistics.h - what the numbers of an array are like, as a whole.
 */
#ifndef ARRAY_STATISTICS_H
#define ARRAY_STATISTICS_H

#include "array/array.h"

#include <tessera/iterate.h>

// The box is inside the shape. TESS_ERR_UNSUPPORTED: the items are no numbers.
tess_status array_statistics(const tess_array *a, const int64_t *start, const int64_t *stop,
                             int64_t nitems, tess_statistics *out, struct watch *watch,
                             tess_error *err);

#endif
