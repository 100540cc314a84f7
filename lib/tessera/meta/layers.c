/*
 * layers.c - named byte strings: the metalayers of a frame's header and of its trailer.
 *
 *   93  cd index size  de count { a0+len name  d2 offset }  dc count { c6 length content }
 *
 * A value is found by its offset alone, as other readers do it: order and gaps do not matter. No
 * more is allocated than the bytes at hand could hold, even where values overlap.
 *
 * Not here: where the structure starts and ends, and what the contents mean.
 */
#include "meta/layers.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "meta/pack.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_SIZE 7 // 93, cd index size, de count
#define ENTRY_SIZE 6 // a0 without name, d2 offset
#define ARRAY_SIZE 3 // dc count
#define VALUE_SIZE 5 // c6 length

// The bytes that are parsed; errors count from where offsets do.
struct area {
    const uint8_t *src;
    size_t size;
    size_t base;
};

static int64_t
layers_position(const struct area *a, const struct rd *r)
{
    return (int64_t)(a->base + (a->size - r->left));
}

// Room for `capacity` layers at least.
static bool
layers_reserve(struct layers *l, int capacity)
{
    if (capacity <= l->capacity)
        return true;

    struct layer *const items = mem_resize(l->items, (size_t)capacity * sizeof *items);
    if (!items)
        return false;
    l->items = items;
    l->capacity = capacity;
    return true;
}

// A copy of size bytes, NULL if that is 0; false without memory.
static bool
duplicate(const void *src, size_t size, uint8_t **copy)
{
    *copy = NULL;
    if (size == 0)
        return true;
    *copy = mem_alloc(size);
    if (!*copy)
        return false;
    memcpy(*copy, src, size);
    return true;
}

static tess_status
layers_parse_head(const struct area *a, struct rd *r, int max, int *count, tess_error *err)
{
    const uint8_t array = rd_u8(r);
    const uint8_t size_marker = rd_u8(r);
    (void)rd_u16be(r); // index size: not needed, and writers disagreed on how to measure it
    const uint8_t map = rd_u8(r);
    const uint16_t n = rd_u16be(r);

    if (r->bad)
        return err_set(err, TESS_ERR_CORRUPT, (int64_t)a->base, "metalayers need %d bytes, got %zu",
                       HEAD_SIZE + ARRAY_SIZE, a->size);
    if (array != 0x93 || size_marker != 0xcd || map != 0xde)
        return err_set(err, TESS_ERR_CORRUPT, (int64_t)a->base,
                       "metalayers start with %02x %02x .. .. %02x instead of 93 cd .. .. de",
                       array, size_marker, map);
    if (n > max)
        return err_set(err, TESS_ERR_CORRUPT, (int64_t)a->base + 5,
                       "%" PRIu16 " metalayers, at most %d can be", n, max);
    if (n * (size_t)(ENTRY_SIZE + VALUE_SIZE) > r->left)
        return err_set(err, TESS_ERR_CORRUPT, (int64_t)a->base + 5,
                       "%" PRIu16 " metalayers do not fit in %zu bytes", n, r->left);
    *count = n;
    return TESS_OK;
}

static tess_status
parse_entry(const struct area *a, struct rd *r, char *name, int32_t *offset, tess_error *err)
{
    const int64_t start = layers_position(a, r);
    const uint8_t name_marker = rd_u8(r);
    const size_t length = name_marker & LAYER_NAME_MAX;
    rd_bytes(r, name, length);
    name[length] = '\0';
    const uint8_t offset_marker = rd_u8(r);
    *offset = rd_i32be(r);

    if (r->bad)
        return err_set(err, TESS_ERR_CORRUPT, start, "the index of the metalayers breaks off");
    if ((name_marker & 0xe0) != 0xa0 || offset_marker != 0xd2)
        return err_set(err, TESS_ERR_CORRUPT, start,
                       "an entry of the metalayers has markers %02x and %02x instead of a0..bf and "
                       "d2",
                       name_marker, offset_marker);
    if (strlen(name) != length)
        return err_set(err, TESS_ERR_CORRUPT, start, "the name of a metalayer contains a NUL");
    return TESS_OK;
}

// *unclaimed: bytes of the area that no value has been loaded from yet.
static tess_status
load_value(const struct area *a, int32_t offset, size_t *unclaimed, struct layer *layer,
           tess_error *err)
{
    if (offset < 0 || (size_t)offset < a->base || (size_t)offset - a->base > a->size)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "metalayer '%s' at byte %" PRId32 ", outside %zu..%zu", layer->name, offset,
                       a->base, a->base + a->size);

    const size_t start = (size_t)offset - a->base;
    struct rd r = rd_init(a->src + start, a->size - start);
    const uint8_t marker = rd_u8(&r);
    const uint32_t size = rd_u32be(&r);
    const uint8_t *const content = rd_take(&r, size);

    if (r.bad)
        return err_set(err, TESS_ERR_CORRUPT, offset,
                       "metalayer '%s' of %" PRIu32 " bytes leaves the %zu at hand", layer->name,
                       size, r.left);
    if (marker != PACK_BIN32)
        return err_set(err, TESS_ERR_CORRUPT, offset,
                       "metalayer '%s' starts with %02x instead of %02x", layer->name, marker,
                       PACK_BIN32);
    if (VALUE_SIZE + (size_t)size > *unclaimed)
        return err_set(err, TESS_ERR_CORRUPT, offset, "metalayer '%s' overlaps with others",
                       layer->name);
    *unclaimed -= VALUE_SIZE + (size_t)size;
    if (!duplicate(content, size, &layer->content))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for metalayer '%s' of %" PRIu32 " bytes",
                       layer->name, size);
    layer->size = size;
    return TESS_OK;
}

static int
compare_names(const void *a, const void *b)
{
    const struct layer *const *const x = a;
    const struct layer *const *const y = b;
    return strcmp((*x)->name, (*y)->name);
}

// Sorted, since thousands of names can be in a hostile trailer.
static tess_status
check_unique(const struct layers *l, tess_error *err)
{
    if (l->count < 2)
        return TESS_OK;

    const struct layer **const sorted = mem_alloc((size_t)l->count * sizeof *sorted);
    if (!sorted)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d names", l->count);
    for (int i = 0; i < l->count; i++)
        sorted[i] = &l->items[i];
    qsort(sorted, (size_t)l->count, sizeof *sorted, compare_names);

    tess_status st = TESS_OK;
    for (int i = 1; i < l->count && st == TESS_OK; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            st = err_set(err, TESS_ERR_CORRUPT, -1, "two metalayers have the name '%s'",
                         sorted[i]->name);
    mem_free(sorted);
    return st;
}

// The array of values; they themselves have been reached by their offsets.
static tess_status
parse_array(const struct area *a, struct rd *r, int count, tess_error *err)
{
    const int64_t start = layers_position(a, r);
    const uint8_t marker = rd_u8(r);
    const uint16_t n = rd_u16be(r);

    if (r->bad || marker != PACK_ARRAY16 || n != count)
        return err_set(err, TESS_ERR_CORRUPT, start,
                       "%d metalayers are followed by %02x and %" PRIu16 " values instead of %02x "
                       "and as many",
                       count, marker, n, PACK_ARRAY16);
    return TESS_OK;
}

tess_status
layers_parse(const uint8_t *src, size_t src_size, size_t base, enum layers_place place,
             struct layers *l, tess_error *err)
{
    const struct area a = {.src = src, .size = src_size, .base = base};
    struct rd r = rd_init(src, src_size);
    struct layers found = {0};
    size_t unclaimed = src_size;
    int count = 0;
    tess_status st = TESS_OK;

    *l = (struct layers){0};
    TRY(layers_parse_head(&a, &r, place == LAYERS_HEADER ? LAYERS_FIXED_MAX : LAYERS_VL_MAX, &count,
                          err));
    if (!layers_reserve(&found, count))
        TRY(err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d metalayers", count));
    while (found.count < count) {
        struct layer *const layer = &found.items[found.count++];
        int32_t offset = 0;
        *layer = (struct layer){0};
        TRY(parse_entry(&a, &r, layer->name, &offset, err));
        TRY(load_value(&a, offset, &unclaimed, layer, err));
    }
    TRY(parse_array(&a, &r, count, err));
    TRY(check_unique(&found, err));

    *l = found;
    found = (struct layers){0}; // now the caller's
out:
    layers_finish(&found);
    return st;
}

// Whether a layer of that name, the last one, is there already.
static bool
is_taken(const struct layers *l)
{
    for (int i = 0; i + 1 < l->count; i++)
        if (strcmp(l->items[i].name, l->items[l->count - 1].name) == 0)
            return true;
    return false;
}

tess_status
layers_salvage(const uint8_t *src, size_t src_size, size_t base, struct layers *l, int *lost,
               size_t *end, tess_error *err)
{
    const struct area a = {.src = src, .size = src_size, .base = base};
    struct rd r = rd_init(src, src_size);
    size_t unclaimed = src_size;
    tess_status st = TESS_OK;

    *l = (struct layers){0};
    *lost = 0;
    (void)rd_take(&r, HEAD_SIZE - 2);
    const int count = rd_u16be(&r);
    if (!layers_reserve(l, LAYERS_FIXED_MAX))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for metalayers");
    *end = HEAD_SIZE + ARRAY_SIZE;
    while (l->count < LAYERS_FIXED_MAX) {
        struct layer *const layer = &l->items[l->count++];
        int32_t offset = 0;
        *layer = (struct layer){0};
        st = parse_entry(&a, &r, layer->name, &offset, NULL);
        if (st == TESS_OK && !is_taken(l))
            st = load_value(&a, offset, &unclaimed, layer, err);
        if (st == TESS_OK && layer->content)
            *end = (size_t)max_i64((int64_t)*end,
                                   offset - (int64_t)base + VALUE_SIZE + (int64_t)layer->size);
        else
            layers_remove(l, layer);
        if (st != TESS_OK && (st == TESS_ERR_NOMEM || r.bad || offset == 0))
            break;
    }
    if (count <= LAYERS_FIXED_MAX)
        *lost = count > l->count ? count - l->count : 0;
    return st == TESS_ERR_NOMEM ? st : TESS_OK;
}

// From the byte 93 up to the array of values.
static size_t
index_size(const struct layers *l)
{
    size_t size = HEAD_SIZE;
    for (int i = 0; i < l->count; i++)
        size += ENTRY_SIZE + strlen(l->items[i].name);
    return size;
}

size_t
layers_size(const struct layers *l)
{
    size_t size = index_size(l) + ARRAY_SIZE;
    for (int i = 0; i < l->count; i++)
        size += VALUE_SIZE + (size_t)l->items[i].size;
    return size;
}

void
layers_write(const struct layers *l, size_t base, enum layers_place place, uint8_t *dst)
{
    const size_t index = index_size(l);
    const uint16_t count = (uint16_t)l->count;
    size_t offset = base + index + ARRAY_SIZE;
    msgpack_packer pk;

    assert(base + layers_size(l) <= INT32_MAX);
    msgpack_packer_init(&pk, &dst, pack_write);
    msgpack_pack_array(&pk, 3);
    // In a trailer the byte 93 is not counted. With more than about 1770 long names the number does
    // not fit in its 16 bits; no reader looks at it.
    msgpack_pack_fix_uint16(&pk, (uint16_t)(place == LAYERS_HEADER ? index : index - 1));

    pack_head16(&pk, PACK_MAP16, count);
    for (int i = 0; i < l->count; i++) {
        const size_t length = strlen(l->items[i].name);
        msgpack_pack_str(&pk, length); // up to 31 bytes: a0 + length
        pack_bytes(&pk, l->items[i].name, length);
        msgpack_pack_fix_int32(&pk, (int32_t)offset);
        offset += VALUE_SIZE + (size_t)l->items[i].size;
    }

    pack_head16(&pk, PACK_ARRAY16, count);
    for (int i = 0; i < l->count; i++) {
        pack_head32(&pk, PACK_BIN32, l->items[i].size);
        pack_bytes(&pk, l->items[i].content, l->items[i].size);
    }
}

struct layer *
layers_find(const struct layers *l, const char *name)
{
    for (int i = 0; i < l->count; i++)
        if (strcmp(l->items[i].name, name) == 0)
            return &l->items[i];
    return NULL;
}

tess_status
layers_check_new(const struct layers *l, int max, const char *name, tess_error *err)
{
    const size_t length = strlen(name);

    if (length == 0 || length > LAYER_NAME_MAX)
        return err_set(
            err, TESS_ERR_ARG, -1,
            "the name of an attribute or metalayer has 1 to %d bytes, \"%.40s%s\" has %zu",
            LAYER_NAME_MAX, name, length > 40 ? "..." : "", length);
    if (layers_find(l, name))
        return err_set(err, TESS_ERR_ARG, -1, "a metalayer '%s' is there already", name);
    if (l->count >= max)
        return err_set(
            err, TESS_ERR_LIMIT, -1,
            "no room for the attribute or metalayer '%s': %d are there, at most %d can be", name,
            l->count, max);
    return TESS_OK;
}

tess_status
layers_add(struct layers *l, int max, const char *name, const void *content, size_t size,
           tess_error *err)
{
    struct layer layer = {0};
    tess_status st = layers_check_new(l, max, name, err);

    if (st != TESS_OK)
        return st;
    if (l->count == l->capacity && !layers_reserve(l, l->capacity + LAYERS_VL_WRITE_MAX))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d metalayers", l->count + 1);

    memcpy(layer.name, name, strlen(name));
    st = layer_set(&layer, content, size, err);
    if (st == TESS_OK)
        l->items[l->count++] = layer;
    return st;
}

tess_status
layer_set(struct layer *layer, const void *content, size_t size, tess_error *err)
{
    uint8_t *copy;

    if (size > INT32_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "%zu bytes for metalayer '%s', at most %" PRId32 " can be", size,
                       layer->name, INT32_MAX);
    if (!duplicate(content, size, &copy))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for metalayer '%s' of %zu bytes",
                       layer->name, size);
    mem_free(layer->content);
    layer->content = copy;
    layer->size = (uint32_t)size;
    return TESS_OK;
}

void
layers_remove(struct layers *l, struct layer *layer)
{
    const int after = l->count - 1 - (int)(layer - l->items);

    mem_free(layer->content);
    memmove(layer, layer + 1, (size_t)after * sizeof *layer);
    l->count--;
}

void
layers_finish(struct layers *l)
{
    if (!l)
        return;
    for (int i = 0; i < l->count; i++)
        mem_free(l->items[i].content);
    mem_free(l->items);
    *l = (struct layers){0};
}
