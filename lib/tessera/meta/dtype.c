/*
 * dtype.c - NumPy type strings: kind, byte order and size.
 *
 *   string  = scalar | list | dict | tuple
 *   scalar  = [<>|=] letter [bytes] [unit] | name          <f8  M8[25us]  float64
 *   list    = [field, ...]                                 [('a', '<i4'), ('b', '<f8', (2, 3))]
 *   field   = (name, type [, shape]), where name can be (title, name)
 *   dict    = {'names': [...], 'formats': [type, ...], 'offsets': [...], 'itemsize': n, ...}
 *   tuple   = (type, shape)                                ('<f8', (2, 3))
 *   type    = 'scalar' | list | dict | tuple
 *
 * Strings come from files: nothing is allocated, sums are checked, nesting is bounded, and every
 * character is looked at a bounded number of times. What is not understood is opaque.
 *
 * Not here: the fields themselves. The library moves items as they are.
 */
#include "meta/dtype.h"

#include "base/checked.h"
#include "base/swap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEPTH_MAX 32

// A cursor as in base/bytes.h: what does not fit sets `bad` for good, and then nothing is ahead.
struct in {
    const char *at;
    const char *end;
    int depth;
    bool bad;
};

// A run of characters of the string.
struct text {
    const char *at;
    size_t size;
};

static bool
text_is(struct text t, const char *s)
{
    return t.size == strlen(s) && memcmp(t.at, s, t.size) == 0;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- scalars ---- */

static const struct {
    const char *name;
    tess_dtype dtype;
} names[] = {
    {"bool", {TESS_KIND_BOOL, '|', 1}},         {"int8", {TESS_KIND_INT, '|', 1}},
    {"int16", {TESS_KIND_INT, '<', 2}},         {"int32", {TESS_KIND_INT, '<', 4}},
    {"int64", {TESS_KIND_INT, '<', 8}},         {"uint8", {TESS_KIND_UINT, '|', 1}},
    {"uint16", {TESS_KIND_UINT, '<', 2}},       {"uint32", {TESS_KIND_UINT, '<', 4}},
    {"uint64", {TESS_KIND_UINT, '<', 8}},       {"float16", {TESS_KIND_FLOAT, '<', 2}},
    {"float32", {TESS_KIND_FLOAT, '<', 4}},     {"float64", {TESS_KIND_FLOAT, '<', 8}},
    {"complex64", {TESS_KIND_COMPLEX, '<', 8}}, {"complex128", {TESS_KIND_COMPLEX, '<', 16}},
};

static const tess_dtype not_understood = {TESS_KIND_OPAQUE, '|', 0};

// The decimal number ahead, at most INT32_MAX.
static int64_t
number(struct in *in)
{
    int64_t n = 0;

    if (in->at == in->end || !is_digit(*in->at))
        in->bad = true;
    for (; in->at < in->end && is_digit(*in->at) && !in->bad; in->at++) {
        n = 10 * n + (*in->at - '0');
        if (n > INT32_MAX)
            in->bad = true;
    }
    return in->bad ? 0 : n;
}

// What a letter stands for, and the sizes it can have: bits 1 << bytes, or 0 for any.
static const struct {
    char letter;
    tess_kind kind;
    uint64_t sizes;
} letters[] = {
    {'b', TESS_KIND_BOOL, 1 << 1},
    {'i', TESS_KIND_INT, 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8},
    {'u', TESS_KIND_UINT, 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8},
    {'f', TESS_KIND_FLOAT, 1 << 2 | 1 << 4 | 1 << 8 | 1 << 10 | 1 << 12 | 1 << 16},
    {'c', TESS_KIND_COMPLEX, 1 << 8 | 1 << 16 | 1 << 20 | 1 << 24 | UINT64_C(1) << 32},
    {'M', TESS_KIND_DATETIME, 1 << 8},
    {'m', TESS_KIND_TIMEDELTA, 1 << 8},
    {'S', TESS_KIND_BYTES, 0},
    {'a', TESS_KIND_BYTES, 0}, // the old letter of S
    {'U', TESS_KIND_UNICODE, 0},
    {'V', TESS_KIND_OPAQUE, 0},
};

static bool
find_letter(char letter, int64_t size, tess_kind *kind)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter) {
            *kind = letters[i].kind;
            return letters[i].sizes == 0 || (size < 64 && (letters[i].sizes >> size & 1));
        }
    return false;
}

// "[ns]", "[25us]", or nothing: what follows M8 and m8.
static bool
is_unit(struct text t)
{
    static const char *const units[] = {"Y",  "M",  "W",  "D",  "h",  "m",  "s",
                                        "ms", "us", "ns", "ps", "fs", "as", "generic"};

    if (t.size == 0)
        return true;
    if (t.size < 2 || t.at[0] != '[' || t.at[t.size - 1] != ']')
        return false;
    t.at++;
    t.size -= 2;
    while (t.size > 0 && is_digit(*t.at)) {
        t.at++;
        t.size--;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text_is(t, units[i]))
            return true;
    return false;
}

// Where there is an order, the native one ('=', or '|' where it makes no sense) is taken as little.
static char
dtype_order_of(tess_kind kind, int64_t size, char order)
{
    if (kind == TESS_KIND_OPAQUE || kind == TESS_KIND_BYTES || size <= 1)
        return '|';
    return order == '>' ? '>' : '<';
}

// "f8", "S12", "M8[ns]". Size 0 is fine, as a field.
static tess_dtype
letter_and_size(struct text t, char order, bool *bad)
{
    struct in in = {.at = t.at, .end = t.at + t.size};
    const char letter = t.size > 0 ? *in.at++ : '\0';
    int64_t size = number(&in);
    const struct text rest = {in.at, (size_t)(in.end - in.at)};
    tess_kind kind = TESS_KIND_OPAQUE;

    const bool known = !in.bad && find_letter(letter, size, &kind);
    const bool timed = kind == TESS_KIND_DATETIME || kind == TESS_KIND_TIMEDELTA;
    if (kind == TESS_KIND_UNICODE)
        size *= 4; // UCS-4
    if (!known || size > INT32_MAX || !(timed ? is_unit(rest) : rest.size == 0)) {
        *bad = true;
        return not_understood;
    }
    return (tess_dtype){kind, dtype_order_of(kind, size, order), (int32_t)size};
}

static tess_dtype
scalar(struct text t, bool *bad)
{
    char order = '<';

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is(t, names[i].name))
            return names[i].dtype;
    if (t.size > 0 && memchr("<>|=", t.at[0], 4)) {
        order = t.at[0];
        t.at++;
        t.size--;
    }
    if (text_is(t, "?"))
        return (tess_dtype){TESS_KIND_BOOL, '|', 1};
    return letter_and_size(t, order, bad);
}

/* ---- the notation of Python ---- */

static void
skip_space(struct in *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\n' || *in->at == '\t'))
        in->at++;
}

// The next character that is not a space, or NUL at the end and after a failure.
static char
dtype_peek(struct in *in)
{
    skip_space(in);
    return in->at < in->end && !in->bad ? *in->at : '\0';
}

static bool
accept(struct in *in, char c)
{
    if (dtype_peek(in) != c)
        return false;
    in->at++;
    return true;
}

static void
dtype_expect(struct in *in, char c)
{
    if (!accept(in, c))
        in->bad = true;
}

// After an opening bracket: is there an element? Takes the closing one if not.
static bool
some(struct in *in, char close)
{
    return !accept(in, close) && !in->bad;
}

// After an element: is there another? Takes the comma, also one before the end, or the end.
static bool
another(struct in *in, char close)
{
    const bool comma = accept(in, ',');
    if (accept(in, close))
        return false;
    if (!comma)
        in->bad = true;
    return !in->bad;
}

// A string in quotes of either kind; escapes are stepped over, not decoded.
static struct text
quoted(struct in *in)
{
    const char quote = dtype_peek(in);
    struct text t = {in->at, 0};

    if (quote != '\'' && quote != '"') {
        in->bad = true;
        return t;
    }
    t.at = ++in->at;
    while (in->at < in->end && *in->at != quote)
        in->at += *in->at == '\\' && in->end - in->at > 1 ? 2 : 1;
    t.size = (size_t)(in->at - t.at);
    dtype_expect(in, quote);
    return t;
}

// Any value, without a look at what it means: up to a comma or bracket of its surroundings.
static void
skip_value(struct in *in)
{
    int open = 0;

    for (char c = dtype_peek(in); !in->bad; c = dtype_peek(in)) {
        if (open == 0 && (c == ',' || c == ']' || c == ')' || c == '}'))
            return;
        if (c == '\0') {
            in->bad = true;
        } else if (c == '\'' || c == '"') {
            (void)quoted(in);
        } else {
            open += c == '[' || c == '(' || c == '{';
            open -= c == ']' || c == ')' || c == '}';
            in->at++;
        }
    }
}

static int64_t
integer(struct in *in)
{
    skip_space(in);
    return number(in);
}

// A size that may not be one.
static int32_t
fitting(struct in *in, int64_t size)
{
    if (size > INT32_MAX)
        in->bad = true;
    return in->bad ? 0 : (int32_t)size;
}

/* ---- structures ---- */

static tess_dtype type(struct in *in);

// Of a sub-array: "(2, 3)", "(2,)", "()", "2". Returns the product.
static int64_t
shape(struct in *in)
{
    int64_t product = 1;

    if (!accept(in, '('))
        return integer(in);
    for (bool more = some(in, ')'); more; more = another(in, ')'))
        if (!mul_i64(product, integer(in), &product))
            in->bad = true;
    return product;
}

// "type)" or "type, shape)": the rest of a tuple. Returns the bytes.
static int64_t
type_and_shape(struct in *in)
{
    int64_t size = type(in).size;

    if (another(in, ')')) {
        if (!mul_i64(size, shape(in), &size))
            in->bad = true;
        dtype_expect(in, ')');
    }
    return size;
}

static void
field_name(struct in *in)
{
    if (accept(in, '(')) {
        (void)quoted(in); // a title
        dtype_expect(in, ',');
        (void)quoted(in);
        dtype_expect(in, ')');
    } else {
        (void)quoted(in);
    }
}

static int64_t
dtype_list(struct in *in)
{
    int64_t size = 0;

    dtype_expect(in, '[');
    for (bool more = some(in, ']'); more; more = another(in, ']')) {
        dtype_expect(in, '(');
        field_name(in);
        dtype_expect(in, ',');
        if (!add_i64(size, type_and_shape(in), &size))
            in->bad = true;
    }
    return size;
}

// The values of a dict, each at its first character; `at` is NULL where one is missing.
struct dict {
    struct in names;
    struct in formats;
    struct in offsets;
    struct in itemsize;
};

static void
dict_entry(struct in *in, struct dict *d)
{
    const struct text key = quoted(in);

    dtype_expect(in, ':');
    (void)dtype_peek(in);
    if (text_is(key, "names"))
        d->names = *in;
    else if (text_is(key, "formats"))
        d->formats = *in;
    else if (text_is(key, "offsets"))
        d->offsets = *in;
    else if (text_is(key, "itemsize"))
        d->itemsize = *in;
    else if (!text_is(key, "titles") && !text_is(key, "aligned"))
        in->bad = true;
    skip_value(in);
}

// The three lists side by side. True if they are equally long and each field lies in the item.
static bool
fields_fit(struct dict *d, int64_t itemsize)
{
    struct in *const lists[] = {&d->names, &d->formats, &d->offsets};
    int more = 0;

    for (int i = 0; i < 3; i++) {
        dtype_expect(lists[i], '[');
        more += some(lists[i], ']');
    }
    while (more == 3) {
        (void)quoted(&d->names);
        if (integer(&d->offsets) + type(&d->formats).size > itemsize)
            return false;
        more = 0;
        for (int i = 0; i < 3; i++)
            more += another(lists[i], ']');
    }
    return more == 0 && !d->names.bad && !d->formats.bad && !d->offsets.bad;
}

// The lists are stepped over first and read once, so that nested dicts take no more time than
// others.
static int64_t
dict(struct in *in)
{
    struct dict d = {0};

    dtype_expect(in, '{');
    for (bool more = some(in, '}'); more; more = another(in, '}'))
        dict_entry(in, &d);
    if (in->bad || !d.names.at || !d.formats.at || !d.offsets.at || !d.itemsize.at) {
        in->bad = true;
        return 0;
    }
    const int64_t itemsize = integer(&d.itemsize);
    if (d.itemsize.bad || !fields_fit(&d, itemsize))
        in->bad = true;
    return itemsize;
}

static tess_dtype
type_by_bracket(struct in *in)
{
    switch (dtype_peek(in)) {
    case '[':
        return (tess_dtype){TESS_KIND_STRUCT, '|', fitting(in, dtype_list(in))};
    case '{':
        return (tess_dtype){TESS_KIND_STRUCT, '|', fitting(in, dict(in))};
    case '(':
        in->at++;
        return (tess_dtype){TESS_KIND_OPAQUE, '|', fitting(in, type_and_shape(in))};
    default:
        return scalar(quoted(in), &in->bad);
    }
}

static tess_dtype
type(struct in *in)
{
    tess_dtype t = not_understood;

    if (in->depth == DEPTH_MAX) {
        in->bad = true;
    } else {
        in->depth++;
        t = type_by_bracket(in);
        in->depth--;
    }
    return t;
}

tess_dtype
dtype_parse(const char *str)
{
    struct in in = {.at = str};
    tess_dtype t;

    if (!str || *str == '\0')
        return not_understood;
    in.end = str + strlen(str);
    if (strchr("[{(", *str)) {
        t = type(&in);
        if (dtype_peek(&in) != '\0')
            in.bad = true;
    } else {
        t = scalar((struct text){str, (size_t)(in.end - str)}, &in.bad);
    }
    return in.bad || t.size == 0 ? not_understood : t;
}

int32_t
dtype_word(const tess_dtype *type)
{
    return type->kind == TESS_KIND_UNICODE   ? 4
           : type->kind == TESS_KIND_COMPLEX ? type->size / 2
                                             : type->size;
}

bool
dtype_is_number(const tess_dtype *type)
{
    const int32_t size = type->size;
    const bool power = size == 1 || size == 2 || size == 4 || size == 8;
    switch (type->kind) {
    case TESS_KIND_BOOL:
        return size == 1;
    case TESS_KIND_INT:
    case TESS_KIND_UINT:
        return power;
    case TESS_KIND_FLOAT:
        return power && size > 1;
    default:
        return false;
    }
}

bool
dtype_is_turned(const tess_dtype *type)
{
    return type->order == (machine_is_big_endian() ? '<' : '>');
}

bool
dtype_nan(const tess_dtype *dtype, uint8_t *item)
{
    static const uint8_t high[] = {[2] = 0x7e, [4] = 0x7f, [8] = 0x7f};
    static const uint8_t next[] = {[2] = 0x00, [4] = 0xc0, [8] = 0xf8};
    const int32_t size = dtype->kind == TESS_KIND_COMPLEX ? dtype->size / 2 : dtype->size;
    const bool big = dtype->order == '>';
    if ((dtype->kind != TESS_KIND_FLOAT && dtype->kind != TESS_KIND_COMPLEX) ||
        (size != 2 && size != 4 && size != 8))
        return false;
    memset(item, 0, (size_t)dtype->size);
    item[big ? 0 : size - 1] = high[size];
    item[big ? 1 : size - 2] = next[size];
    return true;
}
