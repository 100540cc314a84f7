/*
 * cache_ghosts.c - tests of the ghosts of cache/policy.c: ages of missed keys against a list of all
 * of them.
 */
#include "cache/private.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t
hash_of(uint64_t key)
{
    struct random r;
    random_init(&r, key + 1);
    return random_next(&r);
}

static void
ages(void **state)
{
    enum { KEYS = 64, MOST = 256, MISSES = 5000 };
    uint32_t when[KEYS] = {0};
    struct random random;
    struct ghosts g;

    (void)state;
    random_init(&random, 1);
    ghosts_init(&g, MOST);
    for (uint32_t now = 1; now <= MISSES; now++) {
        const uint64_t key = random_below(&random, KEYS);
        const uint32_t want = when[key] == 0 ? GHOST_UNKNOWN : now - when[key];
        assert_int_equal(ghosts_miss(&g, hash_of(key)), want);
        when[key] = now;
        if (now % 7 == 0) {
            ghosts_remove(&g, hash_of(key));
            when[key] = 0;
        }
    }
    ghosts_finish(&g);
}

// Keys that were missed as lately as the table is meant for are nearly all known, those of long ago
// are not.
static void
capacity(void **state)
{
    enum { MOST = 1000, KEYS = 20000 };
    int known = 0;
    struct ghosts g;

    (void)state;
    ghosts_init(&g, MOST);
    for (uint64_t key = 0; key < KEYS; key++)
        assert_int_equal(ghosts_miss(&g, hash_of(key)), GHOST_UNKNOWN);
    assert_int_equal(ghosts_miss(&g, hash_of(0)), GHOST_UNKNOWN);
    for (uint64_t key = KEYS - MOST / 4; key < KEYS; key++)
        known += ghosts_miss(&g, hash_of(key)) != GHOST_UNKNOWN;
    assert_true(known >= MOST / 4 * 97 / 100);
    ghosts_finish(&g);
}

static void
never_missed(void **state)
{
    struct ghosts g;

    (void)state;
    ghosts_init(&g, 100);
    ghosts_remove(&g, hash_of(3));
    assert_null(g.table);
    ghosts_finish(&g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ages),
        cmocka_unit_test(capacity),
        cmocka_unit_test(never_missed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
