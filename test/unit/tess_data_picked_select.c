/*
 * tess_data_picked_select.c - slice expressions: cases by hand, and random slices against counting
 * one by one.
 */
#include "data/picked/select.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const int64_t shape[] = {10, 7, 1, 0};

static const struct {
    const char *expr;
    int ndim;
    const char *expected; // start:step:count per axis, then the shape that comes out
} good[] = {
    {"...", 0, "()"},
    {"...", 2, "0:1:10 0:1:7 (10,7)"},
    {":", 2, "0:1:10 0:1:7 (10,7)"},
    {"3", 2, "3:1:1 0:1:7 (7)"},
    {"-1", 2, "9:1:1 0:1:7 (7)"},
    {"-10,-7", 2, "0:1:1 0:1:1 ()"},
    {"2:5", 1, "2:1:3 (3)"},
    {"-3:", 1, "7:1:3 (3)"},
    {":-3", 1, "0:1:7 (7)"},
    {"2:5:2", 1, "2:2:2 (2)"},
    {"::3", 1, "0:3:4 (4)"},
    {"::-1", 1, "9:-1:10 (10)"},
    {"::-2", 1, "9:-2:5 (5)"},
    {"8:2:-3", 1, "8:-3:2 (2)"},
    {"2:8:-1", 1, "0:1:0 (0)"},
    {"5:5", 1, "0:1:0 (0)"},
    {"100:", 1, "0:1:0 (0)"},
    {":100", 1, "0:1:10 (10)"},
    {"-100:100", 1, "0:1:10 (10)"},
    {"100:-100:-1", 1, "9:-1:10 (10)"},
    {"::100", 1, "0:1:1 (1)"},
    {"4:5:-9", 1, "0:1:0 (0)"},
    {"99999999999999999999:", 1, "0:1:0 (0)"},
    {"-99999999999999999999::99999999999999999999", 1, "0:1:1 (1)"},
    {"::-99999999999999999999", 1, "9:1:1 (1)"},
    {"...,2", 2, "0:1:10 2:1:1 (10)"},
    {"2,...", 2, "2:1:1 0:1:7 (7)"},
    {"1,...,2", 2, "1:1:1 2:1:1 ()"},
    {"1,...,0", 3, "1:1:1 0:1:7 0:1:1 (7)"},
    {" 1 : 3 , +2 ", 2, "1:1:2 2:1:1 (2)"},
    {"1::,2:", 2, "1:1:9 2:1:5 (9,5)"},
    {"...", 4, "0:1:10 0:1:7 0:1:1 0:1:0 (10,7,1,0)"},
    {"...,::-1", 4, "0:1:10 0:1:7 0:1:1 0:1:0 (10,7,1,0)"},
};

static void
describe(const struct slice_range *sel, char *text, size_t size)
{
    size_t n = 0;

    for (int i = 0; i < sel->ndim; i++)
        n += (size_t)snprintf(text + n, size - n, "%" PRId64 ":%" PRId64 ":%" PRId64 " ",
                              sel->start[i], sel->step[i], sel->count[i]);
    n += (size_t)snprintf(text + n, size - n, "(");
    for (int i = 0; i < sel->out_ndim; i++)
        n += (size_t)snprintf(text + n, size - n, i ? ",%" PRId64 : "%" PRId64, sel->out_shape[i]);
    (void)snprintf(text + n, size - n, ")");
}

static void
test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct slice_range sel;
        tess_error err;
        char text[400];

        if (select_parse(good[i].expr, good[i].ndim, shape, &sel, &err) != TESS_OK)
            fail_msg("%s: %s", good[i].expr, err.message);
        describe(&sel, text, sizeof text);
        if (strcmp(text, good[i].expected) != 0)
            fail_msg("%s: %s instead of %s", good[i].expr, text, good[i].expected);
    }
}

static const struct {
    const char *reason;
    const char *expr;
    int ndim;
} bad[] = {
    {"empty", "", 1},
    {"blank", " ", 1},
    {"no digits", "-", 1},
    {"not a number", "a", 1},
    {"rubbish behind", "1a", 1},
    {"rubbish behind a slice", "1:2:3:4", 1},
    {"step 0", "::0", 1},
    {"empty term", "1,,2", 3},
    {"comma at the end", "1,", 2},
    {"comma at the start", ",1", 2},
    {"too many axes", "1,1", 1},
    {"too many axes, with ...", "1,...,1", 1},
    {"two ...", "...,...", 2},
    {"two dots", "..", 1},
    {"four dots", "....", 1},
    {"an axis of a scalar", "0", 0},
    {"a slice of a scalar", ":", 0},
    {"index at the end", "10", 1},
    {"index before the start", "-11", 1},
    {"index beyond 64 bits", "99999999999999999999", 1},
    {"negative index beyond 64 bits", "-99999999999999999999", 1},
    {"index into nothing", "0,0,0,0", 4},
    {"17 axes", "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", 4},
    {"float", "1.5", 1},
    {"newaxis", "None", 1},
    {"brackets", "[1]", 1},
};

static void
test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct slice_range sel;
        tess_error err = {0};

        if (select_parse(bad[i].expr, bad[i].ndim, shape, &sel, &err) != TESS_ERR_ARG)
            fail_msg("%s (%s) was accepted", bad[i].expr, bad[i].reason);
        assert_int_equal(err.status, TESS_ERR_ARG);
        assert_true(err.message[0] != '\0');
    }
}

static void
test_end_of_range(void **state)
{
    static const int64_t long_axis[] = {INT64_MAX};
    struct slice_range sel;
    tess_error err;

    (void)state;
    assert_int_equal(select_parse("::-9223372036854775808", 1, long_axis, &sel, &err), TESS_OK);
    assert_int_equal(sel.count[0], 1);
    assert_int_equal(sel.start[0], INT64_MAX - 1);
    assert_int_equal(select_parse("::2", 1, long_axis, &sel, &err), TESS_OK);
    assert_int_equal(sel.count[0], INT64_MAX / 2 + 1);
    assert_int_equal(select_parse("-9223372036854775807", 1, long_axis, &sel, &err), TESS_OK);
    assert_int_equal(sel.start[0], 0);
}

// Which items a slice takes, by the words of Python's manual.
static int
count_naively(int length, int start, int stop, int step, int *items)
{
    int n = 0;

    if (start < 0)
        start += length;
    if (stop < 0)
        stop += length;
    if (step > 0) {
        for (int i = start < 0 ? 0 : start; i < stop && i < length; i += step)
            items[n++] = i;
    } else {
        for (int i = start >= length ? length - 1 : start; i > stop && i >= 0; i += step)
            items[n++] = i;
    }
    return n;
}

static void
test_random(void **state)
{
    const unsigned seed = (unsigned)time(NULL);

    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    for (int round = 0; round < 100000; round++) {
        const int64_t length = rand() % 12;
        const int start = rand() % 33 - 16, stop = rand() % 33 - 16;
        const int step = rand() % 2 ? 1 + rand() % 5 : -1 - rand() % 5;
        struct slice_range sel;
        tess_error err;
        char expr[64];
        int items[16];

        (void)snprintf(expr, sizeof expr, "%d:%d:%d", start, stop, step);
        assert_int_equal(select_parse(expr, 1, &length, &sel, &err), TESS_OK);
        const int n = count_naively((int)length, start, stop, step, items);
        if (sel.count[0] != n)
            fail_msg("%s of %" PRId64 ": %" PRId64 " items, not %d", expr, length, sel.count[0], n);
        for (int i = 0; i < n; i++)
            if (sel.start[0] + i * sel.step[0] != items[i])
                fail_msg("%s of %" PRId64 ": item %d", expr, length, i);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_end_of_range),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
