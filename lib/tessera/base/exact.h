/*
 * exact.h - sums of doubles with what rounding lost.
 */
#ifndef BASE_EXACT_H
#define BASE_EXACT_H

#include <math.h>

// Add x to sum[0]; what is lost is added to sum[1], as long as the sum is finite.
static inline void
exact_add(double sum[2], double x)
{
    const double next = sum[0] + x;
    const double back = next - sum[0];
    const double lost = (sum[0] - (next - back)) + (x - back);
    sum[0] = next;
    if (isfinite(next))
        sum[1] += lost;
}

// The nearest double; the second part of an infinite sum says nothing.
static inline double
exact_value(const double sum[2])
{
    return isfinite(sum[0]) ? sum[0] + sum[1] : sum[0];
}

#endif
