/*
 * order.c - numbers of a coordinate, in their order, without loss.
 */
#include "array/dims/order.h"

#include <math.h>

__extension__ typedef __int128 wide;

bool
order_is_nan(const tess_number *x)
{
    return x->kind == TESS_KIND_FLOAT && isnan(x->f);
}

static wide
wide_of(const tess_number *x)
{
    return x->kind == TESS_KIND_INT ? (wide)x->i : (wide)x->u;
}

static double
order_double(const tess_number *x)
{
    return x->kind == TESS_KIND_FLOAT ? x->f : (double)wide_of(x);
}

// An integer and a float. What is left of the float behind its integer part decides between equals.
static int
compare_mixed(wide i, double f)
{
    if (f >= 0x1p64)
        return -1;
    if (f < -0x1p63)
        return 1;
    const wide whole = (wide)f;
    const double rest = f - (double)whole;
    if (i != whole)
        return i < whole ? -1 : 1;
    return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

int
order_compare(const tess_number *x, const tess_number *y)
{
    const bool fx = x->kind == TESS_KIND_FLOAT, fy = y->kind == TESS_KIND_FLOAT;
    if (fx && fy)
        return (x->f > y->f) - (x->f < y->f);
    if (fy)
        return compare_mixed(wide_of(x), y->f);
    if (fx)
        return -compare_mixed(wide_of(y), x->f);
    return (wide_of(x) > wide_of(y)) - (wide_of(x) < wide_of(y));
}

bool
order_is_nearer(const tess_number *x, const tess_number *value, const tess_number *y)
{
    if (x->kind != TESS_KIND_FLOAT && value->kind != TESS_KIND_FLOAT && y->kind != TESS_KIND_FLOAT)
        return wide_of(y) - wide_of(value) <= wide_of(value) - wide_of(x);
    const double v = order_double(value);
    return order_double(y) - v <= v - order_double(x);
}
