/*
 * layout_mix.c - access mixes: each form of the notation, its weight, and what is refused.
 */
#include "layout/private.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const int64_t shape[TESS_MAX_NDIM] = {10, 7, 5, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

static const struct {
    const char *text;
    int ndim;
    const char *expected; // kind, axis if it grows, box in the array, weight; for each
} good[] = {
    {"full", 3, "read 10x7x5 *1"},
    {"full", 1, "read 10 *1"},
    {"plane:0", 3, "read 1x7x5 *1"},
    {"plane:1", 3, "read 10x1x5 *1"},
    {"plane:-1", 3, "read 10x7x1 *1"},
    {"plane:-3", 3, "read 1x7x5 *1"},
    {"plane:0:4", 3, "read 4x7x5 *1"},
    {"plane:2:5", 3, "read 10x7x5 *1"},
    {"plane:2:6", 3, "read 10x7x5 *1"}, // cut
    {"plane:0", 1, "read 1 *1"},
    {"line:0", 3, "read 10x1x1 *1"},
    {"line:-2", 3, "read 1x7x1 *1"},
    {"line:0", 1, "read 10 *1"},
    {"row", 3, "read 1x1x5 *1"},
    {"row", 1, "read 10 *1"},
    {"point", 3, "read 1x1x1 *1"},
    {"box:2x3x4", 3, "read 2x3x4 *1"},
    {"box:20x3x9223372036854775807", 3, "read 10x3x5 *1"}, // cut
    {"box:1", 1, "read 1 *1"},
    {"update:2x3x4", 3, "update 2x3x4 *1"},
    {"update:11x8x6", 3, "update 10x7x5 *1"}, // cut
    {"append:0", 3, "append 0 1x7x5 *1"},
    {"append:-1", 3, "append 2 10x7x1 *1"},
    {"append:1:3", 3, "append 1 10x3x5 *1"},
    {"append:1:3", 4, "append 1 10x3x5x3 *1"},
    {"append:0", 1, "append 0 1 *1"},
    {"write", 3, "write 10x7x5 *1"},
    {"full*3", 1, "read 10 *3"},
    {"plane:0*10", 2, "read 1x7 *10"},
    {"plane:0:2*0.5", 2, "read 2x7 *0.5"},
    {"box:2x2*1e3", 2, "read 2x2 *1000"},
    {"point*0.001,point*1000000", 2, "read 1x1 *0.001, read 1x1 *1e+06"},
    {"plane:0*10,row,point*100,box:64x64x64,append:0,full", 3,
     "read 1x7x5 *10, read 1x1x5 *1, read 1x1x1 *100, read 10x7x5 *1, append 0 1x7x5 *1, "
     "read 10x7x5 *1"},
    {"row,row,row,row,row,row,row,row,row,row,row,row,row,row,row,row", 1, // 16
     "read 10 *1, read 10 *1, read 10 *1, read 10 *1, read 10 *1, read 10 *1, read 10 *1, "
     "read 10 *1, read 10 *1, read 10 *1, read 10 *1, read 10 *1, read 10 *1, read 10 *1, "
     "read 10 *1, read 10 *1"},
};

static const struct {
    const char *text;
    int ndim;
    const char *words; // somewhere in the message
} bad[] = {
    {"", 3, "not one of"},
    {",", 3, "not one of"},
    {"full,", 3, "not one of"},
    {",full", 3, "not one of"},
    {"full,,row", 3, "not one of"},
    {" full", 3, "not one of"},
    {"Full", 3, "not one of"},
    {"planes:0", 3, "not one of"},
    {"*3", 3, "not one of"},
    {"full:", 3, "takes nothing"},
    {"full:0", 3, "takes nothing"},
    {"row:1", 3, "takes nothing"},
    {"point:1", 3, "takes nothing"},
    {"write:1", 3, "takes nothing"},
    {"plane", 3, "needs an axis"},
    {"line", 3, "needs an axis"},
    {"append", 3, "needs an axis"},
    {"box", 3, "needs a shape"},
    {"update*2", 3, "needs a shape"},
    {"plane:", 3, "is no axis"},
    {"plane:3", 3, "is no axis"},
    {"plane:-4", 3, "is no axis"},
    {"plane:x", 3, "is no axis"},
    {"plane:0x1", 3, "is no axis"},
    {"plane:1.0", 3, "is no axis"},
    {"plane:99999999999999999999", 3, "is no axis"},
    {"append:5", 3, "is no axis"},
    {"plane:0:0", 3, "not a number"},
    {"plane:0:-1", 3, "not a number"},
    {"plane:0:", 3, "not a number"},
    {"plane:0:1:1", 3, "not a number"},
    {"append:0:0", 3, "not a number"},
    {"append:0:x", 3, "not a number"},
    {"line:0:2", 3, "not a number"},
    {"box:", 3, "not a shape"},
    {"box:2x2", 3, "not a shape"},
    {"box:2x2x2x2", 3, "not a shape"},
    {"box:2x2x-2", 3, "not a shape"},
    {"box:2x2x", 3, "not a shape"},
    {"box:axbxc", 3, "not a shape"},
    {"box:2x0x2", 3, "not a length"},
    {"update:0x2x2", 3, "not a length"},
    {"full*", 3, "not a weight"},
    {"full*0", 3, "not a weight"},
    {"full*-1", 3, "not a weight"},
    {"full*x", 3, "not a weight"},
    {"full*2x", 3, "not a weight"},
    {"full*2*2", 3, "not a weight"},
    {"full*inf", 3, "not a weight"},
    {"full*nan", 3, "not a weight"},
    {"full*1e999", 3, "not a weight"},
    {"row,row,row,row,row,row,row,row,row,row,row,row,row,row,row,row,row", 3, "more than 16"},
    {"box:1111111111111111111x1111111111111111111x111111111111111111111", 3, "too long"},
};

static void
describe(const struct mix *mix, int ndim, char *text, size_t size)
{
    static const char *const kinds[] = {
        [ACCESS_READ] = "read",
        [ACCESS_UPDATE] = "update",
        [ACCESS_APPEND] = "append",
        [ACCESS_WRITE] = "write",
    };
    size_t n = 0;

    for (int k = 0; k < mix->count; k++) {
        const struct access *const a = &mix->accesses[k];
        int64_t extent[TESS_MAX_NDIM];

        access_extent(a, ndim, shape, extent);
        n += (size_t)snprintf(text + n, size - n, "%s%s ", k ? ", " : "", kinds[a->kind]);
        if (a->kind == ACCESS_APPEND)
            n += (size_t)snprintf(text + n, size - n, "%d ", a->axis);
        for (int i = 0; i < ndim; i++)
            n += (size_t)snprintf(text + n, size - n, "%s%" PRId64, i ? "x" : "", extent[i]);
        n += (size_t)snprintf(text + n, size - n, " *%g", mix->items[k].weight);
    }
}

static tess_status
parse(const char *text, int ndim, const int64_t *lengths, struct mix *mix, tess_error *err)
{
    tess_access accesses[TESS_MAX_ACCESSES];
    int naccesses = 0;
    const tess_status st =
        tess_access_parse(text, ndim, lengths, accesses, TESS_MAX_ACCESSES, &naccesses, err);

    return st == TESS_OK ? mix_init(mix, accesses, naccesses, ndim, lengths, err) : st;
}

static void
test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct mix mix;
        tess_error err;
        char text[600];

        print_message("%s\n", good[i].text);
        if (parse(good[i].text, good[i].ndim, shape, &mix, &err) != TESS_OK)
            fail_msg("%s: %s", good[i].text, err.message);
        describe(&mix, good[i].ndim, text, sizeof text);
        assert_string_equal(text, good[i].expected);
    }
}

static void
test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct mix mix;
        tess_error err;

        if (parse(bad[i].text, bad[i].ndim, shape, &mix, &err) != TESS_ERR_ARG)
            fail_msg("\"%s\" is not refused", bad[i].text);
        if (!strstr(err.message, bad[i].words))
            fail_msg("\"%s\": %s, which does not say: %s", bad[i].text, err.message, bad[i].words);
    }
}

// The text is that of the user, without the weight; whole axes are marked, not counted.
static void
test_fields(void **state)
{
    struct mix mix;

    (void)state;
    assert_int_equal(parse("plane:-1:2*10,box:2x3x4*2,row", 3, shape, &mix, NULL), TESS_OK);
    assert_int_equal(mix.count, 3);
    assert_string_equal(mix.items[0].name, "plane:-1:2");
    assert_string_equal(mix.items[1].name, "box:2x3x4");
    assert_string_equal(mix.items[2].name, "row");
    assert_int_equal(mix.accesses[0].extent[0], ACCESS_WHOLE);
    assert_int_equal(mix.accesses[0].extent[2], 2);
    assert_int_equal(mix.accesses[2].extent[2], ACCESS_WHOLE);
}

// A box that was given for an array is cut to the sample of it, too.
static void
test_extent(void **state)
{
    static const int64_t sample[] = {4, 7, 2};
    struct mix mix;
    int64_t extent[TESS_MAX_NDIM];

    (void)state;
    assert_int_equal(parse("box:6x3x2,plane:1", 3, shape, &mix, NULL), TESS_OK);
    access_extent(&mix.accesses[0], 3, sample, extent);
    assert_memory_equal(extent, ((int64_t[]){4, 3, 2}), 3 * sizeof extent[0]);
    access_extent(&mix.accesses[1], 3, sample, extent);
    assert_memory_equal(extent, ((int64_t[]){4, 1, 2}), 3 * sizeof extent[0]);
}

static const struct {
    int ndim;
    const char *as; // the same in words
} defaults[] = {
    {1, "full,point*100"},
    {2, "full,plane:0*10,plane:1*10,point*100"},
    {4, "full,plane:0*10,plane:1*10,plane:2*10,plane:3*10,point*100"},
};

static void
test_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        const int ndim = defaults[i].ndim;
        struct mix mix, expected;
        char text[600], in_words[600];

        assert_int_equal(mix_init(&mix, NULL, 0, ndim, shape, NULL), TESS_OK);
        assert_int_equal(parse(defaults[i].as, ndim, shape, &expected, NULL), TESS_OK);
        describe(&mix, ndim, text, sizeof text);
        describe(&expected, ndim, in_words, sizeof in_words);
        assert_string_equal(text, in_words);
        for (int k = 0; k < mix.count; k++)
            assert_string_equal(mix.items[k].name, expected.items[k].name);
    }
}

// Of as many axes as there may be, not more accesses than fit; each can be told from the others.
static void
test_default_of_many(void **state)
{
    struct mix mix;

    (void)state;
    for (int ndim = 13; ndim <= TESS_MAX_NDIM; ndim++) {
        assert_int_equal(mix_init(&mix, NULL, 0, ndim, shape, NULL), TESS_OK);
        assert_int_equal(mix.count, ndim + 2 < TESS_MAX_ACCESSES ? ndim + 2 : TESS_MAX_ACCESSES);
        for (int k = 0; k < mix.count; k++)
            for (int i = 0; i < k; i++)
                assert_string_not_equal(mix.items[k].name, mix.items[i].name);
    }
}

// All, each as often as it says.
static void
test_predict(void **state)
{
    static const struct grid grid = {.chunk = {200, 300}, .block = {50, 100}};
    static const int64_t large[] = {1000, 600};
    static const struct grid_space space = {.ndim = 2, .shape = {1000, 600}, .typesize = 8};
    const struct model m = {.threads = 1, .decode = 1e-9, .encode = 2e-9, .block = 1e-6};
    struct mix mix;

    (void)state;
    assert_int_equal(parse("box:10x20*10,full*0.5", 2, large, &mix, NULL), TESS_OK);
    double expected = 0;
    for (int i = 0; i < mix.count; i++)
        expected +=
            mix.items[i].weight * model_predict(&m, &mix.accesses[i], 2, large, 8, &grid).cpu;
    assert_true(fabs(mix_predict(&mix, &m, &space, &grid) - expected) < 1e-12);
    mix.items[1].weight = 0.6;
    assert_true(mix_predict(&mix, &m, &space, &grid) > expected);
    mix.count = 1;
    assert_true(mix_predict(&mix, &m, &space, &grid) < expected);
}

static tess_access
point(void)
{
    tess_access a;
    tess_access_init(&a);
    return a;
}

// What is filled in by hand is checked, too.
static void
test_refused(void **state)
{
    tess_access a[2] = {point(), point()};
    struct mix mix;
    tess_error err;

    (void)state;
    assert_int_equal(mix_init(&mix, a, 2, 3, shape, &err), TESS_OK);
    assert_int_equal(mix_init(&mix, a, 0, 3, shape, &err), TESS_ERR_ARG);
    assert_int_equal(mix_init(&mix, a, TESS_MAX_ACCESSES + 1, 3, shape, &err), TESS_ERR_ARG);
    for (int k = 0; k < 8; k++) {
        a[1] = point();
        switch (k) {
        case 0:
            a[1].kind = (tess_access_kind)4;
            break;
        case 1:
            a[1].extent[2] = 0;
            break;
        case 2:
            a[1].extent[0] = -2;
            break;
        case 3:
            a[1].weight = 0;
            break;
        case 4:
            a[1].weight = (double)INFINITY;
            break;
        case 5:
            a[1].weight = (double)NAN;
            break;
        case 6:
            memset(a[1].name, 'x', sizeof a[1].name);
            break;
        default:
            a[1].kind = TESS_ACCESS_APPEND;
            a[1].axis = 3;
            break;
        }
        if (mix_init(&mix, a, 2, 3, shape, &err) != TESS_ERR_ARG ||
            !strstr(err.message, "access 1"))
            fail_msg("case %d is not refused, or: %s", k, err.message);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_bad),
        cmocka_unit_test(test_fields),  cmocka_unit_test(test_extent),
        cmocka_unit_test(test_default), cmocka_unit_test(test_default_of_many),
        cmocka_unit_test(test_predict), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
