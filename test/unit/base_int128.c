/*
 * base_int128.c - tests of base/int128, in both spellings: it is built twice, once with
 * INT128_OF_HALVES. Numbers worked out by hand; and drawn ones, whose judge is __int128 where the
 * compiler has it, and laws of arithmetic everywhere.
 */
#include "base/int128.h"

#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// high * 2^64 + low
static int128
of_halves(int64_t high, uint64_t low)
{
    const int128 half = int128_shift(int128_of(1), 32);
    const int128 top = int128_mul(int128_mul(int128_of(high), half), half);
    return int128_add(top, int128_of_u64(low));
}

static uint64_t
high_of(int128 x)
{
    const int128 low = int128_of_u64(int128_low(x)), all = int128_shift(int128_of(1), 64);
    return int128_low(int128_div(int128_sub(x, low), all));
}

static void
check(int line, int128 x, int64_t high, uint64_t low)
{
    if (int128_low(x) != low || high_of(x) != (uint64_t)high)
        fail_msg("line %d: %" PRIx64 " %016" PRIx64 ", not %" PRIx64 " %016" PRIx64, line,
                 high_of(x), int128_low(x), (uint64_t)high, low);
}

static void
known(void **state)
{
    const uint64_t most = UINT64_MAX;
    const int128 big = of_halves(INT64_MAX, most), minus = int128_of(-1);
    (void)state;
    check(__LINE__, minus, -1, most);
    check(__LINE__, int128_of(INT64_MIN), -1, (uint64_t)1 << 63);
    check(__LINE__, int128_of_u64(most), 0, most);
    check(__LINE__, int128_add(int128_of_u64(most), int128_of(1)), 1, 0);
    check(__LINE__, int128_sub(int128_of(0), int128_of_u64(most)), -1, 1);
    check(__LINE__, int128_mul(int128_of_u64(most), int128_of_u64(most >> 1)), 0x7ffffffffffffffe,
          0x8000000000000001);
    check(__LINE__, int128_mul(int128_of_u64(most), int128_of(-3)), -3, 3);
    check(__LINE__, int128_shift(int128_of(-5), 64), -5, 0);
    check(__LINE__, int128_shift(int128_of(1), 126), (int64_t)1 << 62, 0);
    check(__LINE__, int128_shift(int128_of(7), 0), 0, 7);
    check(__LINE__, int128_div(big, int128_of(10)), 0xccccccccccccccc, 0xcccccccccccccccc);
    check(__LINE__, int128_rest(big, int128_of(10)), 0, 7);
    check(__LINE__, int128_div(int128_of(-7), int128_of(2)), -1, (uint64_t)-3);
    check(__LINE__, int128_rest(int128_of(-7), int128_of(2)), -1, most);
    check(__LINE__, int128_rest(int128_of(7), int128_of(-2)), 0, 1);
    check(__LINE__, int128_div(big, of_halves(1, 0)), 0, INT64_MAX);
    check(__LINE__, int128_div(int128_of(5), of_halves(1, 0)), 0, 0);
    assert_true(int128_compare(minus, int128_of(0)) < 0 && int128_compare(big, minus) > 0);
    assert_true(int128_is_less(int128_of_u64(most), of_halves(1, 0)));
    assert_true(int128_is_less(of_halves(-1, 0), of_halves(-1, 1)));
    assert_true(int128_fits_i64(int128_of(INT64_MIN)) && !int128_fits_u64(minus));
    assert_true(!int128_fits_i64(of_halves(0, (uint64_t)1 << 63)));
    assert_true(int128_fits_u64(of_halves(0, most)) && !int128_fits_u64(of_halves(1, 0)));
}

static void
products(void **state)
{
    static const struct {
        const char *why;
        int64_t x_high;
        uint64_t x_low;
        int64_t y_high;
        uint64_t y_low;
        bool fits;
    } cases[] = {
        {"2^126 * 1", (int64_t)1 << 62, 0, 0, 1, true},
        {"2^126 * 2 = 2^127", (int64_t)1 << 62, 0, 0, 2, false},
        {"2^126 * -2 = -2^127", (int64_t)1 << 62, 0, -1, (uint64_t)-2, true},
        {"-2^126 * -2", -((int64_t)1 << 62), 0, -1, (uint64_t)-2, false},
        {"2^64 * 2^64", 1, 0, 1, 0, false},
        {"2^64 * 2^62", 1, 0, 0, (uint64_t)1 << 62, true},
        {"2^64 * 2^63", 1, 0, 0, (uint64_t)1 << 63, false},
        {"2^63 * 2^64, the other way", 0, (uint64_t)1 << 63, 1, 0, false},
        {"-2^64 * 2^63", -1, 0, 0, (uint64_t)1 << 63, true},
        {"(2^64 - 1)^2", 0, UINT64_MAX, 0, UINT64_MAX, false},
        {"0 * 2^126", 0, 0, (int64_t)1 << 62, 0, true},
        {"2^64 and low bits that carry", 1, UINT64_MAX, 0, (uint64_t)1 << 62, true},
        {"the same, too many", 1, UINT64_MAX, 0, ((uint64_t)1 << 62) + 1, false},
        {"-1 and one of one sign", -1, UINT64_MAX, INT64_MAX, UINT64_MAX, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int128 x = of_halves(cases[i].x_high, cases[i].x_low);
        const int128 y = of_halves(cases[i].y_high, cases[i].y_low);
        int128 product;
        if (int128_mul_fits(x, y, &product) != cases[i].fits)
            fail_msg("%s", cases[i].why);
        if (cases[i].fits)
            assert_true(int128_is_equal(product, int128_mul(x, y)));
    }
}

static void
doubles(void **state)
{
    static const struct {
        const char *why;
        int64_t high;
        uint64_t low;
        double d;
    } cases[] = {
        {"2^53", 0, (uint64_t)1 << 53, 0x1p53},
        {"2^53 + 1: to the even one", 0, ((uint64_t)1 << 53) + 1, 0x1p53},
        {"2^53 + 3: to the even one", 0, ((uint64_t)1 << 53) + 3, 0x1p53 + 4},
        {"2^64 - 1", 0, UINT64_MAX, 0x1p64},
        {"2^64", 1, 0, 0x1p64},
        {"2^64 + 2^11: half, to the even one", 1, 2048, 0x1p64},
        {"a bit more than half", 1, 2049, 0x1p64 + 4096},
        {"3 halves, to the even one", 1, 3 * 2048, 0x1p64 + 2 * 4096},
        {"2^127 - 1", INT64_MAX, UINT64_MAX, 0x1p127},
        {"2^126 + 2^73: half", ((int64_t)1 << 62) + 512, 0, 0x1p126},
        {"and one bit, the last", ((int64_t)1 << 62) + 512, 1, 0x1p126 + 0x1p74},
        {"-1", -1, UINT64_MAX, -1},
        {"-2^64 - 2^11 - 1", -2, UINT64_MAX - 2048, -0x1p64 - 4096},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double d = int128_to_double(of_halves(cases[i].high, cases[i].low));
        if (d != cases[i].d)
            fail_msg("%s: %a, not %a", cases[i].why, d, cases[i].d);
    }
    check(__LINE__, int128_of_double(-1.75), -1, UINT64_MAX);
    check(__LINE__, int128_of_double(0.99), 0, 0);
    check(__LINE__, int128_of_double(0x1p64 + 4096), 1, 4096);
    check(__LINE__, int128_of_double(-0x1p64), -1, 0);
    check(__LINE__, int128_of_double(0x1.fffffffffffffp126), INT64_MAX - 1023, 0);
}

static void
doubles_compared(void **state)
{
    const int128 x = int128_of_u64(((uint64_t)1 << 53) + 1);
    (void)state;
    assert_true(int128_compare_double(x, 0x1p53) > 0 && int128_compare_double(x, 0x1p53 + 2) < 0);
    assert_true(int128_compare_double(int128_of(5), 5) == 0);
    assert_true(int128_compare_double(int128_of(5), 5.5) < 0);
    assert_true(int128_compare_double(int128_of(-5), -5.5) > 0);
    assert_true(int128_compare_double(int128_of(-6), -5.5) < 0);
    assert_true(int128_compare_double(int128_of_u64(UINT64_MAX), 0x1p64) < 0);
    assert_true(int128_compare_double(int128_of(INT64_MIN), -0x1p63) == 0);
    assert_true(int128_compare_double(int128_of(0), (double)INFINITY) < 0);
    assert_true(int128_compare_double(int128_of(0), -(double)INFINITY) > 0);
    assert_true(int128_compare_double(int128_of(0), -0.0) == 0);
}

// Of any size, and near the edges of halves.
static int128
draw(struct random *r)
{
    const uint64_t low = random_next(r) >> random_below(r, 64);
    const int64_t high = (int64_t)random_next(r) >> random_below(r, 64);
    const uint64_t edges[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63};
    return of_halves(random_below(r, 3) == 0 ? -(int64_t)random_below(r, 2) : high >> 1,
                     random_below(r, 4) == 0 ? edges[random_below(r, 5)] : low);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 judge;

static judge
judge_of(int128 x)
{
    return (judge)(int64_t)high_of(x) * ((judge)1 << 64) + int128_low(x);
}

static void
check_judged(int128 x, int128 y)
{
    const judge a = judge_of(x), b = judge_of(y);
    judge product;
    int128 ours;
    const bool fits = !__builtin_mul_overflow(a, b, &product);
    assert_int_equal(int128_mul_fits(x, y, &ours), fits);
    if (fits)
        assert_true(judge_of(ours) == product);
    assert_true(int128_low(ours) == (uint64_t)product);
    assert_int_equal(int128_compare(x, y), (a > b) - (a < b));
    assert_true(int128_to_double(x) == (double)a);
    assert_true(judge_of(int128_of_double(int128_to_double(x) / 2)) == (judge)((double)a / 2));
    assert_true(judge_of(int128_sub(x, y)) == a - b && judge_of(int128_add(x, y)) == a + b);
    if (b != 0) {
        assert_true(judge_of(int128_div(x, y)) == a / b);
        assert_true(judge_of(int128_rest(x, y)) == a % b);
    }
}
#else
static void
check_judged(int128 x, int128 y)
{
    (void)x;
    (void)y;
}
#endif

static void
drawn(void **state)
{
    struct random r;
    const int128 zero = int128_of(0);
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(100000, 3000000); i > 0; i--) {
        const int128 x = draw(&r), y = draw(&r);
        check_judged(x, y);
        assert_true(int128_is_equal(int128_sub(int128_add(x, y), y), x));
        assert_int_equal(int128_is_less(x, y), int128_is_less(int128_sub(x, y), zero));
        if (int128_is_equal(y, zero))
            continue;
        const int128 rest = int128_rest(x, y);
        const int128 size = int128_is_less(rest, zero) ? int128_sub(zero, rest) : rest;
        assert_true(
            int128_is_less(size, int128_is_less(y, zero) ? int128_sub(zero, y) : y) &&
            (int128_is_equal(rest, zero) || int128_is_less(rest, zero) == int128_is_less(x, zero)));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),   cmocka_unit_test(products),
        cmocka_unit_test(doubles), cmocka_unit_test(doubles_compared),
        cmocka_unit_test(drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
