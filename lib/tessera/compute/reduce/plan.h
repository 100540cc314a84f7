/*
 * plan.h - what a reduction gathers of which items, and the array that it gives.
 */
#ifndef COMPUTE_REDUCE_PLAN_H
#define COMPUTE_REDUCE_PLAN_H

#include "compute/reduce/reduction.h"

#include <tessera/params.h>

#include <tessera/reduce.h>

enum { PLAN_DTYPE_SIZE = 8 }; // bytes of a type's string

/*
 * reduced: per axis. params: of the new array, with its shape and type afterwards; what they bring
 * is checked. dtype: PLAN_DTYPE_SIZE bytes, which params may refer to.
 */
tess_status plan_reduction(struct reduction *r, const tess_array *a, tess_reduction op,
                           const bool *reduced, const tess_reduce_options *options,
                           tess_params *params, char *dtype, tess_error *err);

// The same for cells of `factors` items, of an operation that computes: not of NEAREST or MODE.
tess_status plan_downsampling(struct reduction *r, const tess_array *a, tess_downsampling op,
                              const int64_t *factors, bool skip_nan, tess_params *params,
                              char *dtype, tess_error *err);

#endif
