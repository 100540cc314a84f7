/*
 * convert.c - the loops of conversions as this machine's instructions have them, against those in
 * plain C, whose results test/numpy/conversions.py examines.
 *
 * Each case runs in three places: ending at an unmapped page, starting behind one, and at an odd
 * address; around the result lie bytes that must stay.
 */
#include "base/cpu.h"
#include "ndcopy/convert/kernels.h"
#include "support/guard.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NITEMS_MAX = 70, SIZE_MOST = NITEMS_MAX * 8, AROUND = 64, NPLACES = 3, CANARY = 0xc5 };

static struct guard from, to;
static struct random rnd;
static const struct convert_kernels *tables[2] = {&convert_kernels_c};
static int ntables = 1;

static const size_t sizes[NUMBER_COUNT] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};

static int
set_up(void **state)
{
    (void)state;
    guard_init(&from, SIZE_MOST + 4 * AROUND);
    guard_init(&to, SIZE_MOST + 4 * AROUND);
    random_init(&rnd, random_seed());
    if (convert_kernels_for(cpu_mask()) != tables[0])
        tables[ntables++] = convert_kernels_for(cpu_mask());
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    guard_finish(&from);
    guard_finish(&to);
    return 0;
}

static uint8_t *
place_of(const struct guard *g, int place, size_t size, size_t odd)
{
    return place == 0 ? guard_tail(g, size) : place == 1 ? g->start : g->start + AROUND + odd;
}

static uint8_t *
result(int place, size_t size)
{
    uint8_t *const dst = place_of(&to, place, size, 1);
    const size_t before = (size_t)(dst - to.start), after = (size_t)(to.end - dst) - size;
    const size_t lead = before < AROUND ? before : AROUND;
    memset(dst - lead, CANARY, lead + size + (after < AROUND ? after : AROUND));
    return dst;
}

static void
check_around(const uint8_t *dst, size_t size)
{
    const size_t before = (size_t)(dst - to.start), after = (size_t)(to.end - dst) - size;
    for (size_t i = 1; i <= AROUND && i <= before; i++)
        assert_int_equal(dst[-(ptrdiff_t)i], CANARY);
    for (size_t i = 0; i < AROUND && i < after; i++)
        assert_int_equal(dst[size + i], CANARY);
}

// Numbers of which most fit in each type; or any.
static void
draw_numbers(uint8_t *dst, int number, size_t n, bool any)
{
    const size_t size = sizes[number];
    random_bytes(&rnd, dst, n * size);
    for (size_t k = 0; !any && k < n; k++) {
        const uint64_t small = random_below(&rnd, 100);
        const double wide = (double)small + 0.5;
        const float single = (float)wide;
        if (random_below(&rnd, 200) == 0)
            continue;
        if (number == NUMBER_F8)
            memcpy(dst + k * size, &wide, size);
        else if (number == NUMBER_F4)
            memcpy(dst + k * size, &single, size);
        else
            for (size_t i = 0; i < size; i++) // the same in either byte order, but for 1 byte
                dst[k * size + i] = (uint8_t)(size == 1 ? small : i == 0 ? small % 2 : 0);
    }
}

// Bits of NaNs may differ.
static bool
is_same(const uint8_t *x, const uint8_t *y, int number, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const size_t size = sizes[number], at = k * size;
        double p[2] = {0, 0};
        float q[2] = {0, 0};
        if (memcmp(x + at, y + at, size) == 0)
            continue;
        if (number == NUMBER_F8) {
            memcpy(&p[0], x + at, size);
            memcpy(&p[1], y + at, size);
        } else if (number == NUMBER_F4) {
            memcpy(&q[0], x + at, size);
            memcpy(&q[1], y + at, size);
        }
        if (!(p[0] != p[0] && p[1] != p[1]) && !(q[0] != q[0] && q[1] != q[1]))
            return false;
    }
    return true;
}

// Scale 0: not scaled. Scaled: to F4 and F8 only, which are 0 and 1 of the table.
static size_t
run(const struct convert_kernels *k, int source, int target, double scale, enum misfit misfit,
    uint8_t *dst, const uint8_t *src, size_t n)
{
    return scale != 0 ? k->scaled[source][target == NUMBER_F8](dst, src, n, misfit, scale, -3)
                      : k->pairs[source][target](dst, src, n, misfit);
}

static void
compare(int source, int target, double scale, enum misfit misfit, size_t n, bool any)
{
    uint8_t want[SIZE_MOST] = {0};
    for (int place = 0; place < NPLACES; place++) {
        uint8_t *const src = place_of(&from, place, n * sizes[source], 3);
        draw_numbers(src, source, n, any);
        const size_t done = run(tables[0], source, target, scale, misfit, want, src, n);
        for (int t = 0; t < ntables; t++) {
            uint8_t *const dst = result(place, n * sizes[target]);
            assert_int_equal(run(tables[t], source, target, scale, misfit, dst, src, n), done);
            if (!is_same(dst, want, target, done))
                fail_msg("%d to %d, misfit %d, %zu items, table %d", source, target, (int)misfit, n,
                         t);
            check_around(dst, n * sizes[target]);
        }
    }
}

static void
pairs(void **state)
{
    (void)state;
    for (int source = 0; source < NUMBER_COUNT; source++)
        for (int target = 0; target < NUMBER_COUNT; target++)
            for (int misfit = MISFIT_STOP; misfit <= MISFIT_WRAP; misfit++)
                for (size_t n = 0; n <= NITEMS_MAX; n += n < 20 ? 1 : 7) {
                    compare(source, target, 0, (enum misfit)misfit, n, false);
                    compare(source, target, 0, (enum misfit)misfit, n, true);
                }
}

static void
scaled(void **state)
{
    (void)state;
    for (int source = 0; source < NUMBER_COUNT; source++)
        for (int target = NUMBER_F4; target <= NUMBER_F8; target++)
            for (int misfit = MISFIT_STOP; misfit <= MISFIT_WRAP; misfit++)
                for (size_t n = 0; n <= NITEMS_MAX; n += n < 20 ? 1 : 7) {
                    compare(source, target, 0.25, (enum misfit)misfit, n, n % 2);
                    compare(source, target, 0x1p120, (enum misfit)misfit, n, n % 2);
                }
}

// The integers of the largest magnitude, with scales that bring them to the end of float32.
static void
scaled_to_the_end(void **state)
{
    static const double largest[] = {
        [NUMBER_I1] = -0x1p7,     [NUMBER_I2] = -0x1p15, [NUMBER_I4] = -0x1p31,
        [NUMBER_I8] = -0x1p63,    [NUMBER_U1] = 255,     [NUMBER_U2] = 65535,
        [NUMBER_U4] = 4294967295, [NUMBER_U8] = 0x1p64, // as a double
    };
    const double beyond = 0x1.ffffffp127; // becomes infinite
    (void)state;
    for (int source = NUMBER_I1; source <= NUMBER_U8; source++)
        for (int t = 0; t < ntables; t++)
            for (int side = -1; side <= 1; side++) {
                const double edge = beyond / fabs(largest[source]);
                const double scale = side == 0 ? edge : nextafter(edge, side < 0 ? 0 : HUGE_VAL);
                const bool fits = fabs(largest[source] * scale) < beyond;
                uint8_t src[2 * 8], dst[2 * 4];
                const size_t size = sizes[source];
                for (size_t i = 0; i < 2 * size; i++)
                    src[i] = source >= NUMBER_U1 ? 0xff : i % size == size - 1 ? 0x80 : 0;
                if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && source < NUMBER_U1)
                    for (size_t i = 0; i < 2 * size; i++)
                        src[i] = i % size == 0 ? 0x80 : 0;
                assert_int_equal(tables[t]->scaled[source][0](dst, src, 2, MISFIT_STOP, scale, 0),
                                 fits ? 2 : 0);
            }
}

static void
marks(void **state)
{
    (void)state;
    for (int number = 0; number < NUMBER_COUNT; number++)
        for (size_t n = 0; n <= NITEMS_MAX; n++) {
            uint8_t want[NITEMS_MAX] = {0};
            struct convert_missing missing = {.count = (int)random_below(&rnd, MISSING_MOST + 1),
                                              .bounded = random_below(&rnd, 2) == 0};
            uint8_t *const src = place_of(&from, 0, n * sizes[number], 3);
            draw_numbers(src, number, n, n % 2);
            for (int i = 0; i < missing.count; i++)
                draw_numbers(missing.values[i], number, 1, false);
            draw_numbers(missing.least, number, 1, true);
            draw_numbers(missing.most, number, 1, true);
            const bool any = tables[0]->mark[number](want, src, n, &missing);
            assert_int_equal(any, memchr(want, 1, n) != NULL);
            memset(want, any ? 0 : CANARY, any ? 0 : n); // nothing is written
            for (int t = 0; t < ntables; t++) {
                uint8_t *const mask = result(0, n);
                assert_int_equal(tables[t]->mark[number](mask, src, n, &missing), any);
                assert_memory_equal(mask, want, n);
                check_around(mask, n);
            }
        }
}

static void
blanks(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++)
        for (size_t n = 0; n <= NITEMS_MAX; n++) {
            const int number = wide ? NUMBER_F8 : NUMBER_F4;
            uint8_t mask[NITEMS_MAX + 1], items[NITEMS_MAX * 8 + 1];
            draw_numbers(items, number, n, false);
            for (size_t i = 0; i < n; i++)
                mask[i] = (uint8_t)random_below(&rnd, 2);
            for (int t = 0; t < ntables; t++) {
                uint8_t *const dst = result(0, n * sizes[number]);
                memcpy(dst, items, n * sizes[number]);
                tables[t]->blank[wide](dst, mask, n);
                for (size_t i = 0; i < n; i++) {
                    double x = 0;
                    float y;
                    memcpy(wide ? (void *)&x : &y, dst + i * sizes[number], sizes[number]);
                    if (mask[i])
                        assert_true(isnan(wide ? x : (double)y));
                    else
                        assert_memory_equal(dst + i * sizes[number], items + i * sizes[number],
                                            sizes[number]);
                }
                check_around(dst, n * sizes[number]);
            }
        }
}

// Floats of 2 bytes, IEEE's and the others.
static void
halves(void **state)
{
    uint8_t want[NITEMS_MAX * 4];
    (void)state;
    for (size_t n = 0; n <= NITEMS_MAX; n++)
        for (int kind = 0; kind < 2; kind++)
            for (int misfit = MISFIT_STOP; misfit <= MISFIT_WRAP; misfit++)
                for (int t = 0; t < ntables; t++) {
                    uint8_t *src = place_of(&from, 0, n * 2, 3);
                    uint8_t *dst = result(0, n * 4);
                    random_bytes(&rnd, src, n * 2);
                    assert_int_equal(tables[0]->widen[kind](want, src, n, MISFIT_STOP), n);
                    assert_int_equal(tables[t]->widen[kind](dst, src, n, MISFIT_STOP), n);
                    assert_true(is_same(dst, want, NUMBER_F4, n));
                    check_around(dst, n * 4);
                    src = place_of(&from, 0, n * 4, 3);
                    dst = result(0, n * 2);
                    draw_numbers(src, NUMBER_F4, n, misfit != MISFIT_STOP);
                    const size_t done = tables[0]->narrow[kind](want, src, n, (enum misfit)misfit);
                    assert_int_equal(tables[t]->narrow[kind](dst, src, n, (enum misfit)misfit),
                                     done);
                    assert_memory_equal(dst, want, 2 * done);
                    check_around(dst, n * 2);
                }
}

static void
turns(void **state)
{
    (void)state;
    for (size_t n = 0; n <= NITEMS_MAX; n++)
        for (int t = 0; t < ntables; t++)
            for (size_t size = 2; size <= 8; size *= 2) {
                uint8_t *const src = place_of(&from, 0, n * size, 3);
                uint8_t *const dst = result(0, n * size);
                random_bytes(&rnd, src, n * size);
                (size == 2   ? tables[t]->turn2
                 : size == 4 ? tables[t]->turn4
                             : tables[t]->turn8)(dst, src, n);
                for (size_t i = 0; i < n * size; i++)
                    assert_int_equal(dst[i], src[i / size * size + size - 1 - i % size]);
                check_around(dst, n * size);
            }
}

static void
rounds(void **state)
{
    static const double in[] = {
        0.5,  1.5,   2.5,  -0.5, -1.5, 0.49999999999999994, 4503599627370495.5, 4503599627370497.0,
        -0.0, 1e300, 0.75, -2.75};
    static const double out[] = {
        0, 2, 2, -0.0, -2, 0, 4503599627370496.0, 4503599627370497.0, -0.0, 1e300, 1, -3};
    double got[sizeof in / sizeof *in];
    (void)state;
    for (int t = 0; t < ntables; t++) {
        tables[t]->round((uint8_t *)got, (const uint8_t *)in, sizeof in / sizeof *in);
        assert_memory_equal(got, out, sizeof out);
    }
}

// Numbers that divide to integers, halves, and what lies beside them.
static void
unscales(void **state)
{
    (void)state;
    for (size_t n = 0; n <= NITEMS_MAX; n++)
        for (int t = 0; t < ntables; t++)
            for (int whole = 0; whole < 2; whole++) {
                uint8_t *const src = place_of(&from, 0, n * sizeof(double), 3);
                uint8_t *const dst = result(0, n * sizeof(double));
                draw_numbers(src, NUMBER_F8, n, n % 2);
                tables[t]->unscale[whole](dst, src, n, 0.75, -3);
                for (size_t k = 0; k < n; k++) {
                    double x, y;
                    memcpy(&x, src + k * sizeof x, sizeof x);
                    memcpy(&y, dst + k * sizeof y, sizeof y);
                    const double want = (x + 3) / 0.75;
                    assert_true(y == (whole ? nearbyint(want) : want) || (y != y && x != x));
                }
                check_around(dst, n * sizeof(double));
            }
}

// One NaN of either sign at each place, or none.
static void
nans(void **state)
{
    (void)state;
    for (size_t n = 0; n <= NITEMS_MAX; n++)
        for (size_t at = 0; at <= n; at++)
            for (int t = 0; t < ntables; t++) {
                float *const single = (float *)place_of(&from, 0, n * sizeof *single, 0);
                for (size_t k = 0; k < n; k++)
                    single[k] = k == at ? (n % 2 ? NAN : -NAN) : k % 3 ? INFINITY : (float)k;
                assert_int_equal(tables[t]->any_nan[0]((uint8_t *)single, n), at < n);
                double *const wide = (double *)place_of(&from, 0, n * sizeof *wide, 0);
                for (size_t k = 0; k < n; k++)
                    wide[k] = k == at ? (n % 2 ? NAN : -NAN) : k % 3 ? -INFINITY : (double)k;
                assert_int_equal(tables[t]->any_nan[1]((uint8_t *)wide, n), at < n);
            }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),    cmocka_unit_test(scaled),
        cmocka_unit_test(marks),    cmocka_unit_test(scaled_to_the_end),
        cmocka_unit_test(blanks),   cmocka_unit_test(halves),
        cmocka_unit_test(turns),    cmocka_unit_test(rounds),
        cmocka_unit_test(unscales), cmocka_unit_test(nans),
    };
    return cmocka_run_group_tests_name("convert", tests, set_up, tear_down);
}
