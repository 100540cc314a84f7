/*
 * geom_halves.c - tests of halves_do(): each cell once, in order, whatever is done at once.
 */
#include "geom/walk.h"

#include "base/checked.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 3000, AXES = 4, CELLS_MAX = 600 };

// A grid in which each cell has a colour, and boxes of one colour are done at once.
struct grid {
    int ndim, backwards;
    int64_t first[AXES], last[AXES];
    int colour[CELLS_MAX];
    int64_t order[CELLS_MAX]; // which call did a cell; 0: none yet
    int64_t calls;
    int64_t done; // cells
    int64_t fails_at; // cells that are done before one fails
};

static int64_t
ordinal(const struct grid *g, const int64_t *at)
{
    int64_t n = 0;
    for (int i = 0; i < g->ndim; i++)
        n = n * (g->last[i] - g->first[i]) + at[i] - g->first[i];
    return n;
}

// The next cell of a box, in C order; false behind the last one.
static bool
step(const struct grid *g, int64_t *at, const int64_t *first, const int64_t *last)
{
    for (int i = g->ndim - 1; i >= 0; i--) {
        if (++at[i] < last[i])
            return true;
        at[i] = first[i];
    }
    return false;
}

static tess_status
do_one(struct grid *g, const int64_t *at, tess_error *err)
{
    const int64_t n = ordinal(g, at);
    assert_int_equal(g->order[n], 0);
    if (g->done == g->fails_at)
        return err_set(err, TESS_ERR_IO, -1, "a cell fails");
    g->order[n] = g->calls;
    g->done++;
    return TESS_OK;
}

static tess_status
do_cell(void *user, const int64_t *at, tess_error *err)
{
    struct grid *const g = user;
    g->calls++;
    return do_one(g, at, err);
}

static tess_status
do_box(void *user, const int64_t *first, const int64_t *last, bool *done, tess_error *err)
{
    struct grid *const g = user;
    int64_t at[AXES];
    tess_status st = TESS_OK;

    memcpy(at, first, sizeof *at * (size_t)g->ndim);
    const int colour = g->colour[ordinal(g, first)];
    *done = colour != 0;
    for (bool more = true; more && *done; more = step(g, at, first, last))
        *done = g->colour[ordinal(g, at)] == colour;
    memcpy(at, first, sizeof *at * (size_t)g->ndim);
    g->calls += *done;
    for (bool more = *done; more && st == TESS_OK; more = step(g, at, first, last))
        st = do_one(g, at, err);
    return st;
}

static void
draw(struct random *r, struct grid *g, int64_t *n)
{
    *g = (struct grid){.ndim = (int)random_below(r, AXES + 1), .fails_at = CELLS_MAX + 1};
    g->backwards = (int)random_below(r, (uint64_t)g->ndim + 1) - 1;
    *n = 1;
    for (int i = 0; i < g->ndim; i++) {
        g->first[i] = (int64_t)random_below(r, 5);
        g->last[i] = g->first[i] + 1 + (int64_t)random_below(r, i == 0 ? 18 : 3);
        *n *= g->last[i] - g->first[i];
    }
    const uint64_t colours = 1 + random_below(r, 3);
    for (int64_t i = 0; i < *n; i++)
        g->colour[i] = (int)(random_below(r, 8) == 0 ? 0 : random_below(r, colours) + 1);
}

static tess_status
run(struct grid *g, tess_error *err)
{
    const struct halves h = {
        .ndim = g->ndim, .backwards = g->backwards, .user = g, .box = do_box, .cell = do_cell};
    return halves_do(&h, g->first, g->last, err);
}

// Along the axis that runs backwards, no cell comes after those at smaller places with the same
// other coordinates. Without such an axis, along the slowest one none comes before them.
static void
check_order(const struct grid *g, int64_t n)
{
    const int axis = max_i64(g->backwards, 0) < g->ndim ? (int)max_i64(g->backwards, 0) : -1;
    int64_t pitch = 1;
    for (int i = g->ndim - 1; i > axis; i--)
        pitch *= g->last[i] - g->first[i];
    for (int64_t i = 0; i < n; i++) {
        assert_int_not_equal(g->order[i], 0);
        if (axis < 0 || i / pitch % (g->last[axis] - g->first[axis]) == 0)
            continue;
        if (g->backwards >= 0)
            assert_true(g->order[i] <= g->order[i - pitch]);
        else
            assert_true(g->order[i] >= g->order[i - pitch]);
    }
}

static void
test_each_cell(void **state)
{
    struct random r;
    struct grid g;
    tess_error err;
    int64_t n;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        draw(&r, &g, &n);
        assert_int_equal(run(&g, &err), TESS_OK);
        assert_int_equal(g.done, n);
        check_order(&g, n);
        memset(g.order, 0, sizeof g.order);
        g.done = 0;
        g.fails_at = (int64_t)random_below(&r, (uint64_t)n);
        assert_int_equal(run(&g, &err), TESS_ERR_IO);
        assert_int_equal(g.done, g.fails_at); // nothing comes behind a failure
    }
}

// What is the same everywhere is one call, whatever its size.
static tess_status
take_all(void *user, const int64_t *first, const int64_t *last, bool *done, tess_error *err)
{
    int *const calls = user;
    (void)first;
    (void)last;
    (void)err;
    ++*calls;
    *done = true;
    return TESS_OK;
}

static void
test_at_once(void **state)
{
    const int64_t first[2] = {0, 0}, last[2] = {INT64_C(1) << 60, INT64_C(1) << 60};
    int calls = 0;
    const struct halves h = {.ndim = 2, .backwards = -1, .user = &calls, .box = take_all};

    (void)state;
    assert_int_equal(halves_do(&h, first, last, NULL), TESS_OK);
    assert_int_equal(calls, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_cell),
        cmocka_unit_test(test_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
