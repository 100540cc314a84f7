/*
 * reduce.c - arrays reduced along axes, against a loop over all items.
 *
 * Random arrays and views: case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the
 * number that a failure prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 */
#include "support/cells.h"
#include "support/files.h"
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

static const char *const names[] = {"sum", "mean", "var", "min", "max", "count", "any", "all"};

// What a cell becomes: a number, and how far from it the result may be.
struct expected {
    bool fails;
    wide whole;
    long double real, within;
};

static bool
same_real(long double got, long double want, long double within)
{
    return isnan(want) ? isnan(got) : isinf(want) ? got == want : fabsl(got - want) <= within;
}

static struct expected
expect_variance(const struct cell *c, int64_t ddof)
{
    long double mean = 0, squares = 0;
    for (int64_t k = 0; k < c->n; k++)
        mean += number_real(&c->items[k]) / (long double)c->n;
    for (int64_t k = 0; k < c->n; k++) {
        const long double d = number_real(&c->items[k]) - mean;
        squares += d * d;
    }
    const long double variance =
        c->n > ddof && isfinite(mean) ? squares / (long double)(c->n - ddof) : (long double)NAN;
    return (struct expected){.real = variance, .within = 1e-12L * (variance + mean * mean * 1e-3L)};
}

// The items of a cell are those that are not skipped; `all`: how many there were.
static struct expected
expect(const struct cell *c, tess_reduction op, const tess_reduce_options *o)
{
    struct expected e = {0};
    long double size = 0;
    switch (op) {
    case TESS_REDUCE_SUM:
    case TESS_REDUCE_MEAN:
        for (int64_t k = 0; k < c->n; k++) {
            e.whole += c->items[k].whole;
            e.real += number_real(&c->items[k]);
            size += fabsl(number_real(&c->items[k]));
        }
        e.within = 10 * (long double)DBL_EPSILON * size;
        if (op == TESS_REDUCE_SUM) {
            e.fails = !c->real && (c->sign ? e.whole != (int64_t)e.whole : e.whole >> 64 != 0);
        } else {
            e.real = (c->real ? e.real : (long double)e.whole) / (long double)c->n;
            e.within = c->real ? e.within / (long double)c->n + fabsl(e.real) * DBL_EPSILON
                               : fabsl(e.real) * DBL_EPSILON;
        }
        return e;
    case TESS_REDUCE_VAR:
        return expect_variance(c, o->ddof);
    case TESS_REDUCE_MIN:
    case TESS_REDUCE_MAX:
        return (struct expected){.whole = cell_extreme(c, op == TESS_REDUCE_MAX).whole,
                                 .real = cell_extreme(c, op == TESS_REDUCE_MAX).real};
    case TESS_REDUCE_COUNT:
        return (struct expected){.whole = c->n};
    case TESS_REDUCE_ANY:
    case TESS_REDUCE_ALL:
        e.whole = op == TESS_REDUCE_ALL;
        for (int64_t k = 0; k < c->n; k++)
            if ((number_real(&c->items[k]) != 0) == (op == TESS_REDUCE_ANY))
                e.whole = op == TESS_REDUCE_ANY;
        return e;
    }
    return e;
}

static void
compare_cell(const struct number *got, const struct expected *e, bool real, tess_reduction op)
{
    const bool same =
        real ? same_real(got->real, e->real, e->within) : !e->fails && got->whole == e->whole;
    if (!same)
        fail_msg("seed %" PRIu64 ", %s: got %.20Lg, %lld; want %.20Lg +- %.3Lg, %lld", running,
                 names[op], got->real, (long long)got->whole, e->real, e->within,
                 (long long)e->whole);
}

// Options and axes of a case, and what comes out.
static void
check_reduction(struct random *r, const struct subject *s, tess_reduction op)
{
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    int64_t factors[TESS_MAX_NDIM], index[TESS_MAX_NDIM];
    int axes[TESS_MAX_NDIM], n = 0;
    bool reduced[TESS_MAX_NDIM] = {false}, fails = false;
    tess_reduce_options o;
    tess_storage storage;
    tess_params params;
    tess_array *out = NULL;
    tess_error why;
    tess_info info;

    tess_reduce_options_init(&o);
    o.keep_axes = (int)random_below(r, 2);
    o.skip_nan = (int)random_below(r, 2);
    o.ddof = (int64_t)random_below(r, 3);
    const bool all = random_below(r, 4) == 0;
    for (int i = s->ndim - 1; i >= 0; i--) {
        reduced[i] = all || random_below(r, 2) == 0;
        if (reduced[i])
            axes[n++] = i;
        factors[i] = reduced[i] ? s->shape[i] : 1;
    }
    tess_storage_init(&storage);
    tess_params_init(&params);
    const bool chunks = random_below(r, 2) == 0; // small ones, so that there are many
    for (int i = 0; i < TESS_MAX_NDIM && chunks; i++)
        params.chunkshape[i] = params.blockshape[i] = 3;
    const tess_status st =
        tess_array_reduce(s->a, op, all ? NULL : axes, n, &o, &storage, &params, &out, &why);
    struct cells_walk w;
    if (st == TESS_OK)
        tess_array_info(out, &info);
    uint8_t *items = NULL;
    tess_dtype dtype = {0};
    if (st == TESS_OK) {
        int64_t k = 0;
        for (int i = 0; i < s->ndim; i++)
            if (!reduced[i] || o.keep_axes)
                assert_int_equal(info.shape[k++], reduced[i] ? 1 : s->shape[i]);
        assert_int_equal(info.ndim, k);
        dtype = tess_dtype_parse(info.dtype);
        items = malloc((size_t)info.nitems * (size_t)info.typesize + 1);
        assert_non_null(items);
        ok(tess_array_read(out, zeros, info.shape, items,
                           (size_t)info.nitems * (size_t)info.typesize, err));
    }
    int64_t at = 0;
    for (bool more = cells_walk_begin(&w, s, factors, index); more;
         more = cells_walk_next(&w, index)) {
        struct cell c;
        cell_collect(&c, s, factors, index, o.skip_nan != 0);
        const struct expected e = expect(&c, op, &o);
        const bool extreme = op == TESS_REDUCE_MIN || op == TESS_REDUCE_MAX;
        fails |= e.fails || (extreme && c.all == 0);
        if (st == TESS_OK) {
            assert_true(at < info.nitems);
            const struct number got = number_of(&dtype, items + (size_t)at * (size_t)info.typesize);
            compare_cell(&got, &e, dtype.kind == TESS_KIND_FLOAT, op);
        }
        at++;
        cell_finish(&c);
    }
    if ((st != TESS_OK) != fails)
        fail_msg("seed %" PRIu64 ", %s: %s", running, names[op],
                 st == TESS_OK ? "no failure" : why.message);
    if (st == TESS_OK)
        assert_int_equal(at, info.nitems);
    free(items);
    ok(tess_array_close(out, err));
}

static void
reductions_are_those_of_a_loop(void **state)
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
        for (int op = 0; op <= TESS_REDUCE_ALL; op++)
            check_reduction(&r, &s, (tess_reduction)op);
        subject_close(&s);
    }
}

// What does not depend on what is stored.
static void
arguments_are_checked(void **state)
{
    const int twice[] = {0, 0}, outside[] = {2}, one[] = {1};
    const struct {
        const char *what, *dtype, *result;
        const int *axes;
        int naxes, op;
        tess_status status;
    } cases[] = {
        {"an axis given twice", "<f4", NULL, twice, 2, 0, TESS_ERR_ARG},
        {"an axis that is not there", "<f4", NULL, outside, 1, 0, TESS_ERR_ARG},
        {"too many axes", "<f4", NULL, twice, 3, 0, TESS_ERR_ARG},
        {"no such reduction", "<f4", NULL, one, 1, 8, TESS_ERR_ARG},
        {"a result of another type", "<f4", "<f4", one, 1, 0, TESS_ERR_ARG},
        {"the type of the result, in the other order", "<f4", ">f8", one, 1, 0, TESS_OK},
        {"no axes", "<f4", NULL, one, 0, 0, TESS_OK},
        {"text", "|S4", NULL, one, 1, 0, TESS_ERR_UNSUPPORTED},
        {"complex numbers", "<c8", NULL, one, 1, 0, TESS_ERR_UNSUPPORTED},
        {"times", "<M8[s]", NULL, one, 1, 3, TESS_ERR_UNSUPPORTED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tess_storage storage;
        tess_params params, target;
        tess_array *a, *out = NULL;
        tess_error why;
        tess_storage_init(&storage);
        tess_params_init(&params);
        tess_params_init(&target);
        params.dtype = cases[i].dtype;
        params.ndim = 2;
        params.shape[0] = params.shape[1] = 5;
        target.dtype = cases[i].result;
        ok(tess_array_zeros(&storage, &params, &a, err));
        const tess_status st =
            tess_array_reduce(a, (tess_reduction)cases[i].op, cases[i].axes, cases[i].naxes, NULL,
                              &storage, &target, &out, &why);
        if (st != cases[i].status)
            fail_msg("%s: %s", cases[i].what, tess_status_name(st));
        assert_true((out != NULL) == (st == TESS_OK));
        ok(tess_array_close(out, err));
        ok(tess_array_close(a, err));
    }
}

// 2^50 items that were never written, and some that were.
static void
what_is_not_stored_costs_nothing(void **state)
{
    const int64_t start[] = {1 << 20, 7}, stop[] = {(1 << 20) + 3, 9};
    const int64_t none[] = {0};
    const int8_t items[] = {1, 2, 3, 4, 5, 6};
    tess_storage storage;
    tess_params params;
    tess_array *a, *sum = NULL;
    int64_t got = 0;
    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = "|i1";
    params.ndim = 2;
    params.shape[0] = params.shape[1] = (int64_t)1 << 25;
    params.chunkshape[0] = params.chunkshape[1] = 1 << 15;
    ok(tess_array_zeros(&storage, &params, &a, err));
    for (int i = 0; i < 2; i++) {
        ok(tess_array_reduce(a, TESS_REDUCE_SUM, NULL, 0, NULL, &storage, NULL, &sum, err));
        ok(tess_array_read(sum, none, none, &got, sizeof got, err));
        assert_int_equal(got, i * 21);
        ok(tess_array_close(sum, err));
        ok(tess_array_write(a, start, stop, items, sizeof items, err));
    }
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(what_is_not_stored_costs_nothing),
        cmocka_unit_test(reductions_are_those_of_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
