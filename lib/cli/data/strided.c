/*
 * strided.c - copies items between two layouts in memory.
 *
 * The two innermost loops run over the axis where dst is contiguous and the one where src is
 * most nearly so, in square tiles: a transposition then uses each cache line it loads.
 */
#include "cli/data/strided.h"

#include <tessera/params.h>

#include <stdlib.h>
#include <string.h>

#define TILE 32

struct axis {
    int64_t length, dst, src; // items, bytes, bytes
};

void
strided_c_order(int ndim, const int64_t *shape, size_t item_size, int64_t *strides)
{
    int64_t stride = (int64_t)item_size;

    for (int i = ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= shape[i];
    }
}

static inline void
copy_run(int64_t n, size_t item_size, uint8_t *dst, int64_t dst_stride, const uint8_t *src,
         int64_t src_stride)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(dst + i * dst_stride, src + i * src_stride, item_size);
}

static void
copy_tile(struct axis outer, struct axis inner, size_t item_size, uint8_t *dst, const uint8_t *src)
{
    for (int64_t i = 0; i < outer.length; i++, dst += outer.dst, src += outer.src)
        switch (item_size) { // constants: the compiler turns memcpy into loads and stores
        case 1:
            copy_run(inner.length, 1, dst, inner.dst, src, inner.src);
            break;
        case 2:
            copy_run(inner.length, 2, dst, inner.dst, src, inner.src);
            break;
        case 4:
            copy_run(inner.length, 4, dst, inner.dst, src, inner.src);
            break;
        case 8:
            copy_run(inner.length, 8, dst, inner.dst, src, inner.src);
            break;
        default:
            copy_run(inner.length, item_size, dst, inner.dst, src, inner.src);
        }
}

static void
copy_plane(struct axis outer, struct axis inner, size_t item_size, uint8_t *dst, const uint8_t *src)
{
    for (int64_t i = 0; i < outer.length; i += TILE)
        for (int64_t j = 0; j < inner.length; j += TILE) {
            struct axis a = outer, b = inner;

            a.length = a.length - i < TILE ? a.length - i : TILE;
            b.length = b.length - j < TILE ? b.length - j : TILE;
            copy_tile(a, b, item_size, dst + i * a.dst + j * b.dst, src + i * a.src + j * b.src);
        }
}

// The axis in [0, n) along which neighbours in src are closest.
static int
closest_in_src(int n, const struct axis *axes)
{
    int best = n - 1;

    for (int i = 0; i < n; i++)
        if (axes[i].length > 1 && llabs(axes[i].src) < llabs(axes[best].src))
            best = i;
    return best;
}

void
strided_copy(int ndim, const int64_t *shape, size_t item_size, uint8_t *restrict dst,
             const int64_t *dst_strides, const uint8_t *restrict src, const int64_t *src_strides)
{
    struct axis axes[TESS_MAX_NDIM];
    struct axis outer = {1, 0, 0}, inner = {1, 0, 0};
    int64_t index[TESS_MAX_NDIM] = {0};
    int n = ndim; // axes that are left for the odometer

    for (int i = 0; i < ndim; i++) {
        axes[i] = (struct axis){shape[i], dst_strides[i], src_strides[i]};
        if (shape[i] == 0)
            return;
    }
    if (n > 0)
        inner = axes[--n];
    if (n > 0) {
        const int k = closest_in_src(n, axes);
        outer = axes[k];
        axes[k] = axes[--n];
    }
    for (;;) {
        copy_plane(outer, inner, item_size, dst, src);

        int i = n - 1;
        for (; i >= 0; i--) {
            dst += axes[i].dst;
            src += axes[i].src;
            if (++index[i] < axes[i].length)
                break;
            dst -= axes[i].dst * axes[i].length;
            src -= axes[i].src * axes[i].length;
            index[i] = 0;
        }
        if (i < 0)
            return;
    }
}

void
strided_from_fortran(int ndim, const int64_t *shape, size_t item_size, uint8_t *restrict dst,
                     const uint8_t *restrict src)
{
    int64_t strides[TESS_MAX_NDIM], src_strides[TESS_MAX_NDIM];
    int64_t stride = (int64_t)item_size;

    for (int i = 0; i < ndim; i++) {
        src_strides[i] = stride;
        stride *= shape[i];
    }
    strided_c_order(ndim, shape, item_size, strides);
    strided_copy(ndim, shape, item_size, dst, strides, src, src_strides);
}
