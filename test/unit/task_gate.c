/*
 * task_gate.c - tests of task/gate: threads inside and a thread alone never meet, neither side
 * waits for ever, and a reader learns that it is wanted.
 */
#include "task/gate.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

enum { READERS = 4, WRITERS = 3, ROUNDS = 3000 };

struct board {
    struct gate *gate;
    long changed[2]; // by the thread that is alone, no atomics: the gate orders them
    atomic_int inside, alone;
    atomic_long seen;
    atomic_bool over;
};

static void *
read_often(void *arg)
{
    struct board *const b = arg;
    bool wrong = false;
    for (long n = 0; !atomic_load(&b->over) || n < 1; n++) {
        if (n % 3 != 0 || !gate_try_enter(b->gate))
            gate_enter(b->gate);
        atomic_fetch_add(&b->inside, 1);
        wrong |= atomic_load(&b->alone) != 0 || b->changed[0] != b->changed[1];
        atomic_fetch_sub(&b->inside, 1);
        gate_leave(b->gate);
        atomic_fetch_add(&b->seen, 1);
    }
    return wrong ? b : NULL;
}

static void *
change_often(void *arg)
{
    struct board *const b = arg;
    bool wrong = false;
    for (int i = 0; i < ROUNDS; i++) {
        gate_close(b->gate);
        wrong |= atomic_fetch_add(&b->alone, 1) != 0 || atomic_load(&b->inside) != 0;
        b->changed[0]++;
        b->changed[1]++;
        atomic_fetch_sub(&b->alone, 1);
        gate_open(b->gate);
    }
    return wrong ? b : NULL;
}

static void
apart(void **state)
{
    struct board b = {.gate = gate_new()};
    pthread_t readers[READERS], writers[WRITERS];
    void *wrong;
    (void)state;
    assert_non_null(b.gate);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_often, &b), 0);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, change_often, &b), 0);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], &wrong);
        assert_null(wrong);
    }
    atomic_store(&b.over, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(b.changed[0], (long)WRITERS * ROUNDS);
    assert_true(atomic_load(&b.seen) >= READERS);
    gate_free(b.gate);
}

static void *
close_and_open(void *arg)
{
    struct board *const b = arg;
    gate_close(b->gate);
    b->changed[0] = 1;
    gate_open(b->gate);
    return NULL;
}

// A reader that is inside learns that a thread waits; nobody else gets in without waiting.
static void
wanted(void **state)
{
    struct board b = {.gate = gate_new()};
    const struct timespec moment = {.tv_nsec = 100000};
    pthread_t writer;
    (void)state;
    gate_enter(b.gate);
    assert_false(gate_is_wanted(b.gate));
    assert_true(gate_try_enter(b.gate)); // as another thread would
    gate_leave(b.gate);
    assert_int_equal(pthread_create(&writer, NULL, close_and_open, &b), 0);
    while (!gate_is_wanted(b.gate))
        nanosleep(&moment, NULL);
    assert_false(gate_try_enter(b.gate));
    assert_int_equal(b.changed[0], 0);
    gate_leave(b.gate);
    gate_enter(b.gate); // waits for the writer
    assert_int_equal(b.changed[0], 1);
    gate_leave(b.gate);
    pthread_join(writer, NULL);
    assert_false(gate_is_wanted(b.gate));
    gate_free(b.gate);
}

static void
none(void **state)
{
    (void)state;
    gate_enter(NULL);
    gate_close(NULL);
    assert_false(gate_is_wanted(NULL));
    assert_true(gate_try_enter(NULL));
    gate_open(NULL);
    gate_leave(NULL);
    gate_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apart),
        cmocka_unit_test(wanted),
        cmocka_unit_test(none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
