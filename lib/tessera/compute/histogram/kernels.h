/*
 * kernels.h - in which of bins of equal width items are, by calculating.
 *
 * A bin is the whole part of (x - base) * scale. This never decreases as x grows, so whether it is
 * the right bin for all numbers of a type shows at the edges alone: equal.c chooses base such that
 * no number comes out below its bin, and finds `doubt`, how far above a whole number the result for
 * a number of the bin before may be.
 *
 * Functions without state. Plain C, in loops that compilers make vectors of; all are in loops.h,
 * once, and are compiled for each set of instructions.
 */
#ifndef COMPUTE_HISTOGRAM_KERNELS_H
#define COMPUTE_HISTOGRAM_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CALCULATE_I4,
    CALCULATE_U4,
    CALCULATE_F4,
    CALCULATE_F8,
    CALCULATE_KEYS, // integers of 8 bytes as in bins.h
    CALCULATE_COUNT,
};

// What a kernel returns: some items need a second look.
enum {
    CALCULATED_DOUBT = 1, // may be in the bin before
    CALCULATED_OUTSIDE = 2, // below, above, or NaN; their bins are any of 0 to n - 1
};

// About 0.5 there is no doubt. Loops take it from the struct: with a constant, gcc makes jumps.
#define CALCULATE_LEAST 0.5

struct calculation {
    double base, scale;
    double least; // CALCULATE_LEAST: results that are less become this
    double last; // a little less than the number of bins; results that are greater become this
    double doubt; // less than 0: bins are right
    double low, top; // inside are low <= x <= top; not of keys
    uint64_t low_key, top_key; // the same of keys
    double offset; // of keys: calculation_offset()
};

// What makes signed or unsigned numbers of keys.
static inline double
calculation_offset(bool is_signed)
{
    return 0x1p84 + 0x1p52 + (is_signed ? 0x1p63 : 0);
}

// bin[i] of n items, in the byte order of the machine, at any address.
typedef int calculate_fn(const struct calculation *c, const void *items, int64_t n, int32_t *bin);

struct histogram_kernels {
    calculate_fn *calculate[CALCULATE_COUNT];
};

extern const struct histogram_kernels histogram_kernels_c;
extern const struct histogram_kernels histogram_kernels_avx2; // where the build has it

// For a machine with these features (base/cpu.h).
const struct histogram_kernels *histogram_kernels_for(unsigned cpu);

#endif
