/*
 * delta_avx2.c - exclusive or of streams, with AVX2.
 */
#include "filter/x86/interleave.h"
#include "filter/x86/kernels_x86.h"

// All is read before anything is written: dst may be a or b.
INLINE void
exclusive_or_64(uint8_t *dst, const uint8_t *a, const uint8_t *b)
{
    const __m256i low = _mm256_xor_si256(load32(a), load32(b));
    const __m256i high = _mm256_xor_si256(load32(a + 32), load32(b + 32));
    store32(dst, low);
    store32(dst + 32, high);
}

void
exclusive_or_avx2(uint8_t *dst, const uint8_t *a, const uint8_t *b, size_t size)
{
    size_t i = 0;
    for (; size - i >= 64; i += 64)
        exclusive_or_64(dst + i, a + i, b + i);
    for (; size - i >= 16; i += 16)
        store16(dst + i, _mm_xor_si128(load16(a + i), load16(b + i)));
    for (; i < size; i++)
        dst[i] = a[i] ^ b[i];
}
