/*
 * compute_reduce.c - tests of compute/reduce: pieces of any place and size that are taken in by
 * states, and states that are merged, against a loop over the items.
 */
#include "base/cpu.h"
#include "base/exact.h"
#include "compute/reduce/kernels.h"
#include "compute/reduce/state.h"
#include "support/native.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 3000 };

// Items of a box, in C order; each is a number that follows from its place.
static int16_t
item_at(const int64_t *at, int ndim)
{
    int64_t x = 17;
    for (int i = 0; i < ndim; i++)
        x = x * 31 + at[i] * 7;
    return (int16_t)(x % 2001 - 1000);
}

static size_t
collect(const int64_t *start, const int64_t *stop, int ndim, int16_t *items)
{
    int64_t at[NDIM_MAX];
    size_t n = 0;
    memcpy(at, start, sizeof at);
    for (int i = 0; i >= 0;) {
        items[n++] = item_at(at, ndim);
        for (i = ndim - 1; i >= 0 && ++at[i] == stop[i]; i--)
            at[i] = start[i];
    }
    return n;
}

// Cut the array at an index of an axis; either part goes to a state of its own, and these into one.
static void
check_pieces(struct random *r)
{
    const tess_dtype dtype = tess_dtype_parse(NATIVE "i2");
    struct cells c = {.ndim = 1 + (int)random_below(r, 4)};
    int64_t zeros[NDIM_MAX] = {0}, last[NDIM_MAX], at[NDIM_MAX] = {0};
    static int16_t items[10000];
    struct gathering g;
    struct state all;
    assert_true(gathering_init(&g, GATHER_WHOLE, &dtype, false, false));
    for (int i = 0; i < c.ndim; i++) {
        c.shape[i] = 1 + (int64_t)random_below(r, 9);
        c.factor[i] = 1 + (int64_t)random_below(r, 10);
        last[i] = (c.shape[i] + c.factor[i] - 1) / c.factor[i];
    }
    assert_int_equal(state_init(&all, &g, &c, zeros, last, NULL), TESS_OK);
    const int axis = (int)random_below(r, (uint64_t)c.ndim);
    const int64_t cut = (int64_t)random_below(r, (uint64_t)c.shape[axis] + 1);
    for (int half = 0; half < 2; half++) {
        int64_t start[NDIM_MAX] = {0}, stop[NDIM_MAX], first[NDIM_MAX], end[NDIM_MAX];
        struct state part;
        memcpy(stop, c.shape, sizeof stop);
        *(half == 0 ? &stop[axis] : &start[axis]) = cut;
        if (start[axis] == stop[axis])
            continue;
        if (random_below(r, 2) == 0) { // to the state of all, in which it begins anywhere
            (void)collect(start, stop, c.ndim, items);
            assert_int_equal(state_add(&all, start, stop, items, NULL, NULL), TESS_OK);
            state_settle(&all);
            continue;
        }
        cells_of_items(&c, start, stop, first, end);
        assert_int_equal(state_init(&part, &g, &c, first, end, NULL), TESS_OK);
        (void)collect(start, stop, c.ndim, items);
        assert_int_equal(state_add(&part, start, stop, items, NULL, NULL), TESS_OK);
        state_settle(&part);
        state_merge(&all, &part);
        state_finish(&part);
    }
    for (int64_t k = 0; k < all.ncells; k++) {
        int64_t start[NDIM_MAX], stop[NDIM_MAX], next[NDIM_MAX], want = 0;
        for (int i = 0; i < c.ndim; i++)
            next[i] = at[i] + 1;
        cells_items(&c, at, next, start, stop);
        for (size_t n = collect(start, stop, c.ndim, items); n > 0; n--)
            want += items[n - 1];
        assert_true(all.whole[k] == want);
        for (int i = c.ndim - 1; i >= 0 && ++at[i] == last[i]; i--)
            at[i] = 0;
    }
    state_finish(&all);
}

static void
pieces_add_up(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < CASES; i++)
        check_pieces(&r);
}

// Sums in which plain additions lose everything but the last items.
static void
sums_of_floats_keep_what_is_lost(void **state)
{
    const tess_dtype dtype = tess_dtype_parse(NATIVE "f8");
    const struct cells c = {.ndim = 2, .shape = {3000, 3}, .factor = {3000, 1}};
    const int64_t zeros[NDIM_MAX] = {0}, last[NDIM_MAX] = {1, 3};
    struct gathering g;
    struct state s;
    double(*const items)[3] = malloc(3000 * sizeof *items);
    (void)state;
    assert_non_null(items);
    for (int k = 0; k < 3000; k++)
        for (int i = 0; i < 3; i++) // the large ones eight apart, so that none meets the other
            items[k][i] = k == 0 ? 0x1p60 : k == 2992 ? -0x1p60 : (k - 1) % 8 < 7 && k > 7 ? 1 : 0;
    assert_true(gathering_init(&g, GATHER_FLOAT, &dtype, false, false));
    assert_int_equal(state_init(&s, &g, &c, zeros, last, NULL), TESS_OK);
    assert_int_equal(state_add(&s, zeros, c.shape, items, NULL, NULL), TESS_OK);
    double want = 0;
    for (int k = 8; k < 2992; k++)
        want += items[k][0];
    for (int i = 0; i < 3; i++) {
        const double got = exact_value((double[]){s.sum[i], s.lost[i]});
        assert_true(got >= want && got <= want + 8);
    }
    state_finish(&s);
    free(items);
}

// All kernels of this machine do what those for any machine do, to the last bit.
static void
compare_kernels(struct random *r, reduce_fn *any, reduce_fn *mine, bool is_float, size_t size)
{
    enum { ITEMS = 600, ROWS = 20 };
    const int64_t f = 1 + (int64_t)random_below(r, 12), width = (1 + (int64_t)random_below(r, 40)) * f;
    const int64_t rows = 1 + (int64_t)random_below(r, ROWS), n = width < ITEMS ? width : f;
    static _Alignas(8) uint8_t items[ITEMS * ROWS * 8];
    static union {
        struct {
            int64_t low[ITEMS], high[ITEMS];
            double sum[ITEMS], lost[ITEMS], mean[ITEMS];
            _Alignas(8) uint8_t best[ITEMS * 8];
        } cells;
        uint8_t bytes[sizeof(double) * ITEMS * 6];
    } got[2];
    reduce_fn *const fns[2] = {any, mine};
    random_bytes(r, items, sizeof items);
    for (size_t k = 0; k < (size_t)ITEMS * ROWS && is_float; k++) {
        const float x = (float)random_below(r, 100000) / 64 - 700;
        const double y = (double)x;
        memcpy(items + k * size, size == 4 ? (const void *)&x : &y, size);
    }
    random_bytes(r, got[0].cells.best, sizeof got[0].cells.best);
    for (int k = 0; k < ITEMS; k++)
        got[0].cells.mean[k] = k;
    got[1] = got[0];
    for (int i = 0; i < 2; i++)
        fns[i](&(struct cell_row){.low = got[i].cells.low,
                                  .high = got[i].cells.high,
                                  .sum = got[i].cells.sum,
                                  .lost = got[i].cells.lost,
                                  .mean = got[i].cells.mean,
                                  .best = got[i].cells.best},
               items, rows, n, n, f);
    assert_memory_equal(got[0].bytes, got[1].bytes, sizeof got[0].bytes);
}

static void
kernels_of_all_machines_agree(void **state)
{
    const struct reduce_kernels *const any = reduce_kernels_for(0);
    const struct reduce_kernels *const mine = reduce_kernels_for(cpu_mask());
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 300; i++) {
        for (size_t k = 0; k < NUMERIC_F4; k++) {
            const size_t size = (size_t)1 << k % 4;
            compare_kernels(&r, any->sum_whole[k], mine->sum_whole[k], false, size);
            compare_kernels(&r, any->least[k], mine->least[k], false, size);
            compare_kernels(&r, any->greatest[k], mine->greatest[k], false, size);
        }
        for (size_t k = 0; k < 2; k++) {
            compare_kernels(&r, any->sum_float[k], mine->sum_float[k], true, 4 << k);
            compare_kernels(&r, any->square[k], mine->square[k], true, 4 << k);
            compare_kernels(&r, any->distance[k], mine->distance[k], true, 4 << k);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_all_machines_agree),
        cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(sums_of_floats_keep_what_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
