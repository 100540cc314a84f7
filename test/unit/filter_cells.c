/*
 * filter_cells.c - ndcell and ndmean: against a permutation worked out item by item, on blocks of
 * any shape, and which cells are refused.
 */
#include "base/bytes.h"
#include "filter/cells.h"
#include "filter/pipeline.h"
#include "support/exact.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NTURNS = 3000, ITEMS_MAX = 3000 };

static int64_t
nitems_of(const struct block_grid *g)
{
    int64_t n = 1;
    for (int i = 0; i < g->ndim; i++)
        n *= g->shape[i];
    return n;
}

// Where an item comes in the order of cells.
struct rank {
    int64_t cell[NDIM_MAX]; // which cell it is in
    int64_t at[NDIM_MAX];
    int64_t item; // in the block
    int ndim;
};

static int
by_rank(const void *a, const void *b)
{
    const struct rank *const x = a;
    const struct rank *const y = b;
    for (int i = 0; i < x->ndim; i++)
        if (x->cell[i] != y->cell[i])
            return x->cell[i] < y->cell[i] ? -1 : 1;
    for (int i = 0; i < x->ndim; i++)
        if (x->at[i] != y->at[i])
            return x->at[i] < y->at[i] ? -1 : 1;
    return 0;
}

// The items of a block in the order of its cells.
static struct rank *
ranks_of(const struct block_grid *g, int64_t side)
{
    const int64_t n = nitems_of(g);
    struct rank *const ranks = calloc((size_t)n, sizeof *ranks);
    assert_non_null(ranks);
    for (int64_t item = 0; item < n; item++) {
        int64_t rest = item;
        ranks[item].item = item;
        ranks[item].ndim = g->ndim;
        for (int i = g->ndim - 1; i >= 0; i--) {
            ranks[item].at[i] = rest % g->shape[i];
            ranks[item].cell[i] = ranks[item].at[i] / side;
            rest /= g->shape[i];
        }
    }
    qsort(ranks, (size_t)n, sizeof *ranks, by_rank);
    return ranks;
}

static struct block_grid
random_grid(struct random *r, int32_t typesize)
{
    struct block_grid g = {.ndim = 1 + (int)random_below(r, 8), .typesize = typesize};
    int64_t n = 1;
    for (int i = 0; i < g.ndim; i++) {
        const int64_t most = ITEMS_MAX / n < 20 ? ITEMS_MAX / n : 20;
        g.shape[i] = 1 + (int32_t)random_below(r, (uint64_t)(g.ndim < 4 ? most
                                                             : most < 4 ? most
                                                                        : 4));
        n *= g.shape[i];
    }
    return g;
}

static void
is_the_permutation(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int turn = 0; turn < NTURNS; turn++) {
        const struct block_grid g = random_grid(&r, 1 + (int32_t)random_below(&r, 9));
        const int32_t side = 1 + (int32_t)random_below(&r, 8);
        const size_t t = (size_t)g.typesize, n = (size_t)nitems_of(&g);
        uint8_t *const plain = exact_memory(n * t), *const cells = exact_memory(n * t),
                       *const back = exact_memory(n * t);
        struct rank *const ranks = ranks_of(&g, side);

        random_bytes(&r, plain, n * t);
        cells_forward(&g, side, cells, plain);
        for (size_t i = 0; i < n; i++)
            assert_memory_equal(cells + i * t, plain + (size_t)ranks[i].item * t, t);
        cells_backward(&g, side, back, cells);
        assert_memory_equal(back, plain, n * t);
        free(plain);
        free(cells);
        free(back);
        free(ranks);
    }
}

static void
means_are_of_each_cell(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int turn = 0; turn < NTURNS / 4; turn++) {
        const struct block_grid g = random_grid(&r, 8);
        const int32_t side = 1 + (int32_t)random_below(&r, 6);
        const size_t n = (size_t)nitems_of(&g);
        struct rank *const ranks = ranks_of(&g, side);
        uint8_t *const items = malloc(n * 8), *const small = malloc(n * 4);
        struct block_grid small_grid = g;

        assert_true(items && small);
        small_grid.typesize = 4;
        for (size_t i = 0; i < n; i++) {
            put_f64le(items + 8 * i, (double)random_below(&r, 1000));
            put_f32le(small + 4 * i, (float)get_f64le(items + 8 * i));
        }
        double *const expected = malloc(n * sizeof *expected);
        assert_non_null(expected);
        for (size_t i = 0, j; i < n; i = j) {
            double sum = 0;
            for (j = i; j < n && !memcmp(ranks[j].cell, ranks[i].cell, sizeof ranks[i].cell); j++)
                sum += get_f64le(items + 8 * j);
            for (size_t k = i; k < j; k++)
                expected[k] = sum / (double)(j - i);
        }
        cells_average(&g, side, items);
        cells_average(&small_grid, side, small);
        for (size_t i = 0; i < n; i++) {
            assert_true(get_f64le(items + 8 * i) == expected[i]);
            assert_true(get_f32le(small + 4 * i) == (float)expected[i]);
        }
        free(items);
        free(small);
        free(expected);
        free(ranks);
    }
}

static uint8_t tmp[4][24];

static const uint8_t *
forward(const struct pipeline *p, const uint8_t *src, size_t size)
{
    const uint8_t *out = NULL;
    assert_int_equal(pipeline_forward(p, src, 0, NULL, tmp[0], tmp[1], size, &out, NULL), TESS_OK);
    return out;
}

static const uint8_t *
backward(const struct pipeline *p, const uint8_t *src, size_t size)
{
    const uint8_t *out = NULL;
    assert_int_equal(pipeline_backward(p, 0, src, 0, NULL, tmp[2], tmp[3], size, &out, NULL),
                     TESS_OK);
    return out;
}

// A block of 3 x 5 in cells of 2.
static void
works_in_a_pipeline(void **state)
{
    static const uint8_t plain[15] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    static const uint8_t cells[15] = {0, 1, 5, 6, 2, 3, 7, 8, 4, 9, 10, 11, 12, 13, 14};
    const struct block_grid g = {.ndim = 2, .typesize = 1, .shape = {3, 5}};
    const struct filter_spec spec = {.ids = {0, TESS_FILTER_NDCELL, 0, TESS_FILTER_DELTA},
                                     .metas = {0, 2},
                                     .typesize = 1,
                                     .grid = &g,
                                     .blocksize = 15};
    struct pipeline p;
    tess_error err;
    (void)state;

    struct filter_spec alone = spec;
    alone.ids[3] = 0;
    assert_int_equal(pipeline_init(&alone, &p, &err), TESS_OK);
    assert_memory_equal(forward(&p, plain, 15), cells, 15);

    assert_int_equal(pipeline_init(&spec, &p, &err), TESS_OK);
    assert_int_equal(pipeline_check_encode(&p, &err), TESS_OK);
    const uint8_t *const filtered = forward(&p, plain, 15);
    assert_memory_not_equal(filtered, plain, 15);
    assert_memory_equal(backward(&p, filtered, 15), plain, 15);
}

// ndmean loses when it is applied, and is a permutation when it is undone. The numbers are
// little-endian.
static void
means_are_put_back(void **state)
{
    static const uint8_t plain[24] = {0, 0, 0x80, 0x3f, 0, 0, 0x40, 0x40, 0, 0, 0x20, 0x41,
                                      0, 0, 0xa0, 0x40, 0, 0, 0xe0, 0x40, 0, 0, 0xa0, 0x41};
    static const uint8_t expected[24] = {0, 0, 0x80, 0x40, 0, 0, 0x80, 0x40, 0, 0, 0x70, 0x41,
                                         0, 0, 0x80, 0x40, 0, 0, 0x80, 0x40, 0, 0, 0x70, 0x41};
    const struct block_grid g = {.ndim = 2, .typesize = 4, .shape = {2, 3}}; // 1 3 10, 5 7 20
    const struct filter_spec spec = {
        .ids = {TESS_FILTER_NDMEAN}, .metas = {2}, .typesize = 4, .grid = &g, .blocksize = 24};
    struct pipeline p;
    tess_error err;
    (void)state;

    assert_int_equal(pipeline_init(&spec, &p, &err), TESS_OK);
    assert_int_equal(pipeline_check_encode(&p, &err), TESS_OK);
    assert_true(p.lossy);
    const uint8_t *const f = forward(&p, plain, 24);
    assert_memory_equal(backward(&p, f, 24), expected, 24);
}

static const struct {
    const char *why;
    uint8_t id, meta;
    int32_t blocksize;
    struct block_grid grid;
    tess_status read, written;
} cases[] = {
    {"fits", 32, 2, 48, {2, 4, {3, 4}}, TESS_OK, TESS_OK},
    {"longer than one side", 32, 3, 80, {2, 4, {2, 10}}, TESS_OK, TESS_OK},
    {"as many items as the block", 32, 4, 64, {2, 4, {2, 8}}, TESS_OK, TESS_OK},
    {"more items than the block", 32, 5, 64, {2, 4, {2, 8}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
    {"side 0", 32, 0, 48, {2, 4, {3, 4}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
    {"side 128 is only read", 32, 128, 800, {1, 4, {200}}, TESS_OK, TESS_ERR_ARG},
    {"no dimension", 32, 1, 4, {0, 4, {0}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
    {"9 dimensions", 32, 1, 4, {9, 4, {1, 1, 1, 1, 1, 1, 1, 1, 1}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
    {"8 dimensions", 32, 1, 4, {8, 4, {1, 1, 1, 1, 1, 1, 1, 1}}, TESS_OK, TESS_OK},
    {"an empty axis", 32, 1, 0, {2, 4, {3, 0}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
    {"blocks of another size", 32, 2, 44, {2, 4, {3, 4}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
    {"blocks of several sizes", 32, 2, 0, {2, 4, {3, 4}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
    {"2^64 bytes and 0",
     32,
     2,
     0,
     {4, 4, {1 << 30, 1 << 30, 4, 1}},
     TESS_ERR_CORRUPT,
     TESS_ERR_ARG},
    {"items of 256 bytes", 32, 1, 512, {1, 256, {2}}, TESS_OK, TESS_ERR_ARG},
    {"mean", 33, 3, 48, {2, 4, {3, 4}}, TESS_OK, TESS_OK},
    {"mean of doubles", 33, 1, 96, {2, 8, {3, 4}}, TESS_OK, TESS_OK},
    {"mean of shorts", 33, 2, 24, {2, 2, {3, 4}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
    {"mean, side 0", 33, 0, 48, {2, 4, {3, 4}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
    {"mean, longer than the first axis", 33, 4, 48, {2, 4, {3, 4}}, TESS_OK, TESS_ERR_ARG},
    {"mean, side 128", 33, 128, 800, {1, 4, {200}}, TESS_ERR_CORRUPT, TESS_ERR_ARG},
};

static void
tells_what_can_be(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter_spec spec = {.ids = {cases[i].id},
                                   .metas = {cases[i].meta},
                                   .typesize = cases[i].grid.typesize > 255 ? 1 : 4,
                                   .grid = &cases[i].grid,
                                   .blocksize = cases[i].blocksize};
        struct pipeline p;
        tess_error err = {0};
        tess_status st = pipeline_init(&spec, &p, &err);
        if (st != cases[i].read)
            fail_msg("%s: %d, %s", cases[i].why, st, err.message);
        spec.from_caller = true;
        st = pipeline_init(&spec, &p, &err);
        if (st == TESS_OK)
            st = pipeline_check_encode(&p, &err);
        if (st != cases[i].written)
            fail_msg("%s: %d, %s", cases[i].why, st, err.message);
        spec.grid = NULL;
        assert_int_equal(pipeline_init(&spec, &p, &err), TESS_ERR_UNSUPPORTED);
    }
}

// Means are no reference for delta: it would have to be the block as it was.
static void
delta_after_means_is_refused(void **state)
{
    const struct block_grid g = {.ndim = 1, .typesize = 4, .shape = {8}};
    const struct filter_spec spec = {.ids = {TESS_FILTER_NDMEAN, TESS_FILTER_DELTA},
                                     .metas = {2},
                                     .typesize = 4,
                                     .grid = &g,
                                     .blocksize = 32};
    struct pipeline p;
    (void)state;
    assert_int_equal(pipeline_init(&spec, &p, NULL), TESS_OK);
    assert_int_equal(pipeline_check_encode(&p, NULL), TESS_ERR_ARG);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_permutation),  cmocka_unit_test(means_are_of_each_cell),
        cmocka_unit_test(works_in_a_pipeline), cmocka_unit_test(means_are_put_back),
        cmocka_unit_test(tells_what_can_be),   cmocka_unit_test(delta_after_means_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
