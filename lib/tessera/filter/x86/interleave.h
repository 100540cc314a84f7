/*
 * interleave.h - registers of 32 bytes, and the step of vec16.h in both halves of them, with AVX2.
 *
 * Each half is a tile of its own, and no lane has to be crossed.
 */
#ifndef FILTER_X86_INTERLEAVE_H
#define FILTER_X86_INTERLEAVE_H

#include "filter/vec16/vec16.h"

#include <immintrin.h>

INLINE __m256i
load32(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

INLINE void
store32(uint8_t *p, __m256i v)
{
    _mm256_storeu_si256((void *)p, v);
}

INLINE __m256i
join(__m128i low, __m128i high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

INLINE void
step32(__m256i v[16], size_t half)
{
    __m256i t[16];
    PAIRS(_mm256_unpacklo_epi8, _mm256_unpackhi_epi8);
    memcpy(v, t, 2 * half * sizeof *t);
}

INLINE void
interleave32(__m256i v[16], size_t count, int steps)
{
    if (steps > 0)
        step32(v, count / 2);
    if (steps > 1)
        step32(v, count / 2);
    if (steps > 2)
        step32(v, count / 2);
    if (steps > 3)
        step32(v, count / 2);
}

#endif
