/*
 * item_scalar.c - one item that is no structure, from its text.
 *
 * A float is rounded to the nearest one of its type; an integer, a date or a string that the type
 * does not have is refused.
 */
#include "text/items/item_scalar.h"

#include "meta/text.h"
#include "report.h"
#include "text/items/date.h"
#include "text/items/real.h"
#include "text/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static tess_status
refuse(const char *text, const char *what, tess_error *err)
{
    return report_set(err, TESS_ERR_ARG, "%.80s: not %s", text, what);
}

// -- integers

static bool
is_digits(const char *text)
{
    return text[0] && text[strspn(text, "0123456789")] == '\0';
}

static tess_status
parse_signed(const char *text, int size, char order, uint8_t *item, tess_error *err)
{
    const int64_t most = (int64_t)(UINT64_MAX >> (65 - 8 * size));
    const int64_t least = -most - 1;
    int64_t v = 0;

    if (!is_digits(text[0] == '-' || text[0] == '+' ? text + 1 : text))
        return refuse(text, "an integer", err);
    if (!text_int64(text, &v) || v < least || v > most)
        return report_set(err, TESS_ERR_ARG,
                          "%.80s: out of range; integers of %d bytes go from %" PRId64
                          " to %" PRId64,
                          text, size, least, most);
    item_store((uint64_t)v, size, order, item);
    return TESS_OK;
}

static tess_status
parse_unsigned(const char *text, int size, char order, uint8_t *item, tess_error *err)
{
    const uint64_t most = UINT64_MAX >> (64 - 8 * size);

    if (!is_digits(text[0] == '-' || text[0] == '+' ? text + 1 : text))
        return refuse(text, "an integer", err);
    errno = 0;
    const uint64_t v = strtoull(text, NULL, 10);
    if (errno != 0 || v > most || (text[0] == '-' && v != 0))
        return report_set(
            err, TESS_ERR_ARG,
            "%.80s: out of range; unsigned integers of %d bytes go from 0 to %" PRIu64, text, size,
            most);
    item_store(v, size, order, item);
    return TESS_OK;
}

static tess_status
parse_bool(const char *text, uint8_t *item, tess_error *err)
{
    static const char *const names[2][3] = {{"False", "false", "0"}, {"True", "true", "1"}};

    for (int v = 0; v < 2; v++)
        for (int i = 0; i < 3; i++)
            if (strcmp(text, names[v][i]) == 0) {
                *item = (uint8_t)v;
                return TESS_OK;
            }
    return refuse(text, "True or False", err);
}

// -- floats

// The bits of a half, of a number that real_round() has made one.
static uint64_t
half_bits(double v)
{
    const uint64_t sign = signbit(v) ? 0x8000 : 0;
    const double size = fabs(v);

    if (isnan(v))
        return sign | 0x7e00;
    if (isinf(v))
        return sign | 0x7c00;
    if (size < 0x1p-14)
        return sign | (uint64_t)ldexp(size, 24);
    const int exponent = ilogb(size);
    return sign | (uint64_t)(exponent + 15) << 10 | ((uint64_t)ldexp(size, 10 - exponent) & 0x3ff);
}

static void
store_real(double v, int size, char order, uint8_t *bytes)
{
    uint64_t bits = 0;

    if (size == 8) {
        memcpy(&bits, &v, sizeof v);
    } else if (size == 4) {
        const float single = (float)v;
        uint32_t low;

        memcpy(&low, &single, sizeof single);
        bits = low;
    } else {
        bits = half_bits(real_round(v, 2));
    }
    item_store(bits, size, order, bytes);
}

// Whether v, read from decimal digits, is beyond what a float of that size has.
static bool
is_too_large(double v, int size)
{
    return size == 2 ? fabs(v) >= 65520 : size == 4 ? isinf((float)v) : isinf(v);
}

// A number at *p, and what stands behind it.
static tess_status
take_real(const char *text, const char **p, int size, char order, uint8_t *bytes, tess_error *err)
{
    char *end = NULL;

    if (isspace((unsigned char)**p))
        return refuse(text, "a number", err);
    const double v = strtod(*p, &end);
    const size_t length = (size_t)(end - *p);
    if (length == 0 || memchr(*p, 'x', length) || memchr(*p, 'X', length) ||
        memchr(*p, '(', length))
        return refuse(text, "a number", err);
    const char *const digits = **p == '-' || **p == '+' ? *p + 1 : *p;
    const bool finite = isdigit((unsigned char)*digits) || *digits == '.';
    if (finite && is_too_large(v, size))
        return report_set(err, TESS_ERR_ARG, "%.80s: out of range; floats of %d bytes go up to %s",
                          text, size,
                          size == 2   ? "65504"
                          : size == 4 ? "3.4e+38"
                                      : "1.8e+308");
    store_real(size == 4 && !isnan(v) && finite ? (double)strtof(*p, NULL) : v, size, order, bytes);
    *p = end;
    return TESS_OK;
}

static tess_status
parse_real(const char *text, int size, char order, uint8_t *item, tess_error *err)
{
    const char *p = text;
    const tess_status st = take_real(text, &p, size, order, item, err);

    return st == TESS_OK && *p ? refuse(text, "a number", err) : st;
}

// A real part, an imaginary one with a j, or both; in parentheses, too, as Python prints them.
static tess_status
parse_complex(const char *text, int size, char order, uint8_t *item, tess_error *err)
{
    const bool enclosed = text[0] == '(';
    const char *p = text + enclosed;
    tess_status st = TESS_OK;
    bool imaginary = false;

    store_real(0, size, order, item);
    store_real(0, size, order, item + size);
    TRY(take_real(text, &p, size, order, item, err));
    if (*p == 'j') {
        memcpy(item + size, item, (size_t)size);
        store_real(0, size, order, item);
        imaginary = true;
    } else if (*p == '+' || *p == '-') {
        TRY(take_real(text, &p, size, order, item + size, err));
        imaginary = *p == 'j';
        if (!imaginary)
            return refuse(text, "a complex number such as 1.5-2j", err);
    }
    p += imaginary;
    p += enclosed && *p == ')';
    if (*p || (enclosed && p[-1] != ')'))
        st = refuse(text, "a complex number such as 1.5-2j", err);
out:
    return st;
}

// -- strings

static tess_status
parse_bytes(const char *text, int32_t size, uint8_t *item, tess_error *err)
{
    const size_t length = strlen(text);

    if (length > (size_t)size)
        return report_set(err, TESS_ERR_ARG, "%.80s: %zu bytes, items have %" PRId32, text, length,
                          size);
    memset(item, 0, (size_t)size);
    memcpy(item, text, length);
    return TESS_OK;
}

// The code point at p, which takes n bytes of UTF-8.
static uint32_t
code_point(const unsigned char *p, size_t n)
{
    uint32_t c = n == 1 ? *p : *p & (0x7fu >> n);

    for (size_t i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3f);
    return c;
}

static tess_status
parse_unicode(const char *text, int32_t size, char order, uint8_t *item, tess_error *err)
{
    const unsigned char *p = (const unsigned char *)text;
    int32_t at = 0;

    memset(item, 0, (size_t)size);
    for (; *p; at += 4) {
        const size_t n = utf8_length(p, strlen((const char *)p));

        if (n == 0)
            return refuse(text, "UTF-8", err);
        if (at == size)
            return report_set(err, TESS_ERR_ARG, "%.80s: longer than %" PRId32 " characters", text,
                              size / 4);
        item_store(code_point(p, n), 4, order, item + at);
        p += n;
    }
    return TESS_OK;
}

static const char *
quoted_end(const char *text)
{
    const char *p = text + 1;

    while (*p && *p != *text)
        p += *p == '\\' && p[1] ? 2 : 1;
    return *p ? p : NULL;
}

// Behind a backslash.
static bool
take_escape(const char **p, bool unicode, uint32_t *c)
{
    const int digits = **p == 'x' ? 2 : **p == 'U' && unicode ? 8 : 0;
    char hex[9] = "";

    if (digits == 0) {
        *c = (unsigned char)*(*p)++;
        return *c == '"' || *c == '\'' || *c == '\\';
    }
    for (int i = 0; i < digits; i++) {
        hex[i] = (*p)[1 + i];
        if (!isxdigit((unsigned char)hex[i]))
            return false;
    }
    *c = (uint32_t)strtoul(hex, NULL, 16);
    *p += 1 + digits;
    return true;
}

// A code point, or a byte of a string of bytes.
static bool
take_character(const char **p, const char *end, bool unicode, uint32_t *c)
{
    const unsigned char *const at = (const unsigned char *)*p;

    if (*at == '\\') {
        ++*p;
        return take_escape(p, unicode, c);
    }
    const size_t n = unicode ? utf8_length(at, (size_t)(end - *p)) : 1;
    if (n == 0)
        return false;
    *c = unicode ? code_point(at, n) : *at;
    *p += n;
    return true;
}

tess_status
item_quoted_parse(const struct item_format *format, const char **text, uint8_t *item,
                  tess_error *err)
{
    const bool unicode = format->type.kind == TESS_KIND_UNICODE;
    const int32_t size = format->typesize, width = unicode ? 4 : 1;
    const char *const end = **text == '"' || **text == '\'' ? quoted_end(*text) : NULL;
    const char *p = *text + 1;

    if (!end)
        return refuse(*text, "a string in quotes", err);
    const int length = (int)(end + 1 - *text < 80 ? end + 1 - *text : 80); // shown of it
    memset(item, 0, (size_t)size);
    for (int32_t at = 0; p < end; at += width) {
        uint32_t c = 0;

        if (!take_character(&p, end, unicode, &c))
            return report_set(err, TESS_ERR_ARG, "%.*s: not UTF-8, or a \\ that stands for nothing",
                              length, *text);
        if (at == size)
            return report_set(err, TESS_ERR_ARG, "%.*s: longer than %" PRId32 " %s", length, *text,
                              size / width, unicode ? "characters" : "bytes");
        item_store(c, width, format->type.order, item + at);
    }
    *text = end + 1;
    return TESS_OK;
}

// -- times

static tess_status
parse_date(const char *text, const char *unit, int64_t *count, tess_error *err)
{
    switch (date_parse(text, unit, count)) {
    case DATE_FINE:
        return TESS_OK;
    case DATE_NOT_WHOLE:
        return report_set(err, TESS_ERR_ARG, "%.80s: no whole number of the unit %s of the items",
                          text, unit);
    case DATE_TOO_FAR:
        return report_set(err, TESS_ERR_ARG, "%.80s: out of range of dates in the unit %s", text,
                          unit);
    default:
        return refuse(text, "a date such as 2024-01-31 or 2024-01-31T12:30:00", err);
    }
}

// "25s"; of units such as 10s, "2510s".
static bool
has_unit(const char *text, const char *unit)
{
    return unit[0] && text_ends_with(text, unit);
}

// A count with its unit, or without.
static tess_status
parse_count(const char *text, const char *unit, int64_t *count, tess_error *err)
{
    const size_t length = strlen(text) - (has_unit(text, unit) ? strlen(unit) : 0);
    char number[24];

    (void)snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : 0), text);
    if (!text_int64(number, count) || *count == INT64_MIN)
        return report_set(err, TESS_ERR_ARG, "%.80s: not a count such as 5%s, or NaT", text, unit);
    return TESS_OK;
}

static tess_status
parse_time(const struct item_format *format, const char *text, uint8_t *item, tess_error *err)
{
    char unused[DATE_TEXT_SIZE];
    const bool is_date = format->type.kind == TESS_KIND_DATETIME &&
                         !has_unit(text, format->unit) && // far ones are printed as counts
                         date_format(0, format->unit, unused);
    int64_t count = INT64_MIN;
    tess_status st = TESS_OK;

    if (strcmp(text, "NaT") != 0)
        st = is_date ? parse_date(text, format->unit, &count, err)
                     : parse_count(text, format->unit, &count, err);
    item_store((uint64_t)count, 8, format->type.order, item);
    return st;
}

// -- anything else

static tess_status
parse_hex(const char *text, int32_t size, uint8_t *item, tess_error *err)
{
    for (int32_t i = 0; i < 2 * size; i++) {
        const int c = tolower((unsigned char)text[i]);

        if (!isxdigit(c))
            return report_set(err, TESS_ERR_ARG,
                              "%.80s: not %" PRId64 " digits in hexadecimal, as items of such a "
                              "type are written",
                              text, 2 * (int64_t)size);
        const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
        item[i / 2] = (uint8_t)(i % 2 ? item[i / 2] | digit : digit << 4);
    }
    return text[2 * size] ? refuse(text, "an item in hexadecimal: it is too long", err) : TESS_OK;
}

tess_status
item_scalar_parse(const struct item_format *format, const char *text, uint8_t *item,
                  tess_error *err)
{
    const char order = format->type.order;
    const int32_t size = format->typesize;

    switch (format->type.kind) {
    case TESS_KIND_BOOL:
        return parse_bool(text, item, err);
    case TESS_KIND_INT:
        return parse_signed(text, size, order, item, err);
    case TESS_KIND_UINT:
        return parse_unsigned(text, size, order, item, err);
    case TESS_KIND_FLOAT:
        return parse_real(text, size, order, item, err);
    case TESS_KIND_COMPLEX:
        return parse_complex(text, size / 2, order, item, err);
    case TESS_KIND_BYTES:
        return parse_bytes(text, size, item, err);
    case TESS_KIND_UNICODE:
        return parse_unicode(text, size, order, item, err);
    case TESS_KIND_DATETIME:
    case TESS_KIND_TIMEDELTA:
        return parse_time(format, text, item, err);
    default:
        return parse_hex(text, size, item, err);
    }
}
