/*
 * operand.c - the sides of a comparison: items as numbers of the machine, and numbers as ranges of
 * the type of the items.
 */
#include "compute/compare/compare.h"

#include "base/half.h"
#include "base/int128.h"
#include "base/swap.h"
#include "meta/dtype.h"
#include "ndcopy/convert/times.h"
#include "ndcopy/ndcopy.h"

#include <math.h>
#include <string.h>

static const struct {
    tess_kind kind;
    int32_t size;
    enum comparable type;
} types[] = {
    {TESS_KIND_BOOL, 1, COMPARABLE_U1},     {TESS_KIND_INT, 1, COMPARABLE_I1},
    {TESS_KIND_INT, 2, COMPARABLE_I2},      {TESS_KIND_INT, 4, COMPARABLE_I4},
    {TESS_KIND_INT, 8, COMPARABLE_I8},      {TESS_KIND_UINT, 1, COMPARABLE_U1},
    {TESS_KIND_UINT, 2, COMPARABLE_U2},     {TESS_KIND_UINT, 4, COMPARABLE_U4},
    {TESS_KIND_UINT, 8, COMPARABLE_U8},     {TESS_KIND_FLOAT, 2, COMPARABLE_F4},
    {TESS_KIND_FLOAT, 4, COMPARABLE_F4},    {TESS_KIND_FLOAT, 8, COMPARABLE_F8},
    {TESS_KIND_DATETIME, 8, COMPARABLE_I8}, {TESS_KIND_TIMEDELTA, 8, COMPARABLE_I8},
};

void
operand_init(struct operand *o, const tess_array *a)
{
    *o = (struct operand){.a = a, .dtype = dtype_parse(a->nd.dtype), .type = COMPARABLE_COUNT};
    if (a->nd.dtype_format != 0 || o->dtype.size != a->g->typesize) {
        o->dtype.kind = TESS_KIND_OPAQUE;
        return;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == o->dtype.kind && types[i].size == o->dtype.size)
            o->type = types[i].type;
    o->turned = dtype_is_turned(&o->dtype);
    o->half = o->dtype.kind == TESS_KIND_FLOAT && o->dtype.size == 2;
    o->truth = o->dtype.kind == TESS_KIND_BOOL;
    o->time = o->dtype.kind == TESS_KIND_DATETIME || o->dtype.kind == TESS_KIND_TIMEDELTA;
    if (o->time && !time_unit_parse(a->nd.dtype, &o->unit))
        o->type = COMPARABLE_COUNT;
}

enum comparable
operand_widest(const struct operand *o)
{
    return o->type >= COMPARABLE_F4   ? COMPARABLE_F8
           : o->type >= COMPARABLE_U1 ? COMPARABLE_U8
                                      : COMPARABLE_I8;
}

#define WIDEN(name, type, member)                                                   \
    static void widen_##name(const void *items, size_t n, union operand_room *wide) \
    {                                                                               \
        const type *const x = items;                                                \
        for (size_t k = 0; k < n; k++)                                              \
            wide->member[k] = x[k];                                                 \
    }

WIDEN(i1, int8_t, i8)
WIDEN(i2, int16_t, i8)
WIDEN(i4, int32_t, i8)
WIDEN(u1, uint8_t, u8)
WIDEN(u2, uint16_t, u8)
WIDEN(u4, uint32_t, u8)
WIDEN(f4, float, f8)

static void (*const wideners[COMPARABLE_COUNT])(const void *items, size_t n,
                                                union operand_room *wide) = {
    [COMPARABLE_I1] = widen_i1, [COMPARABLE_I2] = widen_i2, [COMPARABLE_I4] = widen_i4,
    [COMPARABLE_U1] = widen_u1, [COMPARABLE_U2] = widen_u2, [COMPARABLE_U4] = widen_u4,
    [COMPARABLE_F4] = widen_f4,
};

// Items of 2 bytes, in their own room.
static void
widen_halves(union operand_room *own, size_t n)
{
    uint16_t halves[OPERAND_PIECE];
    memcpy(halves, own->bytes, n * sizeof *halves);
    halves_to_floats(own->f4, halves, n);
}

const void *
operand_load(const struct operand *o, const uint8_t *items, int64_t stride, size_t n, bool widen,
             union operand_room *own, union operand_room *wide)
{
    const int64_t size = o->dtype.size, count = (int64_t)n;
    const void *loaded = items;
    if (stride != size || o->turned || o->half || o->truth) {
        ndcopy(1, &count, size, own->bytes, &size, items, &stride);
        if (o->turned)
            swap_bytes(own->bytes, n * (size_t)size, (size_t)size);
        if (o->half)
            widen_halves(own, n);
        for (size_t k = 0; k < n && o->truth; k++)
            own->bytes[k] = own->bytes[k] != 0;
        loaded = own->bytes;
    }
    if (!widen || !wideners[o->type])
        return loaded;
    wideners[o->type](loaded, n, wide);
    return wide->bytes;
}

// -- ranges

static bool
is_float_operand(enum comparable type)
{
    return type == COMPARABLE_F4 || type == COMPARABLE_F8;
}

static bool
is_unsigned(enum comparable type)
{
    return type >= COMPARABLE_U1 && type <= COMPARABLE_U8;
}

// time: the number may be NaT.
static bool
is_nan(const tess_number *x, bool time)
{
    return x->kind == TESS_KIND_FLOAT ? isnan(x->f)
                                      : time && x->kind == TESS_KIND_INT && x->i == INT64_MIN;
}

// -- ranges of integers

// The greatest integer that is not above a number, and the least that is not below it; of those
// that are far from 64 bits, others that are.
static int128
whole_down(const tess_number *x)
{
    const double far = 0x1p70;
    if (x->kind == TESS_KIND_FLOAT)
        return int128_of_double(floor(fmax(-far, fmin(far, x->f))));
    return x->kind == TESS_KIND_INT ? int128_of(x->i) : int128_of_u64(x->u);
}

static int128
next_up(int128 x)
{
    return int128_add(x, int128_of(1));
}

static int128
next_down(int128 x)
{
    return int128_sub(x, int128_of(1));
}

static int128
whole_up(const tess_number *x)
{
    const int128 down = whole_down(x);
    const bool between =
        x->kind == TESS_KIND_FLOAT && fabs(x->f) < 0x1p60 && int128_to_double(down) < x->f;
    return between ? next_up(down) : down;
}

static void
limits_of_type(enum comparable type, bool time, int128 *least, int128 *most)
{
    const int unused = 64 - (8 << (type % COMPARABLE_U1));
    *least = int128_of(is_unsigned(type) ? 0 : (INT64_MIN >> unused) + time);
    *most =
        is_unsigned(type) ? int128_of_u64(UINT64_MAX >> unused) : int128_of(INT64_MAX >> unused);
}

static struct range
whole_range(enum comparable type, bool time, int128 lo, int128 hi)
{
    struct range range = {0};
    int128 least, most;
    limits_of_type(type, time, &least, &most);
    lo = int128_is_less(lo, least) ? least : lo;
    hi = int128_is_less(most, hi) ? most : hi;
    if (int128_is_less(hi, lo)) {
        lo = int128_of(1);
        hi = int128_of(0);
    }
    if (is_unsigned(type)) {
        range.lo.u = int128_low(lo);
        range.hi.u = int128_low(hi);
    } else {
        range.lo.i = (int64_t)int128_low(lo);
        range.hi.i = (int64_t)int128_low(hi);
    }
    return range;
}

static struct range
whole_comparison(enum comparable type, bool time, tess_comparison op, const tess_number *x)
{
    const int128 least = int128_of_double(-0x1p80), most = int128_of_double(0x1p80);
    const int128 down = whole_down(x), up = whole_up(x);
    switch (op) {
    case TESS_COMPARE_LT:
        return whole_range(type, time, least, next_down(up));
    case TESS_COMPARE_LE:
        return whole_range(type, time, least, down);
    case TESS_COMPARE_GT:
        return whole_range(type, time, next_up(down), most);
    case TESS_COMPARE_GE:
        return whole_range(type, time, up, most);
    case TESS_COMPARE_EQ:
    case TESS_COMPARE_NE:
        break;
    }
    return whole_range(type, time, up, down);
}

// -- ranges of floats

// The next double towards less, or of single precision.
static double
step_down(enum comparable type, double x)
{
    return type == COMPARABLE_F4 ? (double)nextafterf((float)x, -INFINITY)
                                 : nextafter(x, -(double)INFINITY);
}

static double
step_up(enum comparable type, double x)
{
    return -step_down(type, -x);
}

// The greatest item that is not above a number.
static double
real_down(enum comparable type, const tess_number *x)
{
    double d = x->f;
    if (x->kind != TESS_KIND_FLOAT) {
        const int128 whole = whole_down(x);
        d = int128_to_double(whole);
        if (int128_compare_double(whole, d) < 0)
            d = nextafter(d, -(double)INFINITY);
    }
    if (type == COMPARABLE_F8)
        return d;
    const float f = (float)d;
    return (double)f > d ? step_down(type, (double)f) : (double)f;
}

static double
real_up(enum comparable type, const tess_number *x)
{
    double d = x->f;
    if (x->kind != TESS_KIND_FLOAT) {
        const int128 whole = whole_down(x);
        d = int128_to_double(whole);
        if (int128_compare_double(whole, d) > 0)
            d = nextafter(d, (double)INFINITY);
    }
    if (type == COMPARABLE_F8)
        return d;
    const float f = (float)d;
    return (double)f < d ? step_up(type, (double)f) : (double)f;
}

static struct range
real_range(double lo, double hi)
{
    return (struct range){.lo.d = lo, .hi.d = hi};
}

static const struct range no_reals = {.lo.d = 1, .hi.d = 0};

static struct range
real_comparison(enum comparable type, tess_comparison op, const tess_number *x)
{
    const double most = (double)INFINITY;
    const double down = real_down(type, x), up = real_up(type, x);
    switch (op) {
    case TESS_COMPARE_LT:
        return up == -most ? no_reals : real_range(-most, step_down(type, up));
    case TESS_COMPARE_LE:
        return real_range(-most, down);
    case TESS_COMPARE_GT:
        return down == most ? no_reals : real_range(step_up(type, down), most);
    case TESS_COMPARE_GE:
        return real_range(up, most);
    case TESS_COMPARE_EQ:
    case TESS_COMPARE_NE:
        break;
    }
    return real_range(up, down);
}

// -- ranges of any type

static struct range
range_of_nothing(enum comparable type)
{
    return is_float_operand(type) ? no_reals : whole_range(type, false, int128_of(1), int128_of(0));
}

struct range
range_of_comparison(enum comparable type, bool time, tess_comparison op, const tess_number *value)
{
    struct range range = is_nan(value, time)      ? range_of_nothing(type)
                         : is_float_operand(type) ? real_comparison(type, op, value)
                                                  : whole_comparison(type, time, op, value);
    range.invert = op == TESS_COMPARE_NE;
    return range;
}

struct range
range_between(enum comparable type, bool time, const tess_number *least, const tess_number *most)
{
    if (is_nan(least, time) || is_nan(most, time))
        return range_of_nothing(type);
    if (is_float_operand(type))
        return real_range(real_up(type, least), real_down(type, most));
    return whole_range(type, time, whole_up(least), whole_down(most));
}

struct range
range_of_nan(enum comparable type, bool time)
{
    if (is_float_operand(type))
        return (struct range){.lo.d = -(double)INFINITY, .hi.d = (double)INFINITY, .invert = 1};
    return time ? (struct range){.lo.i = INT64_MIN, .hi.i = INT64_MIN} : range_of_nothing(type);
}

struct range
range_of_zero(enum comparable type)
{
    return is_float_operand(type) ? real_range(0, 0)
                                  : whole_range(type, false, int128_of(0), int128_of(0));
}
