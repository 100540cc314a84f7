/*
 * squares.c - the variance of the items of a cell, from their sum and the sum of their squares.
 */
#include "compute/reduce/private.h"

#include "compute/reduce/kernels.h"
#include "compute/reduce/reduce.h"

#include <math.h>
#include <string.h>

enum {
    LIGHT = 8, // a cell keeps its shift if a piece has at most so many times its items
    TRIES = 3, // shifts of a piece
};

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

// -- of the cells of a state

static void
put_squares(struct state *s, int64_t at, const struct squares *a)
{
    s->weight[at] = a->weight;
    s->shift[at] = a->shift;
    s->sum[at] = a->sum;
    s->squares[at] = a->squares;
}

void
state_join_squares(struct state *s, int64_t at, const struct squares *other)
{
    struct squares a = state_squares(s, at);
    squares_join(&a, other);
    put_squares(s, at, &a);
}

// *light: set if a cell has few items compared with those of the piece.
static void
find_light(struct state *s, const struct cell_run *run, const void *light)
{
    const double *const weight = s->weight + run->at, least = (double)run->nitems / LIGHT;
    int64_t any = 0;
    for (int64_t k = 0; k < run->n; k++)
        any |= weight[k] < least;
    **(bool *const *)light |= any != 0;
}

static void
count_squares(struct state *s, const struct cell_run *run, const void *what)
{
    const double n = (double)run->nitems;
    double *restrict const weight = s->weight + run->at;
    const double *restrict const sum = s->sum + run->at;
    const double *restrict const squares = s->squares + run->at;
    int64_t far = 0;
    (void)what;
    for (int64_t k = 0; k < run->n; k++) {
        weight[k] += n;
        far |= squares_are_far(weight[k], sum[k], squares[k]);
    }
    for (int64_t k = run->at; far && k < run->at + run->n; k++) {
        struct squares a = state_squares(s, k);
        squares_center(&a);
        put_squares(s, k, &a);
    }
}

// The weights of the cells in `part`: items of the piece that are no NaNs.
static void
squares_of_part(struct state *s, const struct cell_run *run, const void *what)
{
    const struct state *const part = what;
    (void)s;
    for (int64_t k = run->other; k < run->other + run->n; k++)
        part->weight[k] = (double)(run->nitems - part->missing[k]);
}

static void
join_part(struct state *s, const struct cell_run *run, const void *what)
{
    const struct state *const part = what;
    for (int64_t k = 0; k < run->n; k++) {
        const struct squares other = state_squares(part, run->other + k);
        state_join_squares(s, run->at + k, &other);
    }
}

// Replace shifts that are far from the mean. Returns whether there was one.
static bool
better_shifts(struct state *part)
{
    bool far = false;
    for (int64_t k = 0; k < part->ncells; k++) {
        const struct squares a = state_squares(part, k);
        if (squares_are_far(a.weight, a.sum, a.squares)) {
            part->shift[k] += squares_distance(&a);
            far = true;
        }
    }
    return far;
}

// If all cells have enough items already, their shifts are good, and the items of the piece are
// added to their sums. Otherwise the sums of the piece are made apart, with shifts of its own, and
// joined: the shift is one of the items, or, if the mean turns out to be far from it, near the
// mean.
tess_status
state_add_squares(struct state *s, const int64_t *start, const int64_t *stop, const void *numbers,
                  const uint8_t *mask, tess_error *err)
{
    reduce_fn *const add = kernel_squares_float(s->g->number, mask != NULL);
    int64_t first[NDIM_MAX], last[NDIM_MAX];
    bool light = mask != NULL, *const found = &light;
    struct state part;
    if (!light)
        state_each_cell(s, start, stop, find_light, &found);
    if (!light) {
        state_run(s, start, stop, add,
                  &(struct cell_row){.sum = s->sum, .squares = s->squares, .shift = s->shift},
                  numbers, s->g->size);
        state_each_cell(s, start, stop, count_squares, NULL);
        return TESS_OK;
    }
    cells_of_items(s->cells, start, stop, first, last);
    const tess_status st = state_init(&part, s->g, s->cells, first, last, err);
    if (st != TESS_OK)
        return st;
    const struct cell_row to = {.sum = part.sum, .squares = part.squares, .shift = part.shift};
    const size_t size = (size_t)part.ncells * sizeof *part.sum;
    if (mask)
        state_run(&part, start, stop, kernel_sum_whole(NUMERIC_U1),
                  &(struct cell_row){.low = part.missing}, mask, 1);
    state_each_cell(s, start, stop, squares_of_part, &part);
    state_run(&part, start, stop, kernel_shift(s->g->number), &to, numbers, s->g->size);
    state_run(&part, start, stop, add, &to, numbers, s->g->size);
    for (int i = 1; i < TRIES && better_shifts(&part); i++) {
        memset(part.sum, 0, size);
        memset(part.squares, 0, size);
        state_run(&part, start, stop, add, &to, numbers, s->g->size);
    }
    state_each_cell(s, start, stop, join_part, &part);
    state_finish(&part);
    return TESS_OK;
}
