/*
 * equal.c - bins of equal width, found by calculating, for all numbers of a type.
 */
#include "compute/histogram/equal.h"

#include "base/cpu.h"

#include <float.h>
#include <math.h>

// Numbers next to each other at an edge: the least not less than it, and the one before.
struct border {
    double low, before; // as a kernel sees them
};

static double
value_of_key(const struct bins *b, uint64_t key)
{
    return b->is_signed ? (double)(int64_t)bins_key(b, key) : (double)key;
}

static struct border
border_at(const struct bins *b, const tess_dtype *dtype, int64_t k)
{
    if (b->whole) {
        const uint64_t key = b->low_key[k];
        return (struct border){value_of_key(b, key),
                               key > 0 ? value_of_key(b, key - 1) : -(double)INFINITY};
    }
    const double x = b->low[k];
    if (dtype->kind != TESS_KIND_FLOAT)
        return (struct border){x, x - 1}; // after bins_round()
    if (dtype->size == 8)
        return (struct border){x, nextafter(x, -INFINITY)};
    const float near = (float)x, low = (double)near < x ? nextafterf(near, INFINITY) : near;
    return (struct border){(double)low, (double)nextafterf(low, -INFINITY)};
}

// Whether no number comes out below its bin; then also, what numbers of the bin before come to.
static bool
try_base(struct calculation *c, const struct bins *b, const tess_dtype *dtype)
{
    double doubt = -1;
    for (int64_t k = 0; k < b->n; k++) {
        const struct border x = border_at(b, dtype, k);
        const double at = (x.low - c->base) * c->scale, before = (x.before - c->base) * c->scale;
        if (!(at >= (double)k) || !(before < (double)k + 0.25))
            return false;
        if (k > 0 && before >= (double)k) // what is before the first bin is outside
            doubt = fmax(doubt, before - (double)k);
    }
    c->doubt = doubt;
    return true;
}

// Rounding may move numbers at edges into the bin before: base is moved, by as little as helps.
static bool
find_base(struct calculation *c, const struct bins *b, const tess_dtype *dtype)
{
    for (double shift = 0; shift<0x1p-16; shift = shift> 0 ? shift * 4 : 0x1p-50) {
        c->base = b->lo - shift / b->scale;
        if (try_base(c, b, dtype))
            return true;
    }
    return false;
}

bool
equal_init(struct equal *e, const struct bins *b, const tess_dtype *dtype, bool turned)
{
    const struct histogram_kernels *const k = histogram_kernels_for(cpu_mask());
    *e = (struct equal){
        .doubles = k->calculate[CALCULATE_F8],
        .keys = k->calculate[CALCULATE_KEYS],
        .calculation = {.scale = b->scale,
                        .least = CALCULATE_LEAST,
                        .last = (double)b->n - 0x1p-20},
    };
    if (!b->equal || FLT_EVAL_METHOD != 0)
        return false;
    if (!turned && !b->whole)
        e->items = k->calculate[dtype->kind == TESS_KIND_INT    ? CALCULATE_I4
                                : dtype->kind == TESS_KIND_UINT ? CALCULATE_U4
                                : dtype->size == 4              ? CALCULATE_F4
                                                                : CALCULATE_F8];
    if (b->whole) {
        e->calculation.low_key = b->low_key[0];
        e->calculation.top_key = b->top_key;
        e->calculation.offset = calculation_offset(b->is_signed);
    } else {
        e->calculation.low = b->low[0];
        e->calculation.top = b->top;
    }
    return find_base(&e->calculation, b, dtype);
}
