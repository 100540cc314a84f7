/*
 * fields.c - the fields of a structured type.
 *
 * tess_dtype_parse() has looked at the whole string before: brackets match, sizes fit into an item
 * below 2^31 bytes, and fields with offsets lie inside the item. What it looks over, such as the
 * product of a shape, is checked here.
 */
#include "text/items/fields.h"

#include <tessera/dtype.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A position in the string. What does not fit sets `bad` for good.
struct cursor {
    const char *at;
    bool bad;
};

static char
peek(struct cursor *c)
{
    c->at += strspn(c->at, " \t\n");
    return c->bad ? '\0' : *c->at;
}

static bool
accept(struct cursor *c, char wanted)
{
    if (peek(c) != wanted)
        return false;
    c->at++;
    return true;
}

static void
expect(struct cursor *c, char wanted)
{
    if (!accept(c, wanted))
        c->bad = true;
}

// After an element: whether there is another one.
static bool
another(struct cursor *c, char close)
{
    const bool comma = accept(c, ',');

    if (accept(c, close))
        return false;
    if (!comma)
        c->bad = true;
    return !c->bad;
}

static void
skip_quoted(struct cursor *c)
{
    const char quote = *c->at++;

    while (*c->at && *c->at != quote)
        c->at += *c->at == '\\' && c->at[1] ? 2 : 1;
    if (*c->at)
        c->at++;
    else
        c->bad = true;
}

// Up to the comma or bracket of its surroundings.
static void
skip_value(struct cursor *c)
{
    int open = 0;

    for (char next = peek(c); !c->bad; next = peek(c)) {
        if (open == 0 && (next == ',' || next == ']' || next == ')' || next == '}'))
            return;
        if (next == '\0') {
            c->bad = true;
        } else if (next == '\'' || next == '"') {
            skip_quoted(c);
        } else {
            open += next == '[' || next == '(' || next == '{';
            open -= next == ']' || next == ')' || next == '}';
            c->at++;
        }
    }
}

// -- strings

static char *
put_utf8(char *q, unsigned long code)
{
    if (code < 0x80) {
        *q++ = (char)code;
    } else if (code < 0x800) {
        *q++ = (char)(0xc0 | code >> 6);
        *q++ = (char)(0x80 | (code & 0x3f));
    } else {
        *q++ = (char)(0xe0 | (code >> 12 & 0xf));
        *q++ = (char)(0x80 | (code >> 6 & 0x3f));
        *q++ = (char)(0x80 | (code & 0x3f));
    }
    return q;
}

// What stands behind a backslash; an escape is never shorter than what it stands for.
static char *
put_escape(char *q, const char **p, const char *end)
{
    static const char letters[] = "n\nt\tr\r";
    const char c = *(*p)++;
    const int digits = c == 'x' ? 2 : c == 'u' ? 4 : 0;
    char hex[5] = "";

    if (digits > 0 && end - *p >= digits) {
        memcpy(hex, *p, (size_t)digits);
        *p += digits;
        return put_utf8(q, strtoul(hex, NULL, 16));
    }
    for (const char *l = letters; *l; l += 2)
        if (*l == c) {
            *q++ = l[1];
            return q;
        }
    *q++ = c;
    return q;
}

// A string in quotes, decoded, or NULL.
static char *
take_quoted(struct cursor *c)
{
    const char quote = peek(c);
    const char *p = c->at + 1;

    if (quote != '\'' && quote != '"') {
        c->bad = true;
        return NULL;
    }
    skip_quoted(c);
    const char *const end = c->at - 1;
    char *const text = c->bad ? NULL : malloc((size_t)(end - p) + 1);
    char *q = text;
    if (!text) {
        c->bad = true;
        return NULL;
    }
    while (p < end)
        if (*p == '\\' && end - p > 1) {
            p++;
            q = put_escape(q, &p, end);
        } else {
            *q++ = *p++;
        }
    *q = '\0';
    return text;
}

static char *
take_value(struct cursor *c)
{
    (void)peek(c);
    const char *const from = c->at;

    skip_value(c);
    char *const text = c->bad ? NULL : strndup(from, (size_t)(c->at - from));
    if (!text)
        c->bad = true;
    return text;
}

// -- one field

static int64_t
take_number(struct cursor *c)
{
    int64_t n = 0;

    if (!isdigit((unsigned char)peek(c)))
        c->bad = true;
    for (; !c->bad && isdigit((unsigned char)*c->at); c->at++) {
        n = 10 * n + (*c->at - '0');
        if (n > INT32_MAX)
            c->bad = true;
    }
    return n;
}

static void
add_axis(struct cursor *c, struct field *f)
{
    const int64_t length = take_number(c);

    if (f->ndim == TESS_MAX_NDIM || __builtin_mul_overflow(f->count, length, &f->count))
        c->bad = true;
    else
        f->shape[f->ndim++] = length;
}

// "(2, 3)", "(2,)", "()" or "2"
static void
take_shape(struct cursor *c, struct field *f)
{
    if (!accept(c, '(')) {
        add_axis(c, f);
        return;
    }
    for (bool more = !accept(c, ')'); more && !c->bad; more = another(c, ')'))
        add_axis(c, f);
}

// Of `(type, shape)`, the type, with the shape behind that of the field.
static void
take_tuple(struct cursor *c, struct field *f)
{
    expect(c, '(');
    free(f->dtype);
    f->dtype = take_value(c);
    if (another(c, ')')) {
        take_shape(c, f);
        expect(c, ')');
    }
}

// The type of the elements, without quotes and shapes.
static void
settle_type(struct cursor *c, struct field *f)
{
    while (!c->bad && f->dtype[0] == '(') {
        char *const tuple = f->dtype;
        struct cursor inner = {.at = tuple};

        f->dtype = NULL;
        take_tuple(&inner, f);
        free(tuple);
        c->bad = c->bad || inner.bad;
    }
    if (!c->bad && (f->dtype[0] == '\'' || f->dtype[0] == '"')) {
        struct cursor inner = {.at = f->dtype};
        char *const text = take_quoted(&inner);

        free(f->dtype);
        f->dtype = text;
        c->bad = text == NULL;
    }
    if (c->bad)
        return;
    f->size = tess_dtype_parse(f->dtype).size;
    int64_t bytes = 0;
    // a sub-array without bytes could have any number of elements
    if (__builtin_mul_overflow(f->count, (int64_t)f->size, &bytes) || bytes > INT32_MAX ||
        (f->ndim > 0 && bytes == 0))
        c->bad = true;
}

static void
finish_field(struct field *f)
{
    free(f->name);
    free(f->title);
    free(f->dtype);
}

// NumPy calls those without a name by their number.
static bool
give_name(struct fields *fields, struct field *f)
{
    if (f->name[0])
        return true;
    free(f->name);
    f->name = NULL;
    return asprintf(&f->name, "f%d", fields->count) >= 0;
}

// The fields own *f from here on, or it is freed.
static void
add_field(struct cursor *c, struct fields *fields, struct field *f)
{
    if (!c->bad && fields->count == fields->capacity) {
        const int capacity = 2 * fields->capacity + 8;
        struct field *const items = realloc(fields->items, (size_t)capacity * sizeof *items);

        if (items) {
            fields->items = items;
            fields->capacity = capacity;
        } else {
            c->bad = true;
        }
    }
    if (c->bad || !give_name(fields, f)) {
        c->bad = true;
        finish_field(f);
        return;
    }
    fields->items[fields->count++] = *f;
}

static bool
is_padding(const struct field *f)
{
    return f->name && !f->name[0] && f->dtype &&
           tess_dtype_parse(f->dtype).kind == TESS_KIND_OPAQUE;
}

// -- a list of fields, one behind the other

static void
take_names(struct cursor *c, struct field *f)
{
    if (!accept(c, '(')) {
        f->name = take_quoted(c);
        return;
    }
    f->title = take_quoted(c);
    expect(c, ',');
    f->name = take_quoted(c);
    expect(c, ')');
}

static void
take_list(struct cursor *c, struct fields *fields)
{
    int64_t offset = 0;

    expect(c, '[');
    for (bool more = !accept(c, ']'); more && !c->bad; more = another(c, ']')) {
        struct field f = {.count = 1, .offset = (int32_t)offset};

        expect(c, '(');
        take_names(c, &f);
        expect(c, ',');
        if (!c->bad)
            f.dtype = take_value(c);
        if (!c->bad && another(c, ')')) {
            take_shape(c, &f);
            expect(c, ')');
        }
        if (!c->bad)
            settle_type(c, &f);
        offset += f.count * f.size;
        if (offset > INT32_MAX)
            c->bad = true;
        if (!c->bad && is_padding(&f))
            finish_field(&f);
        else
            add_field(c, fields, &f);
    }
}

// -- lists side by side

struct lists {
    struct cursor names, formats, offsets, titles;
};

static void
find_lists(struct cursor *c, struct lists *l)
{
    expect(c, '{');
    for (bool more = !accept(c, '}'); more && !c->bad; more = another(c, '}')) {
        char *const key = take_quoted(c);

        expect(c, ':');
        (void)peek(c);
        if (c->bad) {
            free(key);
            return;
        }
        if (strcmp(key, "names") == 0)
            l->names = *c;
        else if (strcmp(key, "formats") == 0)
            l->formats = *c;
        else if (strcmp(key, "offsets") == 0)
            l->offsets = *c;
        else if (strcmp(key, "titles") == 0)
            l->titles = *c;
        free(key);
        skip_value(c);
    }
}

// A title is a string, or None.
static void
take_title(struct cursor *c, struct field *f)
{
    const char next = peek(c);

    if (next == '\'' || next == '"')
        f->title = take_quoted(c);
    else
        skip_value(c);
}

static void
take_dict(struct cursor *c, struct fields *fields)
{
    struct lists l = {.names = {0}};
    struct cursor *const all[] = {&l.names, &l.formats, &l.offsets, &l.titles};

    find_lists(c, &l);
    if (c->bad || !l.names.at || !l.formats.at || !l.offsets.at) {
        c->bad = true;
        return;
    }
    const int n = l.titles.at ? 4 : 3;
    bool more = true;
    for (int i = 0; i < n; i++) {
        expect(all[i], '[');
        more = !accept(all[i], ']') && more;
    }
    while (more && !c->bad) {
        struct field f = {.count = 1};

        f.name = take_quoted(&l.names);
        f.dtype = take_value(&l.formats);
        f.offset = (int32_t)take_number(&l.offsets);
        if (n == 4)
            take_title(&l.titles, &f);
        for (int i = 0; i < n; i++)
            c->bad = c->bad || all[i]->bad;
        if (!c->bad)
            settle_type(c, &f);
        add_field(c, fields, &f);
        for (int i = 0; i < n; i++)
            more = another(all[i], ']') && more;
    }
}

struct fields *
fields_parse(const char *dtype)
{
    struct cursor c = {.at = dtype};
    struct fields *fields = NULL;

    if (tess_dtype_parse(dtype).kind != TESS_KIND_STRUCT)
        return NULL;
    fields = calloc(1, sizeof *fields);
    if (!fields)
        return NULL;
    if (peek(&c) == '[')
        take_list(&c, fields);
    else
        take_dict(&c, fields);
    if (!c.bad)
        return fields;
    fields_free(fields);
    return NULL;
}

void
fields_free(struct fields *fields)
{
    if (!fields)
        return;
    for (int i = 0; i < fields->count; i++)
        finish_field(&fields->items[i]);
    free(fields->items);
    free(fields);
}

const struct field *
fields_find(const struct fields *fields, const char *name, size_t size)
{
    for (int titles = 0; titles < 2; titles++)
        for (int i = 0; i < fields->count; i++) {
            const struct field *const f = &fields->items[i];
            const char *const own = titles ? f->title : f->name;

            if (own && strlen(own) == size && memcmp(own, name, size) == 0)
                return f;
        }
    return NULL;
}
