/*
 * bytedelta.c - differences inside a stream of bytes and running sums, in plain C; and whether a
 * stream is a run of one byte.
 *
 * Not here: which streams a block has (filter/bytedelta.c).
 */
#include "filter/c/kernels_c.h"

#include <string.h>

void
bytedelta_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    if (n > 0)
        dst[0] = src[0];
    for (size_t i = 1; i < n; i++)
        dst[i] = (uint8_t)(src[i] - src[i - 1]);
}

void
byteundelta_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum = (uint8_t)(sum + src[i]);
        dst[i] = sum;
    }
}

// Most streams that are no run are found out by the first look.
int
is_run_c(const uint8_t *src, size_t size)
{
    return src[0] == src[size / 2] && src[0] == src[size - 1] &&
           memcmp(src, src + 1, size - 1) == 0;
}
