/*
 * frame_numbers.c - tests of frame/numbers against two sets: random takes, releases and commits,
 * some of which stop between the two steps.
 *
 * The promises: a number is handed out only if neither the list in memory nor a state that may be
 * on the disk has it, and it is the lowest such one; a file is gone when nobody needs it.
 */
#include "frame/sparse/numbers.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NUMBERS = 300, STEPS = 20000, NEEDED_MOST = 120 };

struct model {
    struct numbers numbers;
    bool disk[NUMBERS];
    bool memory[NUMBERS];
    bool leased[NUMBERS];
};

static int64_t
lowest_free(const struct model *m)
{
    int64_t n = 0;
    while (m->disk[n] || m->memory[n] || m->leased[n])
        n++;
    return n;
}

static int64_t
largest_needed(const struct model *m)
{
    int64_t n = NUMBERS - 1;
    while (n >= 0 && !m->memory[n])
        n--;
    return n;
}

static int
count_needed(const struct model *m)
{
    int count = 0;
    for (int n = 0; n < NUMBERS; n++)
        count += m->disk[n] || m->memory[n] || m->leased[n];
    return count;
}

static void
take(struct model *m)
{
    int64_t n;
    const int64_t want = lowest_free(m);
    if (count_needed(m) >= NEEDED_MOST)
        return;
    assert_int_equal(numbers_take(&m->numbers, &n, NULL), TESS_OK);
    assert_int_equal(n, want);
    m->memory[n] = true;
}

static void
release(struct model *m, struct random *r)
{
    const int64_t n = (int64_t)random_below(r, NUMBERS);
    if (!m->memory[n])
        return;
    m->memory[n] = false;
    assert_int_equal(numbers_release(&m->numbers, n), !m->disk[n]);
}

// Behind all that anybody has.
static void
lease(struct model *m, struct random *r)
{
    const int64_t count = 1 + (int64_t)random_below(r, 5);
    int64_t first, last = NUMBERS - 1;
    while (last >= 0 && !m->disk[last] && !m->memory[last] && !m->leased[last])
        last--;
    if (last + count >= NUMBERS || count_needed(m) >= NEEDED_MOST)
        return;
    assert_int_equal(numbers_lease(&m->numbers, count, &first, NULL), TESS_OK);
    assert_int_equal(first, last + 1);
    for (int64_t n = first; n < first + count; n++)
        m->leased[n] = true;
}

// A number that is leased is adopted, or free again.
static void
end_lease(struct model *m, struct random *r)
{
    const int64_t n = (int64_t)random_below(r, NUMBERS);
    if (!m->leased[n])
        return;
    m->leased[n] = false;
    m->memory[n] = random_below(r, 2) == 0;
    if (m->memory[n])
        numbers_adopt(&m->numbers, n);
    else
        numbers_end_lease(&m->numbers, n);
}

static void
gone(void *arg, int64_t n)
{
    struct model *const m = arg;
    assert_true(m->disk[n]);
    assert_false(m->memory[n]);
    m->disk[n] = false;
}

static void
commit(struct model *m, bool whole)
{
    numbers_written(&m->numbers);
    for (int n = 0; n < NUMBERS; n++)
        m->disk[n] |= m->memory[n];
    if (!whole)
        return;
    numbers_committed(&m->numbers, gone, m);
    assert_memory_equal(m->disk, m->memory, sizeof m->disk);
}

static void
random_series(void **state)
{
    struct model m = {0};
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = 0; n < 100; n++)
        if (random_below(&r, 2) > 0) {
            assert_int_equal(numbers_add(&m.numbers, n, NULL), TESS_OK);
            m.disk[n] = m.memory[n] = true;
        }
    for (int i = 0; i < STEPS; i++) {
        const uint64_t what = random_below(&r, 100);
        if (what < 5)
            lease(&m, &r);
        else if (what < 20)
            end_lease(&m, &r);
        else if (what < 40)
            take(&m);
        else if (what < 94)
            release(&m, &r);
        else
            commit(&m, what < 97);
        assert_int_equal(numbers_largest(&m.numbers), largest_needed(&m));
    }
    numbers_finish(&m.numbers);
}

static void
refusals(void **state)
{
    struct numbers x = {0};
    tess_error err;

    (void)state;
    assert_int_equal(numbers_largest(&x), -1);
    assert_int_equal(numbers_add(&x, 5, NULL), TESS_OK);
    assert_int_equal(numbers_add(&x, 5, &err), TESS_ERR_CORRUPT);
    assert_int_equal(numbers_add(&x, UINT32_MAX, &err), TESS_ERR_UNSUPPORTED);
    assert_int_equal(numbers_largest(&x), 5);
    assert_false(numbers_release(&x, 1000));
    assert_int_equal(numbers_lease(&x, INT64_MAX, &(int64_t){0}, &err), TESS_ERR_LIMIT);
    assert_int_equal(numbers_largest(&x), 5);
    numbers_finish(&x);
    numbers_finish(&x);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_series),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
