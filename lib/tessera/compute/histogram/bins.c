/*
 * bins.c - edges, made into what items are compared with.
 */
#include "compute/histogram/private.h"

#include "base/error.h"
#include "base/int128.h"
#include "base/memory.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

// -- numbers of any kind

static int128
whole_of_number(const tess_number *x)
{
    return x->kind == TESS_KIND_INT ? int128_of(x->i) : int128_of_u64(x->u);
}

static bool
is_float_number(const tess_number *x)
{
    return x->kind == TESS_KIND_FLOAT;
}

// The least double that is not less, or the greatest that is not greater.
static double
double_beside(const tess_number *x, bool up)
{
    if (is_float_number(x))
        return x->f;
    const int128 whole = whole_of_number(x);
    const double near = int128_to_double(whole);
    const int above = int128_compare_double(whole, near);
    if (up)
        return above > 0 ? nextafter(near, INFINITY) : near;
    return above < 0 ? nextafter(near, -INFINITY) : near;
}

// The same of integers; those beyond 64 bits become one beyond the limits of both types.
static int128
whole_beside(const tess_number *x, bool up)
{
    const double beyond = 0x1p65;
    if (!is_float_number(x))
        return whole_of_number(x);
    if (x->f >= 0x1p64)
        return int128_of_double(beyond);
    if (x->f < -0x1p63)
        return int128_of_double(-beyond);
    return int128_of_double(up ? ceil(x->f) : floor(x->f));
}

// Whether y is less than x; neither is NaN.
static bool
is_less(const tess_number *y, const tess_number *x)
{
    if (is_float_number(x) && is_float_number(y))
        return y->f < x->f;
    if (!is_float_number(x) && !is_float_number(y))
        return int128_is_less(whole_of_number(y), whole_of_number(x));
    if (is_float_number(x))
        return int128_compare_double(whole_of_number(y), x->f) < 0;
    return int128_compare_double(whole_of_number(x), y->f) > 0;
}

// -- edges

struct edges {
    const tess_bins *given;
    double lo, hi, step;
};

static tess_number
edge_at(const struct edges *e, int64_t i)
{
    tess_number x = {.kind = TESS_KIND_FLOAT};
    const double n = (double)e->given->nbins;
    if (e->given->edges)
        return e->given->edges[i];
    if (i == e->given->nbins)
        x.f = e->hi;
    else if (e->step > 0) { // as NumPy rounds them
        const double offset = (double)i * e->step;
        x.f = offset + e->lo;
    } else {
        const double offset = (double)i / n * (e->hi - e->lo);
        x.f = offset + e->lo;
    }
    return x;
}

static tess_status
check_edges(const tess_bins *given, tess_error *err)
{
    for (int64_t i = 0; i <= given->nbins; i++) {
        const tess_number *const x = &given->edges[i];
        if (x->kind != TESS_KIND_INT && x->kind != TESS_KIND_UINT && x->kind != TESS_KIND_FLOAT)
            return err_set(err, TESS_ERR_ARG, -1, "edge %" PRId64 " is of kind %d", i,
                           (int)x->kind);
        if (is_float_number(x) && isnan(x->f))
            return err_set(err, TESS_ERR_ARG, -1, "edge %" PRId64 " is NaN", i);
        if (i > 0 && is_less(x, x - 1))
            return err_set(err, TESS_ERR_ARG, -1, "edge %" PRId64 " is less than the one before",
                           i);
    }
    return TESS_OK;
}

static tess_status
take_edges(struct edges *e, const tess_bins *given, tess_error *err)
{
    *e = (struct edges){.given = given, .lo = given->lo, .hi = given->hi};
    if (given->nbins < 1 || given->nbins >= 1 << 30)
        return err_set(err, TESS_ERR_ARG, -1, "%" PRId64 " bins", given->nbins);
    if (given->edges)
        return check_edges(given, err);
    if (!isfinite(e->lo) || !isfinite(e->hi) || !(e->lo <= e->hi) || !isfinite(e->hi - e->lo))
        return err_set(err, TESS_ERR_ARG, -1, "bins from %g to %g", e->lo, e->hi);
    if (given->lo == given->hi) {
        e->lo -= 0.5;
        e->hi += 0.5;
    }
    e->step = (e->hi - e->lo) / (double)given->nbins;
    return TESS_OK;
}

// Whether calculating leads to the right bin, or one beside it: edges are rounded by much less than
// the width of a bin.
static bool
can_calculate(const struct edges *e, double scale)
{
    return !e->given->edges && isfinite(scale) && e->step >= DBL_MIN &&
           e->step >= 0x1p-40 * fmax(fabs(e->lo), fabs(e->hi));
}

static void
init_doubles(struct bins *b, const struct edges *e)
{
    for (int64_t i = 0; i <= b->n; i++) {
        const tess_number x = edge_at(e, i);
        b->low[i] = i < b->n ? double_beside(&x, true) : (double)INFINITY;
        b->top = double_beside(&x, false); // of the last one
    }
    for (int64_t i = b->n + 1; i < 2 * (int64_t)b->padded; i++)
        b->low[i] = (double)INFINITY;
    b->nlow = b->n;
}

// Which item of the type it is, from the least on; below and above all, the first and the last.
static uint64_t
key_of(int128 x, int128 least, int128 most)
{
    return int128_is_less(most, x)    ? UINT64_MAX
           : int128_is_less(x, least) ? 0
                                      : int128_low(int128_sub(x, least));
}

static void
init_keys(struct bins *b, const struct edges *e)
{
    const int128 least = int128_of(b->is_signed ? INT64_MIN : 0);
    const int128 most = int128_add(least, int128_of_u64(UINT64_MAX));
    for (int64_t i = 0; i < b->n; i++) {
        const tess_number x = edge_at(e, i);
        const int128 low = whole_beside(&x, true);
        b->nlow += !int128_is_less(most, low);
        b->low_key[i] = key_of(low, least, most);
    }
    for (int64_t i = b->n; i < 2 * (int64_t)b->padded; i++)
        b->low_key[i] = UINT64_MAX;
    const tess_number x = edge_at(e, b->n);
    const int128 top = whole_beside(&x, false);
    b->any_top = !int128_is_less(top, least);
    b->top_key = key_of(top, least, most);
}

tess_status
bins_init(struct bins *b, const tess_bins *given, bool whole, bool is_signed, tess_error *err)
{
    struct edges e;
    *b = (struct bins){.n = given->nbins, .whole = whole, .is_signed = is_signed};
    const tess_status st = take_edges(&e, given, err);
    if (st != TESS_OK)
        return st;
    b->padded = 1;
    while (b->padded <= b->n)
        b->padded *= 2;
    void *const list = mem_alloc(2 * (size_t)b->padded * sizeof(double));
    if (!list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bins", b->n);
    b->lo = e.lo;
    b->scale = (double)b->n / (e.hi - e.lo);
    b->equal = can_calculate(&e, b->scale);
    if (whole) {
        b->low_key = list;
        init_keys(b, &e);
        b->equal = b->equal && b->nlow == b->n && b->any_top;
    } else {
        b->low = list;
        init_doubles(b, &e);
    }
    return TESS_OK;
}

void
bins_round(struct bins *b)
{
    for (int64_t i = 0; i < b->n; i++)
        b->low[i] = ceil(b->low[i]);
}

void
bins_finish(struct bins *b)
{
    mem_free(b->low);
    mem_free(b->low_key);
    b->low = NULL;
    b->low_key = NULL;
}

// -- items

// Of a list in order, padded with numbers that are not less, how many of the first nlow are not
// greater: all items take the same steps, so that no jump depends on them, and a processor works on
// several at once.
#define BISECT(name, type)                                                                         \
    static void name(const struct bins *b, const type *low, const type *x, int64_t n, int32_t *at) \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            at[i] = 0;                                                                             \
        for (int32_t step = b->padded / 2; step > 0; step /= 2)                                    \
            for (int64_t i = 0; i < n; i++)                                                        \
                at[i] += step & -(int32_t)(low[at[i] + step - 1] <= x[i]);                         \
        for (int64_t i = 0; i < n; i++)                                                            \
            at[i] = at[i] < b->nlow ? at[i] : (int32_t)b->nlow;                                    \
    }
BISECT(bisect_doubles, double)
BISECT(bisect_keys, uint64_t)

void
bins_slots(const struct bins *b, const double *x, int64_t n, int32_t *slots)
{
    const int32_t above = (int32_t)b->n + 1;
    bisect_doubles(b, b->low, x, n, slots);
    for (int64_t i = 0; i < n; i++)
        if (!(x[i] <= b->top))
            slots[i] = isnan(x[i]) ? above + 1 : x[i] < b->low[0] ? 0 : above;
}

void
bins_slots_of_keys(const struct bins *b, const uint64_t *keys, int64_t n, int32_t *slots)
{
    const int32_t above = (int32_t)b->n + 1;
    bisect_keys(b, b->low_key, keys, n, slots);
    for (int64_t i = 0; i < n; i++)
        if (slots[i] > 0 && (!b->any_top || keys[i] > b->top_key))
            slots[i] = above;
}
