/*
 * base_half.c - tests of base/half: all halves there and back, and what lies between them.
 */
#include "base/half.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static float
widened(uint16_t half)
{
    return half_to_float(half);
}

static void
widening_follows_the_definition(void **state)
{
    (void)state;
    for (int bits = 0; bits < 0x8000; bits++) {
        const int exponent = bits >> 10, fraction = bits & 1023;
        const float got = widened((uint16_t)bits), minus = widened((uint16_t)(bits | 0x8000));
        const double want =
            exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
        if (exponent == 31 && fraction > 0)
            assert_true(isnan(got) && isnan(minus));
        else if (exponent == 31)
            assert_true(isinf(got) && minus == -got);
        else
            assert_true((double)got == want && minus == -got && signbit(minus));
    }
}

static void
the_nearest_half_is_found(void **state)
{
    (void)state;
    for (int bits = 0; bits < 0x7c00; bits++) {
        const double x = (double)widened((uint16_t)bits);
        const double next = bits < 0x7bff ? (double)widened((uint16_t)(bits + 1)) : 65536;
        const double middle = (x + next) / 2;
        const int even = bits % 2 == 0 ? bits : bits + 1;
        assert_int_equal(half_of_double(x), bits);
        assert_int_equal(half_of_double(-x), bits | 0x8000);
        assert_int_equal(half_of_double(nextafter(middle, 0)), bits);
        assert_int_equal(half_of_double(middle), even);
        assert_int_equal(half_of_double(nextafter(middle, 1e9)), bits + 1);
    }
    assert_int_equal(half_of_double((double)INFINITY), 0x7c00);
    assert_int_equal(half_of_double(-1e300), 0xfc00);
    assert_true((half_of_double((double)NAN) & 0x7fff) > 0x7c00);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widening_follows_the_definition),
        cmocka_unit_test(the_nearest_half_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
