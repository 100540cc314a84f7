/*
 * rows.h - which tiles for which width, and the loop over rows.
 *
 * For the files that have tiles: they define row_of_power(), row_of_wide(), planes_of_power() and
 * planes_of_wide() first, with the widest registers that they have.
 */
#ifndef FILTER_VEC16_ROWS_H
#define FILTER_VEC16_ROWS_H

#include "filter/kernels_c.h"
#include "filter/vec16/tiles.h"

enum {
    PREFETCH_ROWS = 20, // how far ahead, or half of the rows; gains a quarter on rows of 200 bytes
    PREFETCH_SIZE = 1024, // rows longer than this the processor foresees
    PREFETCH_STRIDE = 1024, // rows nearer than this, too; asking for them costs up to a third
};

INLINE void
prefetch_row(const uint8_t *row, size_t size)
{
    for (size_t at = 0; at < size; at += LINE_SIZE)
        __builtin_prefetch(row + at, 1);
    __builtin_prefetch(row + size - 1, 1);
}

INLINE void
rows_of(uint8_t *restrict dst, ptrdiff_t dst_stride, const uint8_t *restrict src, size_t n,
        size_t w, size_t rows, size_t src_step, size_t row_nitems)
{
    const size_t size = row_nitems * w;
    size_t ahead = rows;
    if (size <= PREFETCH_SIZE && (dst_stride >= PREFETCH_STRIDE || dst_stride <= -PREFETCH_STRIDE))
        ahead = rows < 2 * PREFETCH_ROWS ? (rows + 1) / 2 : PREFETCH_ROWS;

    for (size_t r = 0; r < rows; r++) {
        uint8_t *const row = dst + (ptrdiff_t)r * dst_stride;
        if (rows - r > ahead)
            prefetch_row(row + (ptrdiff_t)ahead * dst_stride, size);
        if (w == 1)
            memcpy(row, src + r * src_step, row_nitems);
        else if (w == 2 || w == 4 || w == 8)
            row_of_power(row, src + r * src_step, n, w, row_nitems);
        else if (w < 8)
            row_of_narrow(row, src + r * src_step, n, w, row_nitems);
        else
            row_of_wide(row, src + r * src_step, n, w, row_nitems);
    }
}

INLINE void
unshuffle_rows_by_width(uint8_t *restrict dst, ptrdiff_t dst_stride, const uint8_t *restrict src,
                        size_t n, size_t w, size_t first, size_t rows, size_t src_step,
                        size_t row_nitems)
{
    if (row_nitems == 0)
        return;
    if (src_step == row_nitems && dst_stride == (ptrdiff_t)(row_nitems * w)) {
        row_nitems *= rows; // one long row
        rows = 1;
    }
    src += first;
    switch (w) {
#define CASE(width)                                                          \
    case width:                                                              \
        rows_of(dst, dst_stride, src, n, width, rows, src_step, row_nitems); \
        break
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
        CASE(12);
        CASE(16);
#undef CASE
    default:
        rows_of(dst, dst_stride, src, n, w, rows, src_step, row_nitems);
    }
}

INLINE void
shuffle_by_width(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    if (w == 1 || n < 16) {
        shuffle_c(dst, src, n, w);
        return;
    }
    switch (w) {
    case 2:
        planes_of_power(dst, src, n, 2);
        break;
    case 3:
        planes_of_narrow(dst, src, n, 3);
        break;
    case 4:
        planes_of_power(dst, src, n, 4);
        break;
    case 5:
        planes_of_narrow(dst, src, n, 5);
        break;
    case 6:
        planes_of_narrow(dst, src, n, 6);
        break;
    case 7:
        planes_of_narrow(dst, src, n, 7);
        break;
    case 8:
        planes_of_power(dst, src, n, 8);
        break;
    case 12:
        planes_of_wide(dst, src, n, 12);
        break;
    case 16:
        planes_of_wide(dst, src, n, 16);
        break;
    default:
        planes_of_wide(dst, src, n, w);
    }
}

#endif
