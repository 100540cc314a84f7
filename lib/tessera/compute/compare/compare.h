/*
 * compare.h - new arrays of truth values, from one array or two.
 *
 * A struct comparison is filled by one of the functions that plan, does not change afterwards, and
 * is read by the workers of map_run(). No lock. Comparisons with a number are ranges of the type of
 * the items, and exact: the limits are the nearest items of the type on the right side of the
 * number, whatever type that has.
 */
#ifndef COMPUTE_COMPARE_COMPARE_H
#define COMPUTE_COMPARE_COMPARE_H

#include "array/array.h"
#include "array/open/open.h"
#include "compute/compare/kernels.h"
#include "ndcopy/convert/times.h"

#include <tessera/compare.h>
#include <tessera/dtype.h>

#include <stdbool.h>

// -- the items of one side, as numbers of the machine

enum { OPERAND_PIECE = 1024 }; // items that are loaded at once

// What the items of an array are.
struct operand {
    const tess_array *a;
    tess_dtype dtype;
    enum comparable type; // COMPARABLE_COUNT: no numbers, nor times
    bool turned; // not in the byte order of the machine
    bool half, truth, time;
    struct time_unit unit; // of time
};

void operand_init(struct operand *o, const tess_array *a);

// Types to which items may be widened: those of 8 bytes.
enum comparable operand_widest(const struct operand *o);

union operand_room {
    uint8_t bytes[8 * OPERAND_PIECE];
    _Alignas(64) double f8[OPERAND_PIECE];
    float f4[OPERAND_PIECE];
    int64_t i8[OPERAND_PIECE];
    uint64_t u8[OPERAND_PIECE];
};

// n items, `stride` bytes apart, as the type itself, or, if `widen` is set, as operand_widest():
// where they are, if they can be left there, else in the room. n <= OPERAND_PIECE.
const void *operand_load(const struct operand *o, const uint8_t *items, int64_t stride, size_t n,
                         bool widen, union operand_room *own, union operand_room *wide);

// -- ranges of a type

// Items for which item op value. time: the least item is NaT.
struct range range_of_comparison(enum comparable type, bool time, tess_comparison op,
                                 const tess_number *value);
// Items from least to most.
struct range range_between(enum comparable type, bool time, const tess_number *least,
                           const tess_number *most);
struct range range_of_nan(enum comparable type, bool time);
struct range range_of_zero(enum comparable type);

// -- comparisons

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

// -- masks

// Shape, type and, if they do not say so, chunks of the mask. TESS_ERR_ARG: params for another one,
// or shapes that do not fit together.
tess_status mask_plan(const struct comparison *c, tess_params *params, tess_error *err);

// As array_create() (array/open/open.h), with params by mask_plan().
tess_status mask_create(const struct comparison *c, const struct home *home,
                        const tess_storage *storage, const tess_params *params, tess_array **mask,
                        tess_error *err);

#endif
