/*
 * tess_text_items_item_parse.c - items from their text: what is printed reads back, bit for bit.
 */
#include "support/random.h"
#include "text/items/date.h"
#include "text/items/item.h"
#include "text/items/item_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *dtype;
    int32_t size;
} types[] = {
    {"|i1", 1},     {"<i2", 2},     {">i4", 4},     {"<i8", 8},      {">i8", 8},    {"|u1", 1},
    {">u2", 2},     {"<u4", 4},     {">u8", 8},     {"<f2", 2},      {">f2", 2},    {"<f4", 4},
    {">f4", 4},     {"<f8", 8},     {">f8", 8},     {"<c8", 8},      {">c16", 16},  {"<M8[Y]", 8},
    {"<M8[M]", 8},  {">M8[W]", 8},  {"<M8[D]", 8},  {"<M8[h]", 8},   {"<M8[m]", 8}, {"<M8[s]", 8},
    {"<M8[ms]", 8}, {">M8[us]", 8}, {"<M8[ns]", 8}, {"<M8[10s]", 8}, {"<m8[s]", 8}, {">m8[D]", 8},
    {"|V5", 5},
};

// The text of an item as people see it; the caller frees it.
static char *
print(const struct item_format *format, const uint8_t *item)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    assert_non_null(out);
    item_print(out, format, item);
    assert_int_equal(fclose(out), 0);
    return text;
}

// NaNs are many, of which the text keeps one.
static bool
is_nan(const struct item_format *format, const uint8_t *item)
{
    const int size =
        format->type.kind == TESS_KIND_COMPLEX ? format->typesize / 2 : format->typesize;

    if (format->type.kind != TESS_KIND_FLOAT && format->type.kind != TESS_KIND_COMPLEX)
        return false;
    for (int at = 0; at < format->typesize; at += size) {
        const double v = item_load_real(item + at, size, format->type.order);
        if (v != v)
            return true;
    }
    return false;
}

// Years of more digits than 64 bits count do not print as dates; smaller ones often.
static void
draw(struct random *r, uint8_t *item, int32_t size, char order)
{
    random_bytes(r, item, (size_t)size);
    const int32_t zeros = (int32_t)random_below(r, (uint64_t)size);
    if (size == 8 && random_below(r, 2))
        memset(order == '>' ? item : item + size - zeros, item[order == '>' ? 7 : 0] & 1 ? 0 : 0xff,
               (size_t)zeros);
}

static void
test_there_and_back(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(20000, 1000000); n > 0; n--) {
        const size_t k = random_below(&r, sizeof types / sizeof types[0]);
        struct item_format format;
        uint8_t item[16], back[16];
        tess_error err;

        item_format_init(&format, types[k].dtype, types[k].size);
        draw(&r, item, types[k].size, format.type.order);
        if (is_nan(&format, item))
            continue;
        char *const text = print(&format, item);
        const tess_status st = item_parse(&format, text, back, &err);
        if (st != TESS_OK || memcmp(item, back, (size_t)types[k].size) != 0)
            fail_msg("%s: %s: %s", types[k].dtype, text, st == TESS_OK ? "another" : err.message);
        free(text);
    }
}

// What is drawn has its padding at 0, as what is parsed.
static const struct {
    const char *dtype;
    int32_t size;
} structures[] = {
    {"[('a', '<i4'), ('b', '>f8'), ('s', '|S3')]", 15},
    {"[('only', '|b1')]", 1},
    {"[('m', '<i2', (2, 3)), ('u', '>U2', (2,)), ('t', '<M8[s]')]", 36},
    {"[('w', [('v', '>i2'), ('z', '<c8'), ('deep', [('x', '|u1', (3,))], (2,))]), ('h', '|V2')]",
     18},
    {"{'names': ['a', 'b'], 'formats': ['<u2', '|S4'], 'offsets': [6, 1], 'itemsize': 9}", 9},
};

static bool
has_nan(const struct item_format *format, const uint8_t *item)
{
    if (!format->fields)
        return is_nan(format, item);
    for (int i = 0; i < format->fields->count; i++) {
        const struct field *const f = &format->fields->items[i];

        for (int64_t k = 0; k < f->count; k++)
            if (has_nan(&format->parts[i], item + f->offset + k * f->size))
                return true;
    }
    return false;
}

static void
test_structures(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(5000, 200000); n > 0; n--) {
        const size_t k = random_below(&r, sizeof structures / sizeof structures[0]);
        struct item_format format;
        uint8_t item[40] = {0}, back[40] = {0};
        tess_error err;

        item_format_init(&format, structures[k].dtype, structures[k].size);
        assert_non_null(format.fields);
        random_bytes(&r, item, (size_t)structures[k].size);
        for (int32_t i = 0; i < structures[k].size; i++)
            item[i] = random_below(&r, 3) ? item[i] : 0;
        if (k == 1)
            item[0] &= 1;
        if (k == 4)
            item[0] = item[5] = item[8] = 0;
        if (!has_nan(&format, item)) {
            char *const text = print(&format, item);
            const tess_status st = item_parse(&format, text, back, &err);

            if (st != TESS_OK || memcmp(item, back, (size_t)structures[k].size) != 0)
                fail_msg("%s: %s: %s", structures[k].dtype, text,
                         st == TESS_OK ? "another" : err.message);
            free(text);
        }
        item_format_finish(&format);
    }
}

// Texts of [('a', '<i2'), ('w', [('m', '|u1', (2,)), ('s', '|S2')])].
static void
test_structure_texts(void **state)
{
    static const struct {
        const char *text;
        const char *says; // NULL: it is the item (5, ([1, 2], "ab"))
    } cases[] = {
        {"(5, ([1, 2], \"ab\"))", NULL},
        {" ( 5,([1,2],'ab') ) ", NULL},
        {"(5, ([1, 2], \"\\x61b\"))", NULL},
        {"050001026162", NULL},
        {"(5, 01026162)", NULL},
        {"5", "5: neither fields such as (1, 2.5, \"ab\") nor 12 digits"},
        {"(5)", "field w: there are 1 values for 2 fields"},
        {"()", "field a: there are 0 values for 2 fields"},
        {"(, ([1, 2], \"ab\"))", "field a: , ([1, 2], \"ab\")): a value is missing before it"},
        {"(5, ([1, 2], \"ab\"), 6)", "more values than the 2 fields"},
        {"(5, ([1, 2], \"ab\")", "the value ends where ) is missing"},
        {"(5, ([1, 2], \"ab\")) 6", "6: stands behind the last )"},
        {"(40000, ([1, 2], \"ab\"))", "field a: 40000: out of range"},
        {"(5, ([1, 256], \"ab\"))", "field w.m: 256: out of range"},
        {"(5, ([1], \"ab\"))", "field w.m: 1 elements in brackets, there are 2"},
        {"(5, ([1, 2, 3], \"ab\"))", "field w.m: more than 2 elements"},
        {"(5, (1, \"ab\"))", "field w.m: 1, \"ab\")): [ is missing before it"},
        {"(5, ([1 2], \"ab\"))", "field w.m: 1 2: not an integer"},
        {"(5, ([1, 2], ab))", "field w.s: ab)): not a string in quotes"},
        {"(5, ([1, 2], \"ab))", "field w.s: \"ab)): not a string in quotes"},
        {"(5, ([1, 2], \"abc\"))", "field w.s: \"abc\": longer than 2 bytes"},
        {"(5, ([1, 2], \"\\n\"))", "field w.s: \"\\n\": not UTF-8, or a \\ that"},
        {"(5 ([1, 2], \"ab\"))", "field a: 5 ([1: not an integer"},
    };
    struct item_format format;

    (void)state;
    item_format_init(&format, "[('a', '<i2'), ('w', [('m', '|u1', (2,)), ('s', '|S2')])]", 6);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t item[6];
        tess_error err = {0};
        const tess_status st = item_parse(&format, cases[i].text, item, &err);

        if (cases[i].says &&
            (st != TESS_ERR_ARG || strncmp(err.message, cases[i].says, strlen(cases[i].says)) != 0))
            fail_msg("%s: status %d: %s", cases[i].text, (int)st, err.message);
        if (!cases[i].says && (st != TESS_OK || memcmp(item, "\5\0\1\2ab", 6) != 0))
            fail_msg("%s: status %d: %s", cases[i].text, (int)st, err.message);
    }
    item_format_finish(&format);
}

// Days one after the other, by the lengths of months.
static void
test_days(void **state)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t count = -719162; // 1 January of the year 1
    char text[32];

    (void)state;
    for (int year = 1; year < 3000; year++)
        for (int month = 1; month <= 12; month++) {
            const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            const int days = lengths[month - 1] + (month == 2 && leap);
            int64_t found = 0;

            for (int day = 1; day <= days; day++, count++) {
                (void)snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
                assert_int_equal(date_parse(text, "D", &found), DATE_FINE);
                assert_int_equal(found, count);
            }
            (void)snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, days + 1);
            assert_int_equal(date_parse(text, "D", &found), DATE_NO_DATE);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_structures),
        cmocka_unit_test(test_structure_texts),
        cmocka_unit_test(test_days),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
