/*
 * json_write.c - a value as JSON text, and binary strings as base64.
 *
 * Values come checked from value.c. The text grows in a buffer that remembers if memory ran out.
 */
#include "meta/json.h"

#include "base/error.h"
#include "meta/pack.h"
#include "meta/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- base64

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Up to 3 bytes of src as 4 characters.
static void
base64_encode(const uint8_t *src, size_t size, char dst[4])
{
    uint32_t bits = 0;

    for (size_t i = 0; i < 3; i++)
        bits = bits << 8 | (i < size ? src[i] : 0u);
    for (size_t i = 0; i < 4; i++)
        dst[i] = i > size ? '=' : base64_digits[bits >> (18 - 6 * i) & 63];
}

// -1 if it is no digit.
static int
digit_value(uint8_t c)
{
    const char *const at = c ? strchr(base64_digits, c) : NULL;
    return at ? (int)(at - base64_digits) : -1;
}

bool
base64_decode(uint8_t *text, size_t size, size_t *decoded)
{
    size_t out = 0;

    if (size % 4 != 0)
        return false;
    for (size_t at = 0; at < size; at += 4) {
        size_t n = 4; // characters that are not padding
        uint32_t bits = 0;

        if (at + 4 == size)
            while (n > 2 && text[at + n - 1] == '=')
                n--;
        for (size_t i = 0; i < 4; i++) {
            const int value = i < n ? digit_value(text[at + i]) : 0;
            if (value < 0)
                return false;
            bits = bits << 6 | (uint32_t)value;
        }
        if ((n == 2 && (bits & 0xffff) != 0) || (n == 3 && (bits & 0xff) != 0))
            return false;
        for (size_t i = 0; i < n - 1; i++)
            text[out++] = (uint8_t)(bits >> (16 - 8 * i));
    }
    *decoded = out;
    return true;
}

// -- JSON

struct out {
    struct growing text;
    bool nomem;
};

static void
emit_put(struct out *o, const char *text, size_t size)
{
    if (!o->nomem && !growing_append(&o->text, text, size))
        o->nomem = true;
}

static void
put_text(struct out *o, const char *text)
{
    emit_put(o, text, strlen(text));
}

static void
put_string(struct out *o, const char *text, size_t size)
{
    size_t done = 0; // up to here it is written

    put_text(o, "\"");
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        char escape[8];

        if (c >= 0x20 && c != 0x7f && c != '"' && c != '\\')
            continue;
        emit_put(o, text + done, i - done);
        done = i + 1;
        if (c == '"' || c == '\\')
            (void)snprintf(escape, sizeof escape, "\\%c", c);
        else if (c == '\n')
            (void)snprintf(escape, sizeof escape, "\\n");
        else if (c == '\t')
            (void)snprintf(escape, sizeof escape, "\\t");
        else
            (void)snprintf(escape, sizeof escape, "\\u%04x", c);
        put_text(o, escape);
    }
    emit_put(o, text + done, size - done);
    put_text(o, "\"");
}

static void
put_base64(struct out *o, const uint8_t *bytes, size_t size)
{
    put_text(o, "\"");
    for (size_t i = 0; i < size; i += 3) {
        char text[4];
        base64_encode(bytes + i, size - i < 3 ? size - i : 3, text);
        emit_put(o, text, sizeof text);
    }
    put_text(o, "\"");
}

// The shortest of 15 to 17 digits that reads back.
static void
put_float(struct out *o, double v)
{
    char text[40], radix[RADIX_SIZE];

    if (!isfinite(v)) {
        put_text(o, isnan(v) ? "{\"$float\": \"nan\"}"
                    : v > 0  ? "{\"$float\": \"inf\"}"
                             : "{\"$float\": \"-inf\"}");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    radix_get(radix);
    char *const point = strstr(text, radix);
    if (point) {
        emit_put(o, text, (size_t)(point - text));
        put_text(o, ".");
        put_text(o, point + strlen(radix));
    } else {
        put_text(o, text);
        if (!strchr(text, 'e'))
            put_text(o, ".0");
    }
}

// Such maps are JSON objects; others are lists of pairs. A first key with '$' means something else.
static bool
is_object(const tess_value *v)
{
    for (size_t i = 0; i < v->as.map.count; i++)
        if (v->as.map.pairs[i].key.type != TESS_VALUE_STRING)
            return false;
    return v->as.map.count == 0 || v->as.map.pairs[0].key.as.string.data[0] != '$';
}

static void emit_put_value(struct out *o, const tess_value *v);

static void
put_map(struct out *o, const tess_value *v)
{
    const bool object = is_object(v);

    put_text(o, object ? "{" : "{\"$map\": [");
    for (size_t i = 0; i < v->as.map.count; i++) {
        const tess_pair *const pair = &v->as.map.pairs[i];

        put_text(o, i == 0 ? "" : ", ");
        put_text(o, object ? "" : "[");
        emit_put_value(o, &pair->key);
        put_text(o, object ? ": " : ", ");
        emit_put_value(o, &pair->value);
        put_text(o, object ? "" : "]");
    }
    put_text(o, object ? "}" : "]}");
}

static void
put_list(struct out *o, const tess_value *v)
{
    put_text(o, "[");
    for (size_t i = 0; i < v->as.list.count; i++) {
        put_text(o, i == 0 ? "" : ", ");
        emit_put_value(o, &v->as.list.items[i]);
    }
    put_text(o, "]");
}

static void
emit_put_value(struct out *o, const tess_value *v)
{
    char text[40];

    switch (v->type) {
    case TESS_VALUE_NULL:
        put_text(o, "null");
        return;
    case TESS_VALUE_BOOL:
        put_text(o, v->as.boolean ? "true" : "false");
        return;
    case TESS_VALUE_INT:
        (void)snprintf(text, sizeof text, "%" PRId64, v->as.i64);
        put_text(o, text);
        return;
    case TESS_VALUE_UINT:
        (void)snprintf(text, sizeof text, "%" PRIu64, v->as.u64);
        put_text(o, text);
        return;
    case TESS_VALUE_FLOAT:
        put_float(o, v->as.f64);
        return;
    case TESS_VALUE_STRING:
        put_string(o, v->as.string.data, v->as.string.size);
        return;
    case TESS_VALUE_LIST:
        put_list(o, v);
        return;
    case TESS_VALUE_MAP:
        put_map(o, v);
        return;
    case TESS_VALUE_EXT:
        (void)snprintf(text, sizeof text, "{\"$ext\": [%d, ", v->ext);
        put_text(o, text);
        put_base64(o, v->as.bytes.data, v->as.bytes.size);
        put_text(o, "]}");
        return;
    case TESS_VALUE_BYTES:
    case TESS_VALUE_OPAQUE:
        put_text(o, v->type == TESS_VALUE_BYTES ? "{\"$bytes\": " : "{\"$opaque\": ");
        put_base64(o, v->as.bytes.data, v->as.bytes.size);
        put_text(o, "}");
        return;
    }
}

tess_status
json_write(const tess_value *value, char **text, tess_error *err)
{
    struct out o = {.nomem = false};

    emit_put_value(&o, value);
    emit_put(&o, "", 1); // the NUL
    if (o.nomem) {
        growing_finish(&o.text);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a value as JSON");
    }
    *text = growing_take(&o.text);
    return TESS_OK;
}
