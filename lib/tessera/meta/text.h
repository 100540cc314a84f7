/*
 * text.h - what text of metadata has to be: UTF-8, with the decimal point of C.
 */
#ifndef META_TEXT_H
#define META_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// -- whether bytes are UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF

// Bytes of the character at p, of which `left` > 0 bytes are at hand; 0 if it is none.
static inline size_t
utf8_length(const uint8_t *p, size_t left)
{
    const size_t n = p[0] < 0x80   ? 1
                     : p[0] < 0xc2 ? 0
                     : p[0] < 0xe0 ? 2
                     : p[0] < 0xf0 ? 3
                     : p[0] < 0xf5 ? 4
                                   : 0;

    if (n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || // overlong; surrogate
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90)) // overlong; too large
        return 0;
    return n;
}

static inline bool
utf8_valid(const char *text, size_t size)
{
    const uint8_t *p = (const uint8_t *)text;
    size_t n;

    for (; size > 0; p += n, size -= n)
        if ((n = utf8_length(p, size)) == 0)
            return false;
    return true;
}

// -- the decimal point of the caller's locale, which printf and strtod use: the library must write
// and read "0.5" in a program that runs with "0,5"

#define RADIX_SIZE 16 // several bytes in some locales

static inline void
radix_get(char radix[RADIX_SIZE])
{
    const int n = snprintf(radix, RADIX_SIZE, "%.1f", 0.0); // 0.0: the point is between
    memmove(radix, radix + 1, (size_t)n);
    radix[n - 2] = '\0';
}

#endif
