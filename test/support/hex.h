/*
 * hex.h - bytes written as text, "93 cd 0011", in memory of exactly their size.
 *
 * Exactly, so that the address sanitizer sees a read of one byte too many.
 */
#ifndef SUPPORT_HEX_H
#define SUPPORT_HEX_H

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint8_t
hex_digit(char c)
{
    return (uint8_t)(isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
}

// The caller frees it. Spaces may stand between bytes.
static inline uint8_t *
hex_bytes(const char *text, size_t *size)
{
    size_t digits = 0;
    for (const char *t = text; *t; t++)
        digits += isxdigit((unsigned char)*t) != 0;

    *size = digits / 2;
    uint8_t *const bytes = malloc(*size > 0 ? *size : 1);
    for (size_t i = 0; bytes && i < *size; i++) {
        while (*text == ' ')
            text++;
        bytes[i] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
        text += 2;
    }
    if (!bytes)
        abort(); // tests have nothing to say about that here
    return bytes;
}

// The first `size` bytes of src, in memory of that size.
static inline uint8_t *
exact_copy(const uint8_t *src, size_t size)
{
    uint8_t *const copy = malloc(size > 0 ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, src, size);
    return copy;
}

#endif
