/*
 * native.h - the byte order of this machine, for tests whose items are numbers of C:
 *
 *     params.dtype = NATIVE "i4";
 *
 * and numbers of C as items of little-endian arrays, or back, where it must be those.
 */
#ifndef SUPPORT_NATIVE_H
#define SUPPORT_NATIVE_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE ">"
#else
#define NATIVE "<"
#endif

static inline int32_t
little_i4(int32_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (int32_t)__builtin_bswap32((uint32_t)x);
#else
    return x;
#endif
}

static inline double
little_f8(double x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = __builtin_bswap64(bits);
    memcpy(&x, &bits, sizeof bits);
#endif
    return x;
}

#endif
