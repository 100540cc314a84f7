/*
 * ascii.h - kinds of bytes, whatever the locale.
 */
#ifndef HTTP_BASE_ASCII_H
#define HTTP_BASE_ASCII_H

#include <stdbool.h>

static inline char
http_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static inline bool
http_is_letter(char c)
{
    return http_lower(c) >= 'a' && http_lower(c) <= 'z';
}

static inline bool
http_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The value of a hexadecimal digit, or -1.
static inline int
http_hex(char c)
{
    const char low = http_lower(c);

    return http_is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

// One of the bytes that stand for themselves in a URL (RFC 3986, unreserved).
static inline bool
http_unreserved(char c)
{
    return http_is_letter(c) || http_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// Text that is not empty, of ASCII without controls, and without blanks, too.
static inline bool
http_is_word(const char *text)
{
    const char *p = text;

    while (*p > ' ' && *p < 0x7f)
        p++;
    return p > text && *p == '\0';
}

#endif
