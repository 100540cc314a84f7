/*
 * compute_histogram.c - tests of compute/histogram: numbers at and beside edges, of all types, in
 * bins of equal width and given ones, against comparisons with edges one by one; and kernels of
 * this machine, up to the last byte of a page.
 */
#include "base/cpu.h"
#include "base/error.h"
#include "base/swap.h"
#include "compute/histogram/private.h"
#include "support/guard.h"
#include "support/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BINS_MAX = 130, ITEMS_MAX = 1500 };

// -- what is drawn

// Any bits, small numbers, and what is beside them.
static double
draw_double(struct random *r)
{
    const double scales[] = {1, 0.01, 1e-300, 1e30, 0x1p60, 0.1, 1};
    double x = ((double)random_below(r, 400) - 200) * scales[random_below(r, 7)];
    for (int k = (int)random_below(r, 3); k > 0; k--)
        x = nextafter(x, random_below(r, 2) ? INFINITY : -INFINITY);
    return x;
}

static void
draw_bins(struct random *r, tess_bins *bins, tess_number *edges)
{
    tess_bins_init(bins);
    bins->nbins = 1 + (int64_t)random_below(r, random_below(r, 3) ? 12 : BINS_MAX);
    const double x = draw_double(r), y = random_below(r, 2) ? draw_double(r) : x + 10;
    bins->lo = fmin(x, y);
    bins->hi = fmax(x, y);
    if (random_below(r, 2))
        return;
    bins->edges = edges;
    for (int64_t k = 0; k <= bins->nbins; k++) { // sorted below
        edges[k] = (tess_number){.kind = TESS_KIND_FLOAT, .f = draw_double(r)};
        if (random_below(r, 40) == 0)
            edges[k].f = random_below(r, 2) ? INFINITY : -INFINITY;
        for (int64_t i = k; i > 0 && edges[i].f < edges[i - 1].f; i--) {
            const tess_number swap = edges[i];
            edges[i] = edges[i - 1];
            edges[i - 1] = swap;
        }
    }
}

// An item of the type that is equal to the number, or near it.
static void
draw_item(struct random *r, const tess_dtype *d, double near, uint8_t *item)
{
    const double limit = ldexp(1, 8 * d->size - 1);
    const double whole =
        fmin(fmax(rint(near), d->kind == TESS_KIND_INT ? -limit : 0),
             d->kind == TESS_KIND_INT ? limit * (1 - 0x1p-40) : 2 * limit * (1 - 0x1p-40));
    const int64_t beside = (int64_t)random_below(r, 3) - 1;
    if (d->kind == TESS_KIND_FLOAT && d->size == 4) {
        float x = (float)near;
        x = beside ? nextafterf(x, beside > 0 ? INFINITY : -INFINITY) : x;
        x = random_below(r, 50) ? x : (float)NAN;
        memcpy(item, &x, sizeof x);
    } else if (d->kind == TESS_KIND_FLOAT) {
        double x = beside ? nextafter(near, beside > 0 ? INFINITY : -INFINITY) : near;
        x = random_below(r, 50) ? x : (double)NAN;
        memcpy(item, &x, sizeof x);
    } else { // the bits beside the limits of the type are those at its other end
        const uint64_t bits =
            (d->kind == TESS_KIND_INT ? (uint64_t)(int64_t)whole : (uint64_t)whole) +
            (uint64_t)beside;
        const uint8_t u1 = (uint8_t)bits;
        const uint16_t u2 = (uint16_t)bits;
        const uint32_t u4 = (uint32_t)bits;
        memcpy(item,
               d->size == 1   ? (const void *)&u1
               : d->size == 2 ? (const void *)&u2
               : d->size == 4 ? (const void *)&u4
                              : (const void *)&bits,
               (size_t)d->size);
    }
}

// -- what is expected

static long double
value_of(const tess_dtype *d, const uint8_t *item)
{
    int64_t i = 0;
    uint64_t bits = 0;
    float f;
    double g;
    for (int32_t k = 0; k < d->size; k++)
        bits |= (uint64_t)item[machine_is_big_endian() ? d->size - 1 - k : k] << (8 * k);
    if (d->kind == TESS_KIND_FLOAT) {
        memcpy(&f, item, 4);
        memcpy(&g, item, (size_t)d->size == 8 ? 8 : 4);
        return d->size == 4 ? (long double)f : (long double)g;
    }
    i = (int64_t)(bits << (64 - 8 * d->size)) >> (64 - 8 * d->size);
    return d->kind == TESS_KIND_INT ? (long double)i : (long double)bits;
}

static double
edge_of(const tess_bins *bins, int64_t k)
{
    double lo = bins->lo, hi = bins->hi;
    if (bins->edges)
        return bins->edges[k].f;
    if (lo == hi) {
        lo -= 0.5;
        hi += 0.5;
    }
    const double step = (hi - lo) / (double)bins->nbins;
    const double offset = step > 0 ? (double)k * step : (double)k / (double)bins->nbins * (hi - lo);
    return k == bins->nbins ? hi : offset + lo;
}

static int64_t
slot_of(const tess_bins *bins, long double x)
{
    int64_t slot = 0;
    if (x != x)
        return bins->nbins + 2;
    for (int64_t k = 0; k < bins->nbins; k++)
        if ((long double)edge_of(bins, k) <= x)
            slot = k + 1;
    return x > (long double)edge_of(bins, bins->nbins) ? bins->nbins + 1 : slot;
}

// -- tests

static void
one_case(struct random *r, struct guard *memory)
{
    static const char *const names[] = {"i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"};
    char name[4] = {random_below(r, 2) ? '<' : '>'};
    tess_number edges[BINS_MAX + 1];
    int64_t want[BINS_MAX + 3] = {0}, got[BINS_MAX + 3] = {0};
    struct counting c = {0};
    tess_error err;
    tess_bins bins;

    strcpy(name + 1, names[random_below(r, 10)]);
    const tess_dtype d = tess_dtype_parse(name);
    const bool whole = d.size == 8 && d.kind != TESS_KIND_FLOAT;
    draw_bins(r, &bins, edges);
    assert_true(counting_type(&c, &d));
    assert_int_equal(bins_init(&c.bins, &bins, whole, d.kind == TESS_KIND_INT, &err), TESS_OK);
    counting_begin(&c);
    struct counter *const k = counter_new(&c);
    assert_non_null(k);
    const int64_t n = (int64_t)random_below(r, random_below(r, 2) ? 30 : ITEMS_MAX);
    const bool around = random_below(r, 4), equal = random_below(r, 3) == 0;
    uint8_t *const items = guard_tail(memory, (size_t)(n * d.size));
    for (int64_t i = 0; i < n; i++) {
        uint8_t *const item = items + i * d.size;
        const int64_t edge = (int64_t)random_below(r, (uint64_t)bins.nbins + 1);
        draw_item(r, &d, around ? edge_of(&bins, edge) : draw_double(r), item);
        if (i > 0 && equal)
            memcpy(item, items, (size_t)d.size);
        want[slot_of(&bins, value_of(&d, item))]++;
    }
    for (int64_t i = 0; i < n && c.turned; i++)
        for (int32_t at = 0; at < d.size / 2; at++) {
            uint8_t *const item = items + i * d.size, swap = item[at];
            item[at] = item[d.size - 1 - at];
            item[d.size - 1 - at] = swap;
        }
    counter_add(k, &c, items, n);
    counter_move(k, &c, got);
    for (int64_t i = 0; i < bins.nbins + BINS_SLOTS; i++)
        assert_int_equal(got[i], want[i]);
    counter_free(k);
    counting_finish(&c);
    bins_finish(&c.bins);
}

static void
counts_are_those_of_comparisons(void **state)
{
    const uint64_t seed = random_seed();
    struct guard memory;
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip(); // integers of 8 bytes would be rounded here
    guard_init(&memory, ITEMS_MAX * 8);
    for (int64_t i = 0; i < random_cases(20000, 2000000); i++) {
        struct random r;
        random_init(&r, seed + (uint64_t)i);
        one_case(&r, &memory);
    }
    guard_finish(&memory);
}

static void
kernels_are_those_of_plain_c(void **state)
{
    static const int64_t sizes[CALCULATE_COUNT] = {4, 4, 4, 8, 8};
    const struct histogram_kernels *const mine = histogram_kernels_for(cpu_mask());
    const double doubts[] = {-1, 0, 0.01};
    int32_t bins[2][100];
    struct guard memory;
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    guard_init(&memory, sizeof bins);
    for (int type = 0; type < CALCULATE_COUNT; type++)
        for (int64_t n = 1; n <= 100; n++) {
            uint8_t *const items = guard_tail(&memory, (size_t)(n * sizes[type]));
            const struct calculation c = {
                .base = -1e9,
                .scale = 1e-7,
                .least = CALCULATE_LEAST,
                .last = 400 - 0x1p-20,
                .doubt = doubts[n % 3],
                .low = -1e9,
                .top = 3e9,
                .low_key = random_next(&r) >> 2,
                .top_key = UINT64_MAX - (random_next(&r) >> 2),
                .offset = calculation_offset(n % 2),
            };
            random_bytes(&r, items, (size_t)(n * sizes[type]));
            const int look = mine->calculate[type](&c, items, n, bins[0]);
            assert_int_equal(histogram_kernels_c.calculate[type](&c, items, n, bins[1]), look);
            assert_memory_equal(bins[0], bins[1], (size_t)n * sizeof **bins);
        }
    guard_finish(&memory);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_comparisons),
        cmocka_unit_test(kernels_are_those_of_plain_c),
    };
    return cmocka_run_group_tests_name("compute_histogram", tests, NULL, NULL);
}
