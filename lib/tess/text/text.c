/*
 * text.c - numbers and shapes as people write them.
 */
#include "text/text.h"

#include "meta/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
text_int64(const char *text, int64_t *value)
{
    const char *digits = *text == '-' || *text == '+' ? text + 1 : text;
    char *end = NULL;

    if (!isdigit((unsigned char)*digits)) // strtoll would take blanks
        return false;
    errno = 0;
    const long long n = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0')
        return false;
    *value = n;
    return true;
}

bool
text_amount(const char *text, double *value)
{
    char *end = NULL;

    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) && *value >= 0;
}

void
text_shape_write(FILE *out, int ndim, const int64_t *shape)
{
    if (ndim == 0)
        fputs("()", out);
    for (int i = 0; i < ndim; i++)
        fprintf(out, "%s%" PRId64, i ? "x" : "", shape[i]);
}

// The character that n bytes of UTF-8 are, where that is of two or three bytes; else 0.
static unsigned
character(const unsigned char *p, size_t n)
{
    return n == 2   ? (p[0] & 0x1fU) << 6 | (p[1] & 0x3fU)
           : n == 3 ? (p[0] & 0xfU) << 12 | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU)
                    : 0;
}

// Control characters of the upper half, marks that turn the direction of writing, ends of lines.
static bool
is_control(unsigned c)
{
    return (c >= 0x80 && c < 0xa0) || c == 0x61c || (c >= 0x200e && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void
write_safely(FILE *out, const char *text, size_t size, bool quoted)
{
    const unsigned char *p = (const unsigned char *)text, *const end = p + size;

    while (p < end) {
        const size_t n = *p ? utf8_length(p, (size_t)(end - p)) : 1;
        const unsigned c = character(p, n);

        if (n == 0 || *p < 0x20 || *p == 0x7f)
            fprintf(out, "\\x%02x", *p);
        else if (is_control(c))
            fprintf(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
        else if (quoted && (*p == '"' || *p == '\\'))
            fprintf(out, "\\%c", *p);
        else
            (void)fwrite(p, 1, n, out);
        p += n ? n : 1;
    }
}

void
text_write(FILE *out, const char *text)
{
    write_safely(out, text, strlen(text), false);
}

void
text_write_quoted(FILE *out, const char *text, size_t size)
{
    write_safely(out, text, size, true);
}

bool
text_ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

bool
text_is_hdf5(const char *name)
{
    return text_ends_with(name, ".h5") || text_ends_with(name, ".hdf5") ||
           text_ends_with(name, ".he5") || text_ends_with(name, ".hdf");
}

size_t
text_from_latin1(const char *bytes, size_t size, char *dst)
{
    char *q = dst;

    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)bytes[i];

        if (byte >= 0x80) {
            *q++ = (char)(0xc0 | byte >> 6);
            *q++ = (char)(0x80 | (byte & 0x3f));
        } else {
            *q++ = bytes[i];
        }
    }
    return (size_t)(q - dst);
}
