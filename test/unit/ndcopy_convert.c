/*
 * ndcopy_convert.c - tests of ndcopy/convert and base/half: floats of 2 bytes, all of them; units
 * of time; boxes with strides against a loop over the items, up to the first that does not fit.
 */
#include "base/half.h"
#include "ndcopy/convert/convert.h"
#include "ndcopy/convert/times.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double greatest_half = 65504.0;

static double
value_of_half(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double size = exponent == 0    ? ldexp(fraction, -24)
                        : exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                                         : ldexp(1024 + fraction, exponent - 25);
    return half & 0x8000 ? -size : size;
}

// Each float of 2 bytes, there and back; and what lies between it and the next one.
static void
all_halves(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        const uint16_t half = (uint16_t)bits;
        const double want = value_of_half(half), got = (double)half_to_float(half);
        if (isnan(want)) {
            assert_true(isnan(got) && isnan((double)half_to_float(half_of_double(want))));
            continue;
        }
        assert_memory_equal(&got, &want, sizeof want);
        assert_int_equal(half_of_double(want), half);
        if (isinf(want) || fabs(want) >= greatest_half)
            continue;
        const double next = value_of_half((uint16_t)(half + 1)), middle = (want + next) / 2;
        assert_int_equal(half_of_double(middle), half % 2 ? half + 1 : half);
        assert_int_equal(half_of_double(nextafter(middle, want)), half);
        assert_int_equal(half_of_double(nextafter(middle, next)), half + 1);
    }
    assert_int_equal(half_of_double(65519.999), 0x7bff);
    assert_int_equal(half_of_double(65520.0), 0x7c00);
    assert_int_equal(half_of_double(-1e300), 0xfc00);
    assert_int_equal(half_of_double(0x1p-25), 0);
    assert_int_equal(half_of_double(0x1.0000001p-25), 1);
}

// The upper half of a float.
static void
all_bfloat16(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        const uint32_t wide = bits << 16;
        float want;
        memcpy(&want, &wide, sizeof want);
        const float got = bfloat16_to_float((uint16_t)bits);
        if (isnan(want)) {
            assert_true(isnan(got) && isnan(bfloat16_to_float(bfloat16_of_double((double)want))));
            continue;
        }
        assert_memory_equal(&got, &want, sizeof want);
        assert_int_equal(bfloat16_of_double((double)want), bits);
    }
    assert_int_equal(bfloat16_of_double(1.00390625), 0x3f80); // a tie
    assert_int_equal(bfloat16_of_double(1.01171875), 0x3f82);
    assert_int_equal(bfloat16_of_double(0x1p-150), 0);
}

// From floats as from doubles: at and around each half, and any bits.
static void
halves_of_floats(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (uint32_t n = 0; n < 3000000; n++) {
        uint32_t bits = (uint32_t)random_next(&r);
        if (n < 3 * 65536) { // a half with all below its bits 0, a tie, or next to one
            bits = n / 3 << 16;
            const uint32_t rest[] = {0, 0x1000, 0xfff, 0x1001, 0x8000, 0x7fff, 0x8001, 0x2000};
            bits += rest[random_below(&r, 8)];
        } else if (n % 2) {
            bits = (bits & 0x80ffffff) | (uint32_t)(100 + random_below(&r, 50)) << 23;
        }
        float x;
        memcpy(&x, &bits, sizeof x);
        const uint16_t half = half_of_float(x), other = bfloat16_of_float(x);
        if (isnan(x)) {
            assert_true((half & 0x7fff) > 0x7c00 && (other & 0x7fff) > 0x7f80);
            continue;
        }
        assert_int_equal(half, half_of_double((double)x));
        assert_int_equal(other, bfloat16_of_double((double)x));
    }
}

static void
units(void **state)
{
    static const char *const bad[] = {
        "<M8[",     "<M8[]",    "<M8[x]", "<M8[s]]", "<M8[0s]",           "<M8[s",
        "<M8[-1s]", "<M8[3 s]", "<i8",    "",        "<M8[99999999999s]", "<M8[25generic]"};
    struct time_unit x, y;
    struct time_ratio ratio;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (time_unit_parse(bad[i], &x))
            fail_msg("%s was understood", bad[i]);
    assert_true(time_unit_parse("<M8[25us]", &x) && time_unit_parse(">M8[2147483647W]", &y));
    assert_true(time_ratio_init(&ratio, &x, &y));
    assert_true(time_unit_parse("<M8", &x) && time_unit_parse("M8[generic]", &y));
    assert_true(time_ratio_init(&ratio, &x, &y));
    assert_true(time_unit_parse("<m8[M]", &x) && time_unit_parse("<m8[D]", &y));
    assert_false(time_ratio_init(&ratio, &x, &y)); // how long a month is, no one knows
    assert_true(time_unit_parse("<M8[M]", &x));
    assert_false(time_ratio_init(&ratio, &x, &y)); // a date is no duration
}

// Days of the calendar: each is the one after the other, and in a month that begins before it.
static void
calendar(void **state)
{
    struct time_unit day, month;
    struct time_ratio to_months, to_days;
    (void)state;
    assert_true(time_unit_parse("M8[D]", &day) && time_unit_parse("M8[M]", &month));
    assert_true(time_ratio_init(&to_months, &day, &month));
    assert_true(time_ratio_init(&to_days, &month, &day));
    int64_t at = 0, first = 0, end = 0;
    for (int64_t d = -300000; d < 300000; d++) {
        int64_t m;
        assert_int_equal(
            times_convert((uint8_t *)&m, (const uint8_t *)&d, 1, MISFIT_STOP, &to_months), 1);
        if (d == -300000 || d == end) {
            const int64_t next = m + 1;
            if (d != -300000)
                assert_int_equal(m, at + 1);
            at = m;
            assert_int_equal(
                times_convert((uint8_t *)&first, (const uint8_t *)&m, 1, MISFIT_STOP, &to_days), 1);
            assert_int_equal(
                times_convert((uint8_t *)&end, (const uint8_t *)&next, 1, MISFIT_STOP, &to_days),
                1);
            assert_in_range(end - first, 28, 31);
        }
        assert_int_equal(m, at);
        assert_true(first <= d && d < end);
    }
    const int64_t leap = 30 * 12 + 1; // February 2000
    assert_int_equal(
        times_convert((uint8_t *)&first, (const uint8_t *)&leap, 1, MISFIT_STOP, &to_days), 1);
    assert_int_equal(first, 10988);
}

// -- boxes

// Doubles to integers of 2 bytes, a few of which do not fit.
static void
boxes(void **state)
{
    const struct item_type from = {.id = NUMBER_F8}, to = {.id = NUMBER_I2};
    const tess_conversion how = {
        .struct_size = sizeof how, .misfit = TESS_MISFIT_ERROR, .scale = 1};
    struct converter c;
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    assert_int_equal(converter_init(&c, &from, &to, &how, false, NULL), TESS_OK);
    assert_false(c.certain);
    for (int round = 0; round < 3000; round++) {
        const int ndim = (int)below(&r, 4);
        int64_t extent[3], src_stride[3], dst_stride[3], n = 1;
        int64_t src_size = 8, dst_size = 2;
        for (int i = ndim - 1; i >= 0; i--) {
            extent[i] = 1 + below(&r, i == ndim - 1 && below(&r, 4) == 0 ? 1500 : 12);
            src_stride[i] = src_size + 8 * (below(&r, 3) == 0);
            dst_stride[i] = dst_size + 2 * (below(&r, 3) == 0);
            src_size = src_stride[i] * extent[i];
            dst_size = dst_stride[i] * extent[i];
            n *= extent[i];
        }
        uint8_t *const src = malloc((size_t)src_size), *const dst = malloc((size_t)dst_size);
        uint8_t *const want = malloc((size_t)dst_size);
        assert_true(src && dst && want);
        memset(dst, 0x5a, (size_t)dst_size);
        memset(want, 0x5a, (size_t)dst_size);
        const int64_t bad = below(&r, 2) ? below(&r, n) : n;
        for (int64_t k = 0; k < n; k++) {
            int64_t rest = k, s = 0, d = 0;
            for (int i = ndim - 1; i >= 0; i--) {
                s += rest % extent[i] * src_stride[i];
                d += rest % extent[i] * dst_stride[i];
                rest /= extent[i];
            }
            const double x = k == bad ? 1e6 : (double)(below(&r, 60000) - 30000);
            const int16_t y = k == bad ? 0 : (int16_t)x;
            memcpy(src + s, &x, sizeof x);
            memcpy(want + d, &y, sizeof y);
        }
        assert_int_equal(convert_try(&c, ndim, extent, src, src_stride), bad);
        assert_int_equal(convert_box(&c, ndim, extent, dst, dst_stride, src, src_stride), bad);
        if (bad == n)
            assert_memory_equal(dst, want, (size_t)dst_size);
        free(src);
        free(dst);
        free(want);
    }
}

// Nothing to be done is told, so that items are copied.
static void
nothing_changes(void **state)
{
    const tess_conversion how = {.struct_size = sizeof how, .scale = 1};
    (void)state;
    for (int id = 0; id < ITEM_COUNT; id++) {
        const struct item_type type = {.id = id};
        struct converter c;
        assert_int_equal(converter_init(&c, &type, &type, &how, false, NULL), TESS_OK);
        assert_int_equal(c.count > 0, id == NUMBER_B1);
        assert_true(c.certain);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_halves),       cmocka_unit_test(all_bfloat16),
        cmocka_unit_test(halves_of_floats), cmocka_unit_test(units),
        cmocka_unit_test(calendar),         cmocka_unit_test(boxes),
        cmocka_unit_test(nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
