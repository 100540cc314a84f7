/*
 * array_dims_order.c - tests of array/dims/dims.h: numbers of all kinds compared with each other,
 * with long doubles where these have them all, and with integers of 128 bits.
 */
#include "array/dims/dims.h"

#include "base/int128.h"
#include "support/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static tess_number
integer(int64_t i)
{
    return (tess_number){.kind = TESS_KIND_INT, .i = i};
}

static tess_number
natural(uint64_t u)
{
    return (tess_number){.kind = TESS_KIND_UINT, .u = u};
}

static tess_number
real(double f)
{
    return (tess_number){.kind = TESS_KIND_FLOAT, .f = f};
}

// In ascending order; those of one line are equal.
static void
ladder(void **state)
{
    const struct {
        int step;
        tess_number x;
    } rungs[] = {
        {0, real(-INFINITY)},
        {1, real(-0x1p64)},
        {2, real(-0x1p63)},
        {2, integer(INT64_MIN)},
        {3, integer(INT64_MIN + 1)},
        {4, integer(-2)},
        {4, real(-2)},
        {5, real(-1.5)},
        {6, integer(-1)},
        {6, real(-1)},
        {7, real(-0.5)},
        {8, integer(0)},
        {8, natural(0)},
        {8, real(0)},
        {8, real(-0.0)},
        {9, real(0x1p-1074)},
        {10, integer(1)},
        {10, natural(1)},
        {10, real(1)},
        {11, real(1.5)},
        {12, natural(2)},
        {13, integer((INT64_C(1) << 53))},
        {13, real(0x1p53)},
        {14, integer((INT64_C(1) << 53) + 1)},
        {15, integer(INT64_MAX)},
        {15, natural(INT64_MAX)},
        {16, real(0x1p63)},
        {16, natural(UINT64_C(1) << 63)},
        {17, natural(UINT64_MAX)},
        {18, real(0x1p64)},
        {19, real(DBL_MAX)},
        {20, real(INFINITY)},
    };
    enum { N = sizeof rungs / sizeof *rungs };
    (void)state;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            const int want = (rungs[i].step > rungs[k].step) - (rungs[i].step < rungs[k].step);
            if (order_compare(&rungs[i].x, &rungs[k].x) != want)
                fail_msg("numbers %d and %d", i, k);
        }
}

static tess_number
any_number(struct random *r, long double *value)
{
    const uint64_t small = random_below(r, 40);
    tess_number x;
    switch (random_below(r, 3)) {
    case 0:
        x = integer((int64_t)small - 20);
        *value = (long double)x.i;
        return x;
    case 1:
        x = natural(small);
        *value = (long double)x.u;
        return x;
    default:
        x = real((double)small / 4 - 5);
        *value = (long double)x.f;
        return x;
    }
}

static void
drawn(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 100000; i++) {
        long double v[3];
        const tess_number x = any_number(&r, &v[0]), y = any_number(&r, &v[1]);
        const tess_number z = any_number(&r, &v[2]);
        assert_int_equal(order_compare(&x, &y), (v[0] > v[1]) - (v[0] < v[1]));
        if (x.kind == z.kind && v[0] < v[1] && v[1] < v[2])
            assert_int_equal(order_is_nearer(&x, &y, &z), v[2] - v[1] <= v[1] - v[0]);
    }
}

// Distances that doubles do not tell apart.
static void
nearest(void **state)
{
    const int64_t big = INT64_C(1) << 60;
    const struct {
        const char *why;
        tess_number x, value, y;
        bool larger;
    } cases[] = {
        {"257 above, 256 below", integer(big), real(0x1p60 + 256), integer(big + 513), false},
        {"256 both", integer(big), real(0x1p60 + 256), integer(big + 512), true},
        {"255 above, 256 below", integer(big), real(0x1p60 + 256), integer(big + 511), true},
        {"the same below 0", integer(-big - 513), real(-0x1p60 - 256), integer(-big), true},
        {"above, one more", integer(-big - 511), real(-0x1p60 - 256), integer(-big), false},
        {"2047 both", natural(UINT64_MAX - 4094), real(0x1p64 - 2048), natural(UINT64_MAX), true},
        {"2046 below", natural(UINT64_MAX - 4093), real(0x1p64 - 2048), natural(UINT64_MAX), false},
        {"floats, an integer", real(0x1p60), integer(big + 127), real(0x1p60 + 256), false},
        {"in the middle", real(0x1p60), integer(big + 128), real(0x1p60 + 256), true},
        {"a sum of 117 bits", real(-0x1p-53), integer(big), real(0x1p61), true},
        {"a bit more", real(0x1p-53), integer(big), real(0x1p61), false},
        {"floats", real(1), real(0x1p53), real(0x1p54), false},
        {"no less", real(0), real(0x1p53), real(0x1p54), true},
        {"subnormal", real(-DBL_MAX), real(-0x1p-1074), real(DBL_MAX), false},
        {"sums that overflow", real(0x1.8p1023), real(0x1.9p1023), real(0x1.ap1023), true},
        {"the same", real(0x1.7p1023), real(0x1.8p1023), real(0x1.ap1023), false},
        {"the same below 0", real(-0x1.ap1023), real(-0x1.9p1023), real(-0x1.8p1023), true},
        {"infinite above", real(-DBL_MAX), real(DBL_MAX), real(INFINITY), false},
        {"infinite below", real(-INFINITY), real(-DBL_MAX), real(DBL_MAX), true},
        {"both", real(-INFINITY), integer(3), real(INFINITY), true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (order_is_nearer(&cases[i].x, &cases[i].value, &cases[i].y) != cases[i].larger)
            fail_msg("%zu: %s", i, cases[i].why);
}

// value: in units of 2^-20.
static tess_number
any_large(struct random *r, bool is_float, int128 *value)
{
    const uint64_t bits = random_below(r, 64), mask = UINT64_MAX >> bits;
    const uint64_t u = random_next(r) & mask;
    if (!is_float) {
        *value = int128_shift(int128_of_u64(u), 20);
        return natural(u);
    }
    const double f = (double)(u >> 11) / (double)(UINT64_C(1) << random_below(r, 20));
    *value = int128_of_double(f * 0x1p20);
    return real(f);
}

static void
nearest_drawn(void **state)
{
    struct random r;
    int tried = 0;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 400000; i++) {
        const bool items = random_below(&r, 2) == 0, number = random_below(&r, 2) == 0;
        int128 vx, v;
        const tess_number x = any_large(&r, items, &vx), value = any_large(&r, number, &v);
        if (!int128_is_less(vx, v))
            continue;
        // About as far.
        const int128 less = int128_sub(v, vx);
        const int128 off = int128_of(((int64_t)random_below(&r, 5) - 2) * (1 << 20));
        const int128 far = int128_add(int128_add(v, less), off);
        const tess_number y = items ? real(int128_to_double(far) / 0x1p20)
                                    : natural(int128_low(int128_div(far, int128_of(1 << 20))));
        const int128 vy =
            items ? int128_of_double(y.f * 0x1p20) : int128_shift(int128_of_u64(y.u), 20);
        if (!int128_is_less(v, vy))
            continue;
        tried++;
        assert_int_equal(order_is_nearer(&x, &value, &y), !int128_is_less(less, int128_sub(vy, v)));
    }
    assert_true(tried > 1000);
}

static void
nans(void **state)
{
    const tess_number x = real(NAN), y = real(INFINITY), z = integer(1);
    (void)state;
    assert_true(order_is_nan(&x));
    assert_false(order_is_nan(&y) || order_is_nan(&z));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ladder),        cmocka_unit_test(drawn), cmocka_unit_test(nearest),
        cmocka_unit_test(nearest_drawn), cmocka_unit_test(nans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
