/*
 * compute_compare.c - tests of compute/compare: kernels of every machine against the plain ones, up
 * to the last byte of a page; and ranges against comparisons in wide numbers.
 */
#include "base/cpu.h"
#include "compute/compare/compare.h"
#include "compute/compare/kernels.h"
#include "support/guard.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 600 };

static const size_t sizes[COMPARABLE_COUNT] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};

// Items of few values, so that many are equal.
static void
draw_items(struct random *r, uint8_t *items, size_t size, size_t n)
{
    random_bytes(r, items, n * size);
    for (size_t k = 1; k < n; k++)
        if (random_below(r, 2))
            memcpy(items + k * size, items, size);
}

static void
kernels_are_those_of_plain_c(void **state)
{
    const struct compare_kernels *const mine = compare_kernels_for(cpu_mask());
    struct guard a, b, got, want;
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    guard_init(&a, MOST * 8);
    guard_init(&b, MOST * 8);
    guard_init(&got, MOST);
    guard_init(&want, MOST);
    for (int type = 0; type < COMPARABLE_COUNT; type++)
        for (size_t n = 1; n <= MOST; n += n < 70 ? 1 : 23) {
            const tess_number x = {.kind = TESS_KIND_INT, .i = (int64_t)random_below(&r, 100)};
            uint8_t *const items = guard_tail(&a, n * sizes[type]);
            uint8_t *const others = guard_tail(&b, n * sizes[type]);
            uint8_t *const mask = guard_tail(&got, n), *const plain = guard_tail(&want, n);
            const struct range range = range_of_comparison(
                (enum comparable)type, false, (tess_comparison)random_below(&r, 6), &x);
            draw_items(&r, items, sizes[type], n);
            memcpy(others, items, n * sizes[type]);
            draw_items(&r, others, sizes[type], n / 2);
            mine->range[type](items, n, &range, mask);
            compare_kernels_c.range[type](items, n, &range, plain);
            assert_memory_equal(mask, plain, n);
            for (int order = 0; order < PAIR_COUNT; order++) {
                mine->pair[order][type](items, others, n, mask);
                compare_kernels_c.pair[order][type](items, others, n, plain);
                assert_memory_equal(mask, plain, n);
            }
        }
    guard_finish(&a);
    guard_finish(&b);
    guard_finish(&got);
    guard_finish(&want);
}

static bool
holds(long double x, long double y, int op)
{
    const bool results[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
    return results[op];
}

// All items of one byte, and those around the limits, compared with numbers of all kinds.
static void
ranges_are_exact(void **state)
{
    static const double doubles[] = {0,      -0.5,   0.5,     127,      127.5,     128,   -128,
                                     -129,   254.9,  255,     255.01,   256,       1e300, -1e300,
                                     0x1p53, 1e-320, -1e-320, INFINITY, -INFINITY, NAN};
    static const int64_t wholes[] = {0,    1,   -1,  127,       128,      -128,
                                     -129, 255, 256, INT64_MAX, INT64_MIN};
    tess_number numbers[sizeof doubles / sizeof *doubles + sizeof wholes / sizeof *wholes + 1];
    long double values[sizeof numbers / sizeof *numbers];
    size_t n = 0;
    (void)state;
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++, n++) {
        numbers[n] = (tess_number){.kind = TESS_KIND_FLOAT, .f = doubles[k]};
        values[n] = doubles[k];
    }
    for (size_t k = 0; k < sizeof wholes / sizeof *wholes; k++, n++) {
        numbers[n] = (tess_number){.kind = TESS_KIND_INT, .i = wholes[k]};
        values[n] = wholes[k];
    }
    numbers[n] = (tess_number){.kind = TESS_KIND_UINT, .u = UINT64_MAX};
    values[n++] = (long double)UINT64_MAX;
    for (size_t k = 0; k < n; k++)
        for (int op = 0; op <= TESS_COMPARE_GE; op++) {
            const tess_comparison c = (tess_comparison)op;
            const struct range i1 = range_of_comparison(COMPARABLE_I1, false, c, &numbers[k]);
            const struct range u1 = range_of_comparison(COMPARABLE_U1, false, c, &numbers[k]);
            const struct range f4 = range_of_comparison(COMPARABLE_F4, false, c, &numbers[k]);
            for (int x = 0; x < 256; x++) {
                const uint8_t u = (uint8_t)x;
                const int8_t i = (int8_t)(x - 128);
                const float f = (float)(x - 128) / 2;
                uint8_t got[3];
                compare_kernels_c.range[COMPARABLE_U1](&u, 1, &u1, &got[0]);
                compare_kernels_c.range[COMPARABLE_I1](&i, 1, &i1, &got[1]);
                compare_kernels_c.range[COMPARABLE_F4](&f, 1, &f4, &got[2]);
                assert_int_equal(got[0], holds(u, values[k], op));
                assert_int_equal(got[1], holds(i, values[k], op));
                assert_int_equal(got[2], holds(f, values[k], op));
            }
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_those_of_plain_c),
        cmocka_unit_test(ranges_are_exact),
    };
    return cmocka_run_group_tests_name("compute_compare", tests, NULL, NULL);
}
