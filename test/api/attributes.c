/*
 * attributes.c - attributes and variable-length metalayers, as users see them: in memory and in a
 * file, before and after it was closed.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const tess_metalayer fixed = {"fixed", "12345", 5};

static tess_array *
create(const char *path)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;

    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 1;
    params.shape[0] = 100;
    params.metalayers = &fixed;
    params.nmetalayers = 1;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    ok(tess_array_zeros(&storage, &params, &a, err));
    return a;
}

static tess_array *
open_file(const char *path, tess_mode mode, int64_t memory)
{
    tess_storage storage;
    tess_array *a;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.limits.memory = memory;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

// What was in a file or in memory, opened anew for reading; `a` ends, unless it holds the memory.
struct reopened {
    tess_array *a;
    tess_array *holder;
};

static struct reopened
reopen(tess_array *a, const char *path)
{
    struct reopened r = {NULL, NULL};
    tess_storage storage;

    if (path) {
        ok(tess_array_close(a, err));
        r.a = open_file(path, TESS_MODE_READ, 0);
        return r;
    }
    tess_storage_init(&storage);
    ok(tess_array_image(a, &storage.image, &storage.image_size, err));
    ok(tess_array_open(&storage, &r.a, err));
    r.holder = a;
    return r;
}

static void
reopened_close(struct reopened *r)
{
    ok(tess_array_close(r->a, err));
    ok(tess_array_close(r->holder, err));
}

static int
count(const tess_array *a)
{
    tess_info info;
    tess_array_info(a, &info);
    return info.nvlmetalayers;
}

// -- every type, there and back

static void
set_all(tess_array *a)
{
    const tess_value numbers[] = {{.type = TESS_VALUE_INT, .as.i64 = 1},
                                  {.type = TESS_VALUE_UINT, .as.u64 = UINT64_MAX},
                                  {.type = TESS_VALUE_NULL}};
    const tess_pair pairs[] = {
        {{.type = TESS_VALUE_STRING, .as.string = {"twice", 5}}, {.type = TESS_VALUE_NULL}},
        {{.type = TESS_VALUE_STRING, .as.string = {"list", 4}},
         {.type = TESS_VALUE_LIST, .as.list = {numbers, COUNT(numbers)}}},
        {{.type = TESS_VALUE_STRING, .as.string = {"twice", 5}},
         {.type = TESS_VALUE_BOOL, .as.boolean = true}}};
    const tess_value map = {.type = TESS_VALUE_MAP, .as.map = {pairs, COUNT(pairs)}};
    const tess_value null = {.type = TESS_VALUE_NULL};
    const tess_value ext = {.type = TESS_VALUE_EXT, .ext = -1, .as.bytes = {"\0\0\0\0", 4}};
    const tess_value opaque = {.type = TESS_VALUE_OPAQUE, .as.bytes = {"two", 3}};

    ok(tess_attr_set(a, "null", &null, err));
    ok(tess_attr_set_bool(a, "bool", true, err));
    ok(tess_attr_set_int(a, "int", INT64_MIN, err));
    ok(tess_attr_set_float(a, "float", 0.1, err));
    ok(tess_attr_set_string(a, "string", "a ä €", err));
    ok(tess_attr_set_bytes(a, "bytes", "\0\xff", 2, err));
    ok(tess_attr_set_bytes(a, "no bytes", NULL, 0, err));
    ok(tess_attr_set(a, "map", &map, err));
    ok(tess_attr_set(a, "ext", &ext, err));
    ok(tess_attr_set(a, "opaque", &opaque, err));
    ok(tess_attr_set_json(a, "json", " {\"x\": [1, 2.5, null]} ", err));
    ok(tess_vlmeta_set(a, "empty", NULL, 0, err));
}

static const struct {
    const char *name;
    tess_value_type type;
    const char *json;
} all[] = {
    {"null", TESS_VALUE_NULL, "null"},
    {"bool", TESS_VALUE_BOOL, "true"},
    {"int", TESS_VALUE_INT, "-9223372036854775808"},
    {"float", TESS_VALUE_FLOAT, "0.1"},
    {"string", TESS_VALUE_STRING, "\"a ä €\""},
    {"bytes", TESS_VALUE_BYTES, "{\"$bytes\": \"AP8=\"}"},
    {"no bytes", TESS_VALUE_BYTES, "{\"$bytes\": \"\"}"},
    {"map", TESS_VALUE_MAP,
     "{\"twice\": null, \"list\": [1, 18446744073709551615, null], \"twice\": true}"},
    {"ext", TESS_VALUE_EXT, "{\"$ext\": [-1, \"AAAAAA==\"]}"},
    {"opaque", TESS_VALUE_OPAQUE, "{\"$opaque\": \"dHdv\"}"},
    {"json", TESS_VALUE_MAP, "{\"x\": [1, 2.5, null]}"},
    {"empty", TESS_VALUE_OPAQUE, "{\"$opaque\": \"\"}"},
};

static void
check_all(const tess_array *a)
{
    assert_int_equal(count(a), COUNT(all));
    for (size_t i = 0; i < COUNT(all); i++) {
        tess_value *v;
        char *json;

        assert_string_equal(tess_vlmeta_name(a, (int)i), all[i].name);
        ok(tess_attr_get(a, all[i].name, &v, err));
        assert_int_equal(v->type, all[i].type);
        tess_free(v);
        ok(tess_attr_get_json(a, all[i].name, &json, err));
        assert_string_equal(json, all[i].json);
        tess_free(json);
    }
}

static void
check_typed(const tess_array *a)
{
    bool boolean = false;
    int64_t i64 = 0;
    double f64 = 0;
    char *text;
    void *bytes;
    size_t size;

    ok(tess_attr_get_bool(a, "bool", &boolean, err));
    assert_true(boolean);
    ok(tess_attr_get_int(a, "int", &i64, err));
    assert_true(i64 == INT64_MIN);
    ok(tess_attr_get_float(a, "float", &f64, err));
    assert_true(fabs(f64 - 0.1) < DBL_EPSILON / 100);
    ok(tess_attr_get_string(a, "string", &text, &size, err));
    assert_string_equal(text, "a ä €");
    assert_int_equal(size, strlen(text));
    tess_free(text);
    ok(tess_attr_get_string(a, "string", &text, NULL, err));
    assert_string_equal(text, "a ä €");
    tess_free(text);
    ok(tess_attr_get_bytes(a, "bytes", &bytes, &size, err));
    assert_int_equal(size, 2);
    assert_memory_equal(bytes, "\0\xff", 2);
    tess_free(bytes);
    ok(tess_attr_get_bytes(a, "no bytes", &bytes, &size, err));
    assert_int_equal(size, 0);
    tess_free(bytes);
}

static void
check_map(const tess_array *a)
{
    tess_value *map;

    ok(tess_attr_get(a, "map", &map, err));
    assert_int_equal(map->as.map.count, 3);
    assert_string_equal(map->as.map.pairs[1].key.as.string.data, "list");
    const tess_value *const list = tess_value_find(map, "list");
    assert_non_null(list);
    assert_int_equal(list->as.list.count, 3);
    assert_int_equal(list->as.list.items[0].as.i64, 1);
    assert_int_equal(list->as.list.items[1].type, TESS_VALUE_UINT);
    assert_true(list->as.list.items[1].as.u64 == UINT64_MAX);
    assert_int_equal(tess_value_find(map, "twice")->type, TESS_VALUE_BOOL);
    assert_null(tess_value_find(map, "lis"));
    assert_null(tess_value_find(map, "lists"));
    assert_null(tess_value_find(map, NULL));
    assert_null(tess_value_find(list, "list"));
    assert_null(tess_value_find(NULL, "list"));
    tess_free(map);
}

static void
every_type(const char *path)
{
    tess_array *const a = create(path);

    set_all(a);
    check_all(a); // not committed yet
    struct reopened r = reopen(a, path);
    check_all(r.a);
    check_typed(r.a);
    check_map(r.a);
    reopened_close(&r);
}

static void
test_every_type(void **state)
{
    (void)state;
    every_type(NULL);
    every_type(files_path("types.b2nd"));
}

static void
test_type_names(void **state)
{
    static const char *const names[] = {"null",  "bool", "int", "uint", "float", "string",
                                        "bytes", "list", "map", "ext",  "opaque"};
    (void)state;
    for (int i = 0; i < (int)COUNT(names); i++)
        assert_string_equal(tess_value_type_name((tess_value_type)i), names[i]);
    assert_non_null(tess_value_type_name((tess_value_type)-1));
    assert_non_null(tess_value_type_name((tess_value_type)11));
}

// Bytes as python-blosc2 stores them: msgpack of the plain value.
static void
test_content_is_msgpack(void **state)
{
    static const uint8_t packed[] = {0x82, 0xa1, 'a',  0x01, 0xa1, 'b',
                                     0x92, 0xc3, 0xc4, 0x01, 0xff};
    tess_array *const a = create(NULL);
    void *content;
    size_t size;
    char *json;

    (void)state;
    ok(tess_vlmeta_set(a, "theirs", packed, sizeof packed, err));
    ok(tess_attr_get_json(a, "theirs", &json, err));
    assert_string_equal(json, "{\"a\": 1, \"b\": [true, {\"$bytes\": \"/w==\"}]}");
    ok(tess_attr_set_json(a, "ours", json, err));
    ok(tess_vlmeta_get(a, "ours", &content, &size, err));
    assert_int_equal(size, sizeof packed);
    assert_memory_equal(content, packed, sizeof packed);
    tess_free(content);
    tess_free(json);
    ok(tess_array_close(a, err));
}

// -- changing

static void
test_replace_and_delete(void **state)
{
    const char *const path = files_path("change.b2nd");
    tess_array *a = create(path);
    int64_t v = 0;

    (void)state;
    ok(tess_attr_set_int(a, "a", 1, err));
    ok(tess_attr_set_int(a, "b", 2, err));
    ok(tess_attr_set_int(a, "c", 3, err));
    ok(tess_array_close(a, err));

    a = open_file(path, TESS_MODE_UPDATE, 0);
    ok(tess_attr_delete(a, "b", err));
    ok(tess_attr_set_string(a, "c", "three", err));
    refused(TESS_ERR_NOT_FOUND, tess_attr_delete(a, "b", err));
    refused(TESS_ERR_NOT_FOUND, tess_attr_get_int(a, "b", &v, err));
    ok(tess_array_close(a, err));

    a = open_file(path, TESS_MODE_READ, 0);
    assert_int_equal(count(a), 2);
    ok(tess_attr_get_int(a, "a", &v, err));
    assert_int_equal(v, 1);
    refused(TESS_ERR_TYPE, tess_attr_get_int(a, "c", &v, err));
    refused(TESS_ERR_ARG, tess_attr_set_int(a, "a", 2, err));
    refused(TESS_ERR_ARG, tess_attr_set_json(a, "a", "2", err));
    refused(TESS_ERR_ARG, tess_attr_delete(a, "a", err));
    ok(tess_array_close(a, err));

    a = open_file(path, TESS_MODE_UPDATE, 0);
    ok(tess_attr_set_int(a, "a", 5, err));
    tess_array_discard(a); // not committed
    a = open_file(path, TESS_MODE_UPDATE, 0);
    ok(tess_attr_get_int(a, "a", &v, err));
    assert_int_equal(v, 1);
    ok(tess_attr_delete(a, "a", err));
    ok(tess_attr_delete(a, "c", err));
    ok(tess_array_close(a, err));
    a = open_file(path, TESS_MODE_READ, 0);
    assert_int_equal(count(a), 0);
    ok(tess_array_close(a, err));
}

// One more is refused, the others can still be replaced; deleting one makes room.
static void
limit_of(int most, const char *path)
{
    tess_array *const a = create(path);
    int64_t v = 0;

    for (int i = 0; i < most; i++) {
        char name[TESS_MAX_NAME + 1];
        snprintf(name, sizeof name, "%-*d", TESS_MAX_NAME, i); // of full length
        ok(tess_attr_set_int(a, name, i, err));
    }
    refused(TESS_ERR_LIMIT, tess_attr_set_int(a, "one more", 16, err));
    refused(TESS_ERR_LIMIT, tess_vlmeta_set(a, "one more", "", 0, err));
    refused(TESS_ERR_LIMIT, tess_attr_set_json(a, "one more", "1", err));
    assert_int_equal(count(a), most);
    ok(tess_attr_set_int(a, tess_vlmeta_name(a, 3), 33, err));
    ok(tess_attr_delete(a, tess_vlmeta_name(a, 0), err));
    ok(tess_attr_set_int(a, "one more", 16, err));
    struct reopened r = reopen(a, path);
    assert_int_equal(count(r.a), most);
    ok(tess_attr_get_int(r.a, tess_vlmeta_name(r.a, 2), &v, err));
    assert_int_equal(v, 33);
    ok(tess_attr_get_int(r.a, "one more", &v, err));
    assert_int_equal(v, 16);
    reopened_close(&r);
}

static void
test_limits(void **state)
{
    (void)state;
    limit_of(8192, NULL);
    limit_of(16, files_path("sixteen.b2nd"));
}

// -- sizes

static void
check_content(const tess_array *a, const char *name, const uint8_t *want, size_t want_size)
{
    void *content;
    size_t size;

    ok(tess_vlmeta_get(a, name, &content, &size, err));
    assert_int_equal(size, want_size);
    if (size > 0)
        assert_memory_equal(content, want, size);
    else
        assert_null(content);
    tess_free(content);
}

static void
any_size(const char *path)
{
    static const size_t sizes[] = {0, 1, 31, 32, 33, 65535, 65536, 65537, 8 << 20};
    const size_t large = sizes[COUNT(sizes) - 1];
    uint8_t *const noise = malloc(large);
    tess_array *a = create(path);
    struct random r;
    char name[40];

    assert_non_null(noise);
    random_init(&r, random_seed());
    random_bytes(&r, noise, large);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        snprintf(name, sizeof name, "%zu", sizes[i]);
        ok(tess_vlmeta_set(a, name, noise, sizes[i], err));
        check_content(a, name, noise, sizes[i]);
    }
    ok(tess_attr_set_bytes(a, "attribute", noise, large, err));

    struct reopened again = reopen(a, path);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        snprintf(name, sizeof name, "%zu", sizes[i]);
        check_content(again.a, name, noise, sizes[i]);
    }
    void *bytes;
    size_t size;
    ok(tess_attr_get_bytes(again.a, "attribute", &bytes, &size, err));
    assert_int_equal(size, large);
    assert_memory_equal(bytes, noise, size);
    tess_free(bytes);
    reopened_close(&again);
    free(noise);
}

static void
test_any_size(void **state)
{
    (void)state;
    any_size(NULL);
    any_size(files_path("sizes.b2nd"));
}

// A small file may hold a long list: 24 bytes of memory for each byte, which the limit is for.
// Peak of the memory of this program, in KiB.
static long
peak(void)
{
    struct rusage use;
    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    return use.ru_maxrss;
}

// What is too large is refused before it is copied: 3 GiB of zero bytes, which are nowhere.
static void
test_too_large(void **state)
{
    const size_t size = (size_t)3 << 30, third = (size_t)1 << 30;
    char *const bytes =
        mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    tess_array *const a = create(NULL);
    tess_value parts[3], list = {.type = TESS_VALUE_LIST, .as = {.list = {parts, 3}}};
    tess_value whole = {.type = TESS_VALUE_STRING, .as = {.string = {bytes, size}}};

    (void)state;
    assert_true(bytes != MAP_FAILED);
    for (int i = 0; i < 3; i++)
        parts[i] = (tess_value){.type = TESS_VALUE_BYTES, .as = {.bytes = {bytes, third}}};
    const long before = peak();
    refused(TESS_ERR_LIMIT, tess_attr_set_bytes(a, "x", bytes, size, err));
    refused(TESS_ERR_LIMIT, tess_attr_set(a, "x", &whole, err));
    refused(TESS_ERR_LIMIT, tess_attr_set(a, "x", &list, err));
    whole = (tess_value){.type = TESS_VALUE_EXT, .ext = 1, .as = {.bytes = {bytes, size}}};
    refused(TESS_ERR_LIMIT, tess_attr_set(a, "x", &whole, err));
    whole.type = TESS_VALUE_OPAQUE;
    refused(TESS_ERR_LIMIT, tess_attr_set(a, "x", &whole, err));
    refused(TESS_ERR_LIMIT, tess_vlmeta_set(a, "x", bytes, size, err));
    refused(TESS_ERR_ARG, tess_meta_set(a, "fixed", bytes, size, err));
    // Nor is anything copied for a name that cannot be.
    refused(TESS_ERR_ARG, tess_vlmeta_set(a, "", bytes, third, err));
    assert_in_range(peak() - before, 0, 100 << 10);
    assert_int_equal(count(a), 0);
    ok(tess_array_close(a, err));
    munmap(bytes, size);
}

static void
test_memory_limit(void **state)
{
    const char *const path = files_path("limit.b2nd");
    const size_t n = 1 << 20;
    char *const json = malloc(2 * n + 2);
    tess_array *a = create(path);
    tess_value *v;

    (void)state;
    assert_non_null(json);
    for (size_t i = 0; i < n; i++)
        memcpy(json + 2 * i, i == 0 ? "[1" : ",1", 2);
    memcpy(json + 2 * n, "]", 2);
    ok(tess_attr_set_json(a, "list", json, err));
    free(json);
    ok(tess_array_close(a, err));

    a = open_file(path, TESS_MODE_READ, 8 << 20);
    refused(TESS_ERR_LIMIT, tess_attr_get(a, "list", &v, err));
    assert_null(v);
    ok(tess_array_close(a, err));
    a = open_file(path, TESS_MODE_READ, 0);
    ok(tess_attr_get(a, "list", &v, err));
    assert_int_equal(v->as.list.count, n);
    tess_free(v);
    ok(tess_array_close(a, err));
}

// Fixed metalayers: other bytes, the same size.
static void
test_fixed(void **state)
{
    const char *const path = files_path("fixed.b2nd");
    tess_array *a = create(path);
    tess_metalayer layer;

    (void)state;
    ok(tess_array_close(a, err));
    a = open_file(path, TESS_MODE_UPDATE, 0);
    ok(tess_meta_set(a, "fixed", "54321", 5, err));
    refused(TESS_ERR_ARG, tess_meta_set(a, "fixed", "5432", 4, err));
    refused(TESS_ERR_ARG, tess_meta_set(a, "fixed", "543210", 6, err));
    ok(tess_array_close(a, err));
    a = open_file(path, TESS_MODE_READ, 0);
    ok(tess_meta_get(a, "fixed", &layer, err));
    assert_int_equal(layer.size, 5);
    assert_memory_equal(layer.content, "54321", 5);
    ok(tess_array_close(a, err));
}

// -- refusals

static void
test_wrong_types(void **state)
{
    tess_array *const a = create(NULL);
    char *text = (char *)1;
    void *bytes = (void *)1;
    size_t size = 7;
    int64_t i64 = 42;
    double f64 = 42;
    bool boolean = true;

    (void)state;
    ok(tess_attr_set_json(a, "uint", "9223372036854775808", err));
    ok(tess_attr_set_json(a, "float", "1.0", err));
    ok(tess_attr_set_json(a, "exact", "9007199254740992", err));
    ok(tess_attr_set_json(a, "inexact", "-9007199254740993", err));
    ok(tess_attr_set_string(a, "string", "x", err));
    refused(TESS_ERR_TYPE, tess_attr_get_int(a, "uint", &i64, err));
    refused(TESS_ERR_TYPE, tess_attr_get_int(a, "float", &i64, err));
    refused(TESS_ERR_TYPE, tess_attr_get_float(a, "inexact", &f64, err));
    refused(TESS_ERR_TYPE, tess_attr_get_float(a, "string", &f64, err));
    refused(TESS_ERR_TYPE, tess_attr_get_bool(a, "exact", &boolean, err));
    refused(TESS_ERR_TYPE, tess_attr_get_string(a, "exact", &text, &size, err));
    refused(TESS_ERR_TYPE, tess_attr_get_bytes(a, "string", &bytes, &size, err));
    assert_true(text == (char *)1 && bytes == (void *)1 && size == 7);
    assert_true(i64 == 42 && f64 > 41 && boolean);
    ok(tess_attr_get_float(a, "exact", &f64, err));
    assert_true((int64_t)f64 == INT64_C(1) << 53);
    ok(tess_array_close(a, err));
}

static void
test_arguments(void **state)
{
    static const tess_value null = {.type = TESS_VALUE_NULL};
    static const tess_value unknown = {.type = (tess_value_type)99};
    tess_array *const a = create(NULL);
    tess_value *v;
    char *text;
    void *bytes;
    size_t size;

    (void)state;
    ok(tess_attr_set_int(a, "x", 1, err));
    refused(TESS_ERR_ARG, tess_attr_get(NULL, "x", &v, err));
    refused(TESS_ERR_ARG, tess_attr_get(a, NULL, &v, err));
    refused(TESS_ERR_ARG, tess_attr_get(a, "x", NULL, err));
    refused(TESS_ERR_NOT_FOUND, tess_attr_get(a, "y", &v, err));
    refused(TESS_ERR_ARG, tess_attr_set(NULL, "x", &null, err));
    refused(TESS_ERR_ARG, tess_attr_set(a, NULL, &null, err));
    refused(TESS_ERR_ARG, tess_attr_set(a, "x", NULL, err));
    refused(TESS_ERR_ARG, tess_attr_set(a, "x", &unknown, err));
    refused(TESS_ERR_ARG, tess_attr_set(a, "", &null, err));
    refused(TESS_ERR_ARG, tess_attr_set(a, "a name of more than 31 characters", &null, err));
    refused(TESS_ERR_ARG, tess_attr_set_string(a, "x", NULL, err));
    refused(TESS_ERR_ARG, tess_attr_set_string(a, "x", "\xff", err));
    refused(TESS_ERR_ARG, tess_attr_set_bytes(a, "x", NULL, 1, err));
    refused(TESS_ERR_ARG, tess_attr_set_json(a, "x", NULL, err));
    refused(TESS_ERR_ARG, tess_attr_set_json(a, "x", "[1", err));
    refused(TESS_ERR_ARG, tess_attr_set_json(NULL, "x", "1", err));
    refused(TESS_ERR_ARG, tess_attr_get_json(a, "x", NULL, err));
    refused(TESS_ERR_NOT_FOUND, tess_attr_get_json(a, "y", &text, err));
    refused(TESS_ERR_ARG, tess_attr_get_bool(a, "x", NULL, err));
    refused(TESS_ERR_ARG, tess_attr_get_int(a, "x", NULL, err));
    refused(TESS_ERR_ARG, tess_attr_get_float(a, "x", NULL, err));
    refused(TESS_ERR_ARG, tess_attr_get_string(a, "x", NULL, &size, err));
    refused(TESS_ERR_ARG, tess_attr_get_bytes(a, "x", NULL, &size, err));
    refused(TESS_ERR_ARG, tess_attr_get_bytes(a, "x", &bytes, NULL, err));
    refused(TESS_ERR_ARG, tess_attr_delete(NULL, "x", err));
    refused(TESS_ERR_ARG, tess_attr_delete(a, NULL, err));
    ok(tess_attr_get_json(a, "x", &text, err)); // as it was
    assert_string_equal(text, "1");
    tess_free(text);
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_type, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_type_names, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_content_is_msgpack, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_replace_and_delete, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_limits, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_any_size, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_too_large, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_memory_limit, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_fixed, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_wrong_types, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(test_arguments, files_setup, files_teardown),
    };
    return cmocka_run_group_tests_name("attributes", tests, NULL, NULL);
}
