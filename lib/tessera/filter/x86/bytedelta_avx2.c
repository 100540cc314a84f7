/*
 * bytedelta_avx2.c - differences and running sums of bytes, with AVX2.
 *
 * Sums inside a register are made in steps of 1, 2, 4 and 8 bytes. What all registers before add up
 * to is a chain of its own, one addition long for each.
 */
#include "filter/x86/kernels_x86.h"

#include <immintrin.h>

// Sums of each half by itself.
static inline __m256i
sum_halves(__m256i x)
{
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 1));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 2));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 4));
    return _mm256_add_epi8(x, _mm256_slli_si256(x, 8));
}

void
byteundelta_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    const __m256i last = _mm256_set1_epi8(15);
    __m256i before = _mm256_setzero_si256(); // in every byte
    size_t i = 0;

    for (; n - i >= 32; i += 32) {
        const __m256i x = sum_halves(_mm256_loadu_si256((const void *)(src + i)));
        const __m256i ends = _mm256_shuffle_epi8(x, last); // of both halves
        const __m256i low = _mm256_permute2x128_si256(ends, ends, 0x08); // the first, in the second
        const __m256i all = _mm256_add_epi8(ends, _mm256_permute2x128_si256(ends, ends, 0x01));
        _mm256_storeu_si256((void *)(dst + i), _mm256_add_epi8(before, _mm256_add_epi8(x, low)));
        before = _mm256_add_epi8(before, all);
    }
    uint8_t sum = (uint8_t)_mm256_extract_epi8(before, 0);
    for (; i < n; i++)
        dst[i] = sum = (uint8_t)(sum + src[i]);
}

void
bytedelta_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    size_t i = 1;
    if (n > 0)
        dst[0] = src[0];
    for (; n >= 32 + i; i += 32) {
        const __m256i before = _mm256_loadu_si256((const void *)(src + i - 1));
        const __m256i x = _mm256_loadu_si256((const void *)(src + i));
        _mm256_storeu_si256((void *)(dst + i), _mm256_sub_epi8(x, before));
    }
    for (; i < n; i++)
        dst[i] = (uint8_t)(src[i] - src[i - 1]);
}
