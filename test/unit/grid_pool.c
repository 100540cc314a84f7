/*
 * grid_pool.c - tests of grid/pool: what is given back is taken again, and never by two at once.
 */
#include "grid/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LIMIT = 12345, MANY = 40, THREADS = 4, ROUNDS = 20000 };

static void
taken_again(void **state)
{
    struct pool *const p = pool_new(LIMIT);
    (void)state;
    assert_non_null(p);
    struct chunk_scratch *const a = pool_take(p), *const b = pool_take(p);
    assert_true(a && b && a != b);
    assert_int_equal(a->limit, LIMIT);
    assert_int_equal(scratch_reserve(a, LIMIT, NULL), TESS_OK);
    assert_int_equal(scratch_reserve(b, LIMIT + 1, NULL), TESS_ERR_LIMIT);
    pool_give(p, NULL);
    pool_give(p, a);
    pool_give(p, b);
    assert_ptr_equal(pool_take(p), b); // the one given back last
    assert_ptr_equal(pool_take(p), a);
    assert_true(a->size >= LIMIT); // with its memory
    pool_give(p, a);
    pool_give(p, b);
    pool_free(p);
    pool_free(NULL);
}

// Any number may be out at once; which of them are kept is the pool's affair.
static void
many(void **state)
{
    struct chunk_scratch *s[MANY];
    struct pool *const p = pool_new(LIMIT);
    (void)state;
    for (int i = 0; i < MANY; i++) {
        s[i] = pool_take(p);
        assert_non_null(s[i]);
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(s[i], s[k]);
        assert_int_equal(scratch_reserve(s[i], 100, NULL), TESS_OK);
    }
    for (int i = 0; i < MANY; i++)
        pool_give(p, s[i]);
    struct chunk_scratch *const again = pool_take(p);
    assert_true(again->size >= 100); // some were kept
    pool_give(p, again);
    pool_free(p);
}

static void *
take_and_give(void *arg)
{
    struct pool *const p = arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct chunk_scratch *const s = pool_take(p);
        if (!s || s->limit != LIMIT)
            return p;
        s->limit = 0; // another thread that has it would see that
        s->stored_size++;
        s->stored_size--;
        s->limit = LIMIT;
        pool_give(p, s);
    }
    return NULL;
}

static void
threads(void **state)
{
    struct pool *const p = pool_new(LIMIT);
    pthread_t t[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, take_and_give, p), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(t[i], &failed);
        assert_null(failed);
    }
    pool_free(p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_again),
        cmocka_unit_test(many),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
