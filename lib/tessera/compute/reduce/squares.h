/*
 * squares.h - the variance of the items of a cell, from their sum and the sum of their squares.
 *
 * For floats, both sums are of (item - shift). The shift is a number near the mean: then one pass
 * over the items loses no more digits than two. Nothing is divided before the end, so the variance
 * of small whole numbers is exact, in whatever order they are added.
 *
 * Functions without state.
 */
#ifndef COMPUTE_REDUCE_SQUARES_H
#define COMPUTE_REDUCE_SQUARES_H

#include "base/int128.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

struct squares {
    double weight; // items
    double shift; // finite
    double sum, squares; // of (item - shift)
};

// A shift is replaced when the mean is more standard deviations away from it than this. Rounding
// errors grow with the square of that distance. With 1, the shift of a ramp was replaced again and
// again, and the variance of f4 along axis 0 took twice as long.
enum { SQUARES_FAR = 4 };

// Whether the mean is that far from the shift. False for infinite sums and NaNs.
static inline bool
squares_are_far(double weight, double sum, double squares)
{
    const double product = sum * sum, near = SQUARES_FAR * SQUARES_FAR;
    return ((near + 1) * product > near * weight * squares) & (product <= DBL_MAX);
}

// What is to be added to a shift that is far from the mean.
double squares_distance(const struct squares *a);

// Replace the shift if the mean is far from it.
void squares_center(struct squares *a);

// Add the items of b to a.
void squares_join(struct squares *a, const struct squares *b);

// The squares are divided by the number of items - ddof. NaN if an item was NaN or infinite, or if
// there are at most ddof items.
double squares_variance(const struct squares *a, int64_t ddof);

// The same for n integers of at most 32 bits. For n < 2^31, and if the squares of (item - mean)
// have a sum below 2^63, the result is the quotient of two exact integers.
double squares_whole_variance(int128 sum, int128 squares, int64_t n, int64_t ddof);

#endif
