/*
 * histogram.c - histograms of random arrays and views of them, against a loop over items and edges.
 *
 * Case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the number that a failure
 * prints and TESS_TEST_CASES=1 repeat it. What NumPy says about the same calls:
 * test/numpy/counts.py.
 */
#include "support/draw.h"
#include "support/files.h"
#include "support/native.h"

#include <tessera.h>

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS_MAX = 4000, BINS_MAX = 40 };

static const struct draw_limits limits = {.bytes = 8 * ITEMS_MAX, .chunks = 2000};

// Items are integers of 8 bytes, or doubles, in the order of the machine.
struct subject {
    bool whole;
    tess_array *a, *view;
    struct reference ref; // of the view
};

static void
make_subject(struct random *r, struct subject *s)
{
    const int ndim = (int)below(r, 4);
    int64_t shape[TESS_MAX_NDIM], start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    struct reference all;
    tess_storage storage;
    tess_context context;
    tess_params p;

    s->whole = below(r, 2);
    draw_context(r, &context);
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&p);
    p.dtype = s->whole ? NATIVE "i8" : NATIVE "f8";
    p.ndim = ndim;
    draw_shape(r, ndim, ITEMS_MAX, shape);
    draw_grid(r, &limits, shape, &p);
    for (int i = 0; i < ndim; i++) {
        p.shape[i] = shape[i];
        start[i] = below(r, p.shape[i]);
        stop[i] = start[i] + 1 + below(r, p.shape[i] - start[i]);
    }
    reference_init(&all, ndim, shape, 8);
    const int64_t n = reference_nitems(ndim, shape), rare = 1 + below(r, 400);
    for (int64_t i = 0; i < n; i++) { // runs of equal items, too
        const int64_t whole = below(r, 3) ? below(r, 100) - 50 : (int64_t)random_next(r);
        const double x = below(r, 20) ? (double)(below(r, 200) - 100) / 4 : (double)NAN;
        memcpy(all.data + i * 8, s->whole ? (const void *)&whole : &x, 8);
        if (i > 0 && below(r, rare) > 0)
            memcpy(all.data + i * 8, all.data + i * 8 - 8, 8);
    }
    ok(tess_array_from(&storage, &p, all.data, (size_t)n * 8, &s->a, err));
    s->view = s->a;
    s->ref = all;
    if (below(r, 3) == 0) {
        int64_t extent[TESS_MAX_NDIM];
        for (int i = 0; i < ndim; i++)
            extent[i] = stop[i] - start[i];
        ok(tess_array_view_slice(s->a, start, stop, NULL, &s->view, err));
        reference_init(&s->ref, ndim, extent, 8);
        reference_get(&all, start, stop, s->ref.data);
        reference_finish(&all);
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

// Doubles hold the edges, and integers that are compared with them here fit in a long double.
static int64_t
slot_of(const tess_number *edges, int64_t n, bool whole, const uint8_t *item)
{
    int64_t i, slot = 0;
    double f;
    memcpy(&i, item, 8);
    memcpy(&f, item, 8);
    const long double x = whole ? (long double)i : (long double)f;
    if (x != x)
        return n + 2;
    for (int64_t k = 0; k < n; k++)
        if ((edges[k].kind == TESS_KIND_INT ? (long double)edges[k].i : (long double)edges[k].f) <=
            x)
            slot = k + 1;
    const tess_number *const last = &edges[n];
    return x > (last->kind == TESS_KIND_INT ? (long double)last->i : (long double)last->f) ? n + 1
                                                                                           : slot;
}

static void
one_histogram(struct random *r, const struct subject *s)
{
    int64_t counts[BINS_MAX + 1], want[BINS_MAX + 3] = {0};
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], extent[TESS_MAX_NDIM];
    tess_number edges[BINS_MAX + 1];
    const int ndim = s->ref.ndim;
    const bool all = below(r, 2), equal = below(r, 2);
    tess_outside outside;
    tess_bins bins;

    tess_bins_init(&bins);
    const int64_t n = bins.nbins = 1 + below(r, BINS_MAX);
    bins.lo = (double)below(r, 40) - 20;
    bins.hi = bins.lo + (double)(n << below(r, 3)) / 4; // edges are exact
    if (!equal)
        bins.edges = edges;
    int64_t edge = below(r, 4) ? below(r, 100) - 60 : (int64_t)(random_next(r) >> 2);
    for (int64_t k = 0; k <= n; k++) {
        edges[k] = (tess_number){.kind = TESS_KIND_FLOAT};
        edges[k].f = equal ? bins.lo + (bins.hi - bins.lo) / (double)n * (double)k : (double)edge;
        if (!equal && (below(r, 2) || (int64_t)edges[k].f != edge))
            edges[k] = (tess_number){.kind = TESS_KIND_INT, .i = edge};
        edge += below(r, 9);
    }
    for (int i = 0; i < ndim; i++) {
        start[i] = all ? 0 : below(r, s->ref.shape[i] + 1);
        stop[i] = all ? s->ref.shape[i] : start[i] + below(r, s->ref.shape[i] - start[i] + 1);
        extent[i] = stop[i] - start[i];
    }
    const int64_t nitems = reference_nitems(ndim, extent);
    uint8_t *const items = malloc((size_t)nitems * 8 + 1);
    assert_non_null(items);
    if (nitems > 0)
        reference_get(&s->ref, start, stop, items);
    for (int64_t i = 0; i < nitems; i++)
        want[slot_of(edges, n, s->whole, items + i * 8)]++;
    free(items);
    ok(tess_array_histogram(s->view, all ? NULL : start, all ? NULL : stop, &bins, counts,
                            sizeof counts, below(r, 4) ? &outside : NULL, err));
    ok(tess_array_histogram(s->view, all ? NULL : start, all ? NULL : stop, &bins, counts,
                            (size_t)n * sizeof *counts, &outside, err));
    assert_int_equal(outside.below, want[0]);
    assert_int_equal(outside.above, want[n + 1]);
    assert_int_equal(outside.nan, want[n + 2]);
    for (int64_t k = 0; k < n; k++)
        assert_int_equal(counts[k], want[k + 1]);
}

static void
random_histograms(void **state)
{
    const uint64_t seed = random_seed();
    (void)state;
    for (int64_t i = 0; i < random_cases(3000, 200000); i++) {
        struct random r;
        struct subject s = {0};
        random_init(&r, seed + (uint64_t)i);
        make_subject(&r, &s);
        for (int k = 0; k < 4; k++)
            one_histogram(&r, &s);
        close_subject(&s);
    }
}

// 2^40 items that are nowhere stored.
static void
constant_array(void **state)
{
    tess_params p;
    tess_bins bins;
    tess_outside outside;
    int64_t counts[10];
    tess_array *a = NULL;
    tess_storage storage;
    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&p);
    p.dtype = NATIVE "f4";
    p.ndim = 2;
    p.shape[0] = p.shape[1] = INT64_C(1) << 20;
    p.chunkshape[0] = p.chunkshape[1] = 8192;
    p.blockshape[0] = p.blockshape[1] = 128;
    ok(tess_array_zeros(&storage, &p, &a, err));
    tess_bins_init(&bins);
    ok(tess_array_histogram(a, NULL, NULL, &bins, counts, sizeof counts, &outside, err));
    assert_int_equal(counts[0], INT64_C(1) << 40);
    for (int i = 1; i < 10; i++)
        assert_int_equal(counts[i], 0);
    assert_true(outside.below == 0 && outside.above == 0 && outside.nan == 0);
    ok(tess_array_close(a, err));
}

static tess_array *
empty(const char *dtype)
{
    tess_params p;
    tess_storage storage;
    tess_array *a = NULL;
    tess_storage_init(&storage);
    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = 1;
    p.shape[0] = 10;
    ok(tess_array_zeros(&storage, &p, &a, err));
    return a;
}

static void
refusals(void **state)
{
    static const char *const others[] = {"<c8", "|S4", "<M8[s]", "|V3"};
    const int64_t start = 3, stop = 11;
    int64_t counts[10];
    tess_number edges[3] = {{.kind = TESS_KIND_INT, .i = 1},
                            {.kind = TESS_KIND_FLOAT, .f = 1.5},
                            {.kind = TESS_KIND_UINT, .u = UINT64_MAX}};
    tess_bins bins;
    tess_array *const a = empty("<f4");
    (void)state;
    tess_bins_init(&bins);
#define REFUSED(a, start, stop, bins, counts, size) \
    refused(TESS_ERR_ARG, tess_array_histogram(a, start, stop, bins, counts, size, NULL, err))
    REFUSED(NULL, NULL, NULL, &bins, counts, sizeof counts);
    REFUSED(a, &start, &stop, &bins, counts, sizeof counts);
    REFUSED(a, &start, NULL, &bins, counts, sizeof counts);
    REFUSED(a, NULL, NULL, NULL, counts, sizeof counts);
    REFUSED(a, NULL, NULL, &bins, NULL, sizeof counts);
    REFUSED(a, NULL, NULL, &bins, counts, sizeof counts - 1);
    static const double ends[][2] = {{1, 0}, {NAN, 1}, {0, NAN}, {-INFINITY, 0}, {-1e308, 1e308}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        bins.lo = ends[i][0];
        bins.hi = ends[i][1];
        REFUSED(a, NULL, NULL, &bins, counts, sizeof counts);
    }
    bins.edges = edges;
    bins.nbins = 0;
    REFUSED(a, NULL, NULL, &bins, counts, sizeof counts);
    bins.nbins = -1;
    REFUSED(a, NULL, NULL, &bins, counts, sizeof counts);
    bins.nbins = 2;
    ok(tess_array_histogram(a, NULL, NULL, &bins, counts, sizeof counts, NULL, err));
    edges[1].f = NAN;
    REFUSED(a, NULL, NULL, &bins, counts, sizeof counts);
    edges[1].f = 0.5;
    REFUSED(a, NULL, NULL, &bins, counts, sizeof counts);
    edges[1].kind = TESS_KIND_COMPLEX;
    REFUSED(a, NULL, NULL, &bins, counts, sizeof counts);
    ok(tess_array_close(a, err));
    bins.edges = NULL;
    bins.lo = bins.hi = 0; // -0.5 to 0.5
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        tess_array *const b = empty(others[i]);
        refused(TESS_ERR_UNSUPPORTED,
                tess_array_histogram(b, NULL, NULL, &bins, counts, sizeof counts, NULL, err));
        ok(tess_array_close(b, err));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_histograms),
        cmocka_unit_test(constant_array),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
