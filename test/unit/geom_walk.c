/*
 * geom_walk.c - tests of geom/walk: random boxes against a loop over every item.
 */
#include "geom/walk.h"

#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 20000, NDIM_TRIED = 6 };

struct boxed_grid {
    int ndim;
    int64_t cell[NDIM_MAX], grid[NDIM_MAX], start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX];
};

static void
random_box(struct random *r, struct boxed_grid *b)
{
    b->ndim = (int)random_below(r, NDIM_TRIED + 1);
    for (int i = 0; i < b->ndim; i++) {
        b->cell[i] = 1 + (int64_t)random_below(r, 5);
        b->grid[i] = 1 + (int64_t)random_below(r, b->ndim > 3 ? 3 : 6);
        const int64_t length = b->cell[i] * b->grid[i];
        b->start[i] = (int64_t)random_below(r, (uint64_t)length);
        b->stop[i] = b->start[i] + 1 + (int64_t)random_below(r, (uint64_t)(length - b->start[i]));
        b->step[i] = 1;
        if (random_below(r, 100) == 0)
            b->stop[i] = b->start[i];
    }
}

// Steps of all sizes, from one item to the last of an axis.
static void
random_steps(struct random *r, struct boxed_grid *b)
{
    for (int i = 0; i < b->ndim; i++) {
        const int64_t length = b->stop[i] - b->start[i];
        if (length < 2 || random_below(r, 3) == 0)
            continue;
        b->step[i] = 1 + (int64_t)random_below(r, (uint64_t)length);
        b->stop[i] = b->start[i] + (length - 1) / b->step[i] * b->step[i] + 1;
    }
}

// What a walk should tell of each cell of the grid: the range of the box inside it, per axis.
// False if the box does not meet the cell.
static bool
expect(const struct boxed_grid *b, int64_t index, int64_t *lo, int64_t *hi, int64_t *count,
       int64_t *from)
{
    bool meets = true;
    for (int i = b->ndim - 1; i >= 0; i--) {
        const int64_t origin = index % b->grid[i] * b->cell[i];
        index /= b->grid[i];
        lo[i] = hi[i] = from[i] = -1;
        count[i] = 0;
        for (int64_t x = origin; x < origin + b->cell[i]; x++) {
            if (x < b->start[i] || x >= b->stop[i] || (x - b->start[i]) % b->step[i] != 0)
                continue;
            if (lo[i] < 0) {
                lo[i] = x - origin;
                from[i] = (x - b->start[i]) / b->step[i];
            }
            count[i]++;
            hi[i] = x - origin + 1;
        }
        meets &= lo[i] >= 0;
    }
    return meets;
}

static bool
is_empty(const struct boxed_grid *b)
{
    for (int i = 0; i < b->ndim; i++)
        if (b->start[i] == b->stop[i])
            return true;
    return false;
}

// Returns how many cells the box meets; all of them are compared.
static int64_t
check(const struct boxed_grid *b)
{
    int64_t lo[NDIM_MAX], hi[NDIM_MAX], count[NDIM_MAX], from[NDIM_MAX];
    int64_t ncells = 1, met = 0;
    struct walk w;
    bool more =
        walk_begin(&w, b->ndim, b->cell, b->grid, &(struct box){b->start, b->stop, b->step});

    for (int i = 0; i < b->ndim; i++)
        ncells *= b->grid[i];
    for (int64_t n = 0; n < ncells; n++) {
        if (is_empty(b) || !expect(b, n, lo, hi, count, from))
            continue;
        assert_true(more);
        assert_int_equal(w.index, n);
        assert_int_equal(w.ndim, b->ndim);
        const size_t size = (size_t)b->ndim * sizeof(int64_t);
        assert_memory_equal(w.lo, lo, size);
        assert_memory_equal(w.hi, hi, size);
        assert_memory_equal(w.count, count, size);
        assert_memory_equal(w.from, from, size);
        met++;
        more = walk_next(&w);
    }
    assert_false(more);
    return met;
}

static void
boxes(void **state)
{
    struct random r;
    struct boxed_grid b;
    int64_t met = 0, empty = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < ROUNDS; i++) {
        random_box(&r, &b);
        if (i % 2)
            random_steps(&r, &b);
        const int64_t n = check(&b);
        met += n;
        empty += n == 0;
    }
    assert_true(met > ROUNDS); // the test tests something
    assert_true(empty > 0 && empty < ROUNDS / 10);
}

// Cells that the edge cuts off are covered by what is left of them.
static void
covers(void **state)
{
    struct random r;
    struct boxed_grid b;
    int covered = 0, uncovered = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS / 4; round++) {
        int64_t limit[NDIM_MAX];
        struct walk w;
        random_box(&r, &b);
        for (int i = 0; i < b.ndim; i++) // the last cell keeps one item at least
            limit[i] = b.grid[i] * b.cell[i] - (int64_t)random_below(&r, (uint64_t)b.cell[i]);
        for (int i = 0; i < b.ndim; i++) {
            if (b.stop[i] > limit[i] || random_below(&r, 3) == 0)
                b.stop[i] = limit[i];
            if (b.start[i] >= b.stop[i] || random_below(&r, 3) == 0)
                b.start[i] = 0;
        }
        for (bool more =
                 walk_begin(&w, b.ndim, b.cell, b.grid, &(struct box){b.start, b.stop, NULL});
             more; more = walk_next(&w)) {
            bool all = true; // of the cell's items before the limit are in the box
            for (int i = 0; i < b.ndim; i++)
                for (int64_t x = w.at[i] * b.cell[i]; x < (w.at[i] + 1) * b.cell[i]; x++)
                    all &= x >= limit[i] || (x >= b.start[i] && x < b.stop[i]);
            assert_int_equal(walk_covers(&w, limit), all);
            covered += all;
            uncovered += !all;
        }
    }
    assert_true(covered > 1000 && uncovered > 1000);
}

static void
far_out(void **state)
{
    const int64_t cell[2] = {1000, INT64_C(1) << 20}, grid[2] = {3, INT64_C(1) << 42};
    const int64_t start[2] = {1999, (INT64_C(1) << 62) - 3}, stop[2] = {2001, INT64_C(1) << 62};
    struct walk w;

    (void)state;
    assert_true(walk_begin(&w, 2, cell, grid, &(struct box){start, stop, NULL}));
    assert_int_equal(w.index, 2 * (INT64_C(1) << 42) - 1);
    assert_int_equal(w.lo[0], 999);
    assert_int_equal(w.lo[1], (1 << 20) - 3);
    assert_true(walk_next(&w));
    assert_int_equal(w.index, 3 * (INT64_C(1) << 42) - 1);
    assert_int_equal(w.hi[0], 1);
    assert_int_equal(w.from[0], 1);
    assert_false(walk_next(&w));
}

// The first cell from a number on is the first that a walk of all finds there.
static void
seeks(void **state)
{
    struct random r;
    struct boxed_grid b;
    int found = 0, missed = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        int64_t ncells = 1;
        struct walk w, sought;
        random_box(&r, &b);
        if (round % 2)
            random_steps(&r, &b);
        bool more = walk_begin(&w, b.ndim, b.cell, b.grid,
                               &(struct box){b.start, b.stop, round % 2 ? b.step : NULL});
        if (!more)
            continue;
        sought = w;
        for (int i = 0; i < b.ndim; i++)
            ncells *= b.grid[i];
        const int64_t from = (int64_t)random_below(&r, (uint64_t)ncells + 2);
        while (more && w.index < from)
            more = walk_next(&w);
        assert_int_equal(walk_seek(&sought, from), more);
        found += more;
        missed += !more;
        for (; more; more = walk_next(&w), walk_next(&sought)) {
            assert_int_equal(sought.index, w.index);
            assert_memory_equal(sought.at, w.at, (size_t)b.ndim * sizeof *w.at);
            assert_memory_equal(sought.lo, w.lo, (size_t)b.ndim * sizeof *w.lo);
            assert_memory_equal(sought.hi, w.hi, (size_t)b.ndim * sizeof *w.hi);
        }
    }
    assert_true(found > ROUNDS / 4 && missed > ROUNDS / 20);
}

// A copy of a walk stands on any cell of it again, wherever it is itself.
static void
stands(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < ROUNDS; i++) {
        struct walk w, other;
        struct boxed_grid b;
        random_box(&r, &b);
        random_steps(&r, &b);
        bool more = walk_begin(&w, b.ndim, b.cell, b.grid, &(struct box){b.start, b.stop, b.step});
        if (!more)
            continue;
        other = w;
        for (int ahead = (int)random_below(&r, 20); ahead > 0 && walk_next(&other); ahead--)
            ;
        for (; more; more = walk_next(&w)) {
            const size_t size = (size_t)b.ndim * sizeof *w.at;
            walk_stand(&other, w.index);
            assert_int_equal(other.index, w.index);
            assert_memory_equal(other.at, w.at, size);
            assert_memory_equal(other.lo, w.lo, size);
            assert_memory_equal(other.hi, w.hi, size);
            assert_memory_equal(other.count, w.count, size);
            assert_memory_equal(other.from, w.from, size);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),  cmocka_unit_test(covers),  cmocka_unit_test(seeks),
        cmocka_unit_test(stands), cmocka_unit_test(far_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
