/*
 * item_parse.c - one item from its text: structures, (1, 2.5, "ab"), field by field.
 *
 * What is no structure is left to item_scalar.c.
 */
#include "text/items/item_parse.h"

#include "report.h"
#include "text/items/item_scalar.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parse {
    const char *at;
    char field[100]; // that is read, as --field takes it: a.b; after a failure the one it is about
    tess_error *err;
};

static char
peek(struct parse *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    return *p->at;
}

static bool
accept(struct parse *p, char wanted)
{
    if (peek(p) != wanted)
        return false;
    p->at++;
    return true;
}

static tess_status
refuse(struct parse *p, const char *wanted)
{
    return peek(p)
               ? report_set(p->err, TESS_ERR_ARG, "%.40s: %s is missing before it", p->at, wanted)
               : report_set(p->err, TESS_ERR_ARG, "the value ends where %s is missing", wanted);
}

static tess_status
expect(struct parse *p, char wanted)
{
    const char text[] = {wanted, '\0'};

    return accept(p, wanted) ? TESS_OK : refuse(p, text);
}

// -- an element

// Up to the comma or bracket behind it; complex numbers may stand in parentheses.
static size_t
token_size(const char *text)
{
    const size_t size = text[0] == '(' ? strcspn(text, ")") : 0;

    return size + strcspn(text + size, text[size] == ')' && size > 0 ? ",]" : ",])");
}

// A structure as one number, its bytes.
static tess_status
parse_bytes(const struct item_format *format, const char *text, uint8_t *item, tess_error *err)
{
    return item_scalar_parse(format, text, item, err) == TESS_OK
               ? TESS_OK
               : report_set(err, TESS_ERR_ARG,
                            "%.80s: neither fields such as (1, 2.5, \"ab\") nor %" PRId64
                            " digits in hexadecimal",
                            text, 2 * (int64_t)format->typesize);
}

static tess_status
take_scalar(struct parse *p, const struct item_format *format, uint8_t *item)
{
    const bool is_string =
        format->type.kind == TESS_KIND_BYTES || format->type.kind == TESS_KIND_UNICODE;

    (void)peek(p);
    if (is_string)
        return item_quoted_parse(format, &p->at, item, p->err);
    size_t size = token_size(p->at);
    const char *const end = p->at + size;
    while (size > 0 && isspace((unsigned char)p->at[size - 1]))
        size--;
    if (size == 0 && format->typesize > 0)
        return refuse(p, "a value");
    char *const text = strndup(p->at, size);
    if (!text)
        return report_nomem(p->err, (int64_t)size);
    const tess_status st = format->fields ? parse_bytes(format, text, item, p->err)
                                          : item_scalar_parse(format, text, item, p->err);
    free(text);
    p->at = end;
    return st;
}

static tess_status take_structure(struct parse *p, const struct item_format *format, uint8_t *item);

// Of a field, from an axis of its sub-array on; *item becomes what lies behind them.
static tess_status
take_elements(struct parse *p, const struct item_format *format, const struct field *f, int axis,
              uint8_t **item)
{
    tess_status st = TESS_OK;

    if (axis == f->ndim) {
        st = format->fields && peek(p) == '(' ? take_structure(p, format, *item)
                                              : take_scalar(p, format, *item);
        *item += f->size;
        return st;
    }
    TRY(expect(p, '['));
    for (int64_t i = 0; i < f->shape[axis]; i++) {
        if (i > 0 && peek(p) == ']')
            return report_set(p->err, TESS_ERR_ARG,
                              "%" PRId64 " elements in brackets, there are %" PRId64, i,
                              f->shape[axis]);
        if (i > 0)
            TRY(expect(p, ','));
        TRY(take_elements(p, format, f, axis + 1, item));
    }
    if (peek(p) == ',')
        return report_set(p->err, TESS_ERR_ARG, "more than %" PRId64 " elements in brackets",
                          f->shape[axis]);
    st = expect(p, ']');
out:
    return st;
}

// -- fields

// One with a single field may end in a comma, as in Python.
static tess_status
take_structure(struct parse *p, const struct item_format *format, uint8_t *item)
{
    const struct fields *const fields = format->fields;
    const size_t above = strlen(p->field);
    tess_status st = TESS_OK;

    TRY(expect(p, '('));
    for (int i = 0; i < fields->count; i++) {
        uint8_t *at = item + fields->items[i].offset;

        (void)snprintf(p->field + above, sizeof p->field - above, "%s%s", above > 0 ? "." : "",
                       fields->items[i].name);
        if (peek(p) == ')')
            return report_set(p->err, TESS_ERR_ARG, "there are %d values for %d fields", i,
                              fields->count);
        if (i > 0)
            TRY(expect(p, ','));
        TRY(take_elements(p, &format->parts[i], &fields->items[i], 0, &at));
    }
    p->field[above] = '\0';
    if (fields->count == 1)
        (void)accept(p, ',');
    if (peek(p) == ',')
        return report_set(p->err, TESS_ERR_ARG, "more values than the %d fields", fields->count);
    st = expect(p, ')');
out:
    return st;
}

static tess_status
parse_structure(const struct item_format *format, const char *text, uint8_t *item, tess_error *err)
{
    struct parse p = {.at = text, .err = err};

    memset(item, 0, (size_t)format->typesize); // padding
    const tess_status st = take_structure(&p, format, item);
    if (st == TESS_OK && peek(&p))
        return report_set(err, TESS_ERR_ARG, "%.40s: stands behind the last )", p.at);
    if (st == TESS_OK || !p.field[0])
        return st;
    const tess_error reason = *err;
    return report_set(err, st, "field %s: %s", p.field, reason.message);
}

tess_status
item_parse(const struct item_format *format, const char *text, uint8_t *item, tess_error *err)
{
    if (!format->fields)
        return item_scalar_parse(format, text, item, err);
    return text[strspn(text, " ")] == '(' ? parse_structure(format, text, item, err)
                                          : parse_bytes(format, text, item, err);
}
