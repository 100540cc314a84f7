/*
 * squares.h - variances from sums and sums of squares of what cells have.
 *
 * Of floats, both are of distances from a shift that is near the mean, where one pass is as good as
 * two. No division happens before the end, so what is made of small whole numbers is exact, in
 * whatever order they come.
 *
 * Functions without state.
 */
#ifndef COMPUTE_SQUARES_H
#define COMPUTE_SQUARES_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 whole_sum;
__extension__ typedef unsigned __int128 whole_squares;

struct squares {
    double weight; // items
    double shift; // finite
    double sum, squares; // of (item - shift)
};

// Deviations of the mean from the shift. Their square is what the rounding of sums is multiplied
// by. A smaller number would have sums of a ramp move again and again.
enum { SQUARES_FAR = 4 };

// Whether the mean is as far from the shift. Not where that is not known, for infinite sums and
// NaNs.
static inline bool
squares_are_far(double weight, double sum, double squares)
{
    const double product = sum * sum, near = SQUARES_FAR * SQUARES_FAR;
    return ((near + 1) * product > near * weight * squares) & (product <= DBL_MAX);
}

// How much is to be added to a shift that is far.
double squares_distance(const struct squares *a);

// Take another shift, if it is far.
void squares_center(struct squares *a);

// All items of both.
void squares_join(struct squares *a, const struct squares *b);

// NaN: an item was NaN or infinite, or there are no more than ddof of them.
double squares_variance(const struct squares *a, int64_t ddof);

// Of n integers of at most 32 bits. Of few of them, the nearest double.
double squares_whole_variance(whole_sum sum, whole_squares squares, int64_t n, int64_t ddof);

#endif
