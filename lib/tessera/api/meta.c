/*
 * meta.c - the public functions on metalayers, and on attributes: variable-length metalayers with a
 * msgpack value.
 */
#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "meta/json.h"
#include "meta/value.h"

#include <tessera/attr.h>
#include <tessera/meta.h>

#include <string.h>

static tess_status
check_layer_name(const tess_array *a, const char *name, tess_error *err)
{
    return a && name ? TESS_OK : err_set(err, TESS_ERR_ARG, -1, "no array or no name is given");
}

TESS_API tess_status
tess_meta_at(const tess_array *a, int index, tess_metalayer *layer, tess_error *err)
{
    UNCANCELLED;
    if (!a || !layer)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for a metalayer is given");
    return array_meta_at(a, index, layer, err);
}

TESS_API tess_status
tess_meta_get(const tess_array *a, const char *name, tess_metalayer *layer, tess_error *err)
{
    UNCANCELLED;
    if (!layer)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a metalayer is given");
    const tess_status st = check_layer_name(a, name, err);
    return st == TESS_OK ? array_meta_get(a, name, layer, err) : st;
}

TESS_API tess_status
tess_meta_set(tess_array *a, const char *name, const void *content, size_t content_size,
              tess_error *err)
{
    UNCANCELLED;
    tess_status st = check_writable(a, err);
    if (st == TESS_OK)
        st = check_layer_name(a, name, err);
    return st == TESS_OK ? array_meta_set(a, name, content, content_size, err) : st;
}

TESS_API const char *
tess_vlmeta_name(const tess_array *a, int index)
{
    return a ? array_vlmeta_name(a, index) : NULL;
}

TESS_API tess_status
tess_vlmeta_get(const tess_array *a, const char *name, void **content, size_t *content_size,
                tess_error *err)
{
    UNCANCELLED;
    if (!content || !content_size)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the content is given");
    *content = NULL;
    *content_size = 0;
    const tess_status st = check_layer_name(a, name, err);
    return st == TESS_OK ? array_vlmeta_get(a, name, content, content_size, err) : st;
}

TESS_API tess_status
tess_vlmeta_set(tess_array *a, const char *name, const void *content, size_t content_size,
                tess_error *err)
{
    UNCANCELLED;
    const tess_status st = check_writable(a, err);
    if (st != TESS_OK)
        return st;
    if (!name || (content_size > 0 && !content))
        return err_set(err, TESS_ERR_ARG, -1, "no name or no content is given");
    return array_vlmeta_set(a, name, content, content_size, err);
}

TESS_API tess_status
tess_vlmeta_delete(tess_array *a, const char *name, tess_error *err)
{
    UNCANCELLED;
    tess_status st = check_writable(a, err);
    if (st == TESS_OK)
        st = check_layer_name(a, name, err);
    return st == TESS_OK ? array_vlmeta_delete(a, name, err) : st;
}

// -- values

TESS_API const char *
tess_value_type_name(tess_value_type type)
{
    static const char *const names[] = {"null",  "bool", "int", "uint", "float", "string",
                                        "bytes", "list", "map", "ext",  "opaque"};
    const size_t index = (size_t)type;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}

TESS_API const tess_value *
tess_value_find(const tess_value *map, const char *key)
{
    if (!map || !key || map->type != TESS_VALUE_MAP)
        return NULL;
    const size_t size = strlen(key);
    for (size_t i = map->as.map.count; i-- > 0;) {
        const tess_pair *const pair = &map->as.map.pairs[i];

        if (pair->key.type == TESS_VALUE_STRING && pair->key.as.string.size == size &&
            (size == 0 || memcmp(pair->key.as.string.data, key, size) == 0))
            return &pair->value;
    }
    return NULL;
}

TESS_API tess_status
tess_attr_get(const tess_array *a, const char *name, tess_value **value, tess_error *err)
{
    UNCANCELLED;
    if (!value)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a value is given");
    *value = NULL;
    const tess_status st = check_layer_name(a, name, err);
    return st == TESS_OK ? array_attr_get(a, name, value, err) : st;
}

TESS_API tess_status
tess_attr_set(tess_array *a, const char *name, const tess_value *value, tess_error *err)
{
    UNCANCELLED;
    uint8_t *content = NULL;
    size_t size = 0;

    if (!value)
        return err_set(err, TESS_ERR_ARG, -1, "no value is given");
    tess_status st = check_writable(a, err);
    if (st == TESS_OK)
        st = value_pack(value, &content, &size, err);
    if (st == TESS_OK)
        st = tess_vlmeta_set(a, name, content, size, err);
    mem_free(content);
    return st;
}

TESS_API tess_status
tess_attr_delete(tess_array *a, const char *name, tess_error *err)
{
    UNCANCELLED;
    return tess_vlmeta_delete(a, name, err);
}

// -- one type

TESS_API tess_status
tess_attr_set_bool(tess_array *a, const char *name, bool value, tess_error *err)
{
    UNCANCELLED;
    const tess_value v = {.type = TESS_VALUE_BOOL, .as = {.boolean = value}};
    return tess_attr_set(a, name, &v, err);
}

TESS_API tess_status
tess_attr_set_int(tess_array *a, const char *name, int64_t value, tess_error *err)
{
    UNCANCELLED;
    const tess_value v = {.type = TESS_VALUE_INT, .as = {.i64 = value}};
    return tess_attr_set(a, name, &v, err);
}

TESS_API tess_status
tess_attr_set_float(tess_array *a, const char *name, double value, tess_error *err)
{
    UNCANCELLED;
    const tess_value v = {.type = TESS_VALUE_FLOAT, .as = {.f64 = value}};
    return tess_attr_set(a, name, &v, err);
}

TESS_API tess_status
tess_attr_set_string(tess_array *a, const char *name, const char *text, tess_error *err)
{
    UNCANCELLED;
    if (!text)
        return err_set(err, TESS_ERR_ARG, -1, "no text is given");
    const tess_value v = {.type = TESS_VALUE_STRING, .as = {.string = {text, strlen(text)}}};
    return tess_attr_set(a, name, &v, err);
}

TESS_API tess_status
tess_attr_set_bytes(tess_array *a, const char *name, const void *bytes, size_t bytes_size,
                    tess_error *err)
{
    UNCANCELLED;
    const tess_value v = {.type = TESS_VALUE_BYTES, .as = {.bytes = {bytes, bytes_size}}};
    return tess_attr_set(a, name, &v, err);
}

static tess_status
wrong_type(const tess_value *v, const char *name, const char *wanted, tess_error *err)
{
    return err_set(err, TESS_ERR_TYPE, -1, "attribute %s is of type %s, not %s", name,
                   tess_value_type_name(v->type), wanted);
}

// Read an attribute to give out one thing of it: checks the place for that, too.
static tess_status
attr_get(const tess_array *a, const char *name, const void *place, tess_value **v, tess_error *err)
{
    *v = NULL;
    if (!place)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a value is given");
    return tess_attr_get(a, name, v, err);
}

TESS_API tess_status
tess_attr_get_bool(const tess_array *a, const char *name, bool *value, tess_error *err)
{
    UNCANCELLED;
    tess_value *v;
    tess_status st = TESS_OK;

    TRY(attr_get(a, name, value, &v, err));
    if (v->type == TESS_VALUE_BOOL)
        *value = v->as.boolean;
    else
        st = wrong_type(v, name, "bool", err);
out:
    mem_free(v);
    return st;
}

TESS_API tess_status
tess_attr_get_int(const tess_array *a, const char *name, int64_t *value, tess_error *err)
{
    UNCANCELLED;
    tess_value *v;
    tess_status st = TESS_OK;

    TRY(attr_get(a, name, value, &v, err));
    if (v->type == TESS_VALUE_INT)
        *value = v->as.i64;
    else
        st = wrong_type(v, name, "int", err);
out:
    mem_free(v);
    return st;
}

TESS_API tess_status
tess_attr_get_float(const tess_array *a, const char *name, double *value, tess_error *err)
{
    UNCANCELLED;
    static const int64_t exact = INT64_C(1) << 53; // integers up to here are doubles
    tess_value *v;
    tess_status st = TESS_OK;

    TRY(attr_get(a, name, value, &v, err));
    if (v->type == TESS_VALUE_FLOAT)
        *value = v->as.f64;
    else if (v->type == TESS_VALUE_INT && v->as.i64 >= -exact && v->as.i64 <= exact)
        *value = (double)v->as.i64;
    else
        st = wrong_type(v, name, "float", err);
out:
    mem_free(v);
    return st;
}

// A copy with a NUL behind.
static tess_status
attr_copy(const void *src, size_t size, void **dst, tess_error *err)
{
    char *const bytes = mem_alloc(size + 1);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
    if (size > 0)
        memcpy(bytes, src, size);
    bytes[size] = '\0';
    *dst = bytes;
    return TESS_OK;
}

TESS_API tess_status
tess_attr_get_string(const tess_array *a, const char *name, char **text, size_t *text_size,
                     tess_error *err)
{
    UNCANCELLED;
    void *chars = NULL;
    tess_value *v;
    tess_status st = TESS_OK;

    TRY(attr_get(a, name, text, &v, err));
    if (v->type != TESS_VALUE_STRING)
        TRY(wrong_type(v, name, "string", err));
    TRY(attr_copy(v->as.string.data, v->as.string.size, &chars, err));
    *text = chars;
    if (text_size)
        *text_size = v->as.string.size;
out:
    mem_free(v);
    return st;
}

TESS_API tess_status
tess_attr_get_bytes(const tess_array *a, const char *name, void **bytes, size_t *bytes_size,
                    tess_error *err)
{
    UNCANCELLED;
    tess_value *v;
    tess_status st = TESS_OK;

    TRY(attr_get(a, name, bytes_size ? bytes : NULL, &v, err));
    if (v->type != TESS_VALUE_BYTES)
        TRY(wrong_type(v, name, "bytes", err));
    TRY(attr_copy(v->as.bytes.data, v->as.bytes.size, bytes, err));
    *bytes_size = v->as.bytes.size;
out:
    mem_free(v);
    return st;
}

// -- JSON

TESS_API tess_status
tess_attr_get_json(const tess_array *a, const char *name, char **json, tess_error *err)
{
    UNCANCELLED;
    tess_value *v;
    tess_status st = TESS_OK;

    TRY(attr_get(a, name, json, &v, err));
    TRY(json_write(v, json, err));
out:
    mem_free(v);
    return st;
}

TESS_API tess_status
tess_attr_set_json(tess_array *a, const char *name, const char *json, tess_error *err)
{
    UNCANCELLED;
    uint8_t *content = NULL;
    size_t size = 0;

    if (!json)
        return err_set(err, TESS_ERR_ARG, -1, "no JSON text is given");
    tess_status st = check_writable(a, err);
    if (st == TESS_OK)
        st = json_read(json, &content, &size, err);
    if (st == TESS_OK)
        st = tess_vlmeta_set(a, name, content, size, err);
    mem_free(content);
    return st;
}
