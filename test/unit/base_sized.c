/*
 * base_sized.c - tests of base/sized: structs of programs that were compiled with other headers.
 */
#include "base/sized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// The struct as three releases have it.
struct first {
    size_t struct_size;
    int32_t a;
};

struct now {
    size_t struct_size;
    int32_t a;
    int32_t b;
    double c;
};

struct later {
    size_t struct_size;
    int32_t a;
    int32_t b;
    double c;
    int64_t d;
};

enum { LEAST = SIZED_UP_TO(struct first, a) };

static tess_status
take(struct now *own, const void *given, tess_error *err)
{
    *own = (struct now){sizeof *own, 10, 20, 30};
    return sized_take(own, sizeof *own, LEAST, given, "now", err);
}

static void
taken(void **state)
{
    const struct first first = {sizeof first, 1};
    const struct now now = {sizeof now, 1, 2, 3};
    struct later later = {sizeof later, 1, 2, 3, 0};
    struct now own;
    tess_error err;
    (void)state;
    // What the program does not know has its default.
    assert_int_equal(take(&own, &first, NULL), TESS_OK);
    assert_true(own.a == 1 && own.c == 30 && own.struct_size == sizeof own);
    assert_int_equal(take(&own, &now, NULL), TESS_OK);
    assert_memory_equal(&own, &now, sizeof own);
    assert_int_equal(take(&own, &later, NULL), TESS_OK);
    assert_true(own.b == 2 && own.c == 3 && own.struct_size == sizeof own);
    later.d = (int64_t)1 << 60;
    assert_int_equal(take(&own, &later, &err), TESS_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "tess_now"));
}

static void
not_taken(void **state)
{
    struct now now = {0}, own;
    tess_error err;
    (void)state;
    assert_int_equal(take(&own, NULL, &err), TESS_ERR_ARG);
    assert_int_equal(take(&own, &now, &err), TESS_ERR_ARG); // 0 bytes: not initialised
    now.struct_size = LEAST - 1;
    assert_int_equal(take(&own, &now, &err), TESS_ERR_ARG);
    assert_non_null(strstr(err.message, "tess_now_init()"));
    now.struct_size = (size_t)-1; // no more than that is looked at
    assert_int_equal(take(&own, &now, &err), TESS_ERR_ARG);
    assert_true(own.a == 10 && own.b == 20 && own.c == 30);
}

static void
given(void **state)
{
    const struct now own = {sizeof own, 1, 2, 3};
    struct first first = {0};
    struct later later;
    struct now same;
    uint8_t guard[sizeof first + 8];
    (void)state;
    memset(guard, 0xee, sizeof guard);
    sized_give(guard, LEAST, &own, sizeof own);
    memcpy(&first, guard, LEAST);
    assert_int_equal(first.a, 1);
    for (size_t i = LEAST; i < sizeof guard; i++)
        assert_int_equal(guard[i], 0xee);
    sized_give(&same, sizeof same, &own, sizeof own);
    assert_memory_equal(&same, &own, sizeof own);
    memset(&later, 0xee, sizeof later);
    sized_give(&later, sizeof later, &own, sizeof own);
    assert_true(later.b == 2 && later.c == 3 && later.d == 0);
}

static void
listed(void **state)
{
    const struct later list[] = {{sizeof *list, 1, 0, 0, 0}, {sizeof *list, 2, 0, 0, 0}};
    (void)state;
    assert_ptr_equal(sized_at(list, 0), &list[0]);
    assert_ptr_equal(sized_at(list, 1), &list[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken),
        cmocka_unit_test(not_taken),
        cmocka_unit_test(given),
        cmocka_unit_test(listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
