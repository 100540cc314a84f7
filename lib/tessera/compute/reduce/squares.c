/*
 * squares.c - the variance of the items of a cell, from their sum and the sum of their squares.
 */
#include "compute/reduce/squares.h"

#include <math.h>

static void
add_to_shift(struct squares *a, double d)
{
    a->squares -= d * (2 * a->sum - a->weight * d);
    a->sum -= a->weight * d;
    a->shift += d;
}

// The distance is rounded to a multiple of a power of two below the standard deviation: then
// (item - shift) of items with few digits has few digits, and is exact.
double
squares_distance(const struct squares *a)
{
    const double mean = a->sum / a->weight;
    const double variance = (a->squares - a->sum * mean) / a->weight;
    int e;
    if (!(variance > 0))
        return mean;
    (void)frexp(variance, &e);
    const double unit = ldexp(1, e / 2 - 1); // at most the deviation
    return fabs(mean) < 0x1p52 * unit ? rint(mean / unit) * unit : mean;
}

void
squares_center(struct squares *a)
{
    if (squares_are_far(a->weight, a->sum, a->squares))
        add_to_shift(a, squares_distance(a));
}

// The shift of the side with fewer items is replaced: rounding errors of that are small against the
// squares of all.
void
squares_join(struct squares *a, const struct squares *b)
{
    struct squares other = *b;
    if (b->weight == 0)
        return;
    if (a->weight == 0) {
        *a = *b;
        return;
    }
    if (a->weight < b->weight)
        add_to_shift(a, b->shift - a->shift);
    else
        add_to_shift(&other, a->shift - b->shift);
    a->weight += other.weight;
    a->sum += other.sum;
    a->squares += other.squares;
    squares_center(a);
}

double
squares_variance(const struct squares *a, int64_t ddof)
{
    const double rest = a->weight - (double)ddof;
    const double product = a->weight * a->squares - a->sum * a->sum;
    if (!(rest > 0) || !isfinite(a->sum))
        return (double)NAN;
    if (!isfinite(a->squares)) // items are finite: squares are too large
        return (double)INFINITY;
    const double variance = isfinite(product) ? product / (a->weight * rest)
                                              : (a->squares - a->sum * (a->sum / a->weight)) / rest;
    return variance < 0 ? 0 : variance;
}

// The sums become those of (item - nearest integer to the mean), which are small.
double
squares_whole_variance(int128 sum, int128 squares, int64_t n, int64_t ddof)
{
    if (n <= ddof || n <= 0)
        return (double)NAN;
    const int128 mean = int128_of((int64_t)rint(int128_to_double(sum) / (double)n));
    const int128 means = int128_mul(mean, int128_of(n)), rest = int128_sub(sum, means);
    const int128 moved = int128_mul(mean, int128_add(int128_add(rest, rest), means));
    const int128 near = int128_sub(squares, moved);
    const double all = (double)n, less = (double)(n - ddof), left = int128_to_double(rest);
    if (int128_fits_i64(near) && n <= INT32_MAX)
        return int128_to_double(
                   int128_sub(int128_mul(near, int128_of(n)), int128_mul(rest, rest))) /
               (all * less);
    return (int128_to_double(near) - left * (left / all)) / less;
}
