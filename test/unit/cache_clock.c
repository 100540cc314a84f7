/*
 * cache_clock.c - tests of cache/memory.c: slots, and which of them is emptied next.
 */
#include "cache/private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SLOTS = 6, BLOCKSIZE = 1000 };

// All slots hold a block that nobody has pinned.
static void
fill(struct memory *m)
{
    memory_init(m, BLOCKSIZE, SLOTS * BLOCKSIZE + BLOCKSIZE - 1, NULL);
    for (int i = 0; i < SLOTS; i++) {
        struct cached *const b = memory_take(m, false);
        assert_non_null(b);
        memset(b->items, i, BLOCKSIZE);
        atomic_store(&b->pins, 0);
    }
}

static void
slots(void **state)
{
    struct memory m;
    struct cached *b[SLOTS];

    (void)state;
    memory_init(&m, BLOCKSIZE, SLOTS * BLOCKSIZE + BLOCKSIZE - 1, NULL);
    assert_null(m.slots);
    for (int i = 0; i < SLOTS; i++) {
        assert_true(memory_has_room(&m));
        b[i] = memory_take(&m, false);
        assert_int_equal((uintptr_t)b[i]->items % 64, 0);
        memset(b[i]->items, i, BLOCKSIZE);
    }
    assert_false(memory_has_room(&m));
    assert_null(memory_take(&m, false));
    for (int i = 0; i < SLOTS; i++)
        for (int k = 0; k < BLOCKSIZE; k++)
            assert_int_equal(b[i]->items[k], i);
    memory_give(&m, b[2]);
    memory_give(&m, b[4]);
    assert_true(memory_has_room(&m));
    assert_ptr_equal(memory_take(&m, false), b[4]); // the same again
    assert_ptr_equal(memory_take(&m, false), b[2]);
    assert_null(memory_take(&m, false));
    memory_finish(&m);
}

static void
least_used(void **state)
{
    struct memory m;
    struct clock k = {0};

    (void)state;
    fill(&m);
    for (int i = 0; i < SLOTS; i++)
        for (int uses = 0; uses < (i == 3 ? 0 : i == 5 ? 1 : 9); uses++)
            clock_use(m.slots[i]);
    assert_ptr_equal(clock_victim(&k, &m), m.slots[3]);
    clock_use(m.slots[3]); // another one, in its place
    clock_use(m.slots[3]);
    assert_ptr_equal(clock_victim(&k, &m), m.slots[5]);
    memory_finish(&m);
}

static void
not_these(void **state)
{
    struct memory m;
    struct clock k = {0};

    (void)state;
    fill(&m);
    for (int i = 0; i < SLOTS; i++) {
        if (i % 2 == 0)
            m.slots[i]->dirty = true;
        else if (i != 5)
            atomic_store(&m.slots[i]->pins, 1);
    }
    clock_use(m.slots[5]);
    assert_ptr_equal(clock_victim(&k, &m), m.slots[5]);
    atomic_store(&m.slots[5]->pins, 2);
    assert_null(clock_victim(&k, &m));
    memory_finish(&m);
}

static void
no_slots(void **state)
{
    struct memory m;
    struct clock k = {0};

    (void)state;
    memory_init(&m, BLOCKSIZE, BLOCKSIZE - 1, NULL);
    assert_null(memory_take(&m, false));
    assert_null(clock_victim(&k, &m));
    memory_finish(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots),
        cmocka_unit_test(least_used),
        cmocka_unit_test(not_these),
        cmocka_unit_test(no_slots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
