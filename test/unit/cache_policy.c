/*
 * cache_policy.c - tests of cache/policy: which misses are answered by letting the block in.
 */
#include "cache/private.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NBLOCKS = 100 };

static uint64_t
hash_of(uint64_t key)
{
    struct random r;
    random_init(&r, key + 1);
    return random_next(&r);
}

static bool
miss(struct policy *p, uint64_t key, bool room, uint8_t *group)
{
    return policy_admits(p, hash_of(key), room, p->nblocks, group);
}

static void
second_miss(void **state)
{
    struct policy p;
    uint8_t group;

    (void)state;
    policy_init(&p, NBLOCKS);
    for (int room = 0; room < 2; room++) {
        const uint64_t key = 1000 + (uint64_t)room;
        assert_false(miss(&p, key, room, &group));
        assert_true(miss(&p, key, room, &group));
        assert_false(miss(&p, key, room, &group)); // what left is a stranger again
    }
    policy_finish(&p);
}

// How long ago the first miss may be: while there is room, longer.
static void
reach(void **state)
{
    static const struct {
        const char *what;
        uint64_t others; // missed in between
        bool room, enters;
        uint8_t group;
    } cases[] = {
        {"the next one", 0, false, true, 3},
        {"within an eighth", NBLOCKS / 8 - 1, false, true, 3},
        {"within a quarter", NBLOCKS / 4 - 1, false, true, 2},
        {"within a half", NBLOCKS / 2 - 1, false, true, 1},
        {"within the budget", NBLOCKS - 1, false, true, 0},
        {"longer ago than the budget could have kept it", NBLOCKS, false, false, 0},
        {"that, but there is room", NBLOCKS, true, true, 0},
        {"long ago, and there is room", 2 * NBLOCKS, true, true, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct policy p;
        uint8_t group = 0;
        policy_init(&p, NBLOCKS);
        assert_false(miss(&p, 0, false, &group));
        for (uint64_t k = 1; k <= cases[i].others; k++)
            assert_false(miss(&p, k, false, &group));
        print_message("%s\n", cases[i].what);
        assert_int_equal(miss(&p, 0, cases[i].room, &group), cases[i].enters);
        if (cases[i].enters)
            assert_int_equal(group, cases[i].group);
        policy_finish(&p);
    }
}

// How many of n blocks enter that are missed twice in a row, each of which is then used `hits`
// times; no room.
static int
enter(struct policy *p, uint64_t first, int n, int hits)
{
    int entered = 0;
    for (int i = 0; i < n; i++) {
        uint8_t group;
        assert_false(miss(p, first + (uint64_t)i, false, &group));
        if (!miss(p, first + (uint64_t)i, false, &group))
            continue;
        entered++;
        for (int k = 0; k < hits && k < POLICY_CREDIT; k++)
            policy_earn(p, group);
    }
    return entered;
}

static void
blocks_pay(void **state)
{
    struct policy p;

    (void)state;
    policy_init(&p, NBLOCKS);
    assert_int_equal(enter(&p, 0, 1000, POLICY_CREDIT), 1000); // they are used: all
    enter(&p, 10000, 1000, 0); // the account is emptied
    const int useless = enter(&p, 20000, 1600, 0);
    assert_in_range(useless, 90, 110); // samples: one in sixteen
    enter(&p, 30000, 1000, POLICY_CREDIT); // the samples are used
    assert_int_equal(enter(&p, 40000, 1000, POLICY_CREDIT), 1000);
    policy_finish(&p);
}

// Blocks that return at once keep entering, whatever becomes of those that return late.
static void
groups_apart(void **state)
{
    struct policy p;
    uint8_t group;
    int late = 0;

    (void)state;
    policy_init(&p, NBLOCKS);
    for (uint64_t i = 0; i < 5000; i++) { // missed again 80 misses later, and never used
        const uint64_t key = i / 80 / 2 * 80 + i % 80;
        late += miss(&p, key, false, &group);
        if (i % 50 == 0)
            assert_int_equal(enter(&p, 100000 + i, 1, POLICY_CREDIT), 1);
    }
    assert_in_range(late, 100, 300); // of 2500
    policy_finish(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_miss),
        cmocka_unit_test(reach),
        cmocka_unit_test(blocks_pay),
        cmocka_unit_test(groups_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
