/*
 * frame_extents.c - tests of frame/extents against a map of single bytes: random joins, removals
 * and takes, and series that are sorted in every way a tree may not like.
 */
#include "frame/contiguous/extents.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 3000, STEPS = 20000 };

static uint8_t map[BYTES]; // 1: in the set

static struct extent
run_from(int64_t from)
{
    struct extent e = {from, 0};
    while (e.start < BYTES && !map[e.start])
        e.start++;
    while (e.start + e.size < BYTES && map[e.start + e.size])
        e.size++;
    return e;
}

// The smallest run that has `size` bytes, the first of those; size 0: there is none.
static struct extent
best(int64_t size)
{
    struct extent found = {0, 0};
    for (struct extent e = run_from(0); e.size > 0; e = run_from(e.start + e.size))
        if (e.size >= size && (found.size == 0 || e.size < found.size))
            found = e;
    return found;
}

static void
check_all(const struct extents *x)
{
    struct extent e;
    int64_t at = 0, total = 0, most = 0;
    for (struct extent r = run_from(0); r.size > 0; r = run_from(at)) {
        assert_true(extents_next(x, at, &e));
        assert_int_equal(e.start, r.start);
        assert_int_equal(e.size, r.size);
        at = e.start + e.size;
        total += e.size;
        most = e.size > most ? e.size : most;
    }
    assert_false(extents_next(x, at, &e));
    assert_int_equal(x->total, total);
    assert_true(most == 0 || extents_fit(x, most));
    assert_false(extents_fit(x, most + 1));
}

static void
join(struct extents *x, struct random *r)
{
    struct extent e = {(int64_t)random_below(r, BYTES), 0};
    const int64_t most = 1 + (int64_t)random_below(r, 12);
    while (e.size < most && e.start + e.size < BYTES && !map[e.start + e.size])
        e.size++;
    assert_true(extents_join(x, e));
    memset(map + e.start, 1, (size_t)e.size);
}

static void
take(struct extents *x, int64_t size)
{
    int64_t start = -1;
    const struct extent e = best(size);
    assert_int_equal(extents_take(x, size, &start), e.size > 0);
    if (e.size == 0)
        return;
    assert_int_equal(start, e.start);
    memset(map + start, 0, (size_t)size);
}

static void
remove_one(struct extents *x, int64_t start)
{
    const struct extent r = run_from(start);
    const bool there = r.size > 0 && r.start == start && (start == 0 || !map[start - 1]);
    struct extent e;
    assert_int_equal(extents_remove(x, start, &e), there);
    if (!there)
        return;
    assert_int_equal(e.size, r.size);
    memset(map + start, 0, (size_t)r.size);
}

// The run that ends there, and nothing else.
static void
remove_before(struct extents *x, int64_t end)
{
    struct extent e, r = {end, 0};
    while (r.start > 0 && map[r.start - 1] && (end == BYTES || !map[end])) {
        r.start--;
        r.size++;
    }
    assert_int_equal(extents_remove_before(x, end, &e), r.size > 0);
    if (r.size == 0)
        return;
    assert_int_equal(e.start, r.start);
    assert_int_equal(e.size, r.size);
    memset(map + r.start, 0, (size_t)r.size);
}

static void
at_random(void **state)
{
    struct extents x = {0};
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    memset(map, 0, sizeof map);
    for (int i = 0; i < STEPS; i++) {
        const uint64_t what = random_below(&r, 10);
        if (what < 5)
            join(&x, &r);
        else if (what < 9)
            take(&x, 1 + (int64_t)random_below(&r, 16));
        else if (i % 2 == 0)
            remove_one(&x, (int64_t)random_below(&r, BYTES));
        else
            remove_before(&x, 1 + (int64_t)random_below(&r, BYTES));
        if (i % 100 == 0)
            check_all(&x);
    }
    check_all(&x);
    extents_clear(&x);
    memset(map, 0, sizeof map);
    check_all(&x);
    join(&x, &r);
    check_all(&x);
    extents_finish(&x);
}

// Starts and sizes ascending, descending, and against each other: what is deep falls over.
static void
in_order(void **state)
{
    enum { N = 200000 };

    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct extents x = {0};
        int64_t start = 0, last = 0;
        struct extent e;
        for (int64_t i = 0; i < N; i++) {
            const int64_t n = kind & 1 ? N - 1 - i : i;
            e = (struct extent){n * 2 * N, 1 + (kind & 2 ? N - 1 - n : n)};
            assert_true(extents_reserve(&x));
            extents_insert(&x, e);
        }
        for (int64_t i = 0; i < N; i++) { // the smallest first, each exactly
            assert_true(extents_take(&x, i + 1, &start));
            assert_true(i == 0 || (kind & 2 ? start < last : start > last));
            last = start;
        }
        assert_false(extents_next(&x, 0, &e));
        assert_false(extents_take(&x, 1, &start));
        extents_finish(&x);
    }
}

// The extent that has a byte, found from each byte.
static void
by_byte(void **state)
{
    static const struct extent list[] = {{10, 5}, {15, 1}, {20, 10}};
    struct extents x = {0};
    struct extent e;
    (void)state;
    assert_false(extents_at(&x, 0, &e));
    assert_true(extents_reserve_many(&x, 3));
    assert_false(extents_reserve_many(&x, INT64_MAX));
    for (int i = 0; i < 3; i++)
        extents_insert(&x, list[i]);
    for (int64_t at = 0; at < 40; at++) {
        int want = -1;
        for (int i = 0; i < 3; i++)
            if (at >= list[i].start && at < list[i].start + list[i].size)
                want = i;
        assert_int_equal(extents_at(&x, at, &e), want >= 0);
        if (want >= 0)
            assert_true(e.start == list[want].start && e.size == list[want].size);
    }
    assert_false(extents_at(&x, INT64_MAX, &e));
    assert_false(extents_at(&x, INT64_MIN, &e));
    extents_finish(&x);
}

// Parts are carved out of extents until nothing is left; what is left keeps its owner.
static void
carved(void **state)
{
    enum { SIZE = 100 };
    struct extents x = {0};
    struct random r;
    struct extent e;
    (void)state;
    random_init(&r, random_seed());
    memset(map, 0, sizeof map);
    for (uint32_t i = 0; i < BYTES / SIZE; i++) {
        assert_true(extents_reserve(&x));
        extents_insert_of(&x, (struct extent){i * SIZE, SIZE}, i + 1);
        memset(map + (size_t)i * SIZE, (int)i + 1, SIZE);
    }
    assert_int_equal(extents_owner(&x, SIZE), 2);
    assert_int_equal(extents_owner(&x, SIZE + 1), 0);
    while (extents_next(&x, (int64_t)random_below(&r, BYTES), &e) || extents_next(&x, 0, &e)) {
        const int64_t start = e.start + (int64_t)random_below(&r, (uint64_t)e.size);
        const int64_t most = e.start + e.size - start;
        const struct extent part = {start, 1 + (int64_t)random_below(&r, (uint64_t)most)};
        assert_true(extents_reserve(&x));
        extents_carve(&x, part);
        memset(map + part.start, 0, (size_t)part.size);
        for (int64_t at = 0; at < BYTES; at++) {
            assert_int_equal(extents_at(&x, at, &e), map[at] != 0);
            assert_true(map[at] == 0 || extents_owner(&x, e.start) == map[at]);
        }
    }
    assert_int_equal(x.total, 0);
    extents_finish(&x);
}

static void
nothing(void **state)
{
    struct extents x = {0};
    struct extent e;
    int64_t start;

    (void)state;
    assert_false(extents_next(&x, 0, &e));
    assert_false(extents_take(&x, 1, &start));
    assert_false(extents_remove(&x, 0, &e));
    extents_clear(&x);
    assert_true(extents_join(&x, (struct extent){5, 0}));
    assert_false(extents_next(&x, 0, &e));
    extents_finish(&x);
    extents_finish(&x);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_byte),   cmocka_unit_test(carved),   cmocka_unit_test(nothing),
        cmocka_unit_test(at_random), cmocka_unit_test(in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
