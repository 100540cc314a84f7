/*
 * tree.h - values (trees of msgpack) that must be equal, and their JSON text.
 */
#ifndef FUZZ_TREE_H
#define FUZZ_TREE_H

#include "fuzz/fuzz.h"
#include "meta/json.h"
#include "meta/text.h"
#include "meta/value.h"

#include <math.h>

static inline void
must_equal_bytes(const void *a, size_t a_size, const void *b, size_t b_size)
{
    must(a_size == b_size, "%zu bytes became %zu", a_size, b_size);
    must(a_size == 0 || memcmp(a, b, a_size) == 0, "%zu bytes changed", a_size);
}

// Zeros keep their sign; of what is not a number, nothing else need be kept.
static inline void
must_equal_floats(double a, double b)
{
    must(isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b), "%a became %a", a, b);
}

static inline void
must_equal_values(const tess_value *a, const tess_value *b)
{
    must(a->type == b->type, "a value of type %d became one of type %d", (int)a->type,
         (int)b->type);
    switch (a->type) {
    case TESS_VALUE_NULL:
        return;
    case TESS_VALUE_BOOL:
        must(a->as.boolean == b->as.boolean, "a bool changed");
        return;
    case TESS_VALUE_INT:
    case TESS_VALUE_UINT:
        must(a->as.u64 == b->as.u64, "%llx became %llx", (unsigned long long)a->as.u64,
             (unsigned long long)b->as.u64);
        return;
    case TESS_VALUE_FLOAT:
        must_equal_floats(a->as.f64, b->as.f64);
        return;
    case TESS_VALUE_STRING:
        must_equal_bytes(a->as.string.data, a->as.string.size, b->as.string.data,
                         b->as.string.size);
        must(a->as.string.data[a->as.string.size] == '\0', "a string without a NUL behind");
        return;
    case TESS_VALUE_EXT:
        must(a->ext == b->ext, "extension %d became %d", a->ext, b->ext);
        must_equal_bytes(a->as.bytes.data, a->as.bytes.size, b->as.bytes.data, b->as.bytes.size);
        return;
    case TESS_VALUE_BYTES:
    case TESS_VALUE_OPAQUE:
        must_equal_bytes(a->as.bytes.data, a->as.bytes.size, b->as.bytes.data, b->as.bytes.size);
        return;
    case TESS_VALUE_LIST:
        must(a->as.list.count == b->as.list.count, "a list of %zu became one of %zu",
             a->as.list.count, b->as.list.count);
        for (size_t i = 0; i < a->as.list.count; i++)
            must_equal_values(&a->as.list.items[i], &b->as.list.items[i]);
        return;
    case TESS_VALUE_MAP:
        must(a->as.map.count == b->as.map.count, "a map of %zu became one of %zu", a->as.map.count,
             b->as.map.count);
        for (size_t i = 0; i < a->as.map.count; i++) {
            must_equal_values(&a->as.map.pairs[i].key, &b->as.map.pairs[i].key);
            must_equal_values(&a->as.map.pairs[i].value, &b->as.map.pairs[i].value);
        }
        return;
    }
    must(false, "a value of type %d", (int)a->type);
}

// The content of an attribute as tess_attr_get() sees it: never refused but for its size.
static inline tess_value *
content_value(const uint8_t *src, size_t size, int64_t max_memory)
{
    tess_value *value = NULL;
    tess_error err = {0};

    tess_status st = value_parse(src, size, TESS_VALUE_MAX_DEPTH, max_memory, &value, &err);
    must(!value == (st != TESS_OK), "a value and a failure, or neither");
    if (st == TESS_ERR_CORRUPT) {
        must(err.message[0] && err.offset >= 0 && (size_t)err.offset <= size,
             "the failure at %lld of %zu bytes: '%s'", (long long)err.offset, size, err.message);
        st = value_opaque(src, size, max_memory, &value, &err);
    }
    must(st == TESS_OK || (st == TESS_ERR_LIMIT && err.message[0]), "%d: %s", (int)st, err.message);
    return value;
}

// Through JSON, which keeps all but the payload of what is not a number. Returns the msgpack of
// the text, to be freed.
static inline uint8_t *
through_json(const tess_value *value, int64_t max_memory, size_t *packed_size)
{
    uint8_t *packed;
    char *text;
    tess_error err = {0};

    must(json_write(value, &text, &err) == TESS_OK, "%s", err.message);
    const size_t size = strlen(text);
    must(utf8_valid(text, size), "the text is not UTF-8");
    for (size_t i = 0; i < size; i++)
        must((unsigned char)text[i] >= 0x20, "a control character at %zu of the text", i);
    must(json_read(text, &packed, packed_size, &err) == TESS_OK, "%s: %s", err.message, text);
    tess_value *const again = content_value(packed, *packed_size, max_memory);
    must(again, "what JSON says needs more memory than what it was made of");
    must_equal_values(value, again);
    free(again);
    free(text);
    return packed;
}

#endif
