/*
 * compare.c - comparisons of random arrays into masks, against a loop over all items.
 *
 * Case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the number that a failure
 * prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 */
#include "support/cells.h"
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES_SHORT = 300, CASES_LONG = 30000 };

static uint64_t running; // the seed of the case that runs

static const char *const names[] = {"==", "!=", "<", "<=", ">", ">="};

// -1, 0, 1; 2: one is NaN. long double holds all integers of 64 bits, and all doubles.
static int
order_of(const struct number *x, const struct number *y)
{
    if (!x->is_real && !y->is_real)
        return x->whole < y->whole ? -1 : x->whole > y->whole;
    const long double a = number_real(x), b = number_real(y);
    return isnan(a) || isnan(b) ? 2 : a < b ? -1 : a > b;
}

static bool
holds(int order, tess_comparison op)
{
    switch (op) {
    case TESS_COMPARE_EQ:
        return order == 0;
    case TESS_COMPARE_NE:
        return order != 0;
    case TESS_COMPARE_LT:
        return order == -1;
    case TESS_COMPARE_LE:
        return order == -1 || order == 0;
    case TESS_COMPARE_GT:
        return order == 1;
    case TESS_COMPARE_GE:
        return order == 1 || order == 0;
    }
    return false;
}

// The mask has that shape and these items. It is closed.
static void
check_mask(tess_array *mask, int ndim, const int64_t *shape, const uint8_t *want, const char *what)
{
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    tess_info info;
    tess_array_info(mask, &info);
    assert_int_equal(info.ndim, ndim);
    assert_string_equal(info.dtype, "|b1");
    for (int i = 0; i < ndim; i++)
        assert_int_equal(info.shape[i], shape[i]);
    uint8_t *const got = malloc((size_t)info.nitems + 1);
    assert_non_null(got);
    ok(tess_array_read(mask, zeros, info.shape, got, (size_t)info.nitems, err));
    for (int64_t k = 0; k < info.nitems; k++)
        if (got[k] != want[k])
            fail_msg("seed %" PRIu64 ", %s: item %" PRId64 " is %d", running, what, k, got[k]);
    free(got);
    ok(tess_array_close(mask, err));
}

static struct number
item_at(const struct subject *s, int64_t k)
{
    return number_of(&s->dtype, s->items + k * s->dtype.size);
}

// -- with a number

static tess_number
draw_number(struct random *r, const struct subject *s, struct number *same)
{
    static const double doubles[] = {
        0,     -0.0,   0.5,      -0.5,          1e300,     -1e300,          INFINITY, -INFINITY,
        NAN,   0x1p63, -0x1p63,  0x1p64,        0x1p53,    0x1.fffffep127,  1e-320,   0.1,
        65535, 2.5,    -0x1p-24, -128.00000001, 1.0 / 3.0, 9007199254740992};
    static const int64_t ints[] = {
        INT64_MIN,        INT64_MAX, 0, 1, -1, 127, 128, -129, 65535, INT64_C(9007199254740993),
        INT64_C(16777217)};
    static const uint64_t uints[] = {UINT64_MAX, UINT64_C(1) << 63, 0, 1, 255, UINT32_MAX};
    tess_number x = {.kind = TESS_KIND_FLOAT};
    const struct number item = s->nitems > 0
                                   ? item_at(s, (int64_t)random_below(r, (uint64_t)s->nitems))
                                   : (struct number){0};
    *same = (struct number){0};
    switch (random_below(r, 5)) {
    case 0: // an item, or one close to it
    case 1:
        if (item.is_real) {
            x.f = (double)item.real;
            if (random_below(r, 2))
                x.f = nextafter(x.f, random_below(r, 2) ? INFINITY : -INFINITY);
        } else if (item.whole > INT64_MAX) {
            x.kind = TESS_KIND_UINT;
            x.u = (uint64_t)item.whole;
        } else {
            x.kind = TESS_KIND_INT;
            x.i = (int64_t)item.whole;
        }
        break;
    case 2:
        x.f = doubles[random_below(r, sizeof doubles / sizeof *doubles)];
        break;
    case 3:
        x.kind = TESS_KIND_INT;
        x.i = ints[random_below(r, sizeof ints / sizeof *ints)];
        break;
    default:
        x.kind = TESS_KIND_UINT;
        x.u = uints[random_below(r, sizeof uints / sizeof *uints)];
    }
    same->is_real = x.kind == TESS_KIND_FLOAT;
    same->real = x.f;
    same->whole = x.kind == TESS_KIND_INT ? (wide)x.i : (wide)x.u;
    return x;
}

static void
draw_mask_params(struct random *r, tess_storage *storage, tess_params *params)
{
    tess_storage_init(storage);
    tess_params_init(params);
    for (int i = 0; i < TESS_MAX_NDIM && random_below(r, 2) == 0; i++)
        params->chunkshape[i] = params->blockshape[i] = 3;
    if (params->chunkshape[0] != 0)
        for (int i = 0; i < TESS_MAX_NDIM; i++)
            params->chunkshape[i] = params->blockshape[i] = 3;
}

static void
check_numbers(struct random *r, const struct subject *s)
{
    uint8_t *const want = malloc((size_t)s->nitems + 1);
    struct number x, y;
    tess_storage storage;
    tess_params params;
    tess_array *mask;
    assert_non_null(want);
    for (int op = TESS_COMPARE_EQ; op <= TESS_COMPARE_GE; op++) {
        const tess_number value = draw_number(r, s, &x);
        draw_mask_params(r, &storage, &params);
        for (int64_t k = 0; k < s->nitems; k++) {
            const struct number item = item_at(s, k);
            want[k] = holds(order_of(&item, &x), (tess_comparison)op);
        }
        ok(tess_array_compare(s->a, (tess_comparison)op, &value, &storage, &params, &mask, err));
        check_mask(mask, s->ndim, s->shape, want, names[op]);
    }
    const tess_number least = draw_number(r, s, &x), most = draw_number(r, s, &y);
    for (int64_t k = 0; k < s->nitems; k++) {
        const struct number item = item_at(s, k);
        want[k] = holds(order_of(&item, &x), TESS_COMPARE_GE) &&
                  holds(order_of(&item, &y), TESS_COMPARE_LE);
    }
    ok(tess_array_between(s->a, &least, &most, &storage, NULL, &mask, err));
    check_mask(mask, s->ndim, s->shape, want, "between");
    for (int64_t k = 0; k < s->nitems; k++) {
        const struct number item = item_at(s, k);
        want[k] = item.is_real && isnan(item.real);
    }
    ok(tess_array_is_nan(s->a, &storage, &params, &mask, err));
    check_mask(mask, s->ndim, s->shape, want, "is NaN");
    free(want);
}

static void
numbers_are_compared_as_by_a_loop(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t cases = random_cases(CASES_SHORT, CASES_LONG);
    (void)state;
    for (int64_t i = 0; i < cases; i++) {
        struct subject s;
        struct random r;
        running = seed + (uint64_t)i;
        random_init(&r, running);
        subject_open(&s, &r);
        check_numbers(&r, &s);
        subject_close(&s);
    }
}

// -- with another array

// An array of numbers close to those of another one, some of its axes of length 1 or left out.
struct partner {
    tess_array *a;
    tess_dtype dtype;
    uint8_t *items;
    int first;
    int64_t shape[TESS_MAX_NDIM];
};

static void
partner_open(struct partner *p, struct random *r, const struct subject *s)
{
    static const char *const dtypes[] = {"|b1", "|i1", "<i2", ">i4", "<i8", ">i8",
                                         "|u1", ">u2", "<u4", "<u8", ">u8", "<f2",
                                         ">f2", "<f4", ">f4", "<f8", ">f8"};
    tess_storage storage;
    tess_params params;
    tess_info info;
    size_t n = 1;
    tess_array_info(s->a, &info);
    tess_storage_init(&storage);
    tess_params_init(&params);
    const bool same = random_below(r, 3) == 0;
    params.dtype = same ? info.dtype : dtypes[random_below(r, sizeof dtypes / sizeof *dtypes)];
    p->dtype = tess_dtype_parse(params.dtype);
    p->first = random_below(r, 3) == 0 ? (int)random_below(r, (uint64_t)s->ndim + 1) : 0;
    params.ndim = s->ndim - p->first;
    for (int i = 0; i < params.ndim; i++) {
        p->shape[i] = params.shape[i] = random_below(r, 4) == 0 ? 1 : s->shape[i + p->first];
        n *= (size_t)p->shape[i];
    }
    const size_t size = (size_t)p->dtype.size;
    p->items = malloc(n * size + 1);
    assert_non_null(p->items);
    random_bytes(r, p->items, n * size);
    for (size_t k = 0; k < n && s->nitems > 0; k++) {
        const int64_t from = (int64_t)random_below(r, (uint64_t)s->nitems);
        if (same && random_below(r, 2))
            memcpy(p->items + k * size, s->items + (size_t)from * size, size);
        else if (random_below(r, 3) == 0)
            memset(p->items + k * size, random_below(r, 2) ? 0 : 255, size);
    }
    ok(tess_array_from(&storage, &params, p->items, n * size, &p->a, err));
}

static struct number
partner_item(const struct partner *p, const struct subject *s, int64_t k)
{
    int64_t index[TESS_MAX_NDIM], at = 0;
    for (int i = s->ndim - 1; i >= 0; i--) {
        index[i] = k % s->shape[i];
        k /= s->shape[i];
    }
    for (int i = p->first; i < s->ndim; i++)
        at = at * p->shape[i - p->first] + (p->shape[i - p->first] == 1 ? 0 : index[i]);
    return number_of(&p->dtype, p->items + at * p->dtype.size);
}

static bool
is_true(const struct number *x)
{
    return x->is_real ? x->real != 0 : x->whole != 0;
}

static bool
combined(bool x, bool y, tess_logic op)
{
    switch (op) {
    case TESS_LOGIC_AND:
        return x && y;
    case TESS_LOGIC_OR:
        return x || y;
    case TESS_LOGIC_XOR:
        return x != y;
    case TESS_LOGIC_AND_NOT:
        return x && !y;
    case TESS_LOGIC_NOT:
        return !x;
    }
    return false;
}

static void
check_partners(struct random *r, const struct subject *s, const struct partner *p)
{
    uint8_t *const want = malloc((size_t)s->nitems + 1);
    tess_storage storage;
    tess_params params;
    tess_array *mask;
    assert_non_null(want);
    for (int op = TESS_COMPARE_EQ; op <= TESS_COMPARE_GE; op++) {
        const bool exchanged = random_below(r, 2);
        draw_mask_params(r, &storage, &params);
        for (int64_t k = 0; k < s->nitems; k++) {
            const struct number x = item_at(s, k), y = partner_item(p, s, k);
            want[k] = holds(exchanged ? order_of(&y, &x) : order_of(&x, &y), (tess_comparison)op);
        }
        ok(tess_array_compare_arrays(exchanged ? p->a : s->a, (tess_comparison)op,
                                     exchanged ? s->a : p->a, &storage, &params, &mask, err));
        check_mask(mask, s->ndim, s->shape, want, names[op]);
    }
    for (int op = TESS_LOGIC_AND; op <= TESS_LOGIC_NOT; op++) {
        for (int64_t k = 0; k < s->nitems; k++) {
            const struct number x = item_at(s, k), y = partner_item(p, s, k);
            want[k] = combined(is_true(&x), is_true(&y), (tess_logic)op);
        }
        ok(tess_array_logic(s->a, (tess_logic)op, op == TESS_LOGIC_NOT ? NULL : p->a, &storage,
                            NULL, &mask, err));
        check_mask(mask, s->ndim, s->shape, want, "logic");
    }
    free(want);
}

static void
arrays_are_compared_as_by_a_loop(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t cases = random_cases(CASES_SHORT, CASES_LONG);
    (void)state;
    for (int64_t i = 0; i < cases; i++) {
        struct subject s;
        struct partner p;
        struct random r;
        running = seed + (uint64_t)i;
        random_init(&r, running);
        subject_open(&s, &r);
        partner_open(&p, &r, &s);
        check_partners(&r, &s, &p);
        free(p.items);
        ok(tess_array_close(p.a, err));
        subject_close(&s);
    }
}

// -- what else there is

static tess_array *
array_of(const char *dtype, int64_t n, const void *items)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = dtype;
    params.ndim = 1;
    params.shape[0] = n;
    ok(tess_array_from(&storage, &params, items, (size_t)(n * tess_dtype_parse(dtype).size), &a,
                       err));
    return a;
}

static void
times_compare_as_counts_but_nat(void **state)
{
    const int64_t nat = INT64_MIN, items[] = {nat, -5, 3, 7}, others[] = {nat, -5, nat, 8};
    const int64_t shape[] = {4};
    const tess_number three = {.kind = TESS_KIND_INT, .i = 3};
    const tess_number nothing = {.kind = TESS_KIND_INT, .i = nat};
    tess_array *const a = array_of(NATIVE "M8[s]", 4, items),
                      *const b = array_of(NATIVE "M8[s]", 4, others),
                      *const c = array_of(NATIVE "M8[ms]", 4, others);
    tess_storage storage;
    tess_array *mask;
    (void)state;
    tess_storage_init(&storage);
    ok(tess_array_compare(a, TESS_COMPARE_LE, &three, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){0, 1, 1, 0}, "dates <= 3");
    ok(tess_array_compare(a, TESS_COMPARE_NE, &three, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){1, 1, 0, 1}, "dates != 3");
    ok(tess_array_compare(a, TESS_COMPARE_EQ, &nothing, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){0, 0, 0, 0}, "dates == NaT");
    ok(tess_array_compare(a, TESS_COMPARE_GE, &nothing, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){0, 0, 0, 0}, "dates >= NaT");
    ok(tess_array_is_nan(a, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){1, 0, 0, 0}, "NaT");
    ok(tess_array_compare_arrays(a, TESS_COMPARE_EQ, b, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){0, 1, 0, 0}, "dates ==");
    ok(tess_array_compare_arrays(a, TESS_COMPARE_NE, b, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){1, 0, 1, 1}, "dates !=");
    ok(tess_array_compare_arrays(a, TESS_COMPARE_LT, b, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){0, 0, 0, 1}, "dates <");
    refused(TESS_ERR_UNSUPPORTED,
            tess_array_compare_arrays(a, TESS_COMPARE_LT, c, &storage, NULL, &mask, err));
    ok(tess_array_close(a, err));
    ok(tess_array_close(b, err));
    ok(tess_array_close(c, err));
}

static void
other_items_are_equal_or_not(void **state)
{
    const int64_t shape[] = {3};
    const double x[] = {1, 0, NAN, 0, 0.0, 5}, y[] = {1, 0, NAN, 0, -0.0, 5};
    tess_array *const s = array_of("|S4", 3, "abc\0abd\0    "),
                      *const t = array_of("|S4", 3, "abc\0abc\0    "),
                      *const p = array_of(NATIVE "c16", 3, x),
                      *const q = array_of(NATIVE "c16", 3, y);
    tess_storage storage;
    tess_array *mask;
    (void)state;
    tess_storage_init(&storage);
    ok(tess_array_compare_arrays(s, TESS_COMPARE_EQ, t, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){1, 0, 1}, "strings");
    ok(tess_array_compare_arrays(s, TESS_COMPARE_NE, t, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){0, 1, 0}, "strings, not");
    ok(tess_array_compare_arrays(p, TESS_COMPARE_EQ, q, &storage, NULL, &mask, err));
    check_mask(mask, 1, shape, (const uint8_t[]){1, 0, 1}, "complex numbers");
    refused(TESS_ERR_UNSUPPORTED,
            tess_array_compare_arrays(s, TESS_COMPARE_LT, t, &storage, NULL, &mask, err));
    refused(TESS_ERR_UNSUPPORTED,
            tess_array_compare_arrays(s, TESS_COMPARE_EQ, p, &storage, NULL, &mask, err));
    refused(TESS_ERR_UNSUPPORTED,
            tess_array_logic(s, TESS_LOGIC_NOT, NULL, &storage, NULL, &mask, err));
    ok(tess_array_close(s, err));
    ok(tess_array_close(t, err));
    ok(tess_array_close(p, err));
    ok(tess_array_close(q, err));
}

static void
arguments_are_checked(void **state)
{
    const float items[] = {1, 2};
    const tess_number one = {.kind = TESS_KIND_INT, .i = 1}, text = {.kind = TESS_KIND_BYTES};
    tess_array *const a = array_of(NATIVE "f4", 2, items), *mask;
    const float more[] = {1, 2, 3};
    tess_array *const b = array_of(NATIVE "f4", 3, more);
    tess_storage storage;
    tess_params params;
    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&params);
    refused(TESS_ERR_ARG,
            tess_array_compare(a, (tess_comparison)6, &one, &storage, NULL, &mask, err));
    assert_null(mask);
    refused(TESS_ERR_ARG,
            tess_array_compare(a, TESS_COMPARE_EQ, &text, &storage, NULL, &mask, err));
    refused(TESS_ERR_ARG, tess_array_compare(a, TESS_COMPARE_EQ, NULL, &storage, NULL, &mask, err));
    refused(TESS_ERR_ARG,
            tess_array_compare(NULL, TESS_COMPARE_EQ, &one, &storage, NULL, &mask, err));
    refused(TESS_ERR_ARG, tess_array_compare(a, TESS_COMPARE_EQ, &one, &storage, NULL, NULL, err));
    refused(TESS_ERR_ARG,
            tess_array_compare_arrays(a, TESS_COMPARE_EQ, b, &storage, NULL, &mask, err));
    refused(TESS_ERR_ARG,
            tess_array_compare_arrays(a, TESS_COMPARE_EQ, NULL, &storage, NULL, &mask, err));
    refused(TESS_ERR_ARG, tess_array_logic(a, TESS_LOGIC_NOT, a, &storage, NULL, &mask, err));
    refused(TESS_ERR_ARG, tess_array_logic(a, (tess_logic)5, a, &storage, NULL, &mask, err));
    refused(TESS_ERR_ARG, tess_array_between(a, &one, NULL, &storage, NULL, &mask, err));
    params.dtype = "<f4";
    refused(TESS_ERR_ARG, tess_array_is_nan(a, &storage, &params, &mask, err));
    ok(tess_array_close(a, err));
    ok(tess_array_close(b, err));
}

// An array that no memory holds, of one value.
static void
what_is_not_stored_costs_nothing(void **state)
{
    const tess_number zero = {.kind = TESS_KIND_INT};
    const int64_t start[] = {123456, 654321}, stop[] = {123457, 654323};
    tess_storage storage;
    tess_params params;
    tess_array *a, *mask;
    uint8_t got[2];
    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = "<f8";
    params.ndim = 2;
    params.shape[0] = params.shape[1] = 1000000;
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(tess_array_compare(a, TESS_COMPARE_GE, &zero, &storage, NULL, &mask, err));
    ok(tess_array_read(mask, start, stop, got, sizeof got, err));
    assert_memory_equal(got, "\1\1", 2);
    ok(tess_array_close(mask, err));
    ok(tess_array_compare_arrays(a, TESS_COMPARE_LT, a, &storage, NULL, &mask, err));
    ok(tess_array_read(mask, start, stop, got, sizeof got, err));
    assert_memory_equal(got, "\0\0", 2);
    ok(tess_array_close(mask, err));
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_compare_as_counts_but_nat),
        cmocka_unit_test(other_items_are_equal_or_not),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(what_is_not_stored_costs_nothing),
        cmocka_unit_test(numbers_are_compared_as_by_a_loop),
        cmocka_unit_test(arrays_are_compared_as_by_a_loop),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
