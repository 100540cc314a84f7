/*
 * text.c - numbers and shapes as people write them.
 */
#include "cli/text/text.h"

#include <tessera/params.h>

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

bool
text_shape(const char *text, int *ndim, int64_t *shape)
{
    *ndim = 0;
    if (*text == '\0')
        return true;
    for (;;) {
        char *end = NULL;

        if (*ndim == TESS_MAX_NDIM || !isdigit((unsigned char)*text))
            return false;
        errno = 0;
        shape[(*ndim)++] = strtoll(text, &end, 10);
        if (errno != 0)
            return false;
        if (*end == '\0')
            return true;
        if (*end != 'x')
            return false;
        text = end + 1;
    }
}

void
text_shape_write(FILE *out, int ndim, const int64_t *shape)
{
    if (ndim == 0)
        fputs("()", out);
    for (int i = 0; i < ndim; i++)
        fprintf(out, "%s%" PRId64, i ? "x" : "", shape[i]);
}

void
text_write(FILE *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        const unsigned char c = (unsigned char)*p;

        if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
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
