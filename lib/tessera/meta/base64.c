/*
 * base64.c - bytes as text.
 */
#include "meta/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_encode(const uint8_t *src, size_t size, char dst[4])
{
    uint32_t bits = 0;

    for (size_t i = 0; i < 3; i++)
        bits = bits << 8 | (i < size ? src[i] : 0u);
    for (size_t i = 0; i < 4; i++)
        dst[i] = i > size ? '=' : digits[bits >> (18 - 6 * i) & 63];
}

// -1 if it is no digit.
static int
digit_value(uint8_t c)
{
    const char *const at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

bool
base64_decode(uint8_t *text, size_t size, size_t *decoded)
{
    size_t out = 0;

    if (size % 4 != 0)
        return false;
    for (size_t at = 0; at < size; at += 4) {
        size_t n = 4; // characters that are not padding
        uint32_t bits = 0;

        if (at + 4 == size)
            while (n > 2 && text[at + n - 1] == '=')
                n--;
        for (size_t i = 0; i < 4; i++) {
            const int value = i < n ? digit_value(text[at + i]) : 0;
            if (value < 0)
                return false;
            bits = bits << 6 | (uint32_t)value;
        }
        if ((n == 2 && (bits & 0xffff) != 0) || (n == 3 && (bits & 0xff) != 0))
            return false;
        for (size_t i = 0; i < n - 1; i++)
            text[out++] = (uint8_t)(bits >> (16 - 8 * i));
    }
    *decoded = out;
    return true;
}
