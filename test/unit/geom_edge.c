/*
 * geom_edge.c - tests of edge_read(): what is read of an axis and what is copied, put together, is
 * what a walk along the axis shows.
 */
#include "geom/index_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH = 7, COUNT = 20, START = 25 };

// The item of an axis that an index shows, step by step from item 0, which is mirrored to itself.
static int64_t
mirrored(int64_t index, int64_t length)
{
    int64_t at = 0, step = 1;
    for (int64_t k = index < 0 ? -index : index; k > 0 && length > 1; k--) {
        if (at + step < 0 || at + step == length)
            step = -step;
        at += step;
    }
    return at;
}

static int64_t
shown(tess_edge mode, int64_t index, int64_t length)
{
    if (mode == TESS_EDGE_MIRROR)
        return mirrored(index, length);
    return index < 0 ? 0 : index >= length ? length - 1 : index;
}

// The items of a box as the two functions say; each index is told once.
static void
check_box(tess_edge mode, int64_t start, int64_t count, int64_t length)
{
    int64_t got[COUNT];
    struct edge_copy c;
    const struct edge_run run = edge_read(mode, start, count, length);

    memset(got, 0xff, sizeof got);
    assert_true(run.n > 0 && run.at >= 0 && run.at + run.n <= count);
    assert_true(run.first >= 0 && run.first + run.n <= length);
    for (int64_t i = 0; i < run.n; i++)
        got[run.at + i] = run.turned ? run.first + run.n - 1 - i : run.first + i;
    for (int64_t to = 0; edge_copies(mode, start, count, length, &run, to, &c); to = c.to + c.n) {
        assert_true(c.n > 0 && c.to >= to && c.to + c.n <= count);
        for (int64_t i = 0; i < c.n; i++) {
            const int64_t from = c.from + i * c.step;
            assert_in_range(from, run.at, run.at + run.n - 1); // nothing is copied twice
            assert_int_equal(got[c.to + i], -1);
            got[c.to + i] = got[from];
        }
    }
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(got[i], shown(mode, start + i, length));
}

static void
nearest_and_mirror(void **state)
{
    (void)state;
    for (int64_t length = 1; length <= LENGTH; length++)
        for (int64_t count = 1; count <= COUNT; count++)
            for (int64_t start = -START; start <= START; start++) {
                check_box(TESS_EDGE_NEAREST, start, count, length);
                check_box(TESS_EDGE_MIRROR, start, count, length);
            }
}

static void
fill(void **state)
{
    (void)state;
    for (int64_t length = 0; length <= LENGTH; length++)
        for (int64_t count = 1; count <= COUNT; count++)
            for (int64_t start = -START; start <= START; start++) {
                const struct edge_run run = edge_read(TESS_EDGE_FILL, start, count, length);
                int64_t inside = 0;
                for (int64_t i = 0; i < count; i++)
                    inside += start + i >= 0 && start + i < length;
                assert_int_equal(run.n, inside);
                assert_false(run.turned);
                if (run.n > 0) {
                    assert_int_equal(run.first, start + run.at);
                    assert_true(run.first >= 0 && run.first + run.n <= length);
                }
            }
}

// Numbers at which sums do not fit.
static void
far(void **state)
{
    const int64_t most = INT64_MAX;
    struct edge_run run;
    (void)state;
    run = edge_read(TESS_EDGE_NEAREST, INT64_MIN, most, most);
    assert_true(run.at == most - 1 && run.n == 1 && run.first == 0);
    run = edge_read(TESS_EDGE_MIRROR, -most, most, most); // item most - 1, then down to item 1
    assert_true(run.at == 1 && run.n == most - 1 && run.first == 1 && run.turned);
    run = edge_read(TESS_EDGE_FILL, INT64_MIN, most, most);
    assert_int_equal(run.n, 0);
    run = edge_read(TESS_EDGE_FILL, -1, most, most);
    assert_true(run.at == 1 && run.n == most - 1 && run.first == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_and_mirror),
        cmocka_unit_test(fill),
        cmocka_unit_test(far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
