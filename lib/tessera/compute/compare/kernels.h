/*
 * kernels.h - rows of numbers of one type, compared.
 *
 * All comparisons with a number are one: whether an item lies in a range. Rows are in the byte
 * order of the machine, aligned, without gaps. Functions without state. Plain C, in loops that
 * compilers make vectors of; all are in loops.h, once, and are compiled for each set of
 * instructions.
 */
#ifndef COMPUTE_COMPARE_KERNELS_H
#define COMPUTE_COMPARE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum comparable {
    COMPARABLE_I1,
    COMPARABLE_I2,
    COMPARABLE_I4,
    COMPARABLE_I8,
    COMPARABLE_U1,
    COMPARABLE_U2,
    COMPARABLE_U4,
    COMPARABLE_U8,
    COMPARABLE_F4,
    COMPARABLE_F8,
    COMPARABLE_COUNT,
};

enum { PAIR_EQ, PAIR_LT, PAIR_LE, PAIR_COUNT };

// From lo to hi, both inclusive, as items of the type; nothing if lo > hi.
struct range {
    union limit {
        int64_t i;
        uint64_t u;
        double d;
    } lo, hi;
    uint8_t invert; // 1: true are those outside, and NaN; else 0
};

// mask[k] = whether items[k] is in the range, or not, if that is inverted. The limits are widened:
// to i, u or d by the kind of the type.
typedef void range_fn(const void *items, size_t n, const struct range *range, uint8_t *mask);
// mask[k] = whether a[k] is equal to, less than, or not greater than b[k].
typedef void pair_fn(const void *a, const void *b, size_t n, uint8_t *mask);

struct compare_kernels {
    range_fn *range[COMPARABLE_COUNT];
    pair_fn *pair[PAIR_COUNT][COMPARABLE_COUNT];
};

extern const struct compare_kernels compare_kernels_c;
extern const struct compare_kernels compare_kernels_avx2; // where the build has it

// For a machine with these features (base/cpu.h).
const struct compare_kernels *compare_kernels_for(unsigned cpu);

#endif
