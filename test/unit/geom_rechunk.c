/*
 * geom_rechunk.c - tests of geom/rechunk: what pieces promise, known cases, and how near the greedy
 * choice comes to the best.
 */
#include "geom/rechunk.h"

#include "base/checked.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 20000, SMALL = 3000 };

static int64_t
product(int ndim, const int64_t *n)
{
    int64_t all = 1;
    for (int i = 0; i < ndim; i++)
        all *= n[i];
    return all;
}

// Units read along an axis, one by one.
static int64_t
reads_along(const struct rechunk *r, int axis, int64_t piece)
{
    int64_t n = 0;
    for (int64_t start = 0; start < r->shape[axis]; start += piece) {
        const int64_t stop = min_i64(start + piece, r->shape[axis]);
        n += (stop - 1) / r->unit[axis] - start / r->unit[axis] + 1;
    }
    return n;
}

static int64_t
reads(const struct rechunk *r, const int64_t *piece)
{
    int64_t n = 1;
    for (int i = 0; i < r->ndim; i++)
        n *= reads_along(r, i, piece[i]);
    return n;
}

static void
draw(struct random *random, int ndim, int64_t longest, struct rechunk *r)
{
    r->ndim = ndim;
    for (int i = 0; i < ndim; i++) {
        r->shape[i] = 1 + below(random, longest);
        r->unit[i] = 1 + below(random, r->shape[i] + 2);
        r->chunk[i] = 1 + below(random, r->shape[i] + 2);
        r->block[i] = 1 + below(random, r->chunk[i]);
    }
}

// Whole chunks of the target if one fits, then of no more items than allowed; else whole blocks, or
// one.
static void
check_promise(const struct rechunk *r, int64_t nitems, const int64_t *piece)
{
    int64_t chunk[NDIM_MAX], block[NDIM_MAX];

    for (int i = 0; i < r->ndim; i++) {
        chunk[i] = min_i64(r->chunk[i], r->shape[i]);
        block[i] = min_i64(r->block[i], r->shape[i]);
        assert_in_range(piece[i], 1, r->shape[i]);
    }
    const bool fits = product(r->ndim, chunk) <= nitems;
    const int64_t *const whole = fits ? chunk : block;
    if (product(r->ndim, block) <= nitems)
        assert_in_range(product(r->ndim, piece), 1, nitems);
    else
        assert_memory_equal(piece, block, (size_t)r->ndim * sizeof *block);
    for (int i = 0; i < r->ndim; i++) {
        assert_true(piece[i] % whole[i] == 0 || piece[i] == (fits ? r->shape[i] : chunk[i]));
        if (!fits)
            assert_in_range(piece[i], 1, chunk[i]);
    }
}

static void
promises(void **state)
{
    struct random random;

    (void)state;
    random_init(&random, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        struct rechunk r;
        int64_t piece[NDIM_MAX];
        draw(&random, (int)below(&random, 6), 40, &r);
        const int64_t nitems = 1 + below(&random, 1 + below(&random, 1 << 20));
        rechunk_piece(&r, nitems, 1 + below(&random, nitems), piece);
        check_promise(&r, nitems, piece);
    }
}

static void
known(void **state)
{
    static const struct {
        const char *why;
        struct rechunk r;
        int64_t nitems, enough, piece[2];
    } cases[] = {
        {"aligned: a chunk is enough",
         {2, {100, 100}, {10, 10}, {20, 20}, {5, 5}},
         10000,
         1,
         {20, 20}},
        {"aligned, but little at a time",
         {2, {100, 100}, {10, 10}, {20, 20}, {5, 5}},
         10000,
         10000,
         {100, 100}},
        {"rows to columns: all columns",
         {2, {64, 64}, {1, 64}, {64, 1}, {64, 1}},
         4096,
         1,
         {64, 64}},
        {"rows to columns, half the memory",
         {2, {64, 64}, {1, 64}, {64, 1}, {64, 1}},
         2048,
         1,
         {64, 32}},
        {"a chunk that ends with every third unit", {1, {90}, {15}, {10}, {10}}, 45, 1, {30}},
        {"a chunk does not fit: blocks of it",
         {2, {64, 64}, {8, 8}, {32, 32}, {4, 4}},
         256,
         1,
         {8, 32}},
        {"a block does not fit: a block", {2, {64, 64}, {8, 8}, {32, 32}, {8, 8}}, 10, 1, {8, 8}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t piece[NDIM_MAX] = {0};
        rechunk_piece(&cases[i].r, cases[i].nitems, cases[i].enough, piece);
        for (int k = 0; k < cases[i].r.ndim; k++)
            if (piece[k] != cases[i].piece[k])
                fail_msg("%s: axis %d: %" PRId64 " instead of %" PRId64, cases[i].why, k, piece[k],
                         cases[i].piece[k]);
    }
}

// The best of all pieces of whole chunks that fit.
static int64_t
fewest(const struct rechunk *r, int64_t nitems)
{
    int64_t piece[NDIM_MAX], best = INT64_MAX;
    int i;

    for (int k = 0; k < r->ndim; k++)
        piece[k] = min_i64(r->chunk[k], r->shape[k]);
    do {
        if (product(r->ndim, piece) <= nitems)
            best = min_i64(best, reads(r, piece));
        for (i = r->ndim - 1; i >= 0; i--) {
            if (piece[i] < r->shape[i]) {
                piece[i] = min_i64(piece[i] + r->chunk[i], r->shape[i]);
                break;
            }
            piece[i] = min_i64(r->chunk[i], r->shape[i]);
        }
    } while (i >= 0);
    return best;
}

static void
near_the_best(void **state)
{
    struct random random;
    double worst = 1, sum = 0;
    int n = 0;

    (void)state;
    random_init(&random, random_seed());
    for (int round = 0; round < SMALL; round++) {
        struct rechunk r;
        int64_t piece[NDIM_MAX];
        draw(&random, 1 + (int)below(&random, 3), 24, &r);
        const int64_t nitems = 1 + below(&random, product(r.ndim, r.shape));
        const int64_t best = fewest(&r, nitems);
        if (best == INT64_MAX) // no chunk fits
            continue;
        rechunk_piece(&r, nitems, 1, piece);
        const double factor = (double)reads(&r, piece) / (double)best;
        worst = factor > worst ? factor : worst;
        sum += factor;
        n++;
    }
    print_message("%d cases: %.3f times the fewest reads in the mean, %.2f at most\n", n, sum / n,
                  worst);
    assert_true(worst <= 3 && sum / n <= 1.05);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promises),
        cmocka_unit_test(known),
        cmocka_unit_test(near_the_best),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
