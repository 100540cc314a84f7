/*
 * cli_text_item_parse.c - items from their text: what is printed reads back, bit for bit.
 */
#include "cli/text/date.h"
#include "cli/text/item.h"
#include "cli/text/item_parse.h"
#include "support/random.h"

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
        cmocka_unit_test(test_days),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
