/*
 * additions.c - numbers added to points, against a loop over them.
 *
 * Random arrays of all types, and slices of them, with points that are repeated: case i is drawn
 * from the seed plus i alone, so TESS_TEST_SEED with the number that a failure prints and
 * TESS_TEST_CASES=1 repeat it. And threads that add to the same items at once.
 */
#include "support/draw.h"
#include "support/files.h"
#include "support/native.h"

#include <tessera.h>

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

__extension__ typedef __int128 wide;

static const struct type {
    const char *dtype;
    char kind;
    int size;
} types[] = {
    {"|b1", 'b', 1}, {"|i1", 'i', 1}, {"|u1", 'u', 1}, {"<i2", 'i', 2},   {">i2", 'i', 2},
    {"<u2", 'u', 2}, {">u2", 'u', 2}, {"<i4", 'i', 4}, {">i4", 'i', 4},   {"<u4", 'u', 4},
    {">u4", 'u', 4}, {"<i8", 'i', 8}, {">i8", 'i', 8}, {"<u8", 'u', 8},   {">u8", 'u', 8},
    {"<f2", 'f', 2}, {">f2", 'f', 2}, {"<f4", 'f', 4}, {">f4", 'f', 4},   {"<f8", 'f', 8},
    {">f8", 'f', 8}, {"<c8", 'c', 8}, {">c8", 'c', 8}, {"<c16", 'c', 16}, {">c16", 'c', 16},
};
enum { TYPES = sizeof types / sizeof *types, POINTS_MAX = 400, ITEMS_MAX = 3000 };

static const struct draw_limits limits = {.bytes = 16 * ITEMS_MAX, .chunks = 1500};

// -- items as bits

static uint64_t
get_bits(const struct type *t, const uint8_t *at, int size)
{
    uint64_t bits = 0;
    for (int k = 0; k < size; k++)
        bits |= (uint64_t)at[t->dtype[0] == '>' ? size - 1 - k : k] << 8 * k;
    return bits;
}

static void
put_bits(const struct type *t, uint8_t *at, int size, uint64_t bits)
{
    for (int k = 0; k < size; k++)
        at[t->dtype[0] == '>' ? size - 1 - k : k] = (uint8_t)(bits >> 8 * k);
}

static wide
whole_of(const struct type *t, const uint8_t *at)
{
    const uint64_t bits = get_bits(t, at, t->size);
    const bool negative = t->kind == 'i' && bits >> (8 * t->size - 1) != 0;
    return (wide)bits - (negative ? (wide)1 << 8 * t->size : 0);
}

// Halves that are whole numbers; sums beyond 2048 are rounded to the nearest, of two the even one.
static double
half_value(uint64_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double sign = bits >> 15 ? -1 : 1;
    return exponent == 0 ? 0
                         : sign * (double)(1024 + (bits & 1023)) * (double)(1 << exponent) /
                               (double)(1 << 25);
}

static uint64_t
half_bits(double x)
{
    uint64_t sign = x < 0 ? 1 << 15 : 0;
    int exponent = 25;
    x = x < 0 ? -x : x;
    if (x == 0)
        return 0;
    for (; x < 1024; x *= 2)
        exponent--;
    for (; x >= 2048; x /= 2)
        exponent++;
    uint64_t whole = (uint64_t)x;
    const double rest = x - (double)whole;
    whole += rest > 0.5 || (rest == 0.5 && whole % 2 == 1);
    return sign | (((uint64_t)exponent << 10) + (whole - 1024)); // 2048: the next exponent
}

static void
add_float(const struct type *t, uint8_t *at, const uint8_t *src, int size)
{
    if (size == 2) {
        put_bits(t, at, 2,
                 half_bits(half_value(get_bits(t, at, 2)) + half_value(get_bits(t, src, 2))));
    } else if (size == 4) {
        const uint32_t a = (uint32_t)get_bits(t, at, 4), b = (uint32_t)get_bits(t, src, 4);
        float x, y;
        uint32_t sum;
        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        x += y;
        memcpy(&sum, &x, 4);
        put_bits(t, at, 4, sum);
    } else {
        const uint64_t a = get_bits(t, at, 8), b = get_bits(t, src, 8);
        double x, y;
        uint64_t sum;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        x += y;
        memcpy(&sum, &x, 8);
        put_bits(t, at, 8, sum);
    }
}

// false: it does not fit, and that is an error.
static bool
add_item(const struct type *t, int misfit, uint8_t *at, const uint8_t *src)
{
    if (t->kind == 'b') {
        *at = *at || *src;
    } else if (t->kind == 'f') {
        add_float(t, at, src, t->size);
    } else if (t->kind == 'c') {
        add_float(t, at, src, t->size / 2);
        add_float(t, at + t->size / 2, src + t->size / 2, t->size / 2);
    } else {
        const wide least = t->kind == 'i' ? -((wide)1 << (8 * t->size - 1)) : 0;
        const wide most = least + ((wide)1 << 8 * t->size) - 1;
        wide sum = whole_of(t, at) + whole_of(t, src);
        if ((sum < least || sum > most) && misfit == TESS_MISFIT_ERROR)
            return false;
        if (misfit == TESS_MISFIT_SATURATE)
            sum = sum < least ? least : sum > most ? most : sum;
        put_bits(t, at, t->size, (uint64_t)sum);
    }
    return true;
}

static void
draw_item(struct random *r, const struct type *t, uint8_t *item)
{
    const int parts = t->kind == 'c' ? 2 : 1, size = t->size / parts;
    if (t->kind != 'f' && t->kind != 'c') { // mostly small: sums of many fit, at times
        const uint64_t bits = random_next(r) >> (below(r, 3) ? 8 * (8 - t->size) + 7 : 0);
        put_bits(t, item, size, below(r, 2) || t->kind == 'u' ? bits : 0 - bits);
        return;
    }
    for (int k = 0; k < parts; k++) {
        const double x = size == 2 ? (double)below(r, 9) - 4 : ((double)below(r, 2001) - 1000) / 7;
        const float narrow = (float)x;
        uint64_t bits = half_bits(x);
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        if (size == 8)
            memcpy(&bits, &x, sizeof bits);
        put_bits(t, item + k * size, size, size == 4 ? narrow_bits : bits);
    }
}

static void
draw_numbers(struct random *r, const struct type *t, uint8_t *items, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        draw_item(r, t, items + i * t->size);
}

// -- random arrays

struct subject {
    const struct type *type;
    tess_array *a, *view; // the same, or a slice of it
    struct reference ref;
    int64_t start[TESS_MAX_NDIM], shape[TESS_MAX_NDIM]; // of the view
};

static void
make_subject(struct random *r, struct subject *s)
{
    const int ndim = (int)below(r, 4);
    int64_t shape[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    tess_storage storage;
    tess_context context;
    tess_params p;

    s->type = &types[below(r, TYPES)];
    draw_context(r, &context);
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&p);
    p.dtype = s->type->dtype;
    p.ndim = ndim;
    draw_shape(r, ndim, ITEMS_MAX, shape);
    draw_grid(r, &limits, shape, &p);
    for (int i = 0; i < ndim; i++) {
        p.shape[i] = shape[i];
        s->start[i] = below(r, p.shape[i]);
        stop[i] = s->start[i] + 1 + below(r, p.shape[i] - s->start[i]);
    }
    reference_init(&s->ref, ndim, shape, (size_t)s->type->size);
    const int64_t n = reference_nitems(ndim, shape);
    if (below(r, 4))
        draw_numbers(r, s->type, s->ref.data, n);
    else
        memset(s->ref.data, 0, (size_t)(n * s->type->size));
    ok(tess_array_from(&storage, &p, s->ref.data, (size_t)(n * s->type->size), &s->a, err));
    s->view = s->a;
    if (below(r, 3) == 0)
        ok(tess_array_view_slice(s->a, s->start, stop, NULL, &s->view, err));
    for (int i = 0; i < ndim; i++) {
        s->shape[i] = s->view == s->a ? shape[i] : stop[i] - s->start[i];
        s->start[i] = s->view == s->a ? 0 : s->start[i];
    }
}

static void
close_subject(struct subject *s)
{
    if (s->view != s->a)
        ok(tess_array_close(s->view, err));
    ok(tess_array_close(s->a, err));
    reference_finish(&s->ref);
}

static uint8_t *
item_of(const struct subject *s, const int64_t *index)
{
    int64_t at = 0;
    for (int i = 0; i < s->ref.ndim; i++)
        at = at * s->ref.shape[i] + s->start[i] + index[i];
    return s->ref.data + at * s->type->size;
}

static void
add_once(struct random *r, struct subject *s, int64_t *refusals)
{
    int64_t coords[TESS_MAX_NDIM * POINTS_MAX];
    uint8_t src[16 * POINTS_MAX + 16];
    const int64_t n = below(r, below(r, 2) ? POINTS_MAX : 6);
    const int64_t near = 1 + below(r, 30);
    const bool same = below(r, 3) == 0;
    const size_t size = (size_t)s->type->size * (same ? 1 : (size_t)n + (size_t)below(r, 2));
    const size_t nbytes = (size_t)(reference_nitems(s->ref.ndim, s->ref.shape) * s->type->size);
    tess_add_options o;
    bool fits = true;
    tess_error err = {0};

    tess_add_options_init(&o);
    o.misfit = (int)below(r, 3);
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; i < s->ref.ndim; i++)
            coords[k * s->ref.ndim + i] = below(r, s->shape[i] < near ? s->shape[i] : near);
    draw_numbers(r, s->type, src, POINTS_MAX + 1);
    uint8_t *const before = malloc(nbytes);
    assert_non_null(before);
    memcpy(before, s->ref.data, nbytes);
    const bool one = size == (size_t)s->type->size;
    for (int64_t k = 0; k < n; k++)
        fits &= add_item(s->type, o.misfit, item_of(s, coords + k * s->ref.ndim),
                         src + (one ? 0 : k * s->type->size));
    const tess_add_options *const options =
        o.misfit == TESS_MISFIT_ERROR && below(r, 2) ? NULL : &o;
    const tess_status st = tess_array_add_points(s->view, n, coords, src, size, options, &err);
    if (!fits) {
        memcpy(s->ref.data, before, nbytes);
        assert_int_equal(st, TESS_ERR_LIMIT);
        assert_non_null(strstr(err.message, "does not fit in"));
        ++*refusals;
    } else if (st != TESS_OK) {
        fail_msg("%s", err.message);
    }
    free(before);
}

static void
random_additions(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t cases = random_cases(3000, 200000);
    int64_t refusals = 0;
    (void)state;
    for (int64_t i = 0; i < cases; i++) {
        struct random r;
        struct subject s = {0};
        random_init(&r, seed + (uint64_t)i);
        make_subject(&r, &s);
        for (int64_t k = 1 + below(&r, 4); k > 0; k--) {
            add_once(&r, &s, &refusals);
            if (below(&r, 2))
                check_array(s.a, &s.ref);
            if (below(&r, 4) == 0)
                ok(tess_array_flush(s.a, err));
        }
        check_array(s.a, &s.ref);
        close_subject(&s);
    }
    assert_true(refusals > cases / 50);
}

// -- what is refused

static tess_array *
line(const char *dtype, int64_t n, int64_t cache)
{
    tess_storage storage;
    tess_context context;
    tess_params p;
    tess_array *a = NULL;
    tess_context_init(&context);
    context.cache = cache;
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = 1;
    p.shape[0] = n;
    p.chunkshape[0] = 100;
    p.blockshape[0] = 10;
    ok(tess_array_zeros(&storage, &p, &a, err));
    return a;
}

static void
refusals(void **state)
{
    const int64_t coords[] = {3, 999, 3, 500};
    const int64_t beyond[] = {3, 1000};
    const int16_t src[] = {1, 2, 3, 4};
    tess_add_options o;
    tess_array *view = NULL;
    tess_array *const a = line(NATIVE "i2", 1000, 1 << 20);
    (void)state;
    tess_add_options_init(&o);
    refused(TESS_ERR_ARG, tess_array_add_points(NULL, 4, coords, src, 8, NULL, err));
    refused(TESS_ERR_ARG, tess_array_add_points(a, -1, coords, src, 8, NULL, err));
    refused(TESS_ERR_ARG, tess_array_add_points(a, 4, NULL, src, 8, NULL, err));
    refused(TESS_ERR_ARG, tess_array_add_points(a, 4, coords, NULL, 8, NULL, err));
    refused(TESS_ERR_ARG, tess_array_add_points(a, 4, coords, NULL, 2, NULL, err));
    refused(TESS_ERR_ARG, tess_array_add_points(a, 4, coords, src, 6, NULL, err));
    refused(TESS_ERR_ARG, tess_array_add_points(a, 4, coords, src, 1, NULL, err));
    refused(TESS_ERR_ARG, tess_array_add_points(a, 2, beyond, src, 8, NULL, err));
    o.misfit = 3;
    refused(TESS_ERR_ARG, tess_array_add_points(a, 4, coords, src, 8, &o, err));
    o.misfit = 0;
    o.reserved = 1;
    refused(TESS_ERR_ARG, tess_array_add_points(a, 4, coords, src, 8, &o, err));
    ok(tess_array_add_points(a, 0, NULL, NULL, 0, NULL, err));
    ok(tess_array_view_read_only(a, &view, err));
    refused(TESS_ERR_ARG, tess_array_add_points(view, 4, coords, src, 8, NULL, err));
    ok(tess_array_close(view, err));
    ok(tess_array_close(a, err));
    static const char *const others[] = {"|V2", "|S2", "<M8[s]", "<m8[s]", "<U1"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const int64_t zeros[8] = {0};
        tess_array *const b = line(others[i], 1000, 1 << 20);
        refused(TESS_ERR_UNSUPPORTED, tess_array_add_points(b, 4, coords, zeros, 64, NULL, err));
        ok(tess_array_close(b, err));
    }
}

// The message says which point, where it is, and what does not fit.
static void
misfit_is_told(void **state)
{
    const int64_t coords[] = {3, 999, 3, 500};
    const uint8_t src[] = {200, 1, 100, 1};
    (void)state;
    for (int k = 0; k < 2; k++) {
        uint8_t items[1000];
        const int64_t start = 0, stop = 1000;
        tess_error why;
        tess_array *const a = line("|u1", 1000, k * (1 << 20));
        assert_int_equal(tess_array_add_points(a, 4, coords, src, 4, NULL, &why), TESS_ERR_LIMIT);
        assert_string_equal(why.message, "point 2, item [3]: 200 + 100 does not fit in |u1");
        ok(tess_array_read(a, &start, &stop, items, sizeof items, err));
        for (int i = 0; i < 1000; i++)
            assert_int_equal(items[i], 0);
        ok(tess_array_close(a, err));
    }
}

// -- threads

enum { THREADS = 4, CALLS = 60, EVENTS = 40, BINS = 1000 };

struct counter {
    pthread_t thread;
    tess_array *a;
    struct random random;
    int32_t counts[BINS];
    tess_status status;
};

static void *
count(void *arg)
{
    struct counter *const c = arg;
    const int32_t one = 1;
    int64_t coords[EVENTS];
    for (int k = 0; k < CALLS && c->status == TESS_OK; k++) {
        const int64_t first = below(&c->random, BINS), width = below(&c->random, 2) ? 30 : BINS;
        for (int i = 0; i < EVENTS; i++) {
            coords[i] = (first + below(&c->random, width)) % BINS;
            c->counts[coords[i]]++;
        }
        c->status = tess_array_add_points(c->a, EVENTS, coords, &one, sizeof one, NULL, NULL);
    }
    return NULL;
}

static void
threads_lose_nothing(void **state)
{
    static const int64_t caches[] = {0, 1000, 3000, 1 << 20};
    const uint64_t seed = random_seed();
    (void)state;
    for (int64_t i = 0; i < random_cases(40, 2000); i++) {
        static struct counter counters[THREADS];
        int32_t items[BINS];
        const int64_t start = 0, stop = BINS;
        tess_array *const a = line(NATIVE "i4", BINS, caches[i % 4]);
        memset(counters, 0, sizeof counters);
        for (int k = 0; k < THREADS; k++) {
            counters[k].a = a;
            random_init(&counters[k].random, seed + (uint64_t)(i * THREADS + k));
            assert_int_equal(pthread_create(&counters[k].thread, NULL, count, &counters[k]), 0);
        }
        for (int k = 0; k < THREADS; k++) {
            assert_int_equal(pthread_join(counters[k].thread, NULL), 0);
            assert_int_equal(counters[k].status, TESS_OK);
        }
        ok(tess_array_read(a, &start, &stop, items, sizeof items, err));
        for (int k = 0; k < BINS; k++) {
            int32_t sum = 0;
            for (int t = 0; t < THREADS; t++)
                sum += counters[t].counts[k];
            assert_int_equal(items[k], sum);
        }
        ok(tess_array_close(a, err));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_additions),
        cmocka_unit_test(refusals),
        cmocka_unit_test(misfit_is_told),
        cmocka_unit_test(threads_lose_nothing),
    };
    return cmocka_run_group_tests_name("additions", tests, NULL, NULL);
}
