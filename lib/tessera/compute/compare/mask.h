/*
 * mask.h - the results of a comparison as a new array.
 */
#ifndef COMPUTE_COMPARE_MASK_H
#define COMPUTE_COMPARE_MASK_H

#include "compute/compare/compare.h"

// Shape, type and, if they do not say so, chunks of the mask. TESS_ERR_ARG: params for another one,
// or shapes that do not fit together.
tess_status mask_plan(const struct comparison *c, tess_params *params, tess_error *err);

// As array_create() (array/open/open.h), with params by mask_plan().
tess_status mask_create(const struct comparison *c, const struct home *home,
                        const tess_storage *storage, const tess_params *params, tess_array **mask,
                        tess_error *err);

#endif
