/*
 * exclusive_or.c - exclusive or of bytes, in plain C.
 */
#include "filter/c/kernels_c.h"

#include <string.h>

void
exclusive_or_c(uint8_t *dst, const uint8_t *a, const uint8_t *b, size_t size)
{
    size_t i = 0;
    for (; size - i >= 32; i += 32) { // read before written: dst may be a or b
        uint64_t x[4], y[4];
        memcpy(x, a + i, sizeof x);
        memcpy(y, b + i, sizeof y);
        for (int k = 0; k < 4; k++)
            x[k] ^= y[k];
        memcpy(dst + i, x, sizeof x);
    }
    for (; i < size; i++)
        dst[i] = a[i] ^ b[i];
}
