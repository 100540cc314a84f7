/*
 * value.c - msgpack <-> a tree of values.
 *
 * The bytes are walked twice: the first time to check all that they claim and to count, the second
 * to fill memory of just that size. msgpack-c reads numbers only: heads of strings and containers
 * are read here, so that it never allocates on the word of a file. Recursion is bounded. A value is
 * written the same way: measured and checked first, copied then.
 *
 * Not here: JSON (json_read.c, json_write.c).
 */
#include "meta/value.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "meta/layers.h"
#include "meta/text.h"

#include <assert.h>
#include <inttypes.h>
#include <msgpack.h>
#include <string.h>

// Markers of what has a length or a count behind it.
enum {
    BIN8 = 0xc4,
    BIN32 = 0xc6,
    EXT8 = 0xc7,
    EXT32 = 0xc9,
    FIXEXT1 = 0xd4,
    FIXEXT16 = 0xd8,
    STR8 = 0xd9,
    STR32 = 0xdb,
    ARRAY16 = 0xdc,
    ARRAY32 = 0xdd,
    MAP16 = 0xde,
    MAP32 = 0xdf,
    NEGATIVE_MIN = 0xe0,
};

// -- reading

// A length or count of 1, 2 or 4 bytes.
static uint32_t
take_count(struct rd *r, int log2_width)
{
    switch (log2_width) {
    case 0:
        return rd_u8(r);
    case 1:
        return rd_u16be(r);
    default:
        return rd_u32be(r);
    }
}

static void
value_take_list(struct rd *r, uint32_t count, tess_value *v)
{
    v->type = TESS_VALUE_LIST;
    v->as.list.count = count;
    if (count > r->left) // each item has one byte at least
        r->bad = true;
}

static void
take_map(struct rd *r, uint32_t count, tess_value *v)
{
    v->type = TESS_VALUE_MAP;
    v->as.map.count = count;
    if (count > r->left / 2)
        r->bad = true;
}

static void
take_string(struct rd *r, uint32_t size, tess_value *v)
{
    v->type = TESS_VALUE_STRING;
    v->as.string.data = (const char *)rd_take(r, size);
    v->as.string.size = size;
    if (!r->bad && !utf8_valid(v->as.string.data, size))
        r->bad = true;
}

static void
take_bytes(struct rd *r, uint32_t size, tess_value *v)
{
    v->type = TESS_VALUE_BYTES;
    v->as.bytes.data = rd_take(r, size);
    v->as.bytes.size = size;
}

static void
take_ext(struct rd *r, uint32_t size, tess_value *v)
{
    v->ext = (int8_t)rd_u8(r);
    take_bytes(r, size, v);
    v->type = TESS_VALUE_EXT;
}

// null, a bool or a number; `at` is where its marker stands, `r` right behind that.
static void
take_scalar(struct rd *r, const uint8_t *at, tess_value *v)
{
    msgpack_unpacked u;
    size_t used = 0;

    msgpack_unpacked_init(&u);
    if (msgpack_unpack_next(&u, (const char *)at, r->left + 1, &used) != MSGPACK_UNPACK_SUCCESS) {
        r->bad = true;
        return;
    }
    (void)rd_take(r, used - 1);
    switch (u.data.type) {
    case MSGPACK_OBJECT_NIL:
        v->type = TESS_VALUE_NULL;
        break;
    case MSGPACK_OBJECT_BOOLEAN:
        v->type = TESS_VALUE_BOOL;
        v->as.boolean = u.data.via.boolean;
        break;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        v->type = u.data.via.u64 <= INT64_MAX ? TESS_VALUE_INT : TESS_VALUE_UINT;
        v->as.u64 = u.data.via.u64; // of a union with i64
        break;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        v->type = TESS_VALUE_INT;
        v->as.i64 = u.data.via.i64;
        break;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        v->type = TESS_VALUE_FLOAT;
        v->as.f64 = u.data.via.f64;
        break;
    default:
        assert(false); // take() keeps the others from here
    }
}

// The value ahead without what it contains: strings and bytes point into the source; lists and
// maps have their count only, which is one that the bytes behind can hold.
static void
value_take(struct rd *r, tess_value *v)
{
    const uint8_t *const at = r->at;
    const uint8_t marker = rd_u8(r);

    *v = (tess_value){.type = TESS_VALUE_NULL};
    if (r->bad)
        return;
    if (marker >= 0x80 && marker <= 0x8f)
        take_map(r, marker & 0x0f, v);
    else if (marker >= 0x90 && marker <= 0x9f)
        value_take_list(r, marker & 0x0f, v);
    else if (marker >= 0xa0 && marker <= 0xbf)
        take_string(r, marker & 0x1f, v);
    else if (marker >= BIN8 && marker <= BIN32)
        take_bytes(r, take_count(r, marker - BIN8), v);
    else if (marker >= EXT8 && marker <= EXT32)
        take_ext(r, take_count(r, marker - EXT8), v);
    else if (marker >= FIXEXT1 && marker <= FIXEXT16)
        take_ext(r, 1u << (marker - FIXEXT1), v);
    else if (marker >= STR8 && marker <= STR32)
        take_string(r, take_count(r, marker - STR8), v);
    else if (marker >= ARRAY16 && marker <= ARRAY32)
        value_take_list(r, take_count(r, marker - ARRAY16 + 1), v);
    else if (marker >= MAP16 && marker <= MAP32)
        take_map(r, take_count(r, marker - MAP16 + 1), v);
    else
        take_scalar(r, at, v);
}

// Memory that a tree needs, besides its root.
struct need {
    int max_depth;
    int64_t values;
    int64_t chars;
    bool too_deep;
};

// A value at `depth`, with all that it contains.
static void
value_measure(struct rd *r, int depth, struct need *need)
{
    tess_value v;
    size_t inside = 0;

    value_take(r, &v);
    if (r->bad)
        return;
    switch (v.type) {
    case TESS_VALUE_STRING:
        need->chars += (int64_t)v.as.string.size + 1;
        return;
    case TESS_VALUE_BYTES:
    case TESS_VALUE_EXT:
        need->chars += (int64_t)v.as.bytes.size;
        return;
    case TESS_VALUE_LIST:
        inside = v.as.list.count;
        break;
    case TESS_VALUE_MAP:
        inside = 2 * v.as.map.count;
        break;
    default:
        return;
    }
    if (depth == need->max_depth) {
        need->too_deep = true;
        r->bad = true;
        return;
    }
    need->values += (int64_t)inside;
    for (size_t i = 0; i < inside && !r->bad; i++)
        value_measure(r, depth + 1, need);
}

// What is not used yet of the memory of a tree.
struct room {
    tess_value *values;
    char *chars;
};

static char *
copy_chars(struct room *room, const void *src, size_t size)
{
    char *const chars = room->chars;
    if (size > 0)
        memcpy(chars, src, size);
    room->chars += size;
    return chars;
}

static void
value_build(struct rd *r, struct room *room, tess_value *v)
{
    value_take(r, v);
    assert(!r->bad); // measure() was here
    if (v->type == TESS_VALUE_STRING) {
        v->as.string.data = copy_chars(room, v->as.string.data, v->as.string.size);
        *room->chars++ = '\0';
    } else if (v->type == TESS_VALUE_BYTES || v->type == TESS_VALUE_EXT) {
        v->as.bytes.data = copy_chars(room, v->as.bytes.data, v->as.bytes.size);
    } else if (v->type == TESS_VALUE_LIST) {
        tess_value *const items = room->values;

        v->as.list.items = items;
        room->values += v->as.list.count;
        for (size_t i = 0; i < v->as.list.count; i++)
            value_build(r, room, &items[i]);
    } else if (v->type == TESS_VALUE_MAP) {
        tess_pair *const pairs = (tess_pair *)room->values; // two values each

        v->as.map.pairs = pairs;
        room->values += 2 * v->as.map.count;
        for (size_t i = 0; i < v->as.map.count; i++) {
            value_build(r, room, &pairs[i].key);
            value_build(r, room, &pairs[i].value);
        }
    }
}

// Memory for a tree: its root, and what it needs.
static tess_status
allocate(const struct need *need, int64_t max_memory, tess_value **root, tess_error *err)
{
    int64_t total;
    size_t size;

    if (!mul_i64(need->values + 1, sizeof(tess_value), &total) ||
        !add_i64(total, need->chars, &total) || !to_size(total, &size) || total > max_memory)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "%" PRId64 " values with %" PRId64
                       " bytes of text need more than the %" PRId64 " bytes allowed",
                       need->values + 1, need->chars, max_memory);
    *root = mem_alloc(size);
    if (!*root)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a value of %zu bytes", size);
    return TESS_OK;
}

tess_status
value_parse(const uint8_t *src, size_t size, int max_depth, int64_t max_memory, tess_value **value,
            tess_error *err)
{
    struct need need = {.max_depth = max_depth};
    struct rd r = rd_init(src, size);

    *value = NULL;
    value_measure(&r, 0, &need);
    if (need.too_deep)
        return err_set(err, TESS_ERR_CORRUPT, (int64_t)(size - r.left),
                       "msgpack nested deeper than %d levels", max_depth);
    if (r.bad)
        return err_set(err, TESS_ERR_CORRUPT, (int64_t)(size - r.left),
                       "%zu bytes are not a msgpack value, or it breaks off", size);
    if (r.left > 0)
        return err_set(err, TESS_ERR_CORRUPT, (int64_t)(size - r.left),
                       "%zu of %zu bytes are left after a msgpack value", r.left, size);

    tess_value *root;
    const tess_status st = allocate(&need, max_memory, &root, err);
    if (st != TESS_OK)
        return st;
    struct room room = {root + 1, (char *)(root + 1 + need.values)};
    r = rd_init(src, size);
    value_build(&r, &room, root);
    *value = root;
    return TESS_OK;
}

tess_status
value_opaque(const uint8_t *src, size_t size, int64_t max_memory, tess_value **value,
             tess_error *err)
{
    tess_value *root;

    *value = NULL;
    if (size > SIZE_MAX / 4)
        return err_set(err, TESS_ERR_LIMIT, -1, "an opaque value of %zu bytes", size);
    const tess_status st = allocate(&(struct need){.chars = (int64_t)size}, max_memory, &root, err);
    if (st != TESS_OK)
        return st;
    struct room room = {root + 1, (char *)(root + 1)};
    *root = (tess_value){.type = TESS_VALUE_OPAQUE};
    root->as.bytes.data = copy_chars(&room, src, size);
    root->as.bytes.size = size;
    *value = root;
    return TESS_OK;
}

// -- writing

static tess_status
check_value_bytes(const void *data, size_t size, tess_error *err)
{
    if (size > 0 && !data)
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes at NULL in a value", size);
    if (size > LAYER_CONTENT_MAX) // before anything looks at them all
        return err_set(err, TESS_ERR_LIMIT, -1, "%zu bytes in a value, at most %d can be", size,
                       LAYER_CONTENT_MAX);
    return TESS_OK;
}

static tess_status
check_container(const void *items, size_t count, int depth, tess_error *err)
{
    if (count > 0 && !items)
        return err_set(err, TESS_ERR_ARG, -1, "a list or map of %zu values at NULL", count);
    if (count > UINT32_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "a list or map of %zu values", count);
    if (depth == TESS_VALUE_MAX_DEPTH)
        return err_set(err, TESS_ERR_LIMIT, -1, "a value nested deeper than %d levels",
                       TESS_VALUE_MAX_DEPTH);
    return TESS_OK;
}

// The value's own rules, not those of what it contains.
static tess_status
check_tree(const tess_value *v, int depth, tess_error *err)
{
    tess_status st;

    switch (v->type) {
    case TESS_VALUE_NULL:
    case TESS_VALUE_BOOL:
    case TESS_VALUE_INT:
    case TESS_VALUE_UINT:
    case TESS_VALUE_FLOAT:
        return TESS_OK;
    case TESS_VALUE_STRING:
        st = check_value_bytes(v->as.string.data, v->as.string.size, err);
        if (st == TESS_OK && !utf8_valid(v->as.string.data, v->as.string.size))
            st = err_set(err, TESS_ERR_ARG, -1, "a string of %zu bytes is not UTF-8",
                         v->as.string.size);
        return st;
    case TESS_VALUE_EXT:
        if (v->ext < INT8_MIN || v->ext > INT8_MAX)
            return err_set(err, TESS_ERR_ARG, -1, "an extension of code %d, outside -128..127",
                           v->ext);
        return check_value_bytes(v->as.bytes.data, v->as.bytes.size, err);
    case TESS_VALUE_BYTES:
        return check_value_bytes(v->as.bytes.data, v->as.bytes.size, err);
    case TESS_VALUE_LIST:
        return check_container(v->as.list.items, v->as.list.count, depth, err);
    case TESS_VALUE_MAP:
        return check_container(v->as.map.pairs, v->as.map.count, depth, err);
    case TESS_VALUE_OPAQUE:
        return err_set(err, TESS_ERR_ARG, -1, "an opaque value inside a list or map");
    }
    return err_set(err, TESS_ERR_ARG, -1, "a value of type %d", (int)v->type);
}

// The value, or the head of a list or map; 0, or a failure of memory.
static int
pack_head(msgpack_packer *pk, const tess_value *v)
{
    switch (v->type) {
    case TESS_VALUE_BOOL:
        return v->as.boolean ? msgpack_pack_true(pk) : msgpack_pack_false(pk);
    case TESS_VALUE_INT:
        return msgpack_pack_int64(pk, v->as.i64);
    case TESS_VALUE_UINT:
        return msgpack_pack_uint64(pk, v->as.u64);
    case TESS_VALUE_FLOAT:
        return msgpack_pack_double(pk, v->as.f64);
    case TESS_VALUE_STRING:
        return msgpack_pack_str_with_body(pk, v->as.string.data, v->as.string.size);
    case TESS_VALUE_BYTES:
        return msgpack_pack_bin_with_body(pk, v->as.bytes.data, v->as.bytes.size);
    case TESS_VALUE_EXT:
        return msgpack_pack_ext_with_body(pk, v->as.bytes.data, v->as.bytes.size, (int8_t)v->ext);
    case TESS_VALUE_LIST:
        return msgpack_pack_array(pk, v->as.list.count);
    case TESS_VALUE_MAP:
        return msgpack_pack_map(pk, v->as.map.count);
    default:
        return msgpack_pack_nil(pk);
    }
}

// What is measured is checked, too; what is written was measured.
struct packing {
    msgpack_packer pk;
    bool measuring;
};

static tess_status
pack(struct packing *p, const tess_value *v, int depth, tess_error *err)
{
    tess_status st = TESS_OK;

    if (p->measuring)
        TRY(check_tree(v, depth, err));
    if (pack_head(&p->pk, v) != 0)
        TRY(err_set(err, TESS_ERR_LIMIT, -1, "a value of more than %d bytes as msgpack",
                    LAYER_CONTENT_MAX));
    if (v->type == TESS_VALUE_LIST)
        for (size_t i = 0; i < v->as.list.count; i++)
            TRY(pack(p, &v->as.list.items[i], depth + 1, err));
    if (v->type == TESS_VALUE_MAP)
        for (size_t i = 0; i < v->as.map.count; i++) {
            TRY(pack(p, &v->as.map.pairs[i].key, depth + 1, err));
            TRY(pack(p, &v->as.map.pairs[i].value, depth + 1, err));
        }
out:
    return st;
}

// For msgpack_packer_init(): count bytes, up to the most that can be stored.
static int
count_written(void *total, const char *src, size_t size)
{
    size_t *const n = total;
    (void)src;
    if (size > LAYER_CONTENT_MAX - *n)
        return -1;
    *n += size;
    return 0;
}

// The same for memory that was measured: `at` is the address of where the next byte goes.
static int
write_measured(void *at, const char *src, size_t size)
{
    uint8_t **const dst = at;
    if (size > 0) // src may be NULL otherwise
        memcpy(*dst, src, size);
    *dst += size;
    return 0;
}

static tess_status
pack_opaque(const tess_value *value, uint8_t **out, size_t *out_size, tess_error *err)
{
    const size_t size = value->as.bytes.size;
    const tess_status st = check_value_bytes(value->as.bytes.data, size, err);
    if (st != TESS_OK)
        return st;
    *out = size > 0 ? mem_alloc(size) : NULL;
    if (size > 0 && !*out)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
    if (size > 0)
        memcpy(*out, value->as.bytes.data, size);
    *out_size = size;
    return TESS_OK;
}

tess_status
value_pack(const tess_value *value, uint8_t **out, size_t *out_size, tess_error *err)
{
    struct packing p = {.measuring = true};
    size_t size = 0;

    if (value->type == TESS_VALUE_OPAQUE)
        return pack_opaque(value, out, out_size, err);
    msgpack_packer_init(&p.pk, &size, count_written);
    tess_status st = pack(&p, value, 0, err);
    if (st != TESS_OK)
        return st;
    uint8_t *const bytes = mem_alloc(size);
    uint8_t *at = bytes;
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a value of %zu bytes", size);
    p.measuring = false;
    msgpack_packer_init(&p.pk, &at, write_measured);
    st = pack(&p, value, 0, err);
    *out = bytes;
    *out_size = size;
    return st;
}
