/*
 * meta_dtype.c - tests of meta/dtype: NumPy's notation, and everything that is not.
 */
#include "base/swap.h"
#include "meta/dtype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const struct {
    const char *str;
    tess_kind kind;
    char order;
    int32_t size;
} goods[] = {
    {"?", TESS_KIND_BOOL, '|', 1},
    {"|?", TESS_KIND_BOOL, '|', 1},
    {"b1", TESS_KIND_BOOL, '|', 1},
    {"|b1", TESS_KIND_BOOL, '|', 1},
    {"bool", TESS_KIND_BOOL, '|', 1},
    {"|i1", TESS_KIND_INT, '|', 1},
    {">i1", TESS_KIND_INT, '|', 1},
    {"i2", TESS_KIND_INT, '<', 2},
    {"<i4", TESS_KIND_INT, '<', 4},
    {">i4", TESS_KIND_INT, '>', 4},
    {"=i4", TESS_KIND_INT, '<', 4},
    {"|i4", TESS_KIND_INT, '<', 4},
    {"<i8", TESS_KIND_INT, '<', 8},
    {"int8", TESS_KIND_INT, '|', 1},
    {"int16", TESS_KIND_INT, '<', 2},
    {"int32", TESS_KIND_INT, '<', 4},
    {"int64", TESS_KIND_INT, '<', 8},
    {"|u1", TESS_KIND_UINT, '|', 1},
    {">u2", TESS_KIND_UINT, '>', 2},
    {"u4", TESS_KIND_UINT, '<', 4},
    {"<u8", TESS_KIND_UINT, '<', 8},
    {"uint8", TESS_KIND_UINT, '|', 1},
    {"uint16", TESS_KIND_UINT, '<', 2},
    {"uint32", TESS_KIND_UINT, '<', 4},
    {"uint64", TESS_KIND_UINT, '<', 8},
    {"<f2", TESS_KIND_FLOAT, '<', 2},
    {"f4", TESS_KIND_FLOAT, '<', 4},
    {">f8", TESS_KIND_FLOAT, '>', 8},
    {"<f12", TESS_KIND_FLOAT, '<', 12},
    {"<f16", TESS_KIND_FLOAT, '<', 16},
    {"float16", TESS_KIND_FLOAT, '<', 2},
    {"float32", TESS_KIND_FLOAT, '<', 4},
    {"float64", TESS_KIND_FLOAT, '<', 8},
    {"<c8", TESS_KIND_COMPLEX, '<', 8},
    {">c16", TESS_KIND_COMPLEX, '>', 16},
    {"<c32", TESS_KIND_COMPLEX, '<', 32},
    {"complex64", TESS_KIND_COMPLEX, '<', 8},
    {"complex128", TESS_KIND_COMPLEX, '<', 16},
    {"|S12", TESS_KIND_BYTES, '|', 12},
    {"S1", TESS_KIND_BYTES, '|', 1},
    {"a12", TESS_KIND_BYTES, '|', 12},
    {"S2147483647", TESS_KIND_BYTES, '|', INT32_MAX},
    {"<U3", TESS_KIND_UNICODE, '<', 12},
    {">U25", TESS_KIND_UNICODE, '>', 100},
    {"U536870911", TESS_KIND_UNICODE, '<', INT32_MAX - 3},
    {"|V300", TESS_KIND_OPAQUE, '|', 300},
    {"<M8[ns]", TESS_KIND_DATETIME, '<', 8},
    {"M8", TESS_KIND_DATETIME, '<', 8},
    {">M8[Y]", TESS_KIND_DATETIME, '>', 8},
    {"<m8[25us]", TESS_KIND_TIMEDELTA, '<', 8},
    {"<m8[D]", TESS_KIND_TIMEDELTA, '<', 8},

    // Structures.
    {"[('a', '<i4'), ('b', '<f8')]", TESS_KIND_STRUCT, '|', 12},
    {"[('x','<f4'),('y','<f4'),('tag','S7'),('n','<u2')]", TESS_KIND_STRUCT, '|', 17},
    {"[ (\"it's\", \"<i4\") , ('\\'', 'u1'),\n ('b', 'uint8') ]", TESS_KIND_STRUCT, '|', 6},
    {"[('caf\xc3\xa9', '<i4')]", TESS_KIND_STRUCT, '|', 4},
    {"[('a', '<i4', (2, 3)), ('b', '<f8', (2,)), ('c', '<i2', 3), ('d', 'u1', ())]",
     TESS_KIND_STRUCT, '|', 24 + 16 + 6 + 1},
    {"[('a', '<i4'), ('c', [('x', '<u2'), ('y', [('z', '|S3')], (2, 2))])]", TESS_KIND_STRUCT, '|',
     4 + 2 + 12},
    {"[(('a title', 'a'), '<i4'), ('', '|V3'), ('b', '|V0'), ('c', '|u1')]", TESS_KIND_STRUCT, '|',
     8},
    {"[('a', '<i4', (2, 0)), ('b', 'u1')]", TESS_KIND_STRUCT, '|', 1},
    {"[('a', '|S2147483646'), ('b', 'u1')]", TESS_KIND_STRUCT, '|', INT32_MAX},
    {"{'names': ['r', 'g'], 'formats': ['<i4', '<f8'], 'offsets': [0, 8], 'itemsize': 24}",
     TESS_KIND_STRUCT, '|', 24},
    {"{'names':['r','g'], 'formats':['<i4',('<f8', (2,))], 'offsets':[16,0], 'itemsize':20}",
     TESS_KIND_STRUCT, '|', 20},
    {"{'names': ['a'], 'formats': [[('x', '<u2'), ('y', 'u1')]], 'offsets': [1], "
     "'titles': ['t, }', None], 'itemsize': 4, 'aligned': True}",
     TESS_KIND_STRUCT, '|', 4},
    {"{'names': [], 'formats': [], 'offsets': [], 'itemsize': 8}", TESS_KIND_STRUCT, '|', 8},
    {"[('p', {'names': ['a', 'b'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 8}, "
     "(2,)), ('q', '?')]",
     TESS_KIND_STRUCT, '|', 17},
    {"('<f8', (2, 3))", TESS_KIND_OPAQUE, '|', 48},
};

static void
test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const tess_dtype t = dtype_parse(goods[i].str);
        if (t.kind != goods[i].kind || t.order != goods[i].order || t.size != goods[i].size)
            fail_msg("%s: kind %d, order %c, size %d", goods[i].str, (int)t.kind, t.order,
                     (int)t.size);
    }
}

static const struct {
    const char *what;
    const char *str;
} bads[] = {
    {"no string", NULL},
    {"an empty string", ""},
    {"an order alone", "<"},
    {"two orders", "<<i4"},
    {"a space in front", " <i4"},
    {"a space behind", "<i4 "},
    {"a letter alone, which NumPy reads as another type than its sizes", "b"},
    {"a size alone", "4"},
    {"an unknown letter", "<x4"},
    {"Python objects", "|O"},
    {"Python objects with a size", "|O8"},
    {"an integer of 3 bytes", "<i3"},
    {"an integer of 16 bytes", "<i16"},
    {"a boolean of 2 bytes", "b2"},
    {"a float of 1 byte", "f1"},
    {"a float of no bytes", "f0"},
    {"a complex of 4 bytes", "c4"},
    {"a size of 66 bytes", "i66"},
    {"a date of 4 bytes", "M4[ns]"},
    {"an unknown unit", "M8[xs]"},
    {"an open unit", "M8[ns"},
    {"a multiple of no unit", "M8[25]"},
    {"a unit that does not belong", "i8[ns]"},
    {"a string of no bytes", "|S0"},
    {"a string of 2^31 bytes", "S2147483648"},
    {"a string of 2^31 bytes, in characters", "U536870912"},
    {"a size beyond 64 bits", "S99999999999999999999999999"},
    {"a negative size", "S-1"},
    {"an unknown name", "my-int32"},
    {"a name with an order", "<int32"},
    {"another notation", "{\"kind\":\"vec\",\"n\":3}"},
    {"a list of formats", "i4,f8"},
    {"a quoted format", "'<i4'"},
    {"a list that is open", "[('a', '<i4')"},
    {"a list with something after it", "[('a', '<i4')]]"},
    {"a list without fields", "[]"},
    {"fields without a comma", "[('a', '<i4') ('b', '<i4')]"},
    {"a field without a format", "[('a')]"},
    {"a field without quotes", "[(a, '<i4')]"},
    {"a field of four", "[('a', '<i4', (2,), 3)]"},
    {"a field of an unknown type", "[('a', '<i4'), ('b', '|O')]"},
    {"a string that is open", "[('a', '<i4)]"},
    {"a string that ends in an escape", "[('a\\"},
    {"a negative shape", "[('a', '<i4', (-1,))]"},
    {"a shape without its end", "[('a', '<i4', (2"},
    {"2^31 bytes of fields", "[('a', '|S2147483647'), ('b', 'u1')]"},
    {"2^31 bytes of a sub-array", "[('a', '<i4', (2, 268435456))]"},
    {"2^96 items in a sub-array", "[('a', 'u1', (2147483647, 2147483647, 2147483647, 8))]"},
    {"a dict without sizes", "{'names': ['r'], 'formats': ['<i4'], 'offsets': [0]}"},
    {"a dict with a field beyond its end",
     "{'names': ['r'], 'formats': ['<i4'], 'offsets': [1], 'itemsize': 4}"},
    {"a dict with an offset too few",
     "{'names': ['r', 'g'], 'formats': ['<i4', '<i4'], 'offsets': [0], 'itemsize': 8}"},
    {"a dict with a format too many",
     "{'names': ['r'], 'formats': ['<i4', '<i4'], 'offsets': [0], 'itemsize': 8}"},
    {"a dict with a name too many",
     "{'names': ['r', 'g'], 'formats': ['<i4'], 'offsets': [0], 'itemsize': 8}"},
    {"a dict with names, and nothing else in its lists",
     "{'names': ['r'], 'formats': [], 'offsets': [], 'itemsize': 8}"},
    {"a dict with another key",
     "{'names': ['r'], 'formats': ['<i4'], 'offsets': [0], 'itemsize': 4, 'x': 1}"},
    {"a dict with brackets that do not match",
     "{'names': ['r'), 'formats': ['<i4'], 'offsets': [0], 'itemsize': 4}"},
    {"a dict that is open", "{'names': ['r'], 'formats': ['<i4'"},
};

static void
test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        const tess_dtype t = dtype_parse(bads[i].str);
        if (t.kind != TESS_KIND_OPAQUE || t.order != '|' || t.size != 0)
            fail_msg("%s: kind %d, order %c, size %d", bads[i].what, (int)t.kind, t.order,
                     (int)t.size);
    }
}

static void
test_numbers(void **state)
{
    static const struct {
        const char *str;
        bool number, word; // of more than a byte
    } cases[] = {
        {"b1", true, false},  {"i1", true, false}, {"u2", true, true},     {"i8", true, true},
        {"f2", true, true},   {"f8", true, true},  {"f16", false, true},   {"c8", false, true},
        {"S4", false, false}, {"U2", false, true}, {"M8[s]", false, true}, {"V4", false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const char *order = "<>"; *order; order++) {
            char str[16];
            snprintf(str, sizeof str, "%c%s", *order, cases[i].str);
            const tess_dtype t = dtype_parse(str);
            const bool other = *order == (machine_is_big_endian() ? '<' : '>');
            if (dtype_is_number(&t) != cases[i].number ||
                dtype_is_turned(&t) != (cases[i].word && other))
                fail_msg("%s", str);
        }
}

// A structure in a structure in ..., `depth` of them around a byte; as lists or as dicts.
static char *
nested(int depth, const char *open, const char *close)
{
    char *const str = malloc((size_t)depth * (strlen(open) + strlen(close)) + 8);
    char *at = str;

    for (int i = 0; i < depth; i++)
        at = stpcpy(at, open);
    at = stpcpy(at, "'u1'");
    for (int i = 0; i < depth; i++)
        at = stpcpy(at, close);
    return str;
}

static void
test_nesting(void **state)
{
    static const char *const brackets[][2] = {
        {"[('a', ", ")]"},
        {"{'names': ['a'], 'formats': [", "], 'offsets': [0], 'itemsize': 1}"},
        {"(", ", (1,))"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++)
        for (int depth = 1; depth <= 100000; depth = depth < 40 ? depth + 1 : depth * 50) {
            char *const str = nested(depth, brackets[i][0], brackets[i][1]);
            assert_int_equal(dtype_parse(str).size, depth < 32 ? 1 : 0); // the byte is one level
            free(str);
        }
}

// In memory that ends with the string, so that a sanitizer sees a step beyond it.
static tess_dtype
parse_exact(const char *str, size_t size)
{
    char *const exact = malloc(size + 1);
    memcpy(exact, str, size);
    exact[size] = '\0';
    const tess_dtype t = dtype_parse(exact);
    free(exact);
    return t;
}

// Whatever comes: a size that goes with the kind, or nothing.
static void
check_sane(tess_dtype t)
{
    assert_true(t.size >= 0);
    assert_true(t.order == '<' || t.order == '>' || t.order == '|');
    assert_true(t.size > 0 || t.kind == TESS_KIND_OPAQUE);
}

static void
test_truncated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const size_t size = strlen(goods[i].str);
        for (size_t n = 0; n < size; n++) {
            const tess_dtype t = parse_exact(goods[i].str, n);
            check_sane(t);
            if (strchr("[{(", goods[i].str[0]))
                assert_int_equal(t.size, 0); // brackets are open
        }
    }
}

static void
test_mutated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        char str[256];
        const size_t size = strlen(goods[i].str);
        assert_true(size < sizeof str);
        memcpy(str, goods[i].str, size);
        for (size_t at = 0; at < size; at++) {
            for (int value = 1; value < 256; value++) {
                str[at] = (char)value;
                check_sane(parse_exact(str, size));
            }
            str[at] = goods[i].str[at];
        }
    }
}

// Strings of pieces of the notation.
static void
test_random(void **state)
{
    static const char *const pieces[] = {
        "[",          "]",          "(",     ")",
        "{",          "}",          ",",     ":",
        "'a'",        "'",          "\"",    "\\",
        "'names'",    "'formats'",  "'<i4'", "[('b', 'u1')]",
        "2",          "0 ",         "[0]",   "'offsets'",
        "'itemsize'", "2147483647", "\n",    "('a', '<f8', (2,)), ",
    };
    const char *const given = getenv("TESS_TEST_SEED");
    const unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)time(NULL);
    uint32_t x = seed | 1;

    (void)state;
    print_message("seed %u\n", seed);
    for (int i = 0; i < 50000; i++) {
        char str[1024] = "";
        char *at = str;
        for (int k = 0; k < 24; k++) {
            x = x * 1664525 + 1013904223;
            at = stpcpy(at, pieces[(x >> 16) % (sizeof pieces / sizeof *pieces)]);
        }
        check_sane(parse_exact(str, (size_t)(at - str)));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_bad),
        cmocka_unit_test(test_nesting), cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_mutated), cmocka_unit_test(test_random),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests_name("meta/dtype", tests, NULL, NULL);
}
