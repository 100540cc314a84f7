/*
 * compare.c - which rows of items are compared how: the plan of a comparison, the kernels for any
 * machine, and which ones this machine gets.
 */
#include "compute/compare/compare.h"

#include "base/cpu.h"
#include "base/error.h"
#include "base/int128.h"
#include "base/swap.h"
#include "compute/compare/kernels.h"
#include "meta/dtype.h"

#include <string.h>

#define COMPARE_KERNELS compare_kernels_c
#include "compute/compare/loops.h"

const struct compare_kernels *
compare_kernels_for(unsigned cpu)
{
#ifdef HAVE_X86_AVX2
    if (cpu & CPU_AVX2)
        return &compare_kernels_avx2;
#endif
    (void)cpu;
    return &compare_kernels_c;
}

static const struct compare_kernels *
kernels(void)
{
    return compare_kernels_for(cpu_mask());
}

static tess_status
take_numbers(struct comparison *c, const tess_array *a, const tess_array *b, tess_error *err)
{
    const tess_array *const sides[] = {a, b};
    *c = (struct comparison){.n = b ? 2 : 1};
    for (int k = 0; k < c->n; k++) {
        operand_init(&c->side[k], sides[k]);
        if (c->side[k].type == COMPARABLE_COUNT)
            return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                           "comparisons are for numbers and times, items are of type %.100s",
                           sides[k]->nd.dtype ? sides[k]->nd.dtype : "unknown");
    }
    return TESS_OK;
}

// -- with a number

// Any byte but 0 is one truth value.
static struct range
range_of_bool(const struct range *range)
{
    static const uint8_t values[] = {0, 1};
    uint8_t is[2];
    compare_kernels_c.range[COMPARABLE_U1](values, 2, range, is);
    if (is[0] == is[1])
        return (struct range){.hi.u = UINT8_MAX, .invert = !is[0]};
    return (struct range){.invert = is[1]}; // of 0
}

static void
test_row(const struct comparison *c, int k, const uint8_t *items, int64_t stride, size_t n,
         uint8_t *mask)
{
    const struct operand *const o = &c->side[k];
    range_fn *const fn = kernels()->range[o->type];
    union operand_room own;
    if (stride == o->dtype.size && !o->turned && !o->half) {
        fn(items, n, &c->range[k], mask);
        return;
    }
    for (size_t at = 0; at < n; at += OPERAND_PIECE) {
        const size_t some = n - at < OPERAND_PIECE ? n - at : OPERAND_PIECE;
        const void *const x =
            operand_load(o, items + (int64_t)at * stride, stride, some, false, &own, NULL);
        fn(x, some, &c->range[k], mask + at);
    }
}

static void
range_row(const struct comparison *c, const uint8_t *const *items, const int64_t *stride, size_t n,
          uint8_t *mask)
{
    test_row(c, 0, items[0], stride[0], n, mask);
}

static tess_status
plan_range(struct comparison *c, const struct range *range)
{
    c->row = range_row;
    c->range[0] = c->side[0].truth ? range_of_bool(range) : *range;
    return TESS_OK;
}

tess_status
comparison_plan_number(struct comparison *c, const tess_array *a, tess_comparison op,
                       const tess_number *value, tess_error *err)
{
    const tess_status st = take_numbers(c, a, NULL, err);
    if (st != TESS_OK)
        return st;
    const struct range range = range_of_comparison(c->side[0].type, c->side[0].time, op, value);
    return plan_range(c, &range);
}

tess_status
comparison_plan_between(struct comparison *c, const tess_array *a, const tess_number *least,
                        const tess_number *most, tess_error *err)
{
    const tess_status st = take_numbers(c, a, NULL, err);
    if (st != TESS_OK)
        return st;
    const struct range range = range_between(c->side[0].type, c->side[0].time, least, most);
    return plan_range(c, &range);
}

tess_status
comparison_plan_nan(struct comparison *c, const tess_array *a, tess_error *err)
{
    const tess_status st = take_numbers(c, a, NULL, err);
    if (st != TESS_OK)
        return st;
    const struct range range = range_of_nan(c->side[0].type, c->side[0].time);
    return plan_range(c, &range);
}

// -- of truth values

// The second mask comes through a piece of memory; both stay in the cache.
static void
logic_row(const struct comparison *c, const uint8_t *const *items, const int64_t *stride, size_t n,
          uint8_t *mask)
{
    uint8_t other[OPERAND_PIECE];
    for (size_t at = 0; at < n; at += OPERAND_PIECE) {
        const size_t some = n - at < OPERAND_PIECE ? n - at : OPERAND_PIECE;
        uint8_t *const to = mask + at;
        test_row(c, 0, items[0] + (int64_t)at * stride[0], stride[0], some, to);
        if (c->n == 2)
            test_row(c, 1, items[1] + (int64_t)at * stride[1], stride[1], some, other);
        for (size_t k = 0; k < some && c->logic == TESS_LOGIC_AND; k++)
            to[k] &= other[k];
        for (size_t k = 0; k < some && c->logic == TESS_LOGIC_OR; k++)
            to[k] |= other[k];
        for (size_t k = 0; k < some && c->logic == TESS_LOGIC_XOR; k++)
            to[k] ^= other[k];
    }
}

tess_status
comparison_plan_logic(struct comparison *c, const tess_array *a, tess_logic op, const tess_array *b,
                      tess_error *err)
{
    const tess_status st = take_numbers(c, a, b, err);
    if (st != TESS_OK)
        return st;
    c->row = logic_row;
    c->logic = op == TESS_LOGIC_AND_NOT ? TESS_LOGIC_AND : op;
    for (int k = 0; k < c->n; k++) {
        const bool negated = op == TESS_LOGIC_NOT || (op == TESS_LOGIC_AND_NOT && k == 1);
        c->range[k] = range_of_zero(c->side[k].type);
        c->range[k].invert = !negated;
    }
    return TESS_OK;
}

// -- of two arrays

// Whether x op y, of an integer and a double: 64 bits are not rounded.
static bool
whole_and_real(int order, int128 whole, double real, bool real_first)
{
    if (real != real)
        return false;
    const int sign = int128_compare_double(whole, real);
    const int turned = real_first ? -sign : sign;
    return order == PAIR_EQ ? turned == 0 : order == PAIR_LT ? turned < 0 : turned <= 0;
}

// Items of 8 bytes, of two types that have no third one in common.
static void
compare_mixed(int order, enum comparable first, const void *x, enum comparable second,
              const void *y, size_t n, uint8_t *mask)
{
    const int64_t *const signed_x = x, *const signed_y = y;
    const uint64_t *const unsigned_x = x, *const unsigned_y = y;
    const double *const real_x = x, *const real_y = y;
    for (size_t k = 0; k < n; k++) {
        const int128 i =
            first == COMPARABLE_I8 ? int128_of(signed_x[k]) : int128_of_u64(unsigned_x[k]);
        const int128 j =
            second == COMPARABLE_I8 ? int128_of(signed_y[k]) : int128_of_u64(unsigned_y[k]);
        if (first == COMPARABLE_F8)
            mask[k] = whole_and_real(order, j, real_x[k], true);
        else if (second == COMPARABLE_F8)
            mask[k] = whole_and_real(order, i, real_y[k], false);
        else
            mask[k] = order == PAIR_EQ   ? int128_is_equal(i, j)
                      : order == PAIR_LT ? int128_is_less(i, j)
                                         : !int128_is_less(j, i);
    }
}

// A count that is NaT compares as NaN.
static void
clear_nats(const int64_t *x, const int64_t *y, size_t n, uint8_t *mask)
{
    for (size_t k = 0; k < n; k++)
        mask[k] &= (uint8_t)((x[k] != INT64_MIN) & (y[k] != INT64_MIN));
}

static void
invert(uint8_t *mask, size_t n)
{
    for (size_t k = 0; k < n; k++)
        mask[k] ^= 1;
}

static void
pair_row(const struct comparison *c, const uint8_t *const *items, const int64_t *stride, size_t n,
         uint8_t *mask)
{
    const int first = c->exchanged ? 1 : 0, second = 1 - first;
    const struct operand *const o[] = {&c->side[first], &c->side[second]};
    union operand_room own[2], wide[2];
    for (size_t at = 0; at < n; at += OPERAND_PIECE) {
        const size_t some = n - at < OPERAND_PIECE ? n - at : OPERAND_PIECE;
        const bool same = o[0]->type == o[1]->type;
        const void *x[2];
        for (int k = 0; k < 2; k++) {
            const int side = k == 0 ? first : second;
            x[k] = operand_load(o[k], items[side] + (int64_t)at * stride[side], stride[side], some,
                                !same, &own[k], &wide[k]);
        }
        if (c->pair)
            c->pair(x[0], x[1], some, mask + at);
        else
            compare_mixed(c->order, operand_widest(o[0]), x[0], operand_widest(o[1]), x[1], some,
                          mask + at);
        if (o[0]->time)
            clear_nats(x[0], x[1], some, mask + at);
    }
    if (c->inverted)
        invert(mask, n);
}

static bool
same_unit_of_operands(const struct operand *a, const struct operand *b)
{
    return a->dtype.kind == b->dtype.kind && a->unit.months == b->unit.months &&
           int128_is_equal(a->unit.attoseconds, b->unit.attoseconds);
}

static tess_status
plan_pair(struct comparison *c, tess_error *err)
{
    const struct operand *const a = &c->side[0], *const b = &c->side[1];
    if (a->time != b->time || (a->time && !same_unit_of_operands(a, b)))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "items of type %.64s cannot be compared with items of type %.64s",
                       a->a->nd.dtype, b->a->nd.dtype);
    const enum comparable wide[] = {operand_widest(a), operand_widest(b)};
    c->row = pair_row;
    if (a->type == b->type)
        c->pair = kernels()->pair[c->order][a->type];
    else if (wide[0] == wide[1])
        c->pair = kernels()->pair[c->order][wide[0]];
    return TESS_OK;
}

// -- of other items, for equality alone

static void
bytes_row(const struct comparison *c, const uint8_t *const *items, const int64_t *stride, size_t n,
          uint8_t *mask)
{
    const size_t size = (size_t)c->side[0].a->g->typesize;
    for (size_t k = 0; k < n; k++) {
        const int64_t at = (int64_t)k;
        const bool same = memcmp(items[0] + at * stride[0], items[1] + at * stride[1], size) == 0;
        mask[k] = same != c->inverted;
    }
}

// The parts of complex numbers, each as doubles.
static void
load_parts(const struct operand *o, const uint8_t *item, double *parts)
{
    const size_t size = (size_t)o->dtype.size / 2;
    uint8_t bytes[16];
    float single[2];
    memcpy(bytes, item, 2 * size);
    if (o->turned)
        swap_bytes(bytes, 2 * size, size);
    if (size == 8) {
        memcpy(parts, bytes, 16);
        return;
    }
    memcpy(single, bytes, sizeof single);
    parts[0] = single[0];
    parts[1] = single[1];
}

static void
complex_row(const struct comparison *c, const uint8_t *const *items, const int64_t *stride,
            size_t n, uint8_t *mask)
{
    for (size_t k = 0; k < n; k++) {
        double x[2], y[2];
        load_parts(&c->side[0], items[0] + (int64_t)k * stride[0], x);
        load_parts(&c->side[1], items[1] + (int64_t)k * stride[1], y);
        mask[k] = (x[0] == y[0] && x[1] == y[1]) != c->inverted;
    }
}

static bool
is_complex(const struct operand *o)
{
    return o->dtype.kind == TESS_KIND_COMPLEX && (o->dtype.size == 8 || o->dtype.size == 16);
}

static bool
same_dtype(const tess_array *a, const tess_array *b)
{
    const char *const x = a->nd.dtype ? a->nd.dtype : "", *const y = b->nd.dtype ? b->nd.dtype : "";
    return a->g->typesize == b->g->typesize && a->nd.dtype_format == b->nd.dtype_format &&
           strcmp(x, y) == 0;
}

tess_status
comparison_plan_arrays(struct comparison *c, const tess_array *a, tess_comparison op,
                       const tess_array *b, tess_error *err)
{
    const bool equality = op == TESS_COMPARE_EQ || op == TESS_COMPARE_NE;
    *c = (struct comparison){.n = 2, .inverted = op == TESS_COMPARE_NE};
    operand_init(&c->side[0], a);
    operand_init(&c->side[1], b);
    c->exchanged = op == TESS_COMPARE_GT || op == TESS_COMPARE_GE;
    c->order = equality                                         ? PAIR_EQ
               : op == TESS_COMPARE_LT || op == TESS_COMPARE_GT ? PAIR_LT
                                                                : PAIR_LE;
    if (c->side[0].type != COMPARABLE_COUNT && c->side[1].type != COMPARABLE_COUNT)
        return plan_pair(c, err);
    if (equality && is_complex(&c->side[0]) && is_complex(&c->side[1]))
        c->row = complex_row;
    else if (equality && same_dtype(a, b))
        c->row = bytes_row;
    return c->row ? TESS_OK
                  : err_set(err, TESS_ERR_UNSUPPORTED, -1,
                            "items of type %.64s cannot be compared so with items of type %.64s",
                            a->nd.dtype ? a->nd.dtype : "unknown",
                            b->nd.dtype ? b->nd.dtype : "unknown");
}
