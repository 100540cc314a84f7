/*
 * order.c - numbers of a coordinate, in their order, without loss.
 */
#include "array/dims/order.h"

#include "base/exact.h"
#include "base/int128.h"

#include <assert.h>
#include <math.h>

bool
order_is_nan(const tess_number *x)
{
    return x->kind == TESS_KIND_FLOAT && isnan(x->f);
}

static int128
wide_of(const tess_number *x)
{
    return x->kind == TESS_KIND_INT ? int128_of(x->i) : int128_of_u64(x->u);
}

int
order_compare(const tess_number *x, const tess_number *y)
{
    const bool fx = x->kind == TESS_KIND_FLOAT, fy = y->kind == TESS_KIND_FLOAT;
    if (fx && fy)
        return (x->f > y->f) - (x->f < y->f);
    if (fy)
        return int128_compare_double(wide_of(x), y->f);
    if (fx)
        return -int128_compare_double(wide_of(y), x->f);
    return int128_compare(wide_of(x), wide_of(y));
}

// An exact sum: the nearest double, and the difference between the sum and that double.
struct sum {
    double high, low;
};

// Each has at most 64 bits.
static struct sum
sum_of_integers(int128 x, int128 y)
{
    const int128 sum = int128_add(x, y);
    const double high = int128_to_double(sum);
    return (struct sum){high, int128_to_double(int128_sub(sum, int128_of_double(high)))};
}

// The sum is finite.
static struct sum
sum_of_floats(double x, double y)
{
    double sum[2] = {x, 0};
    exact_add(sum, y);
    return (struct sum){sum[0], sum[1]};
}

// Rounding keeps the order, so the low parts decide only where the high ones are equal.
static bool
is_at_most(struct sum x, struct sum y)
{
    return x.high < y.high || (x.high == y.high && x.low <= y.low);
}

// y - value <= value - x: whether the sum of both is at most twice the value.
bool
order_is_nearer(const tess_number *x, const tess_number *value, const tess_number *y)
{
    double scale = 1;
    assert(x->kind == y->kind);
    if (x->kind == TESS_KIND_FLOAT) {
        if (isinf(x->f) || isinf(y->f))
            return isinf(x->f);
        if (isinf(x->f + y->f)) // large, and so is the value in between: halves lose nothing
            scale = 0.5;
    }
    const struct sum items = x->kind == TESS_KIND_FLOAT ? sum_of_floats(scale * x->f, scale * y->f)
                                                        : sum_of_integers(wide_of(x), wide_of(y));
    const struct sum twice = value->kind == TESS_KIND_FLOAT
                                 ? (struct sum){scale * value->f * 2, 0}
                                 : sum_of_integers(wide_of(value), wide_of(value));
    return is_at_most(items, twice);
}
