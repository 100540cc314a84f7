/*
 * item.c - one item as text, and as JSON.
 *
 * Bytes are put together by shifting: the result does not depend on the machine.
 */
#include "text/items/item.h"

#include "text/items/date.h"
#include "text/items/real.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
is_printable_as(const tess_dtype *type)
{
    switch (type->kind) {
    case TESS_KIND_BOOL:
        return type->size == 1;
    case TESS_KIND_INT:
    case TESS_KIND_UINT:
        return type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8;
    case TESS_KIND_FLOAT:
        return type->size == 2 || type->size == 4 || type->size == 8;
    case TESS_KIND_COMPLEX:
        return type->size == 8 || type->size == 16;
    case TESS_KIND_DATETIME:
    case TESS_KIND_TIMEDELTA:
        return type->size == 8;
    case TESS_KIND_UNICODE:
        return type->size % 4 == 0;
    case TESS_KIND_BYTES:
        return true;
    default:
        return false;
    }
}

// The fields; without memory for them the item stays opaque.
static void
init_parts(struct item_format *format, const char *dtype)
{
    format->fields = fields_parse(dtype);
    if (!format->fields)
        return;
    format->parts = calloc((size_t)format->fields->count + 1, sizeof *format->parts);
    if (!format->parts) {
        fields_free(format->fields);
        format->fields = NULL;
        return;
    }
    for (int i = 0; i < format->fields->count; i++)
        item_format_init(&format->parts[i], format->fields->items[i].dtype,
                         format->fields->items[i].size);
}

void
item_format_init(struct item_format *format, const char *dtype, int32_t typesize)
{
    *format = (struct item_format){.type = tess_dtype_parse(dtype), .typesize = typesize};
    if (format->type.size == typesize && format->type.kind == TESS_KIND_STRUCT)
        init_parts(format, dtype);
    if (format->type.size != typesize || !is_printable_as(&format->type))
        format->type.kind = TESS_KIND_OPAQUE;

    const char *unit = dtype ? strchr(dtype, '[') : NULL;
    const size_t length = unit ? strcspn(unit + 1, "]") : 0;
    if (length > 0 && length < sizeof format->unit)
        memcpy(format->unit, unit + 1, length);
}

void
item_format_finish(struct item_format *format)
{
    for (int i = 0; format->fields && i < format->fields->count; i++)
        item_format_finish(&format->parts[i]);
    free(format->parts);
    fields_free(format->fields);
    format->parts = NULL;
    format->fields = NULL;
}

int32_t
item_word_size(const tess_dtype *type)
{
    return type->kind == TESS_KIND_UNICODE   ? 4
           : type->kind == TESS_KIND_COMPLEX ? type->size / 2
                                             : type->size;
}

uint64_t
item_load(const uint8_t *bytes, int size, char order)
{
    uint64_t v = 0;

    for (int i = 0; i < size; i++)
        v = v << 8 | bytes[order == '>' ? i : size - 1 - i];
    return v;
}

void
item_store(uint64_t v, int size, char order, uint8_t *bytes)
{
    for (int i = 0; i < size; i++, v >>= 8)
        bytes[order == '>' ? size - 1 - i : i] = (uint8_t)v;
}

int64_t
item_load_signed(const uint8_t *bytes, int size, char order)
{
    const int unused = 64 - 8 * size;
    return (int64_t)(item_load(bytes, size, order) << unused) >> unused;
}

double
item_load_real(const uint8_t *bytes, int size, char order)
{
    const uint64_t bits = item_load(bytes, size, order);
    double v = 0;

    if (size == 8) {
        memcpy(&v, &bits, sizeof v);
    } else if (size == 4) {
        const uint32_t low = (uint32_t)bits;
        float single = 0;

        memcpy(&single, &low, sizeof single);
        v = (double)single;
    } else {
        v = real_from_half((unsigned)bits);
    }
    return v;
}

static void
print_real(FILE *out, const uint8_t *bytes, int size, char order, bool sign)
{
    char text[REAL_TEXT_SIZE];

    real_format(item_load_real(bytes, size, order), size, text);
    if (sign && text[0] != '-')
        fputc('+', out);
    fputs(text, out);
}

static void
print_bytes(FILE *out, const uint8_t *bytes, int32_t size)
{
    while (size > 0 && bytes[size - 1] == 0) // padding
        size--;
    fputc('"', out);
    for (int32_t i = 0; i < size; i++) {
        if (bytes[i] == '"' || bytes[i] == '\\')
            fprintf(out, "\\%c", bytes[i]);
        else if (bytes[i] < 0x20 || bytes[i] >= 0x7f)
            fprintf(out, "\\x%02x", bytes[i]);
        else
            fputc(bytes[i], out);
    }
    fputc('"', out);
}

static void
print_code_point(FILE *out, uint32_t c)
{
    if (c == '"' || c == '\\') {
        fprintf(out, "\\%c", (char)c);
    } else if (c < 0x20 || (c >= 0x7f && c < 0xa0)) {
        fprintf(out, "\\x%02" PRIx32, c);
    } else if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff) { // not characters
        fprintf(out, "\\U%08" PRIx32, c);
    } else if (c < 0x80) {
        fputc((int)c, out);
    } else {
        const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; // bytes after the first

        fputc((int)((0xff00u >> (more + 1) & 0xff) | c >> 6 * more), out);
        for (int i = more - 1; i >= 0; i--)
            fputc((int)(0x80 | (c >> 6 * i & 0x3f)), out);
    }
}

static void
print_unicode(FILE *out, const uint8_t *bytes, int32_t size, char order)
{
    int32_t n = size / 4;

    while (n > 0 && item_load(bytes + 4 * (n - 1), 4, order) == 0)
        n--;
    fputc('"', out);
    for (int32_t i = 0; i < n; i++)
        print_code_point(out, (uint32_t)item_load(bytes + 4 * i, 4, order));
    fputc('"', out);
}

static void
print_time(FILE *out, const struct item_format *format, int64_t count)
{
    char text[DATE_TEXT_SIZE];

    if (count == INT64_MIN)
        fputs("NaT", out);
    else if (format->type.kind == TESS_KIND_DATETIME && date_format(count, format->unit, text))
        fputs(text, out);
    else
        fprintf(out, "%" PRId64 "%s", count, format->unit);
}

static void
print_hex(FILE *out, const uint8_t *bytes, int32_t size)
{
    for (int32_t i = 0; i < size; i++)
        fprintf(out, "%02x", bytes[i]);
}

// The elements of a field, from an axis of its sub-array on; returns what lies behind them.
static const uint8_t *
print_elements(FILE *out, const struct item_format *format, const struct field *f, int axis,
               const uint8_t *at)
{
    if (axis == f->ndim) {
        item_print(out, format, at);
        return at + f->size;
    }
    fputc('[', out);
    for (int64_t i = 0; i < f->shape[axis]; i++) {
        if (i > 0)
            fputs(", ", out);
        at = print_elements(out, format, f, axis + 1, at);
    }
    fputc(']', out);
    return at;
}

// As tuples in Python: one with a single field ends in a comma.
static void
print_fields(FILE *out, const struct item_format *format, const uint8_t *item)
{
    const struct fields *const fields = format->fields;

    fputc('(', out);
    for (int i = 0; i < fields->count; i++) {
        if (i > 0)
            fputs(", ", out);
        (void)print_elements(out, &format->parts[i], &fields->items[i], 0,
                             item + fields->items[i].offset);
    }
    fputs(fields->count == 1 ? ",)" : ")", out);
}

void
item_print(FILE *out, const struct item_format *format, const uint8_t *item)
{
    const char order = format->type.order;
    const int32_t size = format->typesize;

    switch (format->type.kind) {
    case TESS_KIND_BOOL:
        fputs(*item ? "True" : "False", out);
        break;
    case TESS_KIND_INT:
        fprintf(out, "%" PRId64, item_load_signed(item, size, order));
        break;
    case TESS_KIND_UINT:
        fprintf(out, "%" PRIu64, item_load(item, size, order));
        break;
    case TESS_KIND_FLOAT:
        print_real(out, item, size, order, false);
        break;
    case TESS_KIND_COMPLEX:
        print_real(out, item, size / 2, order, false);
        print_real(out, item + size / 2, size / 2, order, true);
        fputc('j', out);
        break;
    case TESS_KIND_BYTES:
        print_bytes(out, item, size);
        break;
    case TESS_KIND_UNICODE:
        print_unicode(out, item, size, order);
        break;
    case TESS_KIND_DATETIME:
    case TESS_KIND_TIMEDELTA:
        print_time(out, format, item_load_signed(item, size, order));
        break;
    default:
        if (format->fields)
            print_fields(out, format, item);
        else
            print_hex(out, item, size);
    }
}

// Whether item_print() writes a number that is one in JSON, too.
static bool
is_number(const struct item_format *format, const uint8_t *item)
{
    switch (format->type.kind) {
    case TESS_KIND_INT:
    case TESS_KIND_UINT:
        return true;
    case TESS_KIND_FLOAT:
        return isfinite(item_load_real(item, format->typesize, format->type.order));
    default:
        return false;
    }
}

static const uint8_t *
json_elements(struct json *j, const char *key, const struct item_format *format,
              const struct field *f, int axis, const uint8_t *at)
{
    if (axis == f->ndim) {
        item_json(j, key, format, at);
        return at + f->size;
    }
    json_open(j, key, '[');
    for (int64_t i = 0; i < f->shape[axis]; i++)
        at = json_elements(j, NULL, format, f, axis + 1, at);
    json_close(j, ']');
    return at;
}

static void
json_fields(struct json *j, const char *key, const struct item_format *format, const uint8_t *item)
{
    const struct fields *const fields = format->fields;

    json_open(j, key, '{');
    for (int i = 0; i < fields->count; i++)
        (void)json_elements(j, fields->items[i].name, &format->parts[i], &fields->items[i], 0,
                            item + fields->items[i].offset);
    json_close(j, '}');
}

void
item_json(struct json *j, const char *key, const struct item_format *format, const uint8_t *item)
{
    char *text = NULL;
    size_t size = 0;

    if (format->type.kind == TESS_KIND_BOOL) {
        json_bool(j, key, *item != 0);
        return;
    }
    if (format->fields) {
        json_fields(j, key, format, item);
        return;
    }
    if (is_number(format, item)) {
        json_text(j, key, "");
        item_print(j->out, format, item);
        return;
    }
    FILE *const out = open_memstream(&text, &size);
    if (out)
        item_print(out, format, item);
    if (!out || fclose(out) != 0) {
        json_string(j, key, NULL);
    } else if (size >= 2 && text[0] == '"') {
        text[size - 1] = '\0';
        json_string(j, key, text + 1);
    } else {
        json_string(j, key, text);
    }
    free(text);
}
