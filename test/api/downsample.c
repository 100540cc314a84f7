/*
 * downsample.c - arrays of cells of arrays, against a loop over all items; and pyramids of them.
 *
 * Random arrays and views: case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the
 * number that a failure prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 */
#include "support/cells.h"
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"

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

enum { CASES_SHORT = 400, CASES_LONG = 30000 };

static uint64_t running; // the seed of the case that runs

static const char *const names[] = {"mean", "nearest", "min", "max", "mode"};

// The nearest integer, of two the even one.
static wide
near_quotient(wide sum, wide n)
{
    wide q = sum / n;
    q -= sum % n < 0;
    const wide rest = sum - q * n;
    return q + (2 * rest > n || (2 * rest == n && q % 2 != 0));
}

static bool
is_mean(const struct cell *c, const struct number *got, int32_t size)
{
    long double sum = 0, all = 0;
    wide whole = 0;
    for (int64_t k = 0; k < c->n; k++) {
        whole += c->items[k].whole;
        sum += c->items[k].real;
        all += fabsl(c->items[k].real);
    }
    if (!c->real)
        return got->whole == near_quotient(whole, c->n);
    const long double n = (long double)c->n, want = c->n > 0 ? sum / n : (long double)NAN;
    // Half a unit of the type, a bit more for what the double before it was; of small halves 2^-25.
    const long double half = size == 2 ? fmaxl(0x1p-11L * fabsl(want), 0x1p-25L)
                             : size == 4
                                 ? fmaxl((long double)FLT_EPSILON / 2 * fabsl(want), 0x1p-150L)
                                 : (long double)DBL_EPSILON * fabsl(want);
    if (size == 2 && fabsl(want) > 65500)
        return isinf(got->real) || fabsl(got->real - want) <= 32;
    return isnan(want)   ? isnan(got->real)
           : isinf(want) ? got->real == want
                         : fabsl(got->real - want) <=
                               half * 1.0001L + 10 * (long double)DBL_EPSILON * all / n;
}

static bool
is_extreme(const struct cell *c, const struct number *got, bool greatest)
{
    const struct number want = cell_extreme(c, greatest);
    return c->real ? (isnan(want.real) ? isnan(got->real) : got->real == want.real)
                   : got->whole == want.whole;
}

// The places of a cell's items.
static int64_t
places_of(const struct subject *s, const int64_t *factors, const int64_t *index, int64_t *places)
{
    int64_t n = 0;
    for (int64_t k = 0; k < s->nitems; k++) {
        bool inside = true;
        int64_t rest = k;
        for (int i = s->ndim - 1; i >= 0; i--) {
            inside &= rest % s->shape[i] / factors[i] == index[i];
            rest /= s->shape[i];
        }
        if (inside)
            places[n++] = k;
    }
    return n;
}

static bool
is_picked(const struct subject *s, const int64_t *factors, const int64_t *index, const uint8_t *got,
          bool mode)
{
    const size_t size = (size_t)s->dtype.size;
    int64_t *const places = malloc(((size_t)s->nitems + 1) * sizeof *places);
    assert_non_null(places);
    const int64_t n = places_of(s, factors, index, places);
    int64_t best = 0, most = 0;
    for (int64_t i = 0; i < n && mode; i++) {
        int64_t count = 0;
        for (int64_t k = 0; k < n; k++)
            count += memcmp(s->items + (size_t)places[i] * size,
                            s->items + (size_t)places[k] * size, size) == 0;
        if (count > most) {
            most = count;
            best = i;
        }
    }
    const bool same = memcmp(got, s->items + (size_t)places[best] * size, size) == 0;
    free(places);
    return same;
}

static void
check_downsampling(struct random *r, const struct subject *s, tess_downsampling op)
{
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    const bool picks = op == TESS_DOWNSAMPLE_NEAREST || op == TESS_DOWNSAMPLE_MODE;
    int64_t factors[TESS_MAX_NDIM], index[TESS_MAX_NDIM], at = 0;
    tess_downsample_options o;
    struct cells_walk w;
    tess_storage storage;
    tess_params params;
    tess_array *out;
    tess_error why;
    tess_info info;
    const int colours = (int)random_below(r, 3); // axes behind that stay, as colours do
    for (int i = 0; i < s->ndim; i++)
        factors[i] = i > 0 && i >= s->ndim - colours
                         ? 1
                         : 1 + (int64_t)random_below(r, random_below(r, 3) == 0 ? 40 : 4);
    tess_downsample_options_init(&o);
    o.skip_nan = (int)random_below(r, 2);
    tess_storage_init(&storage);
    tess_params_init(&params);
    const tess_status st =
        tess_array_downsample(s->a, op, factors, &o, &storage, &params, &out, &why);
    if (st == TESS_ERR_LIMIT && op == TESS_DOWNSAMPLE_MODE && s->context.memory <= 4000 * 8)
        return; // the items of a cell take more
    if (st != TESS_OK)
        fail_msg("seed %" PRIu64 ", %s: %s", running, names[op], why.message);
    tess_array_info(out, &info);
    const size_t size = (size_t)s->dtype.size;
    assert_int_equal(info.typesize, size);
    uint8_t *const items = malloc((size_t)info.nitems * size + 1);
    assert_non_null(items);
    ok(tess_array_read(out, zeros, info.shape, items, (size_t)info.nitems * size, err));
    for (bool more = cells_walk_begin(&w, s, factors, index); more;
         more = cells_walk_next(&w, index)) {
        const uint8_t *const item = items + (size_t)at++ * size;
        const struct number got = number_of(&s->dtype, item);
        struct cell c;
        assert_true(at <= info.nitems);
        cell_collect(&c, s, factors, index, o.skip_nan != 0);
        const bool right = picks ? is_picked(s, factors, index, item, op == TESS_DOWNSAMPLE_MODE)
                           : op == TESS_DOWNSAMPLE_MEAN
                               ? is_mean(&c, &got, s->dtype.size)
                               : is_extreme(&c, &got, op == TESS_DOWNSAMPLE_MAX);
        cell_finish(&c);
        if (!right)
            fail_msg("seed %" PRIu64 ", %s: item %" PRId64 " of type %c%d is wrong: %.20Lg, %lld",
                     running, names[op], at - 1, (char)s->dtype.kind, (int)s->dtype.size, got.real,
                     (long long)got.whole);
    }
    assert_int_equal(at, info.nitems);
    free(items);
    ok(tess_array_close(out, err));
}

static void
cells_are_those_of_a_loop(void **state)
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
        for (int op = 0; op <= TESS_DOWNSAMPLE_MODE; op++)
            if (op == TESS_DOWNSAMPLE_MEAN || s.nitems < 500 || i % 4 == 0 || op == 2 || op == 3)
                check_downsampling(&r, &s, (tess_downsampling)op);
        subject_close(&s);
    }
}

static void
arguments_are_checked(void **state)
{
    const int64_t zero[] = {2, 0}, two[] = {2, 2};
    const struct {
        const char *what, *dtype, *result;
        const int64_t *factors;
        int op;
        tess_status status;
    } cases[] = {
        {"a factor of 0", "<f4", NULL, zero, 0, TESS_ERR_ARG},
        {"no factors", "<f4", NULL, NULL, 0, TESS_ERR_ARG},
        {"no such downsampling", "<f4", NULL, two, 5, TESS_ERR_ARG},
        {"a result of another type", "<f4", "<f8", two, 0, TESS_ERR_ARG},
        {"the other byte order", "<f4", ">f4", two, 0, TESS_OK},
        {"the other byte order of what is picked", "<f4", ">f4", two, 4, TESS_ERR_ARG},
        {"the mean of text", "|S4", NULL, two, 0, TESS_ERR_UNSUPPORTED},
        {"the first of texts", "|S4", NULL, two, 1, TESS_OK},
        {"the most frequent pair", "[('a', '<i4'), ('b', '<f8')]", NULL, two, 4, TESS_OK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tess_storage storage;
        tess_params params, target;
        tess_array *a, *out = NULL;
        tess_error why;
        tess_info info;
        tess_storage_init(&storage);
        tess_params_init(&params);
        tess_params_init(&target);
        params.dtype = cases[i].dtype;
        params.ndim = 2;
        params.shape[0] = params.shape[1] = 5;
        target.dtype = cases[i].result;
        ok(tess_array_zeros(&storage, &params, &a, err));
        const tess_status st =
            tess_array_downsample(a, (tess_downsampling)cases[i].op, cases[i].factors, NULL,
                                  &storage, &target, &out, &why);
        if (st != cases[i].status)
            fail_msg("%s: %s, %s", cases[i].what, tess_status_name(st), why.message);
        assert_true((out != NULL) == (st == TESS_OK));
        if (st == TESS_OK) {
            tess_array_info(out, &info);
            assert_int_equal(info.shape[1], 3);
        }
        ok(tess_array_close(out, err));
        ok(tess_array_close(a, err));
    }
}

// Levels of maxima are those of the array at once; in files, and open.
static void
levels_follow_each_other(void **state)
{
    enum { LEVELS = 3 };
    const int64_t zeros[] = {0, 0};
    static int32_t items[37][50];
    const char *const names_of[LEVELS] = {"1.b2nd", "2.b2nd", "3.b2nd"};
    const tess_storage *list[LEVELS];
    tess_storage storage, storages[LEVELS];
    tess_params params;
    tess_array *a, *levels[LEVELS];
    (void)state;
    for (int i = 0; i < 37; i++)
        for (int k = 0; k < 50; k++)
            items[i][k] = (i * 7919 + k * 104729) % 1000;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = NATIVE "i4";
    params.ndim = 2;
    params.shape[0] = 37;
    params.shape[1] = 50;
    ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
    assert_int_equal(tess_pyramid_levels(a, NULL, 8), LEVELS);
    assert_int_equal(tess_pyramid_levels(a, NULL, 50), 0);
    for (int n = 0; n < LEVELS; n++) {
        tess_storage_init(&storages[n]);
        list[n] = &storages[n];
    }
    ok(tess_array_pyramid(a, TESS_DOWNSAMPLE_MAX, NULL, NULL, list, LEVELS, NULL, levels, err));
    for (int n = 0; n < LEVELS; n++) {
        const int64_t factors[] = {2 << n, 2 << n};
        int32_t got[19 * 25], want[19 * 25];
        tess_array *direct;
        tess_info info;
        tess_array_info(levels[n], &info);
        ok(tess_array_downsample(a, TESS_DOWNSAMPLE_MAX, factors, NULL, &storage, NULL, &direct,
                                 err));
        ok(tess_array_read(levels[n], zeros, info.shape, got, sizeof got, err));
        ok(tess_array_read(direct, zeros, info.shape, want, sizeof want, err));
        assert_memory_equal(got, want, (size_t)info.nitems * 4);
        ok(tess_array_close(direct, err));
        ok(tess_array_close(levels[n], err));
        storages[n].mode = TESS_MODE_NEW;
        storages[n].path = strdup(files_path(names_of[n]));
    }
    ok(tess_array_pyramid(a, TESS_DOWNSAMPLE_MEAN, NULL, NULL, list, LEVELS, NULL, NULL, err));
    assert_int_equal(files_count(), LEVELS);
    tess_error why;
    assert_int_equal(
        tess_array_pyramid(a, TESS_DOWNSAMPLE_MEAN, NULL, NULL, list, LEVELS, NULL, levels, &why),
        TESS_ERR_IO); // they exist
    for (int n = 0; n < LEVELS; n++) {
        assert_null(levels[n]);
        free((void *)storages[n].path);
    }
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test_setup_teardown(levels_follow_each_other, files_setup, files_teardown),
        cmocka_unit_test(cells_are_those_of_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
