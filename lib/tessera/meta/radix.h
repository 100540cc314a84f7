/*
 * radix.h - the decimal point of the caller's locale, which printf and strtod use.
 *
 * The library must write and read "0.5" in a program that runs with "0,5".
 */
#ifndef META_RADIX_H
#define META_RADIX_H

#include <stdio.h>
#include <string.h>

#define RADIX_SIZE 16 // several bytes in some locales

static inline void
radix_get(char radix[RADIX_SIZE])
{
    const int n = snprintf(radix, RADIX_SIZE, "%.1f", 0.0); // 0.0: the point is between
    memmove(radix, radix + 1, (size_t)n);
    radix[n - 2] = '\0';
}

#endif
