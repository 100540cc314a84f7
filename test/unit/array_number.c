/*
 * array_number.c - tests of array/iterate/number: boxes of all types, in both byte orders, with
 * gaps, against a slow tally; and tallies of parts, added up.
 *
 * Sums of integers are compared exactly. Those of floats are compared with a sum of long doubles,
 * within the error that tess_array_statistics() promises: 5 units in the last place of the sum of
 * the absolute values.
 */
#include "array/iterate/number.h"

#include "support/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 400, ITEMS_MAX = 3000 };

static const char *const dtypes[] = {"|b1", "|i1", "|u1", "<i2", ">i2", "<u2", ">u2",
                                     "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8",
                                     ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"};

#define NDTYPES (sizeof dtypes / sizeof dtypes[0])

static double
half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double v = exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                     : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                    : ldexp(mantissa, -24);

    return bits >> 15 ? -v : v;
}

// The number in an item, as the type says; slow and obvious.
static long double
value_of(const tess_dtype *type, const uint8_t *item)
{
    uint64_t bits = 0;
    float single;
    double real;
    uint32_t word;

    for (int i = 0; i < type->size; i++)
        bits = bits << 8 | item[type->order == '>' ? i : type->size - 1 - i];
    switch (type->kind) {
    case TESS_KIND_BOOL:
        return bits != 0;
    case TESS_KIND_UINT:
        return bits;
    case TESS_KIND_INT:
        return (int64_t)(bits << (64 - 8 * type->size)) >> (64 - 8 * type->size);
    default:
        break;
    }
    word = (uint32_t)bits;
    memcpy(&single, &word, sizeof single);
    memcpy(&real, &bits, sizeof real);
    return type->size == 2 ? half((uint16_t)bits) : type->size == 4 ? (double)single : real;
}

static long double
member_of(const struct number_type *type, const union number *n)
{
    return type->kind == TESS_KIND_INT    ? (long double)n->i
           : type->kind == TESS_KIND_UINT ? (long double)n->u
                                          : (long double)n->f;
}

// Items, with NaNs and infinities among floats, of which some are huge and some tiny.
static void
draw_items(struct random *r, const tess_dtype *type, uint8_t *items, int64_t n)
{
    random_bytes(r, items, (size_t)(n * type->size));
    if (type->kind != TESS_KIND_FLOAT || random_below(r, 2))
        return;
    for (int64_t i = 0; i < n; i++) { // of about one size
        const double v = ((double)random_below(r, 2000001) - 1e6) / 977;
        const float single = (float)v;
        uint8_t *const item = items + i * type->size;

        if (type->size == 2)
            continue;
        if (type->size == 8)
            memcpy(item, &v, 8);
        else
            memcpy(item, &single, 4);
        for (int k = 0; type->order == '>' && k < type->size / 2; k++) {
            const uint8_t byte = item[k];
            item[k] = item[type->size - 1 - k];
            item[type->size - 1 - k] = byte;
        }
    }
}

struct slow {
    int64_t count, nonfinite;
    long double min, max, sum, absolute;
    number_sum whole;
};

static void
add_slow(struct slow *s, const tess_dtype *type, const uint8_t *item)
{
    const long double v = value_of(type, item);

    s->count++;
    if (!isfinite(v)) {
        s->nonfinite++;
        return;
    }
    if (s->count - s->nonfinite == 1 || v < s->min)
        s->min = v;
    if (s->count - s->nonfinite == 1 || v > s->max)
        s->max = v;
    s->sum += v;
    s->absolute += fabsl(v);
    if (type->kind != TESS_KIND_FLOAT)
        s->whole += (number_sum)v;
}

static void
compare(const struct tally *t, const struct number_type *type, const struct slow *s)
{
    assert_int_equal(t->count, s->count);
    assert_int_equal(t->nonfinite, s->nonfinite);
    if (s->count > s->nonfinite) {
        assert_true(member_of(type, &t->min) == s->min);
        assert_true(member_of(type, &t->max) == s->max);
    }
    if (type->kind != TESS_KIND_FLOAT) {
        assert_true(t->sum.whole == s->whole);
        return;
    }
    const long double sum = (long double)t->sum.parts[0] + t->sum.parts[1];
    if (s->absolute < DBL_MAX / 2) // else it may be infinite, or NaN
        assert_true(fabsl(sum - s->sum) <= 5 * s->absolute * DBL_EPSILON + DBL_MIN);
}

static void
test_boxes(void **state)
{
    uint8_t *const items = malloc(16 * ITEMS_MAX);
    struct random r;

    (void)state;
    assert_non_null(items);
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 20000); n > 0; n--) {
        const tess_dtype dtype = tess_dtype_parse(dtypes[random_below(&r, NDTYPES)]);
        const int ndim = 1 + (int)random_below(&r, 3);
        int64_t shape[3], stride[3], room = dtype.size, index[3] = {0};
        struct number_type type;
        struct slow slow = {0};
        struct tally t = {0};

        for (int i = ndim - 1; i >= 0; i--) {
            shape[i] = 1 + (int64_t)random_below(&r, ndim == 1 ? 1000 : 10);
            stride[i] =
                i == ndim - 1 ? dtype.size : room + dtype.size * (int64_t)random_below(&r, 2);
            room = stride[i] * shape[i];
        }
        assert_true(room <= 16 * ITEMS_MAX);
        draw_items(&r, &dtype, items, room / dtype.size);
        assert_true(number_type_init(&type, &dtype));
        tally_box(&t, &type, ndim, shape, stride, items);
        for (;;) {
            int64_t at = 0;
            int i = ndim - 1;

            for (int k = 0; k < ndim; k++)
                at += index[k] * stride[k];
            add_slow(&slow, &dtype, items + at);
            for (; i >= 0 && ++index[i] == shape[i]; i--)
                index[i] = 0;
            if (i < 0)
                break;
        }
        compare(&t, &type, &slow);
    }
    free(items);
}

// Parts, repeated items and nothing, tallied apart and added in any grouping.
static void
test_parts(void **state)
{
    uint8_t *const items = malloc(16 * ITEMS_MAX);
    struct random r;

    (void)state;
    assert_non_null(items);
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 20000); n > 0; n--) {
        const tess_dtype dtype = tess_dtype_parse(dtypes[random_below(&r, NDTYPES)]);
        struct number_type type;
        struct slow slow = {0};
        struct tally all = {0};

        assert_true(number_type_init(&type, &dtype));
        for (int part = (int)random_below(&r, 6); part > 0; part--) {
            const int64_t count = 1 + (int64_t)random_below(&r, 300), stride = dtype.size;
            const bool same = random_below(&r, 3) == 0;
            struct tally t = {0};

            draw_items(&r, &dtype, items, count);
            if (same)
                tally_repeat(&t, &type, items, count);
            else
                tally_box(&t, &type, 1, &count, &stride, items);
            for (int64_t i = 0; i < count; i++)
                add_slow(&slow, &dtype, items + (same ? 0 : i * stride));
            tally_add(&all, &type, &t);
            t = (struct tally){0};
            tally_add(&all, &type, &t); // of no items
        }
        compare(&all, &type, &slow);
    }
    free(items);
}

static void
test_no_numbers(void **state)
{
    static const char *const others[] = {"<c8",    "|S4", "<U2",  "|V8",
                                         "<M8[s]", "<m8", "<f16", "[('a', '<i4')]"};
    struct number_type type;

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const tess_dtype dtype = tess_dtype_parse(others[i]);

        if (number_type_init(&type, &dtype))
            fail_msg("%s is taken for numbers", others[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
