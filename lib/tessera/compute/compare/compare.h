/*
 * compare.h - new arrays of truth values, from one array or two.
 *
 * A struct comparison is filled by one of the functions that plan, does not change afterwards, and
 * is read by the workers of map_run(). No lock.
 */
#ifndef COMPUTE_COMPARE_COMPARE_H
#define COMPUTE_COMPARE_COMPARE_H

#include "array/open/open.h"
#include "compute/compare/operand.h"

#include <tessera/compare.h>

struct comparison;
// mask[k] of n results, of items that are `stride` bytes apart.
typedef void comparison_row_fn(const struct comparison *c, const uint8_t *const *items,
                               const int64_t *stride, size_t n, uint8_t *mask);

struct comparison {
    int n; // arrays: 1 or 2
    struct operand side[2];
    comparison_row_fn *row;
    struct range range[2]; // of each side
    pair_fn *pair;
    int order; // of the pair: PAIR_EQ, PAIR_LT or PAIR_LE
    bool exchanged, inverted; // the sides of the pair, its result
    tess_logic logic;
};

// TESS_ERR_UNSUPPORTED: items are no numbers, nor times. Arguments are checked otherwise.
tess_status comparison_plan_number(struct comparison *c, const tess_array *a, tess_comparison op,
                                   const tess_number *value, tess_error *err);
tess_status comparison_plan_between(struct comparison *c, const tess_array *a,
                                    const tess_number *least, const tess_number *most,
                                    tess_error *err);
tess_status comparison_plan_nan(struct comparison *c, const tess_array *a, tess_error *err);
tess_status comparison_plan_arrays(struct comparison *c, const tess_array *a, tess_comparison op,
                                   const tess_array *b, tess_error *err);
tess_status comparison_plan_logic(struct comparison *c, const tess_array *a, tess_logic op,
                                  const tess_array *b, tess_error *err);

#endif
