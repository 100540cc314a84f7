/*
 * range.h - comparisons with a number as ranges of a type.
 *
 * Exact: the limits are the nearest items of the type on the right side of the number, whatever
 * type that has. No state.
 */
#ifndef COMPUTE_COMPARE_RANGE_H
#define COMPUTE_COMPARE_RANGE_H

#include "compute/compare/kernels.h"

#include <tessera/compare.h>

#include <stdbool.h>

// Items for which item op value. time: the least item is NaT.
struct range range_of_comparison(enum comparable type, bool time, tess_comparison op,
                                 const tess_number *value);
// Items from least to most.
struct range range_between(enum comparable type, bool time, const tess_number *least,
                           const tess_number *most);
struct range range_of_nan(enum comparable type, bool time);
struct range range_of_zero(enum comparable type);

#endif
