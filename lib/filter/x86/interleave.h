/*
 * interleave.h - the step that shuffle and bitshuffle are made of, with AVX2.
 *
 * Take the bytes of two halves of a tile in turn. Seen as the address of a byte in the tile,
 * [register][byte], that rotates the bits of the address to the left by one. With 32 byte
 * registers each half is a tile of its own, and no lane has to be crossed.
 */
#ifndef FILTER_X86_INTERLEAVE_H
#define FILTER_X86_INTERLEAVE_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline)) // with constant widths

// A loop over registers, k from 0 to a constant, of which no loop may be left. Clang sees to it by
// itself, and earlier than when asked to; gcc -O2 has to be asked.
#ifdef __clang__
#define foreach(k, count) for (size_t k = 0; k < (count); k++)
#else
#define foreach(k, count) _Pragma("GCC unroll 16") for (size_t k = 0; k < (count); k++)
#endif

INLINE __m128i
load16(const uint8_t *p)
{
    return _mm_loadu_si128((const void *)p);
}

INLINE __m128i
load8(const uint8_t *p)
{
    return _mm_loadl_epi64((const void *)p);
}

INLINE void
store16(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((void *)p, v);
}

INLINE void
store8(uint8_t *p, __m128i v)
{
    _mm_storel_epi64((void *)p, v);
}

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

// One step on 2 * half registers. Spelled out and not a loop: arrays stay in registers only when
// all indices are constants.
#define PAIR(k, unpacklo, unpackhi)                     \
    if (half > (k)) {                                   \
        t[2 * (k)] = unpacklo(v[k], v[(k) + half]);     \
        t[2 * (k) + 1] = unpackhi(v[k], v[(k) + half]); \
    }
#define PAIRS(lo, hi) \
    PAIR(0, lo, hi);  \
    PAIR(1, lo, hi);  \
    PAIR(2, lo, hi);  \
    PAIR(3, lo, hi);  \
    PAIR(4, lo, hi);  \
    PAIR(5, lo, hi);  \
    PAIR(6, lo, hi);  \
    PAIR(7, lo, hi)

INLINE void
step16(__m128i v[16], size_t half)
{
    __m128i t[16];
    PAIRS(_mm_unpacklo_epi8, _mm_unpackhi_epi8);
    memcpy(v, t, 2 * half * sizeof *t);
}

// The same in both halves of wider registers.
INLINE void
step32(__m256i v[16], size_t half)
{
    __m256i t[16];
    PAIRS(_mm256_unpacklo_epi8, _mm256_unpackhi_epi8);
    memcpy(v, t, 2 * half * sizeof *t);
}

INLINE void
interleave16(__m128i v[16], size_t count, int steps)
{
    if (steps > 0)
        step16(v, count / 2);
    if (steps > 1)
        step16(v, count / 2);
    if (steps > 2)
        step16(v, count / 2);
    if (steps > 3)
        step16(v, count / 2);
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

#undef PAIR
#undef PAIRS

#endif
