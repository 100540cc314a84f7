/*
 * value.c - attributes: msgpack of a stranger, as a tree of values, and that as msgpack and JSON.
 *
 * What is understood is written and read again, and must come out the same; a second time it is
 * written as the same bytes. What is not understood is kept as it is.
 */
#include "meta/value.h"
#include "fuzz/tree.h"

enum { MEMORY_LIMIT = 1 << 13 }; // some inputs need more

// The last of the keys of a map is found by its name, in the map and all that it contains.
static void
must_be_found(const tess_value *v)
{
    for (size_t i = 0; v->type == TESS_VALUE_LIST && i < v->as.list.count; i++)
        must_be_found(&v->as.list.items[i]);
    for (size_t i = 0; v->type == TESS_VALUE_MAP && i < v->as.map.count; i++) {
        const tess_pair *const pair = &v->as.map.pairs[i];
        must_be_found(&pair->key);
        must_be_found(&pair->value);
        if (i + 1 == v->as.map.count && pair->key.type == TESS_VALUE_STRING &&
            strlen(pair->key.as.string.data) == pair->key.as.string.size)
            must(tess_value_find(v, pair->key.as.string.data) == &pair->value,
                 "the last key is not found");
    }
}

// Written and read again; what comes back is written as the same bytes.
static void
through_msgpack(const tess_value *value)
{
    uint8_t *first = NULL;
    uint8_t *second = NULL;
    size_t first_size, second_size;
    tess_error err = {0};

    must(value_pack(value, &first, &first_size, &err) == TESS_OK, "%s", err.message);
    uint8_t *const exact = exact_copy(first, first_size);
    tess_value *const again = content_value(exact, first_size, MEMORY_LIMIT);
    must(again, "what was written needs more memory");
    must_equal_values(value, again);
    must(value_pack(again, &second, &second_size, &err) == TESS_OK, "%s", err.message);
    must_equal_bytes(first, first_size, second, second_size);
    free(again);
    free(exact);
    free(second);
    free(first);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const src = exact_copy(data, size);
    tess_value *const value = content_value(src, size, MEMORY_LIMIT);
    size_t packed_size;

    if (value) {
        through_msgpack(value);
        free(through_json(value, MEMORY_LIMIT, &packed_size));
        must_be_found(value);
        if (value->type == TESS_VALUE_OPAQUE)
            must_equal_bytes(value->as.bytes.data, value->as.bytes.size, src, size);
    }
    free(value);
    free(src);
    return 0;
}
