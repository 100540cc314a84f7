/*
 * array_lease_table.c - tests of the table of array/packets/leases against a list that is searched
 * from its start.
 */
#include "array/packets/leases.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { STEPS = 20000, FEW = 40, MOST = STEPS };

// Oldest first.
static struct {
    struct extent whole;
    uint32_t number;
} list[MOST];
static size_t count;

static size_t
find(struct extent whole)
{
    size_t i = 0;
    while (i < count && (list[i].whole.start != whole.start || list[i].whole.size != whole.size))
        i++;
    return i;
}

static void
check_all(const struct lease_table *t)
{
    size_t n = 0;
    for (uint32_t k = 0; (k = lease_table_next(t, k + 1)) != 0; n++) {
        size_t i = 0;
        while (i < count && list[i].number != k)
            i++;
        assert_in_range(i, 0, count - 1);
        assert_int_equal(lease_table_get(t, k).start, list[i].whole.start);
        assert_int_equal(lease_table_get(t, k).size, list[i].whole.size);
    }
    assert_int_equal(n, count);
}

// Few extents, so that many leases have the same one.
static void
random_leases(void **state)
{
    (void)state;
    struct random r;
    struct lease_table t = {0};
    random_init(&r, random_seed());
    assert_int_equal(lease_table_find(&t, (struct extent){0, 1}), 0);
    assert_int_equal(lease_table_next(&t, 1), 0);
    for (int step = 0; step < STEPS; step++) {
        const struct extent e = {(int64_t)random_below(&r, FEW) << random_below(&r, 2) * 40,
                                 1 + (int64_t)random_below(&r, 3)};
        const size_t i = find(e);
        const uint32_t found = lease_table_find(&t, e);
        assert_int_equal(found, i < count ? list[i].number : 0);
        if (random_below(&r, (uint64_t)FEW) > count / 8 || found == 0) {
            assert_true(lease_table_reserve(&t));
            list[count].whole = e;
            list[count++].number = lease_table_add(&t, e);
        } else {
            lease_table_remove(&t, found);
            count--;
            for (size_t k = i; k < count; k++)
                list[k] = list[k + 1];
        }
        if (step % 100 == 0)
            check_all(&t);
    }
    check_all(&t);
    lease_table_finish(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_leases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
