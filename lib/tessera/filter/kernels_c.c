/*
 * kernels_c.c - the plain C kernels: the definition of what the others are faster spellings of.
 *
 * Bytes of items to planes and back: the usual widths are constants in copies of the same loop
 * each, which lets compilers turn them into vector code.
 *
 * Not here: bits to rows (bitshuffle_c.c); which streams a block has (delta.c).
 */
#include "filter/private.h"

#include <string.h>

// -- bytes to planes

#define INLINE static inline __attribute__((always_inline))

INLINE void
to_planes(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    for (size_t j = 0; j < w; j++)
        for (size_t i = 0; i < n; i++)
            dst[j * n + i] = src[i * w + j];
}

void
shuffle_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    switch (w) {
    case 1:
        memcpy(dst, src, n);
        break;
    case 2:
        to_planes(dst, src, n, 2);
        break;
    case 4:
        to_planes(dst, src, n, 4);
        break;
    case 8:
        to_planes(dst, src, n, 8);
        break;
    case 16:
        to_planes(dst, src, n, 16);
        break;
    default:
        to_planes(dst, src, n, w);
    }
}

// The first `nitems` items of planes that are `n` bytes apart.
INLINE void
to_items(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++)
        for (size_t j = 0; j < w; j++)
            dst[i * w + j] = src[j * n + i];
}

INLINE void
to_rows(uint8_t *restrict dst, const uint8_t *restrict src, const struct plane_rows *p, size_t w)
{
    for (size_t r = 0; r < p->rows; r++)
        to_items(dst + (ptrdiff_t)r * p->dst_stride, src + p->first + r * p->src_step, p->n, w,
                 p->row_nitems);
}

void
unshuffle_rows_c(uint8_t *restrict dst, const uint8_t *restrict src, const struct plane_rows *p)
{
    switch (p->w) {
    case 1:
        for (size_t r = 0; r < p->rows; r++)
            memcpy(dst + (ptrdiff_t)r * p->dst_stride, src + p->first + r * p->src_step,
                   p->row_nitems);
        break;
    case 2:
        to_rows(dst, src, p, 2);
        break;
    case 4:
        to_rows(dst, src, p, 4);
        break;
    case 8:
        to_rows(dst, src, p, 8);
        break;
    case 16:
        to_rows(dst, src, p, 16);
        break;
    default:
        to_rows(dst, src, p, p->w);
    }
}

void
unshuffle_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    unshuffle_rows_c(dst, src, &(struct plane_rows){.n = n, .w = w, .rows = 1, .row_nitems = n});
}

// -- exclusive or

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

// -- differences; runs

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
