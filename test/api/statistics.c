/*
 * statistics.c - counts, extremes and sums of arrays, against a loop over all items.
 */
#include "support/draw.h"
#include "support/files.h"
#include "support/native.h"

#include <tessera.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS_MAX = 5000, CASES_SHORT = 400, CASES_LONG = 50000 };

__extension__ typedef __int128 wide;

static const struct draw_limits limits = {
    .ndim = 4, .items = ITEMS_MAX, .bytes = 8 * ITEMS_MAX, .chunks = 1000};

static uint64_t running; // the seed of the case that runs

static const char *const dtypes[] = {"|b1", "|i1", "<i2", ">i2", "<i4", ">i4", "<i8",
                                     ">i8", "|u1", "<u2", ">u2", "<u4", ">u4", "<u8",
                                     ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

// -- the slow way

struct expected {
    tess_dtype dtype;
    int64_t count, nonfinite;
    int64_t min_i, max_i;
    uint64_t min_u, max_u;
    double min_f, max_f;
    wide sum;
    long double sum_f, sum_abs;
};

static uint64_t
bits_of(const tess_dtype *dtype, const uint8_t *item)
{
    uint64_t bits = 0;
    for (int32_t k = 0; k < dtype->size; k++)
        bits = bits << 8 | item[dtype->order == '>' ? k : dtype->size - 1 - k];
    return bits;
}

static double
half(uint64_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = (double)(bits & 1023);
    const double x = exponent == 31  ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                     : exponent == 0 ? ldexp(fraction, -24)
                                     : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -x : x;
}

static double
float_of(const tess_dtype *dtype, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float f;
    double d;
    if (dtype->size == 2)
        return half(bits);
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return dtype->size == 4 ? (double)f : d;
}

static void
expect_item(struct expected *e, const uint8_t *item)
{
    const uint64_t bits = bits_of(&e->dtype, item);
    const int unused = 64 - 8 * e->dtype.size;
    const int64_t i = (int64_t)(bits << unused) >> unused;
    const uint64_t u = e->dtype.kind == TESS_KIND_BOOL ? bits != 0 : bits;
    const double f = e->dtype.kind == TESS_KIND_FLOAT ? float_of(&e->dtype, bits) : 0;
    const bool first = e->count == e->nonfinite;

    e->count++;
    if (!isfinite(f)) {
        e->nonfinite++;
        return;
    }
    e->min_i = first || i < e->min_i ? i : e->min_i;
    e->max_i = first || i > e->max_i ? i : e->max_i;
    e->min_u = first || u < e->min_u ? u : e->min_u;
    e->max_u = first || u > e->max_u ? u : e->max_u;
    e->min_f = first || f < e->min_f ? f : e->min_f;
    e->max_f = first || f > e->max_f ? f : e->max_f;
    e->sum += e->dtype.kind == TESS_KIND_INT ? (wide)i : (wide)u;
    e->sum_f += f;
    e->sum_abs += fabs(f);
}

static void
expect(struct expected *e, const char *dtype, const struct reference *ref, const int64_t *start,
       const int64_t *stop)
{
    const size_t size = reference_box_size(ref, start, stop);
    uint8_t *const items = malloc(size + 1);
    assert_non_null(items);
    memset(e, 0, sizeof *e);
    e->dtype = tess_dtype_parse(dtype);
    reference_get(ref, start, stop, items);
    for (size_t at = 0; at < size; at += ref->typesize)
        expect_item(e, items + at);
    free(items);
}

static void
check_floats(const struct expected *e, const tess_statistics *s, const char *what)
{
    const long double n = (long double)(e->count - e->nonfinite);
    const long double allowed = 5 * (long double)DBL_EPSILON * e->sum_abs;
    if (s->min.kind != TESS_KIND_FLOAT || s->max.kind != TESS_KIND_FLOAT || s->exact)
        fail_msg("%s, seed %" PRIu64 ": kinds", what, running);
    if (n == 0) {
        assert_true(isnan(s->min.f) && isnan(s->max.f) && isnan(s->mean) && s->sum == 0);
        return;
    }
    if (s->min.f != e->min_f || s->max.f != e->max_f)
        fail_msg("%s, seed %" PRIu64 ": %g to %g, not %g to %g", what, running, s->min.f, s->max.f,
                 e->min_f, e->max_f);
    if (e->sum_abs >= (long double)DBL_MAX / 2) // it may be anything
        return;
    if (fabsl(s->sum - e->sum_f) > allowed || fabsl(s->mean - e->sum_f / n) > allowed / n * 2)
        fail_msg("%s, seed %" PRIu64 ": sum %g, not %Lg", what, running, s->sum, e->sum_f);
}

static void
check_integers(const struct expected *e, const tess_statistics *s, const char *what)
{
    const bool sign = e->dtype.kind == TESS_KIND_INT;
    const bool fits = e->sum >= INT64_MIN && e->sum <= INT64_MAX;
    bool right = s->min.kind == (sign ? TESS_KIND_INT : TESS_KIND_UINT);
    right &= s->max.kind == s->min.kind && s->nonfinite == 0;
    right &= sign ? s->min.i == e->min_i && s->max.i == e->max_i
                  : s->min.u == e->min_u && s->max.u == e->max_u;
    right &= s->exact == fits && s->integer == (fits ? (int64_t)e->sum : 0);
    right &= s->sum == (double)e->sum;
    right &= e->count == 0 ? isnan(s->mean) : s->mean == (double)e->sum / (double)e->count;
    if (!right)
        fail_msg("%s, seed %" PRIu64 ": sum %g, not %g, or extremes", what, running, s->sum,
                 (double)e->sum);
}

static void
check_box(const tess_array *a, const char *dtype, const struct reference *ref, const int64_t *start,
          const int64_t *stop, tess_statistics *s)
{
    struct expected e;
    memset(s, 0x5a, sizeof *s);
    ok(tess_array_statistics(a, start, stop, s, err));
    expect(&e, dtype, ref, start, stop);
    if (s->count != e.count || s->nonfinite != e.nonfinite)
        fail_msg("%s, seed %" PRIu64 ": %" PRId64 " items, %" PRId64 " not finite, not %" PRId64
                 " and %" PRId64,
                 dtype, running, s->count, s->nonfinite, e.count, e.nonfinite);
    if (e.dtype.kind == TESS_KIND_FLOAT)
        check_floats(&e, s, dtype);
    else
        check_integers(&e, s, dtype);
}

// -- random arrays

// Any bits, floats of a small range with some that are not finite, one number again and again.
static void
draw_numbers(struct random *r, const tess_dtype *dtype, uint8_t *dst, int64_t n)
{
    const int64_t style = below(r, 4);
    const uint64_t same = random_next(r);
    for (int64_t k = 0; k < n; k++, dst += dtype->size) {
        const double x = style == 2 && below(r, 50) == 0 ? (double)(below(r, 2) ? INFINITY : NAN)
                                                         : (double)below(r, 2000000) / 1000 - 1000;
        uint64_t bits = style == 0 ? random_next(r) : style == 3 ? same : (uint64_t)below(r, 200);
        const float f = (float)x;
        uint32_t f_bits;
        memcpy(&f_bits, &f, sizeof f_bits);
        if (dtype->kind == TESS_KIND_FLOAT && style % 3 != 0 && dtype->size == 8)
            memcpy(&bits, &x, sizeof bits);
        else if (dtype->kind == TESS_KIND_FLOAT && style % 3 != 0 && dtype->size == 4)
            bits = f_bits;
        for (int32_t j = 0; j < dtype->size && j < 8; j++)
            dst[dtype->order == '>' ? dtype->size - 1 - j : j] = (uint8_t)(bits >> 8 * j);
    }
}

// The same bytes in an array that may use so many threads.
static void
open_image(tess_array *a, int threads, tess_array **b)
{
    tess_storage storage;
    tess_context context;
    tess_context_init(&context);
    context.threads = threads;
    tess_storage_init(&storage);
    storage.context = &context;
    ok(tess_array_image(a, &storage.image, &storage.image_size, err));
    ok(tess_array_open(&storage, b, err));
}

static void
check_same(tess_array *a, const int64_t *start, const int64_t *stop)
{
    tess_statistics one, many;
    tess_array *b;
    open_image(a, 1, &b);
    ok(tess_array_statistics(b, start, stop, &one, err));
    ok(tess_array_close(b, err));
    open_image(a, 4, &b);
    ok(tess_array_statistics(b, start, stop, &many, err));
    ok(tess_array_close(b, err));
    assert_memory_equal(&one.sum, &many.sum, sizeof one.sum);
    assert_memory_equal(&one.mean, &many.mean, sizeof one.mean);
}

static void
write_numbers(struct random *r, tess_array *a, const tess_dtype *dtype, struct reference *ref)
{
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM] = {0};
    draw_box(r, ref->ndim, ref->shape, start, stop);
    const size_t size = reference_box_size(ref, start, stop);
    uint8_t *const items = malloc(size + 1);
    assert_non_null(items);
    draw_numbers(r, dtype, items, (int64_t)(size / ref->typesize));
    reference_set(ref, start, stop, items);
    ok(tess_array_write(a, start, stop, items, size, err));
    free(items);
}

static void
live(struct random *r)
{
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM] = {0};
    tess_params p;
    tess_storage storage;
    tess_context context;
    struct reference ref;
    tess_statistics s;
    tess_array *a;

    draw_params(r, &limits, dtypes[below(r, DTYPES)], &p);
    const tess_dtype dtype = tess_dtype_parse(p.dtype);
    draw_context(r, &context);
    tess_storage_init(&storage);
    storage.context = &context;
    reference_init(&ref, p.ndim, p.shape, (size_t)dtype.size);
    if (below(r, 2)) {
        uint8_t item[8];
        draw_numbers(r, &dtype, item, 1);
        reference_fill(&ref, item);
        ok(tess_array_full(&storage, &p, item, ref.typesize, &a, err));
    } else {
        ok(tess_array_zeros(&storage, &p, &a, err));
    }
    for (int i = 0; i < 4; i++) {
        draw_box(r, ref.ndim, ref.shape, start, stop);
        check_box(a, p.dtype, &ref, start, stop, &s);
        write_numbers(r, a, &dtype, &ref); // may wait in the cache
        draw_box(r, ref.ndim, ref.shape, start, stop);
        check_box(a, p.dtype, &ref, start, stop, &s);
    }
    check_same(a, start, stop);
    ok(tess_array_close(a, err));
    reference_finish(&ref);
}

static void
random_arrays(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(CASES_SHORT, CASES_LONG);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        struct random r;
        running = seed + (uint64_t)i;
        random_init(&r, running);
        live(&r);
    }
}

// -- many items

static tess_array *
vector(const char *dtype, int64_t n, int64_t chunk, const void *items, size_t size)
{
    tess_params p;
    tess_storage storage;
    tess_array *a;
    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = 1;
    p.shape[0] = n;
    p.chunkshape[0] = chunk;
    tess_storage_init(&storage);
    if (!items)
        ok(tess_array_zeros(&storage, &p, &a, err));
    else if (size == (size_t)tess_dtype_parse(dtype).size)
        ok(tess_array_full(&storage, &p, items, size, &a, err));
    else
        ok(tess_array_from(&storage, &p, items, size, &a, err));
    return a;
}

// Enough for threads to come. The sum is as it would be with one; it is accurate where adding one
// after the other is not.
static void
many_floats(void **state)
{
    enum { N = 3000000 };
    static double items[N];
    struct random r;
    tess_statistics s;
    long double want = 0, absolute = 0;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t k = 0; k < N; k++) {
        items[k] = ldexp((double)below(&r, 1 << 30) - (1 << 29), (int)below(&r, 60));
        want += items[k];
        absolute += fabs(items[k]);
    }
    tess_array *const a = vector(NATIVE "f8", N, 0, items, sizeof items);
    ok(tess_array_statistics(a, NULL, NULL, &s, err));
    assert_true(fabsl(s.sum - want) <= 5 * (long double)DBL_EPSILON * absolute);
    for (int i = 0; i < 3; i++)
        check_same(a, NULL, NULL);
    ok(tess_array_close(a, err));

    for (int64_t k = 0; k < N; k++)
        items[k] = 0.1;
    tess_array *const b = vector(NATIVE "f8", N, 0, items, sizeof items);
    ok(tess_array_statistics(b, NULL, NULL, &s, err));
    assert_true(fabs(s.sum - 300000.0) <= 5 * DBL_EPSILON * 300000.0 && s.min.f == 0.1 &&
                s.max.f == 0.1);
    ok(tess_array_close(b, err));
}

// What equal items lose adds up: it is always the same.
static void
equal_floats(void **state)
{
    enum { N = 1000 };
    static double items[N];
    struct random r;
    tess_statistics s;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 300; i++) {
        const double x = (double)random_next(&r) / 3;
        for (int k = 0; k < N; k++)
            items[k] = x;
        items[N - 1] = 0; // not a chunk of one value
        tess_array *const a = vector(NATIVE "f8", N, 0, items, sizeof items);
        ok(tess_array_statistics(a, NULL, NULL, &s, err));
        assert_true(fabsl(s.sum - (N - 1) * (long double)x) <= 5 * DBL_EPSILON * (N - 1) * x);
        ok(tess_array_close(a, err));
    }
}

// Chunks without stored items are not looked at, also where blocks wait to be written.
static void
terabyte(void **state)
{
    const int64_t n = (int64_t)1 << 40, at = n - 12345, behind = at + 1;
    tess_array *const a = vector("|u1", n, 1 << 28, NULL, 0);
    const uint8_t item = 200;
    tess_statistics s;
    (void)state;
    ok(tess_array_statistics(a, NULL, NULL, &s, err));
    assert_true(s.count == n && s.min.u == 0 && s.max.u == 0 && s.exact && s.integer == 0);
    ok(tess_array_write(a, &at, &behind, &item, 1, err));
    for (int i = 0; i < 2; i++) {
        ok(tess_array_statistics(a, NULL, NULL, &s, err));
        assert_true(s.count == n && s.max.u == 200 && s.exact && s.integer == 200);
        ok(tess_array_flush(a, err));
    }
    ok(tess_array_close(a, err));
}

// Sums that leave 64 bits, and products that leave the 53 of a double.
static void
large_sums(void **state)
{
    enum { N = 1000003 };
    const int64_t least = INT64_MIN;
    const uint64_t most = UINT64_MAX;
    const double third = 1.0 / 3, infinite = (double)INFINITY, huge = DBL_MAX;
    tess_statistics s;
    tess_array *a;
    (void)state;

    a = vector(NATIVE "i8", N, 1 << 16, &least, sizeof least);
    ok(tess_array_statistics(a, NULL, NULL, &s, err));
    assert_true(s.count == N && s.min.i == least && s.max.i == least && !s.exact);
    assert_true(s.sum == -0x1p63 * N && s.mean == -0x1p63 && s.integer == 0);
    ok(tess_array_close(a, err));

    a = vector(NATIVE "u8", N, 1 << 16, &most, sizeof most);
    ok(tess_array_statistics(a, NULL, NULL, &s, err));
    assert_true(s.min.u == most && !s.exact && s.sum == 0x1p64 * N);
    ok(tess_array_close(a, err));

    a = vector(NATIVE "f8", N, 1 << 16, &third, sizeof third);
    ok(tess_array_statistics(a, NULL, NULL, &s, err));
    assert_true(s.sum == (double)((long double)third * N) && s.nonfinite == 0);
    ok(tess_array_close(a, err));

    a = vector(NATIVE "f8", N, 1 << 16, &infinite, sizeof infinite);
    ok(tess_array_statistics(a, NULL, NULL, &s, err));
    assert_true(s.count == N && s.nonfinite == N && isnan(s.min.f) && s.sum == 0 && isnan(s.mean));
    ok(tess_array_close(a, err));

    a = vector(NATIVE "f8", N, 1 << 16, &huge, sizeof huge);
    ok(tess_array_statistics(a, NULL, NULL, &s, err));
    assert_true(s.nonfinite == 0 && s.min.f == huge && s.max.f == huge && isinf(s.sum));
    ok(tess_array_close(a, err));
}

// -- arguments

static void
refusals(void **state)
{
    static const char *const others[] = {"<c16", "|S8", "<M8[s]", "[('a', '<i4'), ('b', '<i4')]"};
    static const int64_t start[] = {3}, stop[] = {11};
    tess_statistics s;
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        tess_array *const a = vector(others[i], 10, 5, NULL, 0);
        refused(TESS_ERR_UNSUPPORTED, tess_array_statistics(a, NULL, NULL, &s, err));
        ok(tess_array_close(a, err));
    }
    tess_array *const a = vector("<i4", 10, 5, NULL, 0);
    refused(TESS_ERR_ARG, tess_array_statistics(NULL, NULL, NULL, &s, err));
    refused(TESS_ERR_ARG, tess_array_statistics(a, NULL, NULL, NULL, err));
    refused(TESS_ERR_ARG, tess_array_statistics(a, start, NULL, &s, err));
    refused(TESS_ERR_ARG, tess_array_statistics(a, start, stop, &s, err));
    ok(tess_array_statistics(a, start, start, &s, err));
    assert_true(s.count == 0 && s.exact && s.integer == 0 && s.min.i == 0 && isnan(s.mean));
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_arrays), cmocka_unit_test(many_floats),
        cmocka_unit_test(equal_floats),  cmocka_unit_test(terabyte),
        cmocka_unit_test(large_sums),    cmocka_unit_test(refusals),
    };

    (void)setenv("TESS_NUM_THREADS", "4", 0); // also where there are fewer CPUs
    return cmocka_run_group_tests(tests, NULL, NULL);
}
