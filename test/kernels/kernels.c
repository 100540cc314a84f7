/*
 * kernels.c - every kernel of every machine hidden in this one, against its definition.
 *
 * The definitions are the formulas of filter/kernels.h, written down again here. Each case runs in
 * three places: ending at an unmapped page, starting behind one, and at an odd address; around
 * the result lie bytes that must stay. bench/kernels.c times them.
 */
#include "filter/kernels.h"
#include "base/cpu.h"
#include "support/guard.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    NITEMS_MAX = 130,
    NITEMS_TILED = 1040, // of items that are not wide: four tiles of 256
    WIDTH_DENSE = 33, // widths up to this one, and the largest
    WIDTH_MAX = 255,
    SIZE_MAX_TESTED = NITEMS_MAX * WIDTH_MAX,
    AROUND = 64, // bytes looked at on either side of a result
    NPLACES = 3,
    CANARY = 0xc5,
};

static struct guard from, other, to;
static struct random rnd;
static uint8_t want[SIZE_MAX_TESTED + 1];

// Different tables among those of all subsets of this processor's mask, plain C among them.
static struct filter_kernels tables[64];
static unsigned masks[64];
static int ntables;

static void
collect_tables(void)
{
    const unsigned have = cpu_mask();
    for (unsigned cpu = have;; cpu = (cpu - 1) & have) {
        struct filter_kernels k;
        bool known = false;
        filter_kernels_init(&k, cpu);
        for (int i = 0; i < ntables && !known; i++)
            known = memcmp(&k, &tables[i], sizeof k) == 0; // pointers only: no padding
        if (!known) {
            assert_in_range(ntables, 0, 63);
            masks[ntables] = cpu;
            tables[ntables++] = k;
        }
        if (cpu == 0)
            break;
    }
}

static int
set_up(void **state)
{
    (void)state;
    guard_init(&from, SIZE_MAX_TESTED + 4 * AROUND);
    guard_init(&other, SIZE_MAX_TESTED + 4 * AROUND);
    guard_init(&to, SIZE_MAX_TESTED + 4 * AROUND);
    random_init(&rnd, random_seed());
    random_bytes(&rnd, from.start, (size_t)(from.end - from.start));
    random_bytes(&rnd, other.start, (size_t)(other.end - other.start));
    collect_tables();
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    guard_finish(&from);
    guard_finish(&other);
    guard_finish(&to);
    return 0;
}

static size_t
next_width(size_t w)
{
    return w == WIDTH_DENSE ? WIDTH_MAX : w + 1;
}

static uint8_t *
place_of(const struct guard *g, int place, size_t size, size_t odd)
{
    switch (place) {
    case 0:
        return guard_tail(g, size);
    case 1:
        return g->start;
    default:
        return g->start + AROUND + odd;
    }
}

static const uint8_t *
source(int place, size_t size)
{
    return place_of(&from, place, size, 3);
}

// Where a result goes; what lies around it is set.
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
check(const uint8_t *dst, size_t size, const char *kernel, unsigned mask, size_t n, size_t w)
{
    for (size_t i = 0; i < size; i++)
        if (dst[i] != want[i])
            fail_msg("%s, mask 0x%x, %zu items of %zu: byte %zu is 0x%02x, not 0x%02x", kernel,
                     mask, n, w, i, dst[i], want[i]);
    for (const uint8_t *p = dst; p-- > to.start && dst - p <= AROUND;)
        if (*p != CANARY)
            fail_msg("%s, mask 0x%x, %zu items of %zu: wrote %td bytes before the start", kernel,
                     mask, n, w, dst - p);
    for (const uint8_t *p = dst + size; p < to.end && p < dst + size + AROUND; p++)
        if (*p != CANARY)
            fail_msg("%s, mask 0x%x, %zu items of %zu: wrote at %td behind the end", kernel, mask,
                     n, w, p - (dst + size));
}

// The definitions.

static void
shuffle_slow(uint8_t *dst, const uint8_t *src, size_t n, size_t w)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < w; j++)
            dst[j * n + i] = src[i * w + j];
}

static void
unshuffle_slow(uint8_t *dst, const uint8_t *src, size_t n, size_t w)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < w; j++)
            dst[i * w + j] = src[j * n + i];
}

static int
bit_of(const uint8_t *p, size_t byte, size_t bit)
{
    return p[byte] >> bit & 1;
}

static void
bitshuffle_slow(uint8_t *dst, const uint8_t *src, size_t n, size_t w)
{
    memset(dst, 0, n * w);
    for (size_t item = 0; item < n; item++)
        for (size_t j = 0; j < w; j++)
            for (size_t k = 0; k < 8; k++)
                dst[(8 * j + k) * (n / 8) + item / 8] |=
                    (uint8_t)(bit_of(src, item * w + j, k) << item % 8);
}

static void
bitunshuffle_slow(uint8_t *dst, const uint8_t *src, size_t n, size_t w)
{
    memset(dst, 0, n * w);
    for (size_t item = 0; item < n; item++)
        for (size_t j = 0; j < w; j++)
            for (size_t k = 0; k < 8; k++)
                dst[item * w + j] |=
                    (uint8_t)(bit_of(src, (8 * j + k) * (n / 8) + item / 8, item % 8) << k);
}

typedef void transpose_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w);

// All lengths that are short, or near a multiple of the largest tile.
static size_t
next_nitems(size_t n, size_t step)
{
    enum { TILE = 256 };
    n += step;
    return n > NITEMS_MAX && n % TILE > 2 * step && n % TILE < TILE - step
               ? n / TILE * TILE + TILE - step
               : n;
}

static void
check_transposes(transpose_fn *const *kernels,
                 void (*slow)(uint8_t *, const uint8_t *, size_t, size_t), size_t step,
                 const char *name)
{
    for (size_t w = 1; w <= WIDTH_MAX; w = next_width(w))
        for (size_t n = 0; n <= NITEMS_MAX || (n <= NITEMS_TILED && n * w <= SIZE_MAX_TESTED);
             n = next_nitems(n, step))
            for (int place = 0; place < NPLACES; place++) {
                const uint8_t *const src = source(place, n * w);
                slow(want, src, n, w);
                for (int t = 0; t < ntables; t++) {
                    uint8_t *const dst = result(place, n * w);
                    kernels[t](dst, src, n, w);
                    check(dst, n * w, name, masks[t], n, w);
                }
            }
}

#define TRANSPOSE_TEST(member, step)                             \
    static void member##_is_its_definition(void **state)         \
    {                                                            \
        transpose_fn *kernels[64];                               \
        (void)state;                                             \
        for (int t = 0; t < ntables; t++)                        \
            kernels[t] = tables[t].member;                       \
        check_transposes(kernels, member##_slow, step, #member); \
    }

TRANSPOSE_TEST(shuffle, 1)
TRANSPOSE_TEST(unshuffle, 1)
TRANSPOSE_TEST(bitshuffle, 8)
TRANSPOSE_TEST(bitunshuffle, 8)

// Rows of random geometry; the bytes between them must stay.

// Returns how many bytes there are from the first to the last one written.
static size_t
random_rows(struct plane_rows *r)
{
    static const size_t common[] = {1, 2, 4, 8, 16, 3, 12, 24};
    const size_t gaps[] = {0, 0, 1, 7, 64, 1500};

    r->w = random_below(&rnd, 4) ? common[random_below(&rnd, sizeof common / sizeof *common)]
                                 : 1 + random_below(&rnd, WIDTH_DENSE);
    r->row_nitems = random_below(&rnd, 3) ? random_below(&rnd, 20) : random_below(&rnd, 100);
    r->rows = random_below(&rnd, 60);
    r->first = random_below(&rnd, 10);
    r->src_step = random_below(&rnd, 2) ? r->row_nitems : random_below(&rnd, 120);
    const size_t row_size = r->row_nitems * r->w;
    size_t stride = row_size + gaps[random_below(&rnd, sizeof gaps / sizeof *gaps)];
    if (stride == 0)
        stride = 1;
    // cut to what fits
    while (r->rows > 0 && (r->rows - 1) * stride + row_size > SIZE_MAX_TESTED)
        r->rows--;
    for (;; r->rows--) {
        r->n = r->first + r->row_nitems + random_below(&rnd, 5);
        if (r->rows > 0)
            r->n += (r->rows - 1) * r->src_step;
        if (r->n * r->w <= SIZE_MAX_TESTED)
            break;
        assert_true(r->rows > 0);
    }
    r->dst_stride = random_below(&rnd, 2) ? (ptrdiff_t)stride : -(ptrdiff_t)stride;
    r->next = random_below(&rnd, 2) ? want : NULL; // nothing may come of it
    return r->rows > 0 ? (r->rows - 1) * stride + row_size : 0;
}

static void
unshuffle_rows_is_its_definition(void **state)
{
    (void)state;
    for (int turn = 0; turn < 20000; turn++) {
        struct plane_rows r;
        const size_t span = random_rows(&r);
        // A row starts at `low` when strides are positive, the last one does when they are not.
        const size_t low =
            r.dst_stride < 0 && r.rows > 0 ? (r.rows - 1) * (size_t)-r.dst_stride : 0;
        const int place = turn % NPLACES;
        const uint8_t *const src = source(place, r.n * r.w);

        memset(want, CANARY, span);
        for (size_t row = 0; row < r.rows; row++)
            for (size_t i = 0; i < r.row_nitems; i++)
                for (size_t j = 0; j < r.w; j++)
                    (want + low + (ptrdiff_t)row * r.dst_stride)[i * r.w + j] =
                        src[j * r.n + r.first + row * r.src_step + i];
        for (int t = 0; t < ntables; t++) {
            uint8_t *const dst = result(place, span);
            tables[t].unshuffle_rows(dst + low, src, &r);
            check(dst, span, "unshuffle_rows", masks[t], r.row_nitems, r.w);
        }
    }
}

static void
exclusive_or_is_its_definition(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 300; size++)
        for (int place = 0; place < NPLACES; place++)
            for (int t = 0; t < ntables; t++) {
                const uint8_t *const a = source(place, size);
                const uint8_t *const b = place_of(&other, place, size, 2);
                for (size_t i = 0; i < size; i++)
                    want[i] = a[i] ^ b[i];

                uint8_t *dst = result(place, size);
                tables[t].exclusive_or(dst, a, b, size);
                check(dst, size, "exclusive_or", masks[t], size, 1);

                dst = result(place, size); // in place, on either side
                memcpy(dst, a, size);
                tables[t].exclusive_or(dst, dst, b, size);
                check(dst, size, "exclusive_or onto a", masks[t], size, 1);
                memcpy(dst, b, size);
                tables[t].exclusive_or(dst, a, dst, size);
                check(dst, size, "exclusive_or onto b", masks[t], size, 1);
            }
}

static void
bytedelta_is_its_definition(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 300; n++)
        for (int place = 0; place < NPLACES; place++)
            for (int t = 0; t < ntables; t++) {
                const uint8_t *const src = source(place, n);
                uint8_t before = 0, sum = 0;
                for (size_t i = 0; i < n; i++) {
                    want[i] = (uint8_t)(src[i] - before);
                    before = src[i];
                }
                uint8_t *dst = result(place, n);
                tables[t].bytedelta(dst, src, n);
                check(dst, n, "bytedelta", masks[t], n, 1);

                for (size_t i = 0; i < n; i++)
                    want[i] = sum = (uint8_t)(sum + src[i]);
                dst = result(place, n);
                tables[t].byteundelta(dst, src, n);
                check(dst, n, "byteundelta", masks[t], n, 1);
            }
}

static void
is_run_finds_every_other_byte(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 200; size++)
        for (int place = 0; place < NPLACES; place++)
            for (int t = 0; t < ntables; t++) {
                uint8_t *const p = result(place, size);
                const uint8_t value = (uint8_t)random_next(&rnd);
                memset(p, value, size);
                assert_true(tables[t].is_run(p, size));
                for (size_t i = 0; size > 1 && i < size; i++) {
                    p[i] ^= 0x10;
                    assert_false(tables[t].is_run(p, size));
                    p[i] ^= 0x10;
                }
            }
}

static void
this_machine_has_the_best(void **state)
{
    struct filter_kernels best;
    (void)state;
    filter_kernels_init(&best, cpu_mask());
    assert_memory_equal(filter_kernels(), &best, sizeof best);
    assert_ptr_equal(filter_kernels(), filter_kernels());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffle_is_its_definition),
        cmocka_unit_test(unshuffle_is_its_definition),
        cmocka_unit_test(unshuffle_rows_is_its_definition),
        cmocka_unit_test(bitshuffle_is_its_definition),
        cmocka_unit_test(bitunshuffle_is_its_definition),
        cmocka_unit_test(exclusive_or_is_its_definition),
        cmocka_unit_test(bytedelta_is_its_definition),
        cmocka_unit_test(is_run_finds_every_other_byte),
        cmocka_unit_test(this_machine_has_the_best),
    };
    return cmocka_run_group_tests_name("kernels", tests, set_up, tear_down);
}
