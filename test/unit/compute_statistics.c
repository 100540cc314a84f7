/*
 * compute_statistics.c - tests of compute/statistics: tallies of numbers of
 * all types, in boxes of any strides, against a loop over the items.
 */
#include "compute/statistics/statistics.h"

#include "meta/dtype.h"
#include "support/native.h"
#include "unit/scene.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const types[] = {"|b1", "|i1", "|u1", "<i2", ">i2", "<u2", ">u2",
                                    "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8",
                                    ">u8", "<f4", ">f4", "<f8", ">f8"};
enum { TYPES = sizeof types / sizeof *types };

// What a loop finds: integers as such, floats in twice the precision.
struct found {
    int64_t count, nonfinite;
    int128 sum, min, max;
    long double fsum, fmin, fmax, fabs;
};

static void
find(struct found *f, const struct number_type *t, const uint8_t *item)
{
    uint8_t b[8];
    uint64_t bits = 0;
    for (int32_t i = 0; i < t->size; i++)
        b[i] = item[i];
    const tess_kind kind = t->kind;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const bool little = t->turn;
#else
    const bool little = !t->turn;
#endif
    for (int32_t i = 0; i < t->size; i++)
        bits |= (uint64_t)b[little ? i : t->size - 1 - i] << (8 * i);
    f->count++;
    if (kind == TESS_KIND_FLOAT) {
        double x;
        if (t->size == 4) {
            const uint32_t half = (uint32_t)bits;
            float y;
            memcpy(&y, &half, sizeof y);
            x = (double)y;
        } else {
            memcpy(&x, &bits, sizeof x);
        }
        if (!isfinite(x)) {
            f->nonfinite++;
            return;
        }
        f->fmin = f->count - f->nonfinite == 1 || (long double)x < f->fmin ? x : f->fmin;
        f->fmax = f->count - f->nonfinite == 1 || (long double)x > f->fmax ? x : f->fmax;
        f->fsum += (long double)x;
        f->fabs += (long double)fabs(x);
        return;
    }
    const int unused = 64 - 8 * t->size;
    int128 x = int128_of_u64(t->truth ? bits != 0 : bits);
    if (kind == TESS_KIND_INT)
        x = int128_of((int64_t)(bits << unused) >> unused);
    f->min = f->count == 1 || int128_is_less(x, f->min) ? x : f->min;
    f->max = f->count == 1 || int128_is_less(f->max, x) ? x : f->max;
    f->sum = int128_add(f->sum, x);
}

static void
compare(const struct tally *t, const struct number_type *type, const struct found *want)
{
    assert_int_equal(t->count, want->count);
    assert_int_equal(t->nonfinite, want->nonfinite);
    if (type->kind == TESS_KIND_FLOAT) {
        const long double sum = (long double)t->sum.parts[0] + (long double)t->sum.parts[1];
        if (want->count > want->nonfinite) {
            assert_true((long double)t->min.f == want->fmin);
            assert_true((long double)t->max.f == want->fmax);
        }
        // Ten additions of doubles, of which nothing is kept, lose 1.1e-16 each.
        if (want->fabs < (long double)DBL_MAX) // else a part of the sum may be infinite
            assert_true(fabsl(sum - want->fsum) <= want->fabs * 1.2e-15L);
    } else {
        assert_true(int128_is_equal(t->sum.whole, want->sum));
        if (want->count > 0 && type->kind == TESS_KIND_INT) {
            assert_true(int128_is_equal(int128_of(t->min.i), want->min));
            assert_true(int128_is_equal(int128_of(t->max.i), want->max));
        } else if (want->count > 0) {
            assert_true(int128_is_equal(int128_of_u64(t->min.u), want->min));
            assert_true(int128_is_equal(int128_of_u64(t->max.u), want->max));
        }
    }
}

// Random bytes have all numbers, of floats also those that are none; small ones cancel less.
static void
random_numbers(struct random *r, const struct number_type *t, uint8_t *bytes, size_t size)
{
    random_bytes(r, bytes, size);
    if (t->kind != TESS_KIND_FLOAT || random_below(r, 4) == 0)
        return;
    for (size_t i = 0; i + (size_t)t->size <= size; i += (size_t)t->size) {
        const double x = (double)(int64_t)(random_next(r) >> 20) / 1e6 - 1e6;
        const float y = (float)x;
        memcpy(bytes + i, t->size == 4 ? (const void *)&y : (const void *)&x, (size_t)t->size);
        for (int32_t k = 0; t->turn && k < t->size / 2; k++) {
            const uint8_t b = bytes[i + (size_t)k];
            bytes[i + (size_t)k] = bytes[i + (size_t)(t->size - 1 - k)];
            bytes[i + (size_t)(t->size - 1 - k)] = b;
        }
    }
}

static void
init(struct number_type *t, const char *name)
{
    const tess_dtype dtype = dtype_parse(name);
    assert_true(number_type_init(t, &dtype));
    assert_int_equal(t->size, dtype.size);
}

static void
boxes(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(1500, 50000); i > 0; i--) {
        struct number_type type;
        struct tally all = {0};
        struct found want = {0};
        init(&type, types[random_below(&r, TYPES)]);
        for (uint64_t parts = 1 + random_below(&r, 3); parts > 0; parts--) {
            static const int64_t most[] = {4, 40, 1300};
            int64_t shape[3] = {1, 1, 1}, stride[3], at[3] = {0};
            const int ndim = 1 + (int)random_below(&r, 3);
            struct tally one = {0};
            for (int k = 0; k < ndim; k++)
                shape[k] = 1 + (int64_t)random_below(&r, (uint64_t)most[ndim == 1 ? 2 : 3 - ndim]);
            stride[ndim - 1] = type.size; // as it is promised
            for (int k = ndim - 2; k >= 0; k--)
                stride[k] = stride[k + 1] * shape[k + 1] + (int64_t)random_below(&r, 2) * type.size;
            const size_t size = (size_t)(stride[0] * shape[0]) + 1;
            uint8_t *const bytes = malloc(size);
            assert_non_null(bytes);
            const size_t odd = random_below(&r, 2); // items may stand anywhere
            random_numbers(&r, &type, bytes + odd, size - odd);
            uint8_t *const items = odd ? bytes + 1 : bytes;
            do {
                int64_t offset = 0;
                for (int k = 0; k < ndim; k++)
                    offset += at[k] * stride[k];
                find(&want, &type, items + offset);
            } while (scene_next(ndim, shape, at));
            if (random_below(&r, 2)) { // together, or on its own
                tally_box(&all, &type, ndim, shape, stride, items);
            } else {
                tally_box(&one, &type, ndim, shape, stride, items);
                tally_add(&all, &type, &one);
            }
            free(bytes);
            if (random_below(&r, 2)) {
                uint8_t item[8];
                const int64_t n = 1 + (int64_t)random_below(&r, 500);
                random_numbers(&r, &type, item, sizeof item);
                tally_repeat(&all, &type, item, n);
                for (int64_t k = 0; k < n; k++)
                    find(&want, &type, item);
            }
        }
        compare(&all, &type, &want);
    }
}

static void
add_one(struct tally *t, const struct number_type *type, double x)
{
    static const int64_t one = 1, stride = sizeof x;
    tally_box(t, type, 1, &one, &stride, (const uint8_t *)&x);
}

// NaNs before, between and behind numbers, alone in their box or again and again.
static void
nonfinite(void **state)
{
    const double nan = (double)NAN, infinite = (double)INFINITY;
    struct number_type type;
    struct tally t = {0}, other = {0};
    (void)state;
    init(&type, NATIVE "f8");
    add_one(&t, &type, nan);
    tally_repeat(&t, &type, (const uint8_t *)&infinite, 7);
    add_one(&t, &type, 5);
    assert_true(t.min.f == 5 && t.max.f == 5);
    add_one(&t, &type, nan);
    add_one(&other, &type, nan);
    tally_add(&t, &type, &other);
    add_one(&t, &type, 6);
    assert_true(t.min.f == 5 && t.max.f == 6);
    assert_int_equal(t.count, 12);
    assert_int_equal(t.nonfinite, 10);
    assert_true(t.sum.parts[0] + t.sum.parts[1] == 11);
}

// What is lost in the first of the pair is in the second.
static void
lost(void **state)
{
    struct number_type type;
    struct tally t = {0};
    (void)state;
    init(&type, NATIVE "f8");
    add_one(&t, &type, 1e17);
    for (int i = 0; i < 999; i++)
        add_one(&t, &type, 1);
    add_one(&t, &type, -1e17);
    assert_true(t.sum.parts[0] + t.sum.parts[1] == 999);
}

// No number is left: NaN, as it is said.
static void
only_nans(void **state)
{
    static const int64_t start = 0, stop = 100;
    tess_array *a = NULL;
    tess_storage storage;
    tess_params p;
    tess_statistics got;
    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&p);
    p.dtype = "<f8";
    p.ndim = 1;
    p.shape[0] = 100;
    ok(tess_array_nan(&storage, &p, &a, err));
    ok(array_statistics(a, &start, &stop, 100, &got, NULL, err));
    assert_int_equal(got.nonfinite, 100);
    assert_true(isnan(got.min.f) && isnan(got.max.f) && isnan(got.mean) && got.sum == 0);
    ok(tess_array_close(a, err));
}

static void
no_numbers(void **state)
{
    static const char *const names[] = {"|V4", "<c8", "|S3", "<U2", "<M8[s]"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct number_type type;
        const tess_dtype dtype = dtype_parse(names[i]);
        if (number_type_init(&type, &dtype))
            fail_msg("%s", names[i]);
    }
}

// Of a box of an array; threads do not change a sum.
static void
arrays(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(250, 20000); i > 0; i--) {
        struct scene s[2];
        struct number_type type;
        tess_params p;
        tess_statistics got[2];
        struct found want = {0};
        int64_t start[NDIM_MAX], stop[NDIM_MAX], count[NDIM_MAX], at[NDIM_MAX] = {0};
        const uint64_t seed = random_next(&r);
        const char *const name = types[random_below(&r, TYPES)];
        const enum scene_items items = (enum scene_items)random_below(&r, 3);
        init(&type, name);
        scene_params(&r, 3, &p);
        p.dtype = name;
        p.typesize = type.size;
        scene_box(&r, p.ndim, p.shape, start, stop);
        const int64_t n = scene_counts(p.ndim, start, stop, NULL, count);
        for (int k = 0; k < 2; k++) {
            tess_context c;
            struct random twin;
            random_init(&twin, seed);
            scene_context(&c, k == 0 ? 1 : 4, -1);
            scene_new(&s[k], &p, &c, items, &twin);
            ok(array_statistics(s[k].a, start, stop, n, &got[k], NULL, err));
        }
        do {
            int64_t index[NDIM_MAX];
            for (int k = 0; k < p.ndim; k++)
                index[k] = start[k] + at[k];
            find(&want, &type, scene_item(&s[0].ref, index));
        } while (scene_next(p.ndim, count, at));
        assert_true(memcmp(&got[0].sum, &got[1].sum, sizeof got[0].sum) == 0);
        assert_int_equal(got[0].count, n);
        assert_int_equal(got[0].nonfinite, want.nonfinite);
        assert_int_equal(got[0].min.kind, type.kind);
        if (type.kind == TESS_KIND_FLOAT) {
            if (want.nonfinite == n) {
                assert_true(isnan(got[0].min.f) && isnan(got[0].mean));
            } else {
                assert_true((long double)got[0].min.f == want.fmin);
                assert_true((long double)got[0].max.f == want.fmax);
            }
        } else {
            const double sum = int128_to_double(want.sum);
            if (type.kind == TESS_KIND_INT) {
                assert_true(int128_is_equal(int128_of(got[0].min.i), want.min));
                assert_true(int128_is_equal(int128_of(got[0].max.i), want.max));
                assert_int_equal(got[0].exact, int128_fits_i64(want.sum));
            } else {
                assert_true(int128_is_equal(int128_of_u64(got[0].min.u), want.min));
                assert_true(int128_is_equal(int128_of_u64(got[0].max.u), want.max));
            }
            if (got[0].exact)
                assert_true(int128_is_equal(int128_of(got[0].integer), want.sum));
            assert_true(got[0].sum == sum);
            assert_true(fabs(got[0].mean - sum / (double)n) <= 1e-15 * fabs(got[0].mean));
        }
        for (int k = 0; k < 2; k++)
            scene_close(&s[k]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),     cmocka_unit_test(nonfinite),  cmocka_unit_test(lost),
        cmocka_unit_test(only_nans), cmocka_unit_test(no_numbers), cmocka_unit_test(arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
