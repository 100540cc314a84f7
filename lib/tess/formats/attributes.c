/*
 * attributes.c - converts attributes between an array and a file of another format.
 *
 * Values are trees. Nodes are allocated one by one, and freed together by attributes_finish().
 */
#include "formats/attributes.h"

#include "meta/text.h"
#include "report.h"
#include "text/items/item.h"
#include "text/items/real.h"
#include "text/text.h"

#include <tessera/convert.h>
#include <tessera/dtype.h>
#include <tessera/meta.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// With the map, 15 of at most 16 attributes are used: users can set one more later.
#define STORED_MAX 14

struct attributes_memory {
    struct attributes_memory *next;
    void *piece;
    void (*free)(void *piece);
};

bool
attributes_keep(struct attributes *a, void *piece, void (*free_piece)(void *))
{
    struct attributes_memory *const m = malloc(sizeof *m);

    if (!m)
        return false;
    *m = (struct attributes_memory){a->memory, piece, free_piece};
    a->memory = m;
    return true;
}

void
attributes_finish(struct attributes *a)
{
    while (a->memory) {
        struct attributes_memory *const next = a->memory->next;

        a->memory->free(a->memory->piece);
        free(a->memory);
        a->memory = next;
    }
    free(a->items);
    *a = (struct attributes){0};
}

void *
attributes_alloc(struct attributes *a, size_t nitems, size_t item_size)
{
    void *piece = calloc(nitems ? nitems : 1, item_size);

    if (piece && !attributes_keep(a, piece, free)) {
        free(piece);
        piece = NULL;
    }
    return piece;
}

tess_status
attributes_add(struct attributes *a, const char *name, const tess_value *value, tess_error *err)
{
    char *const copy = attributes_alloc(a, strlen(name) + 1, 1);

    if (!copy)
        return report_nomem(err, (int64_t)strlen(name));
    memcpy(copy, name, strlen(name));
    if (a->count == a->capacity) {
        const int capacity = 2 * a->capacity + 8;
        struct attribute *const items = realloc(a->items, (size_t)capacity * sizeof *items);

        if (!items)
            return report_nomem(err, capacity * (int64_t)sizeof *items);
        a->items = items;
        a->capacity = capacity;
    }
    a->items[a->count++] = (struct attribute){.name = copy, .value = *value};
    return TESS_OK;
}

// `bytes` must be followed by a NUL.
static tess_status
make_text(struct attributes *a, const char *bytes, size_t size, tess_value *v, tess_error *err)
{
    const bool latin1 = !utf8_valid(bytes, size);
    char *const copy = attributes_alloc(a, size, 2);

    if (!copy)
        return report_nomem(err, (int64_t)size);
    const size_t copied = latin1 ? text_from_latin1(bytes, size, copy) : size;
    if (!latin1)
        memcpy(copy, bytes, size);
    *v = (tess_value){.type = TESS_VALUE_STRING, .as = {.string = {copy, copied}}};
    return TESS_OK;
}

// The length of the text of an item without its padding of NULs.
static size_t
padded_size(const char *text, size_t size)
{
    while (size > 0 && text[size - 1] == '\0')
        size--;
    return size;
}

tess_status
attributes_add_text(struct attributes *a, const char *name, const char *bytes, size_t size,
                    tess_error *err)
{
    tess_value v;
    char *const ended = attributes_alloc(a, size + 1, 1);

    if (!ended)
        return report_nomem(err, (int64_t)size);
    if (size > 0)
        memcpy(ended, bytes, size);
    const bool none = padded_size(ended, size) == 0 && !tess_attr_holds_items(name);
    const tess_status st = make_text(a, ended, none ? 0 : size, &v, err);
    return st == TESS_OK ? attributes_add(a, name, &v, err) : st;
}

// Add one value as itself, several values as a list.
static tess_status
add_values(struct attributes *a, const char *name, size_t count, const tess_value *values,
           tess_error *err)
{
    const tess_value list = {.type = TESS_VALUE_LIST, .as = {.list = {values, count}}};
    return attributes_add(a, name, count == 1 ? values : &list, err);
}

tess_status
attributes_add_strings(struct attributes *a, const char *name, size_t count,
                       const char *const *strings, tess_error *err)
{
    tess_value *const values = attributes_alloc(a, count, sizeof *values);
    tess_status st = TESS_OK;

    if (!values)
        return report_nomem(err, (int64_t)count);
    for (size_t i = 0; i < count && st == TESS_OK; i++) {
        const char *const text = strings[i] ? strings[i] : "";
        st = make_text(a, text, strlen(text), &values[i], err);
    }
    return st == TESS_OK ? add_values(a, name, count, values, err) : st;
}

static tess_status
make_item(struct attributes *a, const tess_dtype *type, const uint8_t *item, tess_value *v,
          tess_error *err)
{
    char *text;

    switch (type->kind) {
    case TESS_KIND_BOOL:
        *v = (tess_value){.type = TESS_VALUE_BOOL, .as = {.boolean = *item != 0}};
        return TESS_OK;
    case TESS_KIND_INT:
        *v = (tess_value){.type = TESS_VALUE_INT,
                          .as = {.i64 = item_load_signed(item, type->size, type->order)}};
        return TESS_OK;
    case TESS_KIND_UINT:
        *v = (tess_value){.type = TESS_VALUE_UINT,
                          .as = {.u64 = item_load(item, type->size, type->order)}};
        return TESS_OK;
    case TESS_KIND_FLOAT:
        *v = (tess_value){.type = TESS_VALUE_FLOAT,
                          .as = {.f64 = item_load_real(item, type->size, type->order)}};
        return type->size <= 8 ? TESS_OK : report_set(err, TESS_ERR_UNSUPPORTED, "a long double");
    case TESS_KIND_BYTES:
        text = attributes_alloc(a, (size_t)type->size + 1, 1);
        if (!text)
            return report_nomem(err, type->size);
        memcpy(text, item, (size_t)type->size);
        return make_text(a, text, padded_size(text, (size_t)type->size), v, err);
    default:
        return report_set(err, TESS_ERR_UNSUPPORTED, "no number and no string");
    }
}

static bool
is_number(tess_kind kind)
{
    return kind == TESS_KIND_INT || kind == TESS_KIND_UINT || kind == TESS_KIND_FLOAT;
}

// Set the type of the attribute that was added last.
static tess_status
set_type(struct attributes *a, const char *dtype, tess_error *err)
{
    char *const copy = attributes_alloc(a, strlen(dtype) + 1, 1);

    if (!copy)
        return report_nomem(err, (int64_t)strlen(dtype));
    memcpy(copy, dtype, strlen(dtype));
    a->items[a->count - 1].dtype = copy;
    return TESS_OK;
}

tess_status
attributes_add_items(struct attributes *a, const char *name, const char *dtype, size_t count,
                     const void *items, tess_error *err)
{
    const tess_dtype type = tess_dtype_parse(dtype);
    const uint8_t *item = items;
    tess_value *const values = attributes_alloc(a, count, sizeof *values);
    tess_status st = TESS_OK;

    if (!values)
        return report_nomem(err, (int64_t)count);
    for (size_t i = 0; i < count && st == TESS_OK; i++, item += type.size)
        st = make_item(a, &type, item, &values[i], err);
    if (st == TESS_OK)
        st = add_values(a, name, count, values, err);
    if (st == TESS_OK && is_number(type.kind))
        st = set_type(a, dtype, err);
    return st;
}

tess_status
attributes_add_dimensions(struct attributes *a, int ndim, const char *const *names, tess_error *err)
{
    tess_value *const values = attributes_alloc(a, (size_t)ndim, sizeof *values);
    tess_status st = TESS_OK;

    for (int i = 0; i < ndim; i++)
        if (!names[i] || !names[i][0])
            return TESS_OK;
    if (ndim == 0)
        return TESS_OK;
    if (!values)
        return report_nomem(err, ndim);
    for (int i = 0; i < ndim && st == TESS_OK; i++)
        st = make_text(a, names[i], strlen(names[i]), &values[i], err);
    const tess_value list = {.type = TESS_VALUE_LIST, .as = {.list = {values, (size_t)ndim}}};
    return st == TESS_OK ? attributes_add(a, ATTRIBUTES_DIMENSIONS, &list, err) : st;
}

void
attributes_leave(struct attributes *a, const char *name)
{
    const size_t n = strlen(a->left);
    (void)snprintf(a->left + n, sizeof a->left - n, "%s%s", n ? ", " : "", name);
}

const struct attribute *
attributes_find(const struct attributes *a, const char *name)
{
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->items[i].name, name) == 0)
            return &a->items[i];
    return NULL;
}

bool
attributes_of_array_have(const tess_array *array, const char *name)
{
    const char *other;
    for (int i = 0; (other = tess_vlmeta_name(array, i)) != NULL; i++)
        if (strcmp(other, name) == 0)
            return true;
    return false;
}

// -- as arrays

static char
kind_of(const tess_value *v)
{
    switch (v->type) {
    case TESS_VALUE_BOOL:
        return 'b';
    case TESS_VALUE_INT:
        return 'i';
    case TESS_VALUE_UINT:
        return v->as.u64 > INT64_MAX ? 'u' : 'i';
    case TESS_VALUE_FLOAT:
        return 'f';
    case TESS_VALUE_STRING:
        return strlen(v->as.string.data) == v->as.string.size ? 'S' : 'Z';
    default:
        return '\0';
    }
}

// The kind that holds values of both kinds, 0: none. Signed integers and floats become floats.
static char
common_kind(char a, char b)
{
    if (a == b)
        return a;
    return (a == 'i' && b == 'f') || (a == 'f' && b == 'i') ? 'f' : '\0';
}

static int64_t
integer_of(const tess_value *v)
{
    return v->type == TESS_VALUE_UINT ? (int64_t)v->as.u64 : v->as.i64;
}

tess_status
attributes_array(struct attributes *a, const tess_value *value, char *kind, size_t *count,
                 const void **items, tess_error *err)
{
    const bool list = value->type == TESS_VALUE_LIST;
    const tess_value *const v = list ? value->as.list.items : value;
    union {
        void *any;
        int64_t *i64;
        uint64_t *u64;
        double *f64;
        uint8_t *u8;
        const char **text;
    } out;

    *count = list ? value->as.list.count : 1;
    *kind = *count > 0 ? kind_of(v) : '\0';
    for (size_t n = 1; n < *count; n++)
        *kind = common_kind(*kind, kind_of(&v[n]));
    if (*kind == 'Z' && *count > 1)
        *kind = '\0';
    out.any = attributes_alloc(a, *count, sizeof *out.u64);
    if (!out.any)
        return report_nomem(err, (int64_t)*count);
    for (size_t n = 0; n < *count; n++)
        if (*kind == 'i')
            out.i64[n] = integer_of(&v[n]);
        else if (*kind == 'u')
            out.u64[n] = v[n].as.u64;
        else if (*kind == 'f')
            out.f64[n] = v[n].type == TESS_VALUE_FLOAT ? v[n].as.f64 : (double)integer_of(&v[n]);
        else if (*kind == 'b')
            out.u8[n] = v[n].as.boolean;
        else if (*kind == 'S' || *kind == 'Z')
            out.text[n] = v[n].as.string.data;
    *items = out.any;
    return TESS_OK;
}

// Whether the integer type represents the number.
static bool
fits_integer(const tess_dtype *type, char kind, uint64_t bits)
{
    const bool negative = kind == 'i' && (int64_t)bits < 0;
    const int digits = 8 * type->size - (type->kind == TESS_KIND_INT ? 1 : 0);

    if (negative)
        return type->kind == TESS_KIND_INT &&
               (int64_t)bits >= -INT64_C(1) - (INT64_MAX >> (63 - digits));
    return digits == 64 || bits >> digits == 0;
}

bool
attributes_fit(char kind, size_t count, const void *items, const char *dtype)
{
    const tess_dtype type = tess_dtype_parse(dtype);
    const bool integer = type.kind == TESS_KIND_INT || type.kind == TESS_KIND_UINT;
    bool good = integer ? kind == 'i' || kind == 'u' : type.kind == TESS_KIND_FLOAT;

    for (size_t i = 0; i < count && good; i++) {
        const uint64_t bits = ((const uint64_t *)items)[i];

        if (integer) {
            good = fits_integer(&type, kind, bits);
            continue;
        }
        const double v = kind == 'f'   ? ((const double *)items)[i]
                         : kind == 'i' ? (double)((const int64_t *)items)[i]
                                       : (double)bits;
        good = isnan(v) || real_round(v, type.size) == v;
        if (good && kind != 'f')
            good = fabs(v) <= 0x1p53;
    }
    return good;
}

// Whether the integer type represents the float.
static bool
fits_as_integer(const tess_dtype *type, double v)
{
    if (!(v >= -0x1p63 && v < 0x1p64) || v != rint(v))
        return false;
    return v < 0 ? fits_integer(type, 'i', (uint64_t)(int64_t)v)
                 : fits_integer(type, 'u', (uint64_t)v);
}

bool
attributes_become(char kind, size_t count, const void *items, const tess_dtype *type)
{
    const bool integer = type->kind == TESS_KIND_INT || type->kind == TESS_KIND_UINT;
    bool good = true;

    if (!integer && type->kind != TESS_KIND_FLOAT)
        return true;
    for (size_t i = 0; i < count && good; i++) {
        const uint64_t bits = ((const uint64_t *)items)[i];
        const double v = kind == 'f'   ? ((const double *)items)[i]
                         : kind == 'i' ? (double)(int64_t)bits
                                       : (double)bits;

        if (!integer)
            good = isfinite(v) == isfinite(real_round(v, type->size));
        else
            good = kind == 'f' ? fits_as_integer(type, v) : fits_integer(type, kind, bits);
    }
    return good;
}

// -- into an array

// Whether an attribute can be stored under the name: it is short enough, and not reserved.
static bool
is_free_name(const char *name)
{
    return strlen(name) <= TESS_MAX_NAME && strcmp(name, ATTRIBUTES_MORE) != 0 &&
           strcmp(name, "_tess") != 0;
}

// Whether conversions of items look the attribute up by its name.
static bool
is_about_items(const char *name)
{
    return tess_attr_holds_items(name) || strcmp(name, "scale_factor") == 0 ||
           strcmp(name, "add_offset") == 0;
}

// Number of attributes about items, starting at index `from`.
static int
count_later(const struct attributes *a, int from)
{
    int n = 0;
    for (int i = from; i < a->count; i++)
        n += is_about_items(a->items[i].name);
    return n;
}

tess_status
attributes_store(const struct attributes *a, tess_array *array, tess_error *err)
{
    tess_pair *const more = calloc((size_t)a->count + 1, sizeof *more);
    const struct attribute *const dimensions = attributes_find(a, ATTRIBUTES_DIMENSIONS);
    size_t nmore = 0;
    int left = dimensions ? STORED_MAX - 1 : STORED_MAX;
    tess_status st = TESS_OK;

    if (!more)
        return report_nomem(err, a->count);
    for (int i = 0; i < a->count; i++) {
        const struct attribute *const item = &a->items[i];

        const int kept = is_about_items(item->name) ? 0 : count_later(a, i + 1);
        if (item == dimensions || (is_free_name(item->name) && left > kept)) {
            left -= item != dimensions;
            TRY(tess_attr_set(array, item->name, &item->value, err));
            continue;
        }
        more[nmore++] = (tess_pair){
            .key = {.type = TESS_VALUE_STRING, .as = {.string = {item->name, strlen(item->name)}}},
            .value = item->value};
    }
    if (nmore > 0) {
        const tess_value map = {.type = TESS_VALUE_MAP, .as = {.map = {more, nmore}}};
        TRY(tess_attr_set(array, ATTRIBUTES_MORE, &map, err));
    }
out:
    free(more);
    return st;
}

// -- out of an array

static bool
is_map_of_names(const tess_value *v)
{
    bool good = v->type == TESS_VALUE_MAP;

    for (size_t i = 0; good && i < v->as.map.count; i++) {
        const tess_value *const key = &v->as.map.pairs[i].key;
        good = key->type == TESS_VALUE_STRING && key->as.string.size > 0 &&
               strlen(key->as.string.data) == key->as.string.size;
    }
    return good;
}

static tess_status
load_one(struct attributes *a, const char *name, const tess_value *v, tess_error *err)
{
    tess_status st = TESS_OK;

    if (strcmp(name, ATTRIBUTES_MORE) != 0 || !is_map_of_names(v))
        return attributes_add(a, name, v, err);
    for (size_t i = 0; i < v->as.map.count && st == TESS_OK; i++)
        st = attributes_add(a, v->as.map.pairs[i].key.as.string.data, &v->as.map.pairs[i].value,
                            err);
    return st;
}

tess_status
attributes_load(struct attributes *a, const tess_array *array, tess_error *err)
{
    tess_status st = TESS_OK;
    const char *name;

    for (int i = 0; st == TESS_OK && (name = tess_vlmeta_name(array, i)) != NULL; i++) {
        tess_value *value = NULL;

        st = tess_attr_get(array, name, &value, err);
        if (st == TESS_OK && !attributes_keep(a, value, tess_free)) {
            tess_free(value);
            st = report_nomem(err, sizeof *value);
        }
        if (st == TESS_OK)
            st = load_one(a, name, value, err);
    }
    return st;
}
