/*
 * array_dims_order.c - tests of array/dims/order.h: numbers of all kinds compared with each other,
 * and with long doubles where these have them all.
 */
#include "array/dims/order.h"

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
        if (v[0] < v[1] && v[1] < v[2])
            assert_int_equal(order_is_nearer(&x, &y, &z), v[2] - v[1] <= v[1] - v[0]);
    }
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
        cmocka_unit_test(ladder),
        cmocka_unit_test(drawn),
        cmocka_unit_test(nans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
