/*
 * vec16.h - vectors of 16 bytes, and the step that shuffle and bitshuffle are made of.
 *
 * What every x86-64 (SSE2) and every AArch64 (NEON) has, under one set of names, so that the
 * kernels on top are written once.
 *
 * The step: take the bytes of two halves of a tile in turn. Seen as the address of a byte in the
 * tile, [register][byte], that rotates the bits of the address to the left by one.
 */
#ifndef FILTER_VEC16_VEC16_H
#define FILTER_VEC16_VEC16_H

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

#if defined(__SSE2__)
#include <emmintrin.h>

typedef __m128i vec16;

#define VEC16_ZERO _mm_setzero_si128()
#define vec16_zip_low _mm_unpacklo_epi8 // the bytes of two low halves in turn
#define vec16_zip_high _mm_unpackhi_epi8
#define vec16_low_halves _mm_unpacklo_epi64
#define vec16_add _mm_add_epi8
#define vec16_and _mm_and_si128
#define vec16_xor _mm_xor_si128
#define vec16_shift_bytes(v, count) _mm_slli_si128(v, count) // upwards
#define vec16_words_up(v, bits) _mm_slli_epi64(v, bits) // each of two words
#define vec16_words_down(v, bits) _mm_srli_epi64(v, bits)

INLINE vec16
load16(const uint8_t *p)
{
    return _mm_loadu_si128((const void *)p);
}

INLINE vec16
load8(const uint8_t *p)
{
    return _mm_loadl_epi64((const void *)p);
}

INLINE void
store16(uint8_t *p, vec16 v)
{
    _mm_storeu_si128((void *)p, v);
}

INLINE void
store8(uint8_t *p, vec16 v)
{
    _mm_storel_epi64((void *)p, v);
}

INLINE vec16
vec16_high_half(vec16 v)
{
    return _mm_unpackhi_epi64(v, v);
}

INLINE vec16
vec16_words(uint64_t word)
{
    return _mm_set1_epi64x((long long)word);
}

// The last byte, everywhere.
INLINE vec16
vec16_last(vec16 v)
{
    const __m128i words = _mm_shufflehi_epi16(_mm_unpackhi_epi8(v, v), 0xff);
    return _mm_unpackhi_epi64(words, words);
}

#else
#include <arm_neon.h>

typedef uint8x16_t vec16;

#define VEC16_ZERO vdupq_n_u8(0)
#define vec16_zip_low vzip1q_u8
#define vec16_zip_high vzip2q_u8
#define vec16_add vaddq_u8
#define vec16_and vandq_u8
#define vec16_xor veorq_u8
#define vec16_shift_bytes(v, count) vextq_u8(VEC16_ZERO, v, 16 - (count))
#define vec16_words_up(v, bits) \
    vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(v), vdupq_n_s64(bits)))
#define vec16_words_down(v, bits) vec16_words_up(v, -(bits))

INLINE vec16
load16(const uint8_t *p)
{
    return vld1q_u8(p);
}

INLINE vec16
load8(const uint8_t *p)
{
    return vcombine_u8(vld1_u8(p), vdup_n_u8(0));
}

INLINE void
store16(uint8_t *p, vec16 v)
{
    vst1q_u8(p, v);
}

INLINE void
store8(uint8_t *p, vec16 v)
{
    vst1_u8(p, vget_low_u8(v));
}

INLINE vec16
vec16_low_halves(vec16 a, vec16 b)
{
    return vcombine_u8(vget_low_u8(a), vget_low_u8(b));
}

INLINE vec16
vec16_high_half(vec16 v)
{
    return vextq_u8(v, v, 8);
}

INLINE vec16
vec16_words(uint64_t word)
{
    return vreinterpretq_u8_u64(vdupq_n_u64(word));
}

INLINE vec16
vec16_last(vec16 v)
{
    return vdupq_laneq_u8(v, 15);
}

#endif

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
step16(vec16 v[16], size_t half)
{
    vec16 t[16];
    PAIRS(vec16_zip_low, vec16_zip_high);
    memcpy(v, t, 2 * half * sizeof *t);
}

INLINE void
interleave16(vec16 v[16], size_t count, int steps)
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

#endif
