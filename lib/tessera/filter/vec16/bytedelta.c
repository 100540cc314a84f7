/*
 * bytedelta.c - running sums of bytes, 16 at a time.
 *
 * Sums inside a register are made in steps of 1, 2, 4 and 8 bytes. What all registers before add up
 * to is a chain of its own, one addition long for each. Differences compilers do as well.
 */
#include "filter/vec16/kernels_vec16.h"
#include "filter/vec16/vec16.h"

INLINE vec16
sums(vec16 x)
{
    x = vec16_add(x, vec16_shift_bytes(x, 1));
    x = vec16_add(x, vec16_shift_bytes(x, 2));
    x = vec16_add(x, vec16_shift_bytes(x, 4));
    return vec16_add(x, vec16_shift_bytes(x, 8));
}

void
byteundelta_vec16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    vec16 before = VEC16_ZERO; // in every byte
    size_t i = 0;

    for (; n - i >= 16; i += 16) {
        const vec16 x = sums(load16(src + i));
        store16(dst + i, vec16_add(before, x));
        before = vec16_add(before, vec16_last(x));
    }
    uint8_t sum = i > 0 ? dst[i - 1] : 0;
    for (; i < n; i++)
        dst[i] = sum = (uint8_t)(sum + src[i]);
}
