/*
 * counts.c - random histograms and additions to points, written down for counts.py.
 *
 * Each case is an array in memory and one call. What went in and what came out is told (tell.h);
 * nothing is compared here. Case i is drawn from the seed plus i alone.
 */
#include "numpy/tell.h"
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"

#include <tessera.h>

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TYPES = 25, ITEMS_MAX = 600, ITEM_MAX = 16, BINS_MAX = 60, POINTS_MAX = 300 };

static const struct type {
    const char *dtype;
    int size, word;
} types[TYPES] = {
    {"|b1", 1, 1}, {"|i1", 1, 1}, {"|u1", 1, 1}, {"<i2", 2, 2},   {">i2", 2, 2},
    {"<u2", 2, 2}, {">u2", 2, 2}, {"<i4", 4, 4}, {">i4", 4, 4},   {"<u4", 4, 4},
    {">u4", 4, 4}, {"<i8", 8, 8}, {">i8", 8, 8}, {"<u8", 8, 8},   {">u8", 8, 8},
    {"<f2", 2, 2}, {">f2", 2, 2}, {"<f4", 4, 4}, {">f4", 4, 4},   {"<f8", 8, 8},
    {">f8", 8, 8}, {"<c8", 8, 4}, {">c8", 8, 4}, {"<c16", 16, 8}, {">c16", 16, 8},
};

// -- items

static double
draw_float(struct random *r)
{
    switch (below(r, 8)) {
    case 0:
        return (double)below(r, 2001) - 1000;
    case 1:
        return ((double)below(r, 2001) - 1000) * 1e6;
    case 2: {
        static const double special[] = {0.0, -0.0,  INFINITY, -INFINITY,
                                         NAN, 1e300, -1e300,   0x1p-1074};
        return special[below(r, 8)];
    }
    default:
        return ((double)below(r, 200001) - 100000) / 997;
    }
}

static uint64_t
draw_integer(struct random *r)
{
    const uint64_t ends[] = {0, UINT64_C(1) << 63, UINT64_C(1) << 53, UINT64_MAX};
    switch (below(r, 4)) {
    case 0:
        return ends[below(r, 4)] + (uint64_t)below(r, 9) - 4;
    case 1:
        return random_next(r) >> below(r, 64);
    default:
        return (uint64_t)below(r, 201) - 100;
    }
}

static void
draw_item(struct random *r, const struct type *t, uint8_t *item)
{
    const uint64_t whole = draw_integer(r);
    const bool is_float = t->dtype[1] == 'f' || t->dtype[1] == 'c';
    for (int k = 0; k < t->size; k += t->word) {
        const double x = draw_float(r);
        const float narrow = (float)x;
        uint64_t bits = whole;
        uint32_t four;
        memcpy(&four, &narrow, sizeof four);
        if (is_float && t->word == 8)
            memcpy(&bits, &x, sizeof bits);
        else if (is_float) // halves: any, but few of them infinite or NaN
            bits = t->word == 4 ? four : random_next(r) & (below(r, 4) ? 0xcfff : 0xffff);
        if (t->dtype[1] == 'b')
            bits &= 1;
        for (int i = 0; i < t->word; i++)
            item[k + (t->dtype[0] == '>' ? t->word - 1 - i : i)] = (uint8_t)(bits >> 8 * i);
    }
}

static tess_array *
draw_array(struct random *r, const struct type *t, const uint8_t *items, int64_t n)
{
    tess_context context;
    tess_storage memory;
    tess_params p;
    tess_array *a;
    tess_context_init(&context);
    context.threads = 1 + (int)below(r, 3);
    context.cache = below(r, 2) ? 0 : 1 << 20;
    tess_storage_init(&memory);
    memory.context = &context;
    tess_params_init(&p);
    p.ndim = 1;
    p.shape[0] = n;
    p.chunkshape[0] = (int32_t)(1 + below(r, n));
    p.blockshape[0] = (int32_t)(1 + below(r, p.chunkshape[0]));
    p.dtype = t->dtype;
    ok(tess_array_from(&memory, &p, items, (size_t)(n * t->size), &a, err));
    return a;
}

// -- calls

static int
by_value(const void *x, const void *y)
{
    const tess_number *const a = x, *const b = y;
    const long double p = a->kind == TESS_KIND_FLOAT ? (long double)a->f
                          : a->kind == TESS_KIND_INT ? (long double)a->i
                                                     : (long double)a->u;
    const long double q = b->kind == TESS_KIND_FLOAT ? (long double)b->f
                          : b->kind == TESS_KIND_INT ? (long double)b->i
                                                     : (long double)b->u;
    return (p > q) - (p < q);
}

static void
draw_edges(struct random *r, tess_number *edges, int64_t n)
{
    const bool floats = below(r, 2);
    for (int64_t i = 0; i < n; i++) {
        edges[i] = (tess_number){.kind = TESS_KIND_FLOAT, .f = draw_float(r)};
        if (isnan(edges[i].f))
            edges[i].f = 0.25;
        if (!floats && below(r, 3) == 0)
            edges[i] = (tess_number){.kind = TESS_KIND_INT, .i = (int64_t)draw_integer(r)};
        else if (!floats && below(r, 2))
            edges[i] = (tess_number){.kind = TESS_KIND_UINT, .u = draw_integer(r)};
    }
    qsort(edges, (size_t)n, sizeof *edges, by_value);
}

static void
tell_edges(int64_t n, const tess_number *edges)
{
    int64_t kinds[BINS_MAX + 1], ints[BINS_MAX + 1];
    double floats[BINS_MAX + 1];
    for (int64_t i = 0; i < n; i++) {
        kinds[i] = edges[i].kind;
        ints[i] = edges[i].kind == TESS_KIND_UINT ? (int64_t)edges[i].u : edges[i].i;
        floats[i] = edges[i].f;
    }
    tell_integers(n, kinds);
    tell_integers(n, ints);
    tell_floats(n, floats);
}

static void
live_histogram(struct random *r, const struct type *t, const uint8_t *items, int64_t n)
{
    int64_t counts[BINS_MAX];
    tess_number edges[BINS_MAX + 1];
    tess_bins bins;
    tess_outside outside;
    tess_array *const a = draw_array(r, t, items, n);
    const int64_t start = below(r, n), stop = start + 1 + below(r, n - start);
    const bool all = below(r, 2), equal = below(r, 2);
    tess_bins_init(&bins);
    bins.nbins = 1 + below(r, BINS_MAX);
    draw_edges(r, edges, bins.nbins + 1);
    if (!equal)
        bins.edges = edges;
    bins.lo = ((double)below(r, 2001) - 1000) / (double)(1 + below(r, 9));
    bins.hi = bins.lo + (double)below(r, 1000) / (double)(1 + below(r, 30));
    if (below(r, 10) == 0) {
        bins.lo = 0x1p53 * (double)(1 + below(r, 1000));
        bins.hi = bins.lo + (double)below(r, 1 << 20);
    }
    ok(tess_array_histogram(a, all ? NULL : &start, all ? NULL : &stop, &bins, counts,
                            sizeof counts, &outside, err));
    ok(tess_array_close(a, err));
    tell_begin("histogram");
    tell_text("dtype", t->dtype);
    tell_number("start", all ? 0 : start);
    tell_number("stop", all ? n : stop);
    tell_number("nbins", bins.nbins);
    tell_number("equal", equal);
    tell_number("below", outside.below);
    tell_number("above", outside.above);
    tell_number("nan", outside.nan);
    tell_end();
    tell_items(t->dtype, (size_t)t->size, 1, &n, items);
    tell_floats(2, (const double[]){bins.lo, bins.hi});
    tell_edges(bins.nbins + 1, edges);
    tell_integers(bins.nbins, counts);
}

static void
live_addition(struct random *r, const struct type *t, const uint8_t *items, int64_t n)
{
    uint8_t src[POINTS_MAX * ITEM_MAX], result[ITEMS_MAX * ITEM_MAX];
    int64_t coords[POINTS_MAX];
    const int64_t npoints = 2 + below(r, POINTS_MAX - 1), near = 1 + below(r, n);
    const bool same = below(r, 4) == 0;
    const int64_t nsrc = same ? 1 : npoints, start = 0;
    tess_add_options o;
    tess_array *const a = draw_array(r, t, items, n);
    tess_add_options_init(&o);
    o.misfit = TESS_MISFIT_WRAP;
    for (int64_t i = 0; i < npoints; i++)
        coords[i] = below(r, near);
    for (int64_t i = 0; i < nsrc; i++)
        draw_item(r, t, src + i * t->size);
    ok(tess_array_add_points(a, npoints, coords, src, (size_t)(nsrc * t->size), &o, err));
    ok(tess_array_read(a, &start, &n, result, (size_t)(n * t->size), err));
    ok(tess_array_close(a, err));
    tell_begin("add");
    tell_text("dtype", t->dtype);
    tell_end();
    tell_items(t->dtype, (size_t)t->size, 1, &n, items);
    tell_integers(npoints, coords);
    tell_items(t->dtype, (size_t)t->size, 1, &nsrc, src);
    tell_items(t->dtype, (size_t)t->size, 1, &n, result);
}

static void
live(struct random *r, uint64_t seed)
{
    const struct type *const t = &types[seed % TYPES];
    const bool complex = t->dtype[1] == 'c';
    uint8_t items[ITEMS_MAX * ITEM_MAX];
    const int64_t n = 1 + below(r, ITEMS_MAX);
    const bool same = below(r, 8) == 0; // chunks of one item again and again
    for (int64_t i = 0; i < n; i++)
        if (same && i > 0)
            memcpy(items + i * t->size, items, (size_t)t->size);
        else
            draw_item(r, t, items + i * t->size);
    if (complex || below(r, 4) == 0)
        live_addition(r, t, items, n);
    else
        live_histogram(r, t, items, n);
}

int
main(void)
{
    struct random r;
    const uint64_t seed = random_seed();
    const int64_t cases = random_cases(6000, 100000);
    for (int64_t i = 0; i < cases; i++) {
        random_init(&r, seed + (uint64_t)i);
        tell_begin("case");
        tell_number("seed", (int64_t)(seed + (uint64_t)i));
        tell_end();
        live(&r, seed + (uint64_t)i);
    }
    tell_finish();
    return 0;
}
