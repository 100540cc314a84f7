/*
 * tess_text_items_fields.c - fields of structured types, and structures as text and JSON.
 */
#include "text/items/item.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// name[|title]@offset:type*count, one after the other
static void
describe(const char *dtype, char *text, size_t size)
{
    struct fields *const fields = fields_parse(dtype);
    size_t n = 0;

    text[0] = '\0';
    if (!fields) {
        (void)snprintf(text, size, "none");
        return;
    }
    for (int i = 0; i < fields->count; i++) {
        const struct field *const f = &fields->items[i];

        n += (size_t)snprintf(text + n, size - n, "%s%s%s%s@%d:%s*%d", i > 0 ? " " : "", f->name,
                              f->title ? "|" : "", f->title ? f->title : "", (int)f->offset,
                              f->dtype, (int)f->count);
    }
    fields_free(fields);
}

static const struct {
    const char *dtype, *text;
} types[] = {
    {"<i4", "none"},
    {"", "none"},
    {"[('a', '<i4')", "none"},
    {"[('a', '<i4'), ('b', '>f8')]", "a@0:<i4*1 b@4:>f8*1"},
    {"[('a','<i4',(2,3)),('b','|S2',4),('c','|u1',()),]", "a@0:<i4*6 b@24:|S2*4 c@32:|u1*1"},
    {"[(('Title', 'a'), '<i2'), (\"it's\", '<i2')]", "a|Title@0:<i2*1 it's@2:<i2*1"},
    {"[('a', '|u1'), ('', '|V3'), ('b', '<f4')]", "a@0:|u1*1 b@4:<f4*1"},
    {"[('', '<i2'), ('', '<i4')]", "f0@0:<i2*1 f1@2:<i4*1"},
    {"[('a', [('x', '<i2'), ('y', '<i2', 2)], 2)]", "a@0:[('x', '<i2'), ('y', '<i2', 2)]*2"},
    {"[('a', ('<f4', (2,)), (3,))]", "a@0:<f4*6"},
    {"[('\\x41\\'\\u00e9\\n', '<i2')]", "A'\xc3\xa9\n@0:<i2*1"},
    {"{'names': ['a', 'b'], 'formats': ['<i4', ('<i2', (2,))], 'offsets': [4, 0], 'itemsize': 16}",
     "a@4:<i4*1 b@0:<i2*2"},
    {"{'names':['a','b'],'formats':['u1','u1'],'offsets':[0,1],'titles':['T',None],'itemsize':2,"
     "'aligned':True}",
     "a|T@0:u1*1 b@1:u1*1"},
    {"{'names': ['a'], 'formats': ['<i4'], 'itemsize': 4}", "none"},
    {"{'names': ['a'], 'formats': ['<i4'], 'offsets': [1], 'itemsize': 4}", "none"},
    {"[('a', '<i4', (2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2))]", "none"}, // 17 axes
    {"[('a', '|V0', (1000000000,)), ('b', '<i4')]", "none"}, // elements without end
};

static void
test_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char text[400];

        describe(types[i].dtype, text, sizeof text);
        if (strcmp(text, types[i].text) != 0)
            fail_msg("%s: %s instead of %s", types[i].dtype, text, types[i].text);
    }
}

// Any string cut off or changed in one byte has fields or not, and nothing breaks.
static void
test_damaged(void **state)
{
    char text[400], changed[400];

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (size_t at = 0; types[i].dtype[at]; at++)
            for (const char *with = "\0()[]{}'\\,:9x"; with < "\0()[]{}'\\,:9x" + 13; with++) {
                (void)snprintf(changed, sizeof changed, "%s", types[i].dtype);
                changed[at] = *with;
                describe(changed, text, sizeof text);
            }
}

static void
test_find(void **state)
{
    struct fields *const fields = fields_parse("[(('b', 'a'), '<i4'), ('b', '<i2'), ('c', '<i2')]");

    (void)state;
    assert_non_null(fields);
    assert_int_equal(fields_find(fields, "a", 1)->offset, 0);
    assert_int_equal(fields_find(fields, "b", 1)->offset, 4); // names before titles
    assert_int_equal(fields_find(fields, "c.x", 1)->offset, 6);
    assert_null(fields_find(fields, "d", 1));
    assert_null(fields_find(fields, "", 0));
    fields_free(fields);
}

static const struct {
    const char *dtype;
    int32_t size;
    const char *bytes, *text, *json;
} items[] = {
    {"[('a', '<i2'), ('b', '|S2')]", 4, "\1\0x\0", "(1, \"x\")", "{\"a\": 1, \"b\": \"x\"}"},
    {"[('a', '>i2')]", 2, "\0\7", "(7,)", "{\"a\": 7}"},
    {"[('a', '|u1', (2, 2)), ('', '|V1'), ('n', [('x', '|b1'), ('y', '<f4')])]", 10,
     "\1\2\3\4\xff\1\0\0\xc0\x7f", "([[1, 2], [3, 4]], (True, nan))",
     "{\"a\": [[1, 2], [3, 4]], \"n\": {\"x\": true, \"y\": \"nan\"}}"},
    {"{'names': ['b', 'a'], 'formats': ['|u1', '|u1'], 'offsets': [2, 0], 'itemsize': 4}", 4,
     "\1\2\3\4", "(3, 1)", "{\"b\": 3, \"a\": 1}"},
    {"[('a', '<i2')]", 3, "\1\2\3", "010203", "\"010203\""}, // the type does not fit the items
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
        struct json j;

        assert_non_null(out);
        item_format_init(&format, items[i].dtype, items[i].size);
        item_print(out, &format, (const uint8_t *)items[i].bytes);
        fputc('\n', out);
        json_init(&j, out);
        item_json(&j, NULL, &format, (const uint8_t *)items[i].bytes);
        item_format_finish(&format);
        item_format_finish(&format);
        assert_int_equal(fclose(out), 0);
        char *const json = strchr(text, '\n');
        *json = '\0';
        assert_string_equal(text, items[i].text);
        assert_string_equal(json + 1, items[i].json);
        free(text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
