/*
 * vec64.h - registers of 64 bytes, masked at the ends, with AVX-512.
 *
 * Masked bytes are neither read nor written, wherever they lie, and cost nothing on Zen 4: rows end
 * with a tile like any other.
 */
#ifndef FILTER_X86_VEC64_H
#define FILTER_X86_VEC64_H

#include "filter/vec16/vec16.h"

#include <immintrin.h>

INLINE size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// The first bytes of a register, `count` from 0 to 64.
INLINE __mmask64
first_of_64(size_t count)
{
    return _bzhi_u64(~0ULL, (unsigned)count);
}

// The same for any count: of the register that starts `at` bytes into them.
INLINE __mmask64
first_from(size_t count, size_t at)
{
    return count <= at ? 0 : first_of_64(least(count - at, 64));
}

INLINE __m512i
load64(const uint8_t *p, __mmask64 mask)
{
    return _mm512_maskz_loadu_epi8(mask, p);
}

INLINE void
store64(uint8_t *p, __m512i v, __mmask64 mask)
{
    _mm512_mask_storeu_epi8(p, mask, v);
}

INLINE __m512i
even_lanes(__m512i a, __m512i b)
{
    return _mm512_shuffle_i64x2(a, b, 0x88);
}

INLINE __m512i
odd_lanes(__m512i a, __m512i b)
{
    return _mm512_shuffle_i64x2(a, b, 0xdd);
}

// Registers whose numbers differ in one bit exchange it.
#define EXCHANGE(v, bit, even, odd)                       \
    foreach (r, 8)                                        \
        if (!(r & (bit))) {                               \
            const __m512i x = (v)[r], y = (v)[r | (bit)]; \
            (v)[r] = even(x, y);                          \
            (v)[r | (bit)] = odd(x, y);                   \
        }

// Tables of byte numbers, a formula f(w, o) of the byte's place o.
#define PLACES_4(f, w, o) f(w, (o)), f(w, (o) + 1), f(w, (o) + 2), f(w, (o) + 3)
#define PLACES_16(f, w, o) \
    PLACES_4(f, w, o), PLACES_4(f, w, (o) + 4), PLACES_4(f, w, (o) + 8), PLACES_4(f, w, (o) + 12)
#define PLACES_64(f, w, o)                                                    \
    PLACES_16(f, w, o), PLACES_16(f, w, (o) + 16), PLACES_16(f, w, (o) + 32), \
        PLACES_16(f, w, (o) + 48)

#endif
