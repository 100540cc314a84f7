/*
 * hex.h - bytes written as text, "93 cd 0011", in memory of exactly their size.
 */
#ifndef SUPPORT_HEX_H
#define SUPPORT_HEX_H

#include "support/exact.h"

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
    uint8_t *const bytes = exact_memory(*size);
    for (size_t i = 0; i < *size; i++) {
        while (*text == ' ')
            text++;
        bytes[i] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
        text += 2;
    }
    return bytes;
}

#endif
