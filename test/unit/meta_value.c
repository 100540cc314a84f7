/*
 * meta_value.c - tests of meta/value, meta/json_read and meta/json_write: bytes as other writers
 * pack them, damaged ones, and text.
 */
#include "meta/json.h"
#include "meta/value.h"

#include "support/hex.h"
#include "support/random.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MEMORY (1 << 20)

// Packed in the shortest form: each is read as the text, and both are written back.
static const struct good {
    const char *what;
    const char *bytes;
    tess_value_type type;
    const char *json;
} goods[] = {
    {"null", "c0", TESS_VALUE_NULL, "null"},
    {"false", "c2", TESS_VALUE_BOOL, "false"},
    {"true", "c3", TESS_VALUE_BOOL, "true"},
    {"zero", "00", TESS_VALUE_INT, "0"},
    {"largest of 7 bits", "7f", TESS_VALUE_INT, "127"},
    {"8 bits", "cc80", TESS_VALUE_INT, "128"},
    {"16 bits", "cd0100", TESS_VALUE_INT, "256"},
    {"32 bits", "ce00010000", TESS_VALUE_INT, "65536"},
    {"64 bits", "cf0000000100000000", TESS_VALUE_INT, "4294967296"},
    {"largest int64", "cf7fffffffffffffff", TESS_VALUE_INT, "9223372036854775807"},
    {"smallest uint", "cf8000000000000000", TESS_VALUE_UINT, "9223372036854775808"},
    {"largest uint", "cfffffffffffffffff", TESS_VALUE_UINT, "18446744073709551615"},
    {"minus one", "ff", TESS_VALUE_INT, "-1"},
    {"smallest of 5 bits", "e0", TESS_VALUE_INT, "-32"},
    {"negative, 8 bits", "d0df", TESS_VALUE_INT, "-33"},
    {"negative, 16 bits", "d1ff7f", TESS_VALUE_INT, "-129"},
    {"negative, 32 bits", "d2ffff7fff", TESS_VALUE_INT, "-32769"},
    {"negative, 64 bits", "d3ffffffff7fffffff", TESS_VALUE_INT, "-2147483649"},
    {"smallest int64", "d38000000000000000", TESS_VALUE_INT, "-9223372036854775808"},
    {"one and a half", "cb3ff8000000000000", TESS_VALUE_FLOAT, "1.5"},
    {"a whole float", "cb4008000000000000", TESS_VALUE_FLOAT, "3.0"},
    {"minus zero", "cb8000000000000000", TESS_VALUE_FLOAT, "-0.0"},
    {"a float of 17 digits", "cb3fd3333333333334", TESS_VALUE_FLOAT, "0.30000000000000004"},
    {"largest float", "cb7fefffffffffffff", TESS_VALUE_FLOAT, "1.7976931348623157e+308"},
    {"smallest float", "cb0000000000000001", TESS_VALUE_FLOAT, "4.94065645841247e-324"},
    {"a float of exponent only", "cb54b249ad2594c37d", TESS_VALUE_FLOAT, "1e+100"},
    {"not a number", "cb7ff8000000000000", TESS_VALUE_FLOAT, "{\"$float\": \"nan\"}"},
    {"infinity", "cb7ff0000000000000", TESS_VALUE_FLOAT, "{\"$float\": \"inf\"}"},
    {"minus infinity", "cbfff0000000000000", TESS_VALUE_FLOAT, "{\"$float\": \"-inf\"}"},
    {"empty string", "a0", TESS_VALUE_STRING, "\"\""},
    {"string", "a3616263", TESS_VALUE_STRING, "\"abc\""},
    {"UTF-8 of 1 to 4 bytes", "aa61c3a4e282acf09f9880", TESS_VALUE_STRING, "\"aä€😀\""},
    {"escapes", "a722 5c 0a 09 00 7f 2f", TESS_VALUE_STRING, "\"\\\"\\\\\\n\\t\\u0000\\u007f/\""},
    {"no bytes", "c400", TESS_VALUE_BYTES, "{\"$bytes\": \"\"}"},
    {"1 byte", "c401ff", TESS_VALUE_BYTES, "{\"$bytes\": \"/w==\"}"},
    {"2 bytes", "c4020001", TESS_VALUE_BYTES, "{\"$bytes\": \"AAE=\"}"},
    {"3 bytes", "c403fbefbe", TESS_VALUE_BYTES, "{\"$bytes\": \"++++\"}"},
    {"empty list", "90", TESS_VALUE_LIST, "[]"},
    {"list", "93 01 a162 92 c3 c0", TESS_VALUE_LIST, "[1, \"b\", [true, null]]"},
    {"a tuple of python-blosc2", "93 a9 5f5f7475706c655f5f 01 02", TESS_VALUE_LIST,
     "[\"__tuple__\", 1, 2]"},
    {"empty map", "80", TESS_VALUE_MAP, "{}"},
    {"map", "82 a178 01 a179 92 02 03", TESS_VALUE_MAP, "{\"x\": 1, \"y\": [2, 3]}"},
    {"map with numbers as keys", "81 01 a161", TESS_VALUE_MAP, "{\"$map\": [[1, \"a\"]]}"},
    {"map that looks like bytes", "81 a6 246279746573 a0", TESS_VALUE_MAP,
     "{\"$map\": [[\"$bytes\", \"\"]]}"},
    {"map with an empty key", "81 a0 c0", TESS_VALUE_MAP, "{\"\": null}"},
    {"extension of 1 byte", "d4 7f 61", TESS_VALUE_EXT, "{\"$ext\": [127, \"YQ==\"]}"},
    {"timestamp", "d6 ff 00000000", TESS_VALUE_EXT, "{\"$ext\": [-1, \"AAAAAA==\"]}"},
    {"extension of 3 bytes", "c7 03 80 fbefbe", TESS_VALUE_EXT, "{\"$ext\": [-128, \"++++\"]}"},
    {"empty extension", "c7 00 05", TESS_VALUE_EXT, "{\"$ext\": [5, \"\"]}"},
};

// Parse exactly these bytes; the address sanitizer sees the rest.
static tess_status
parse(const uint8_t *src, size_t size, int64_t max_memory, tess_value **v, tess_error *err)
{
    uint8_t *const copy = exact_copy(src, size);
    const tess_status st = value_parse(copy, size, TESS_VALUE_MAX_DEPTH, max_memory, v, err);
    free(copy); // the value does not point into it
    return st;
}

static void
check_packs(const char *what, const tess_value *v, const uint8_t *want, size_t want_size)
{
    uint8_t *out = NULL;
    size_t size = 0;

    assert_int_equal(value_pack(v, &out, &size, NULL), TESS_OK);
    if (size != want_size || memcmp(out, want, size) != 0)
        fail_msg("%s: packed into %zu bytes instead of %zu, or others", what, size, want_size);
    free(out);
}

static void
check_reads(const char *json, const uint8_t *want, size_t want_size)
{
    uint8_t *out = NULL;
    size_t size = 0;
    tess_error err;

    if (json_read(json, &out, &size, &err) != TESS_OK)
        fail_msg("%s: %s", json, err.message);
    if (size != want_size || (size > 0 && memcmp(out, want, size) != 0))
        fail_msg("%s: read as %zu bytes instead of %zu, or others", json, size, want_size);
    free(out);
}

static void
test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(goods); i++) {
        const struct good *const g = &goods[i];
        size_t size;
        uint8_t *const src = hex_bytes(g->bytes, &size);
        tess_value *v;
        tess_error err;
        char *json;

        if (value_parse(src, size, TESS_VALUE_MAX_DEPTH, MEMORY, &v, &err) != TESS_OK)
            fail_msg("%s: %s", g->what, err.message);
        if (v->type != g->type)
            fail_msg("%s: type %d instead of %d", g->what, (int)v->type, (int)g->type);
        assert_int_equal(json_write(v, &json, NULL), TESS_OK);
        if (strcmp(json, g->json) != 0)
            fail_msg("%s: %s instead of %s", g->what, json, g->json);
        check_packs(g->what, v, src, size);
        check_reads(json, src, size);
        free(json);
        free(v);
        free(src);
    }
}

// Other writers may use longer forms.
static void
test_long_forms(void **state)
{
    static const struct {
        const char *bytes;
        const char *json;
    } cases[] = {
        {"cc01", "1"},
        {"d3 0000000000000001", "1"},
        {"d0 7f", "127"},
        {"d3 ffffffffffffffff", "-1"},
        {"ca 3fc00000", "1.5"},
        {"d9 01 61", "\"a\""},
        {"da 0001 61", "\"a\""},
        {"db 00000001 61", "\"a\""},
        {"c5 0001 ff", "{\"$bytes\": \"/w==\"}"},
        {"c6 00000001 ff", "{\"$bytes\": \"/w==\"}"},
        {"c8 0001 05 ff", "{\"$ext\": [5, \"/w==\"]}"},
        {"c9 00000001 05 ff", "{\"$ext\": [5, \"/w==\"]}"},
        {"dc 0001 01", "[1]"},
        {"dd 00000001 01", "[1]"},
        {"de 0001 a161 01", "{\"a\": 1}"},
        {"df 00000001 a161 01", "{\"a\": 1}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size;
        uint8_t *const src = hex_bytes(cases[i].bytes, &size);
        tess_value *v;
        char *json;

        assert_int_equal(parse(src, size, MEMORY, &v, NULL), TESS_OK);
        assert_int_equal(json_write(v, &json, NULL), TESS_OK);
        assert_string_equal(json, cases[i].json);
        free(json);
        free(v);
        free(src);
    }
}

static void
test_bad(void **state)
{
    static const struct {
        const char *what;
        const char *bytes;
        int64_t memory;
        tess_status status;
        int64_t offset;
    } cases[] = {
        {"nothing", "", MEMORY, TESS_ERR_CORRUPT, 0},
        {"the marker that is never used", "c1", MEMORY, TESS_ERR_CORRUPT, 1},
        {"two values", "01 02", MEMORY, TESS_ERR_CORRUPT, 1},
        {"a byte that goes on", "c2ff", MEMORY, TESS_ERR_CORRUPT, 1},
        {"a list of 2^32 - 1", "dd ffffffff 01", MEMORY, TESS_ERR_CORRUPT, 5},
        {"a map of 2^32 - 1", "df ffffffff 01", MEMORY, TESS_ERR_CORRUPT, 5},
        {"a map of one, value missing", "81 a0", MEMORY, TESS_ERR_CORRUPT, 1},
        {"a list of 65535", "dc ffff", MEMORY, TESS_ERR_CORRUPT, 3},
        {"a string of 4 GiB", "db ffffffff 61", MEMORY, TESS_ERR_CORRUPT, 5},
        {"bytes of 4 GiB", "c6 ffffffff 61", MEMORY, TESS_ERR_CORRUPT, 5},
        {"an extension of 4 GiB", "c9 ffffffff 01 61", MEMORY, TESS_ERR_CORRUPT, 6},
        {"a string that is not UTF-8", "a1 ff", MEMORY, TESS_ERR_CORRUPT, 2},
        {"an overlong NUL", "a2 c080", MEMORY, TESS_ERR_CORRUPT, 3},
        {"half a surrogate pair", "a3 eda080", MEMORY, TESS_ERR_CORRUPT, 4},
        {"a character that breaks off", "a2 e282", MEMORY, TESS_ERR_CORRUPT, 3},
        {"such a string as a key", "81 a1ff 01", MEMORY, TESS_ERR_CORRUPT, 3},
        {"more than one byte allowed", "a3616263", 1, TESS_ERR_LIMIT, -1},
        {"one value more than allowed", "93010203", 4 * (int64_t)sizeof(tess_value) - 1,
         TESS_ERR_LIMIT, -1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size;
        uint8_t *const src = hex_bytes(cases[i].bytes, &size);
        tess_value *v;
        tess_error err;
        const tess_status st =
            value_parse(src, size, TESS_VALUE_MAX_DEPTH, cases[i].memory, &v, &err);

        if (st != cases[i].status || err.offset != cases[i].offset || v)
            fail_msg("%s: status %d at %d (%s)", cases[i].what, (int)st, (int)err.offset,
                     st == TESS_OK ? "" : err.message);
        free(src);
    }
}

static void
test_memory_that_is_just_enough(void **state)
{
    static const uint8_t list[] = {0x93, 1, 2, 0xa1, 'x'};
    const int64_t enough = 4 * (int64_t)sizeof(tess_value) + 2;
    tess_value *v;

    (void)state;
    assert_int_equal(parse(list, sizeof list, enough - 1, &v, NULL), TESS_ERR_LIMIT);
    assert_int_equal(parse(list, sizeof list, enough, &v, NULL), TESS_OK);
    free(v);
}

// `levels` containers around a 1: lists, or maps on the side of the key or of the value.
static size_t
nest(uint8_t *dst, int levels, int kind)
{
    size_t at = 0;

    for (int i = 0; i < levels; i++) {
        dst[at++] = kind == 0 ? 0x91 : 0x81;
        if (kind == 2)
            dst[at++] = 7;
    }
    dst[at++] = 1;
    for (int i = 0; i < levels && kind == 1; i++)
        dst[at++] = 7;
    return at;
}

static void
test_depth(void **state)
{
    static uint8_t src[3 << 20];
    static char text[3 << 20];
    tess_value *v;
    uint8_t *out;
    size_t size;
    char *json;

    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        size = nest(src, TESS_VALUE_MAX_DEPTH, kind);
        assert_int_equal(parse(src, size, MEMORY, &v, NULL), TESS_OK);
        check_packs("deep", v, src, size);
        assert_int_equal(json_write(v, &json, NULL), TESS_OK);
        check_reads(json, src, size);

        const tess_value around = {.type = TESS_VALUE_LIST, .as = {.list = {v, 1}}};
        assert_int_equal(value_pack(&around, &out, &size, NULL), TESS_ERR_LIMIT);
        snprintf(text, sizeof text, "[%s]", json);
        assert_int_equal(json_read(text, &out, &size, NULL), TESS_ERR_LIMIT);
        free(json);
        free(v);

        size = nest(src, TESS_VALUE_MAX_DEPTH + 1, kind);
        assert_int_equal(parse(src, size, MEMORY, &v, NULL), TESS_ERR_CORRUPT);
        size = nest(src, 1 << 20, kind);
        assert_int_equal(parse(src, size, MEMORY, &v, NULL), TESS_ERR_CORRUPT);
    }
    memset(text, '[', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(json_read(text, &out, &size, NULL), TESS_ERR_LIMIT);
}

// Each list claims as many items as bytes are left, at every level.
static void
test_counts(void **state)
{
    static uint8_t src[1 << 16];
    tess_value *v;

    (void)state;
    for (size_t at = 0; at + 5 <= sizeof src; at += 5) {
        const size_t left = sizeof src - at - 5;
        src[at] = at % 2 ? 0xdd : 0xdf;
        for (int i = 0; i < 4; i++)
            src[at + 1 + (size_t)i] = (uint8_t)((at % 2 ? left : left / 2) >> (24 - 8 * i));
    }
    assert_int_equal(parse(src, sizeof src, MEMORY, &v, NULL), TESS_ERR_CORRUPT);
}

// -- random values

// Fills *v at `depth`; what it contains is never freed one by one, but taken from here.
struct pool {
    tess_value values[4000];
    size_t used;
    char chars[1 << 16];
    size_t chars_used;
};

static tess_value *
pool_values(struct pool *p, size_t n)
{
    if (p->used + n > COUNT(p->values))
        return NULL;
    p->used += n;
    return &p->values[p->used - n];
}

static char *
pool_chars(struct pool *p, size_t n)
{
    if (p->chars_used + n > sizeof p->chars)
        return NULL;
    p->chars_used += n;
    return &p->chars[p->chars_used - n];
}

static size_t
random_size(struct random *r)
{
    static const size_t bounds[] = {2, 40, 300};
    return (size_t)random_below(r, bounds[random_below(r, COUNT(bounds))]);
}

static void
random_string(struct random *r, struct pool *p, tess_value *v)
{
    static const char *const pieces[] = {"a", "\"", "\\", "\n", "ä", "€", "😀", "$", "\x7f", "\x01"};
    const size_t n = random_size(r);
    char *const chars = pool_chars(p, 4 * n);
    size_t size = 0;

    for (size_t i = 0; i < n && chars; i++) {
        const char *const piece = pieces[random_below(r, COUNT(pieces))];
        memcpy(chars + size, piece, strlen(piece));
        size += strlen(piece);
    }
    *v = (tess_value){.type = TESS_VALUE_STRING, .as.string = {chars, size}};
}

static void
random_value(struct random *r, struct pool *p, int depth, tess_value *v)
{
    const size_t n = random_size(r);
    tess_value *inside = NULL;
    char *chars;

    *v = (tess_value){.type = (tess_value_type)random_below(r, depth < 8 ? 10 : 7)};
    switch (v->type) {
    case TESS_VALUE_BOOL:
        v->as.boolean = random_below(r, 2);
        break;
    case TESS_VALUE_INT:
        v->as.i64 = (int64_t)random_next(r) >> random_below(r, 64);
        break;
    case TESS_VALUE_UINT:
        v->as.u64 = random_next(r) | UINT64_C(1) << 63;
        break;
    case TESS_VALUE_FLOAT:
        do
            random_bytes(r, &v->as.f64, sizeof v->as.f64);
        while (isnan(v->as.f64)); // there are many of these
        break;
    case TESS_VALUE_STRING:
        random_string(r, p, v);
        break;
    case TESS_VALUE_BYTES:
    case TESS_VALUE_EXT:
        v->ext = v->type == TESS_VALUE_EXT ? (int)random_below(r, 256) - 128 : 0;
        chars = pool_chars(p, n);
        if (chars)
            random_bytes(r, chars, n);
        v->as.bytes.data = chars;
        v->as.bytes.size = chars ? n : 0;
        break;
    case TESS_VALUE_LIST:
        inside = pool_values(p, n);
        v->as.list.items = inside;
        v->as.list.count = inside ? n : 0;
        for (size_t i = 0; i < v->as.list.count; i++)
            random_value(r, p, depth + 1, &inside[i]);
        break;
    case TESS_VALUE_MAP:
        inside = pool_values(p, 2 * n);
        v->as.map.pairs = (tess_pair *)inside;
        v->as.map.count = inside ? n : 0;
        for (size_t i = 0; i < v->as.map.count; i++) {
            if (random_below(r, 50) == 0)
                random_value(r, p, depth + 1, &inside[2 * i]);
            else
                random_string(r, p, &inside[2 * i]);
            random_value(r, p, depth + 1, &inside[2 * i + 1]);
        }
        break;
    default:
        break;
    }
}

static void
check_equal(const tess_value *a, const tess_value *b)
{
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->ext, b->ext);
    switch (a->type) {
    case TESS_VALUE_BOOL:
        assert_int_equal(a->as.boolean, b->as.boolean);
        break;
    case TESS_VALUE_INT:
    case TESS_VALUE_UINT:
    case TESS_VALUE_FLOAT:
        assert_memory_equal(&a->as, &b->as, 8);
        break;
    case TESS_VALUE_STRING:
        assert_int_equal(a->as.string.size, b->as.string.size);
        if (a->as.string.size > 0)
            assert_memory_equal(a->as.string.data, b->as.string.data, a->as.string.size);
        break;
    case TESS_VALUE_BYTES:
    case TESS_VALUE_EXT:
        assert_int_equal(a->as.bytes.size, b->as.bytes.size);
        if (a->as.bytes.size > 0)
            assert_memory_equal(a->as.bytes.data, b->as.bytes.data, a->as.bytes.size);
        break;
    case TESS_VALUE_LIST:
        assert_int_equal(a->as.list.count, b->as.list.count);
        for (size_t i = 0; i < a->as.list.count; i++)
            check_equal(&a->as.list.items[i], &b->as.list.items[i]);
        break;
    case TESS_VALUE_MAP:
        assert_int_equal(a->as.map.count, b->as.map.count);
        for (size_t i = 0; i < a->as.map.count; i++) {
            check_equal(&a->as.map.pairs[i].key, &b->as.map.pairs[i].key);
            check_equal(&a->as.map.pairs[i].value, &b->as.map.pairs[i].value);
        }
        break;
    default:
        break;
    }
}

static long
rounds(long n)
{
    const char *const more = getenv("TESS_TEST_LONG");
    return more && more[0] == '1' ? 20 * n : n;
}

static void
test_random(void **state)
{
    static struct pool pool;
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (long i = 0; i < rounds(1000); i++) {
        tess_value v, *back;
        uint8_t *bytes;
        size_t size;
        char *json;

        pool.used = pool.chars_used = 0;
        random_value(&r, &pool, 0, &v);
        assert_int_equal(value_pack(&v, &bytes, &size, NULL), TESS_OK);
        assert_int_equal(parse(bytes, size, 16 * MEMORY, &back, NULL), TESS_OK);
        check_equal(&v, back);
        assert_int_equal(json_write(back, &json, NULL), TESS_OK);
        check_reads(json, bytes, size);
        free(json);
        free(back);
        free(bytes);
    }
}

static void
test_truncated(void **state)
{
    static struct pool pool;
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (long i = 0; i < rounds(60); i++) {
        tess_value v, *back;
        uint8_t *bytes;
        size_t size;

        pool.used = pool.chars_used = 0;
        random_value(&r, &pool, 0, &v);
        assert_int_equal(value_pack(&v, &bytes, &size, NULL), TESS_OK);
        const size_t step = 1 + size / 2000;
        for (size_t n = 0; n < size; n += n < 64 || size - n < 64 ? 1 : step)
            assert_int_equal(parse(bytes, n, 16 * MEMORY, &back, NULL), TESS_ERR_CORRUPT);
        free(bytes);
    }
}

// Damaged values are refused, or are values; then they can be written and read again.
static void
test_mutated(void **state)
{
    static struct pool pool;
    struct random r;
    long accepted = 0, refused = 0;

    (void)state;
    random_init(&r, random_seed());
    for (long i = 0; i < rounds(20000); i++) {
        static uint8_t *bytes = NULL;
        static size_t size = 0;
        tess_value v, *back;

        if (i % 50 == 0) {
            free(bytes);
            do {
                pool.used = pool.chars_used = 0;
                random_value(&r, &pool, 4, &v);
            } while (v.type < TESS_VALUE_LIST);
            assert_int_equal(value_pack(&v, &bytes, &size, NULL), TESS_OK);
        }
        const size_t at = (size_t)random_below(&r, size < 200 ? size : 200);
        bytes[at] = (uint8_t)random_next(&r);
        if (parse(bytes, size, 16 * MEMORY, &back, NULL) == TESS_OK) {
            uint8_t *again, *from_json;
            size_t again_size, from_json_size;
            char *json;

            assert_int_equal(value_pack(back, &again, &again_size, NULL), TESS_OK);
            assert_int_equal(json_write(back, &json, NULL), TESS_OK);
            assert_int_equal(json_read(json, &from_json, &from_json_size, NULL), TESS_OK);
            if (!strstr(json, "nan")) // the others of them are not kept
                assert_int_equal(again_size, from_json_size);
            free(from_json);
            free(json);
            free(again);
            free(back);
            accepted++;
        } else {
            refused++;
        }
        if (i % 50 == 49) {
            free(bytes);
            bytes = NULL;
        }
    }
    assert_true(accepted > 100 && refused > 100);
}

// -- what users hand in

static void
test_refused_values(void **state)
{
    static const tess_value opaque = {.type = TESS_VALUE_OPAQUE};
    static const tess_pair pair = {{.type = TESS_VALUE_NULL}, {.type = (tess_value_type)-1}};
    static const struct {
        const char *what;
        tess_value value;
        tess_status status;
    } cases[] = {
        {"unknown type", {.type = (tess_value_type)11}, TESS_ERR_ARG},
        {"string at NULL", {.type = TESS_VALUE_STRING, .as.string = {NULL, 1}}, TESS_ERR_ARG},
        {"not UTF-8", {.type = TESS_VALUE_STRING, .as.string = {"\xff", 1}}, TESS_ERR_ARG},
        {"bytes at NULL", {.type = TESS_VALUE_BYTES, .as.bytes = {NULL, 1}}, TESS_ERR_ARG},
        {"opaque at NULL", {.type = TESS_VALUE_OPAQUE, .as.bytes = {NULL, 1}}, TESS_ERR_ARG},
        {"list at NULL", {.type = TESS_VALUE_LIST, .as.list = {NULL, 1}}, TESS_ERR_ARG},
        {"map at NULL", {.type = TESS_VALUE_MAP, .as.map = {NULL, 1}}, TESS_ERR_ARG},
        {"opaque in a list", {.type = TESS_VALUE_LIST, .as.list = {&opaque, 1}}, TESS_ERR_ARG},
        {"wrong in a map", {.type = TESS_VALUE_MAP, .as.map = {&pair, 1}}, TESS_ERR_ARG},
        {"code 128", {.type = TESS_VALUE_EXT, .ext = 128}, TESS_ERR_ARG},
        {"code -129", {.type = TESS_VALUE_EXT, .ext = -129}, TESS_ERR_ARG},
#if SIZE_MAX > UINT32_MAX
        {"bytes of 4 GiB",
         {.type = TESS_VALUE_BYTES, .as.bytes = {"", (size_t)UINT32_MAX + 1}},
         TESS_ERR_LIMIT},
        {"list of 2^32",
         {.type = TESS_VALUE_LIST, .as.list = {&opaque, (size_t)UINT32_MAX + 1}},
         TESS_ERR_LIMIT},
#endif
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t *out;
        size_t size;
        const tess_status st = value_pack(&cases[i].value, &out, &size, NULL);
        if (st != cases[i].status)
            fail_msg("%s: status %d", cases[i].what, (int)st);
    }
}

static void
test_json_forms(void **state)
{
    static const struct {
        const char *json;
        const char *bytes;
    } cases[] = {
        {" \t\r\n[ 1 ,\n2 ] ", "92 01 02"},
        {"{ }", "80"},
        {"{\"a\":{\"b\":[]}}", "81 a161 81 a162 90"},
        {"\"\\u0041\\u00e4\\u20ac\\ud83d\\ude00\\b\\f\\r\\/\"",
         "ae 41 c3a4 e282ac f09f9880 080c0d2f"},
        {"-0", "00"},
        {"-0.0", "cb8000000000000000"},
        {"1E2", "cb4059000000000000"},
        {"1e-999", "cb0000000000000000"},
        {"{\"a\": 1, \"$b\": 2}", "82 a161 01 a2 2462 02"},
        {"{\"$bytes\" : \"YWI=\" }", "c4026162"},
        {"{\"$opaque\": \"\"}", ""},
        {"{\"$opaque\": \"wQ==\"}", "c1"},
        {"{\"$map\": []}", "80"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size;
        uint8_t *const want = hex_bytes(cases[i].bytes, &size);
        check_reads(cases[i].json, want, size);
        free(want);
    }
}

static void
test_json_refused(void **state)
{
    static const char *const cases[] = {
        "",
        " ",
        "x",
        "nul",
        "nulll",
        "True",
        "1 2",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "0x1",
        "NaN",
        "Infinity",
        "1e999",
        "18446744073709551616",
        "-9223372036854775809",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,]",
        "[1 2]",
        "]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{1:2}",
        "{\"a\" 1}",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"a\nb\"",
        "\"\xff\"",
        "\"\xe2\x82\"",
        "'a'",
        "{\"$foo\": 1}",
        "{\"$bytes\": 1}",
        "{\"$bytes\": \"A\"}",
        "{\"$bytes\": \"AA=A\"}",
        "{\"$bytes\": \"A===\"}",
        "{\"$bytes\": \"AB==\"}",
        "{\"$bytes\": \"AAB=\"}",
        "{\"$bytes\": \"AA==AA==\"}",
        "{\"$bytes\": \"A A=\"}",
        "{\"$bytes\": \"\", \"a\": 1}",
        "{\"$float\": 1}",
        "{\"$float\": \"1\"}",
        "{\"$ext\": 1}",
        "{\"$ext\": [128, \"\"]}",
        "{\"$ext\": [-129, \"\"]}",
        "{\"$ext\": [1.0, \"\"]}",
        "{\"$ext\": [1]}",
        "{\"$map\": {}}",
        "{\"$map\": [[1]]}",
        "{\"$map\": [1]}",
        "[{\"$opaque\": \"\"}]",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *const text = (char *)exact_copy((const uint8_t *)cases[i], strlen(cases[i]) + 1);
        uint8_t *out = NULL;
        size_t size;
        tess_error err;

        if (json_read(text, &out, &size, &err) != TESS_ERR_ARG)
            fail_msg("taken: %s", cases[i]);
        assert_non_null(strstr(err.message, "byte "));
        free(text);
    }
}

// Every prefix of a text, and each character replaced in turn.
static void
test_json_damaged(void **state)
{
    static const char whole[] =
        "{\"a\": [1, -2.5e3, \"x\\n\\ud83d\\ude00\"], \"b\": {\"$bytes\": \"AAEC\"}, \"c\": "
        "{\"$ext\": [3, \"AA==\"]}, \"d\": {\"$map\": [[1, {\"$float\": \"nan\"}]]}, \"e\": null}";
    static const char replacements[] = "\"\\[]{},:0-.eu$ nA=";
    uint8_t *out;
    size_t size;

    (void)state;
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        char *const text = (char *)exact_copy((const uint8_t *)whole, n + 1);
        text[n] = '\0';
        assert_int_equal(json_read(text, &out, &size, NULL), TESS_ERR_ARG);
        free(text);
        for (size_t i = 0; i < sizeof replacements - 1; i++) {
            char *const other = (char *)exact_copy((const uint8_t *)whole, sizeof whole);
            tess_value *v;

            other[n] = replacements[i];
            if (json_read(other, &out, &size, NULL) == TESS_OK) {
                assert_int_equal(parse(out, size, MEMORY, &v, NULL), TESS_OK);
                free(v);
                free(out);
            }
            free(other);
        }
    }
}

// Programs that call setlocale() write and read the same text.
static void
test_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    static const uint8_t half[] = {0xcb, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0};
    tess_value *v;
    char *json;

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        if (setlocale(LC_NUMERIC, names[i]))
            break;
    if (strcmp(localeconv()->decimal_point, ".") == 0)
        skip(); // no such locale on this machine
    assert_int_equal(parse(half, sizeof half, MEMORY, &v, NULL), TESS_OK);
    assert_int_equal(json_write(v, &json, NULL), TESS_OK);
    assert_string_equal(json, "0.5");
    check_reads(json, half, sizeof half);
    free(json);
    free(v);
    setlocale(LC_NUMERIC, "C");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),         cmocka_unit_test(test_long_forms),
        cmocka_unit_test(test_bad),          cmocka_unit_test(test_memory_that_is_just_enough),
        cmocka_unit_test(test_depth),        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_random),       cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_mutated),      cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_json_forms),   cmocka_unit_test(test_json_refused),
        cmocka_unit_test(test_json_damaged), cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests_name("meta/value", tests, NULL, NULL);
}
