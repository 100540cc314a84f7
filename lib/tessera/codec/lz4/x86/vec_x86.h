/*
 * vec_x86.h - the vectors of lz4_loop_vec.h: SSSE3, with AVX2 where the file is compiled for it.
 */
#ifndef CODEC_LZ4_X86_VEC_X86_H
#define CODEC_LZ4_X86_VEC_X86_H

#include <immintrin.h>
#include <stdint.h>

typedef __m128i vec16;

static inline vec16
load16(const uint8_t *p)
{
    return _mm_loadu_si128((const void *)p);
}

static inline void
store16(uint8_t *p, vec16 v)
{
    _mm_storeu_si128((void *)p, v);
}

static inline vec16
pick16(vec16 v, vec16 indices)
{
    return _mm_shuffle_epi8(v, indices);
}

#ifdef __AVX2__

typedef __m256i vec32;

static inline vec32
load32(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

static inline void
store32(uint8_t *p, vec32 v)
{
    _mm256_storeu_si256((void *)p, v);
}

static inline vec32
join32(vec16 low, vec16 high)
{
    return _mm256_set_m128i(high, low);
}

#else
#include "codec/lz4/vec32_of_two.h"
#endif
#endif
