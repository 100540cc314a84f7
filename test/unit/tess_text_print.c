/*
 * tess_text_print.c - values as text: numbers that read back, items of all kinds, brackets, JSON.
 */
#include "support/native.h"
#include "text/items/date.h"
#include "text/items/real.h"
#include "text/json.h"
#include "text/print.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const struct {
    double value;
    int size;
    const char *text;
} reals[] = {
    {0, 8, "0.0"},
    {-0.0, 8, "-0.0"},
    {1, 8, "1.0"},
    {-1.5, 8, "-1.5"},
    {0.1, 8, "0.1"},
    {(float)0.1, 4, "0.1"},
    {(float)0.1, 8, "0.10000000149011612"},
    {100, 8, "100.0"},
    {1000000, 4, "1000000.0"},
    {16777216, 4, "16777216.0"},
    {123456789, 8, "123456789.0"},
    {0.3 - 0.1 - 0.2, 8, "-2.7755575615628914e-17"},
    {1.0 / 3, 8, "0.3333333333333333"},
    {1e15, 8, "1000000000000000.0"},
    {9999999999999998, 8, "9999999999999998.0"},
    {1e16, 8, "1e+16"},
    {1.25e100, 8, "1.25e+100"},
    {0.0001, 8, "0.0001"},
    {0.00012, 8, "0.00012"},
    {0.00001, 8, "1e-05"},
    {DBL_MAX, 8, "1.7976931348623157e+308"},
    {DBL_MIN, 8, "2.2250738585072014e-308"},
    {5e-324, 8, "5e-324"},
    {FLT_MAX, 4, "3.4028235e+38"},
    {1e-45f, 4, "1e-45"},
    {65504, 2, "65500.0"},
    {0x1p-24, 2, "6e-08"},
    {(double)INFINITY, 8, "inf"},
    {-(double)INFINITY, 4, "-inf"},
    {(double)NAN, 8, "nan"},
    {-(double)NAN, 8, "nan"},
};

static void
test_reals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        char text[REAL_TEXT_SIZE];

        real_format(reals[i].value, reals[i].size, text);
        assert_string_equal(text, reals[i].text);
    }
}

static uint64_t
random_bits(void)
{
    uint64_t bits = 0;

    for (int i = 0; i < 8; i++)
        bits = bits << 8 ^ (uint64_t)(rand() >> 4);
    return bits;
}

static void
test_reals_read_back(void **state)
{
    const unsigned seed = (unsigned)time(NULL);

    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = random_bits() & (i % 8 ? UINT64_MAX : 0x800fffffffffffff);
        const uint32_t low = (uint32_t)(bits & (i % 8 ? UINT32_MAX : 0x807fffff));
        char text[REAL_TEXT_SIZE];
        double d;
        float f;

        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &low, sizeof f);
        real_format(d, 8, text);
        if (!isnan(d) && strtod(text, NULL) != d)
            fail_msg("%a became %s", d, text);
        real_format((double)f, 4, text);
        if (!isnan(f) && strtof(text, NULL) != f)
            fail_msg("%a became %s", (double)f, text);
    }
}

// Every half: its text is nearer to it than to its neighbours.
static void
test_halves(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        const double v = real_from_half(bits);
        const double above = bits == 0x7bff ? 65536 : real_from_half(bits + 1);
        char text[REAL_TEXT_SIZE];

        assert_true(v < above);
        assert_true(real_from_half(bits | 0x8000) == -v);
        real_format(v, 2, text);
        const double back = strtod(text, NULL);
        if (back >= v ? back - v > above - back
                      : bits > 0 && v - back > back - real_from_half(bits - 1))
            fail_msg("half %04x, %.9g, became %s", bits, v, text);
    }
    assert_true(real_from_half(0x3c00) == 1);
    assert_true(real_from_half(0x7bff) == 65504);
    assert_true(isinf(real_from_half(0xfc00)));
    assert_true(isnan(real_from_half(0x7c01)));
}

static const struct {
    const char *dtype;
    int32_t typesize;
    const char *bytes, *text;
} items[] = {
    {"|b1", 1, "\0", "False"},
    {"|b1", 1, "\1", "True"},
    {"|i1", 1, "\xff", "-1"},
    {"|u1", 1, "\xff", "255"},
    {"<i2", 2, "\xfe\xff", "-2"},
    {">i2", 2, "\xff\xfe", "-2"},
    {"<i4", 4, "\1\2\3\4", "67305985"},
    {">i4", 4, "\1\2\3\4", "16909060"},
    {"<i8", 8, "\0\0\0\0\0\0\0\x80", "-9223372036854775808"},
    {"<u8", 8, "\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615"},
    {"uint8", 1, "\7", "7"},
    {"<f2", 2, "\0\x3e", "1.5"},
    {">f2", 2, "\x3e\0", "1.5"},
    {"<f4", 4, "\xcd\xcc\xcc\x3d", "0.1"},
    {">f4", 4, "\x3d\xcc\xcc\xcd", "0.1"},
    {"<f8", 8, "\0\0\0\0\0\0\xf8\x3f", "1.5"},
    {">f8", 8, "\x3f\xf8\0\0\0\0\0\0", "1.5"},
    {"<c8", 8, "\0\0\x80\x3f\0\0\0\xc0", "1.0-2.0j"},
    {">c8", 8, "\x3f\x80\0\0\x40\0\0\0", "1.0+2.0j"},
    {"<c16", 16, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xf8\x7f", "1.0+nanj"},
    {"|S4", 4, "ab\0\0", "\"ab\""},
    {"|S4", 4, "a\0b\0", "\"a\\x00b\""},
    {"|S4", 4, "\"\\\n\xe9", "\"\\\"\\\\\\x0a\\xe9\""},
    {"<U3", 12, "a\0\0\0\xe9\0\0\0\0\0\0\0", "\"a\xc3\xa9\""},
    {">U3", 12, "\0\0\0a\0\0\0\xe9\0\0\0\0", "\"a\xc3\xa9\""},
    {"<U2", 8, "\xac\x20\0\0\0\xf6\1\0", "\"\xe2\x82\xac\xf0\x9f\x98\x80\""},
    {"<U2", 8, "\0\xd8\0\0\xff\xff\xff\x7f", "\"\\U0000d800\\U7fffffff\""},
    {"<U2", 8, "\x1b\0\0\0\x9b\0\0\0", "\"\\x1b\\x9b\""},
    {"<M8[D]", 8, "\0\0\0\0\0\0\0\0", "1970-01-01"},
    {">M8[s]", 8, "\0\0\0\0\0\0\0\1", "1970-01-01T00:00:01"},
    {"<M8[ns]", 8, "\0\0\0\0\0\0\0\x80", "NaT"},
    {"<M8[25s]", 8, "\3\0\0\0\0\0\0\0", "325s"},
    {"<m8[D]", 8, "\xff\xff\xff\xff\xff\xff\xff\xff", "-1D"},
    {"<m8[ns]", 8, "\0\0\0\0\0\0\0\x80", "NaT"},
    {"|V3", 3, "\1\2\xff", "0102ff"},
    {"[('a', '<i2'), ('b', '|u1')]", 3, "\1\2\xff", "(513, 255)"},
    {"", 2, "\1\2", "0102"},
    {"<f8", 2, "\1\2", "0102"}, // a type that does not fit the items
};

static void
test_items(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        struct item_format format;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);

        assert_non_null(out);
        item_format_init(&format, items[i].dtype, items[i].typesize);
        item_print(out, &format, (const uint8_t *)items[i].bytes);
        item_format_finish(&format);
        assert_int_equal(fclose(out), 0);
        if (strcmp(text, items[i].text) != 0)
            fail_msg("%s: %s instead of %s", items[i].dtype, text, items[i].text);
        free(text);
    }
}

static const struct {
    int64_t count;
    const char *unit, *text; // NULL: refused
} dates[] = {
    {0, "Y", "1970"},
    {-1971, "Y", "-0001"},
    {0, "M", "1970-01"},
    {-1, "M", "1969-12"},
    {361, "M", "2000-02"},
    {1, "W", "1970-01-08"},
    {-1, "D", "1969-12-31"},
    {59, "D", "1970-03-01"},
    {789, "D", "1972-02-29"},
    {11016, "D", "2000-02-29"},
    {11017, "D", "2000-03-01"},
    {47541, "D", "2100-03-01"},
    {-719162, "D", "0001-01-01"},
    {-719529, "D", "-0001-12-31"},
    {-719528, "D", "0000-01-01"},
    {2932896, "D", "9999-12-31"},
    {25, "h", "1970-01-02T01"},
    {-1, "m", "1969-12-31T23:59"},
    {1000000000, "s", "2001-09-09T01:46:40"},
    {-1, "ms", "1969-12-31T23:59:59.999"},
    {1, "us", "1970-01-01T00:00:00.000001"},
    {INT64_MAX, "ns", "2262-04-11T23:47:16.854775807"},
    {INT64_MIN + 1, "ns", "1677-09-21T00:12:43.145224193"},
    {INT64_MAX, "s", "292277026596-12-04T15:30:07"},
    {INT64_MAX, "D", NULL},
    {INT64_MAX, "W", NULL},
    {INT64_MIN, "W", NULL},
    {INT64_MAX, "Y", NULL},
    {1, "ps", NULL},
    {1, "", NULL},
    {1, "2D", NULL},
};

static void
test_dates(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        char text[DATE_TEXT_SIZE];

        const bool done = date_format(dates[i].count, dates[i].unit, text);
        assert_int_equal(done, dates[i].text != NULL);
        if (done)
            assert_string_equal(text, dates[i].text);
    }
    for (int64_t day = -800000; day < 4000000; day++) { // each day is the day after the last
        static char last[DATE_TEXT_SIZE] = "";
        char text[DATE_TEXT_SIZE];

        assert_true(date_format(day, "D", text));
        const char *next_day = strrchr(text, '-') + 1;
        if (last[0] && strcmp(next_day, "01") != 0)
            assert_int_equal(atoi(next_day), atoi(strrchr(last, '-') + 1) + 1);
        strcpy(last, text);
    }
}

static const struct {
    int ndim;
    int64_t shape[3];
    const char *text;
} nested[] = {
    {0, {0}, "0\n"},
    {1, {1}, "[0]\n"},
    {1, {3}, "[0 1 2]\n"},
    {1, {0}, "[]\n"},
    {2, {2, 0}, "[]\n"},
    {2, {2, 3}, "[[0 1 2]\n [3 4 5]]\n"},
    {2, {3, 1}, "[[0]\n [1]\n [2]]\n"},
    {3, {2, 2, 2}, "[[[0 1]\n  [2 3]]\n [[4 5]\n  [6 7]]]\n"},
    {3, {1, 1, 1}, "[[[0]]]\n"},
};

static void
test_nested(void **state)
{
    static const uint8_t values[] = {0, 1, 2, 3, 4, 5, 6, 7};

    (void)state;
    for (size_t i = 0; i < sizeof nested / sizeof nested[0]; i++)
        for (int64_t piece = 1; piece <= 8; piece++) { // the items may come in any portions
            struct item_format format;
            struct printer printer;
            char *text = NULL;
            size_t size = 0;
            FILE *out = open_memstream(&text, &size);
            int64_t n = 1;

            assert_non_null(out);
            for (int k = 0; k < nested[i].ndim; k++)
                n *= nested[i].shape[k];
            item_format_init(&format, "|u1", 1);
            printer_begin(&printer, out, &format, nested[i].ndim, nested[i].shape);
            for (int64_t k = 0; k < n; k += piece)
                printer_items(&printer, values + k, n - k < piece ? n - k : piece);
            printer_end(&printer);
            assert_int_equal(fclose(out), 0);
            assert_string_equal(text, nested[i].text);
            free(text);
        }
}

// As NumPy prints them: columns, points under each other, empty lines, what is left out.
static const struct {
    const char *dtype;
    int ndim;
    int64_t shape[3], gap[3];
    const char *text;
} spread[] = {
    {"|u1", 1, {3}, {0}, "[  7   8 200]\n"},
    {"|u1", 0, {0}, {0}, "7\n"},
    {"|u1", 1, {0}, {0}, "[]\n"},
    {"|u1", 1, {4}, {2}, "[  7   8 ... 200  10]\n"},
    {"|u1", 2, {2, 2}, {1}, "[[  7   8]\n ...\n [200  10]]\n"},
    {"|u1", 2, {2, 2}, {1, 1}, "[[  7 ...   8]\n ...\n [200 ...  10]]\n"},
    {"|u1", 3, {2, 2, 1}, {0}, "[[[  7]\n  [  8]]\n\n [[200]\n  [ 10]]]\n"},
    {"|u1", 3, {2, 2, 1}, {1}, "[[[  7]\n  [  8]]\n\n ...\n\n [[200]\n  [ 10]]]\n"},
    {"|b1", 1, {2}, {0}, "[True True]\n"},
    {"|S1", 1, {2}, {0}, "[\"\\x07\" \"\\x08\"]\n"},
};

static char *
spread_text(const char *dtype, int ndim, const int64_t *shape, const int64_t *gap,
            const uint8_t *values, bool json)
{
    const int32_t size = tess_dtype_parse(dtype).size;
    struct item_format format;
    struct printer printer;
    struct json j;
    char *text = NULL;
    size_t text_size = 0;
    FILE *out = open_memstream(&text, &text_size);
    int64_t n = 1;
    tess_error err;

    assert_non_null(out);
    for (int k = 0; k < ndim; k++)
        n *= shape[k];
    item_format_init(&format, dtype, size);
    if (json) {
        json_init(&j, out);
        printer_begin_json(&printer, &j, &format, ndim, shape);
    } else {
        printer_begin(&printer, out, &format, ndim, shape);
        assert_int_equal(printer_align(&printer, values, n, &err), TESS_OK);
    }
    memcpy(printer.gap, gap, (size_t)ndim * sizeof *gap);
    printer_items(&printer, values, n);
    printer_end(&printer);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void
test_spread(void **state)
{
    static const uint8_t values[] = {7, 8, 200, 10};
    static const int64_t two[] = {2, 2}, one[] = {1, 1}, four[] = {4}, none[] = {0};
    static const float floats[] = {1, -10.25F, NAN, 0.5F}, small[] = {1, -10.25F, NAN, 1e-9F};
    const char *const native = NATIVE "f4";

    (void)state;
    for (size_t i = 0; i < sizeof spread / sizeof spread[0]; i++) {
        char *const text = spread_text(spread[i].dtype, spread[i].ndim, spread[i].shape,
                                       spread[i].gap, values, false);
        assert_string_equal(text, spread[i].text);
        free(text);
    }
    char *text = spread_text("|u1", 2, two, one, values, true);
    assert_string_equal(text, "[[7, \"...\", 8], \"...\", [200, \"...\", 10]]");
    free(text);
    text = spread_text(native, 1, four, none, (const uint8_t *)floats, false);
    assert_string_equal(text, "[  1.0  -10.25    nan   0.5 ]\n");
    free(text);
    text = spread_text(native, 1, four, none, (const uint8_t *)small, false);
    assert_string_equal(text, "[  1.0  -10.25    nan  1e-09]\n");
    free(text);
}

static void
test_json(void **state)
{
    static const int64_t ints[] = {1, -2};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct json j;

    (void)state;
    assert_non_null(out);
    json_begin(&j, out);
    json_ints(&j, "a", 2, ints);
    json_open(&j, "b\"", '{'), json_close(&j, '}');
    json_open(&j, "c", '[');
    json_string(&j, NULL, "\\\n\x7f caf\xc3\xa9 \xf0\x9f\x98\x80");
    json_string(&j, NULL, "\xe9 \xc3 \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82");
    json_real(&j, NULL, 0.5), json_real(&j, NULL, (double)NAN), json_bool(&j, NULL, true),
        json_string(&j, NULL, NULL);
    json_hex(&j, NULL, "\0\xff", 2);
    json_close(&j, ']');
    json_close(&j, '}');
    assert_int_equal(fclose(out), 0);
    assert_string_equal(
        text, "{\"a\": [1, -2], \"b\\\"\": {}, \"c\": [\"\\\\\\u000a\\u007f caf\xc3\xa9 "
              "\xf0\x9f\x98\x80\", \"\\ufffd \\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd "
              "\\ufffd\\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\", 0.5, null, true, null, \"00ff\"]}");
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reals),  cmocka_unit_test(test_reals_read_back),
        cmocka_unit_test(test_halves), cmocka_unit_test(test_items),
        cmocka_unit_test(test_dates),  cmocka_unit_test(test_nested),
        cmocka_unit_test(test_spread), cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
