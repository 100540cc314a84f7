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

/*
 * Which rows to ask for early, and from where: row r + ahead of this tile, or, when it is a short
 * one, of the tile after it. Asking for the next one of a long tile as well costs up to 7 %, of a
 * short one it gains up to 9 %.
 */
struct prefetch {
    size_t ahead; // `rows`: this tile is not asked for
    const uint8_t *next; // NULL: nor is the next
};

INLINE struct prefetch
plan_prefetch(const struct plane_rows *p, size_t size)
{
    const bool foreseen = size > PREFETCH_SIZE ||
                          (p->dst_stride < PREFETCH_STRIDE && p->dst_stride > -PREFETCH_STRIDE);
    if (foreseen)
        return (struct prefetch){p->rows, NULL};
    if (p->rows >= 2 * PREFETCH_ROWS)
        return (struct prefetch){PREFETCH_ROWS, NULL};
    if (!p->next)
        return (struct prefetch){(p->rows + 1) / 2, NULL};
    return (struct prefetch){p->rows < PREFETCH_ROWS ? p->rows : PREFETCH_ROWS, p->next};
}

INLINE void
rows_of(uint8_t *restrict dst, const uint8_t *restrict src, const struct plane_rows *p, size_t w)
{
    const size_t n = p->n, rows = p->rows, row_nitems = p->row_nitems, src_step = p->src_step;
    const ptrdiff_t dst_stride = p->dst_stride;
    const size_t size = row_nitems * w;
    const struct prefetch early = plan_prefetch(p, size);
    const size_t turn = rows - early.ahead;
    const uint8_t *ask = dst + (ptrdiff_t)early.ahead * dst_stride;

    for (size_t r = 0; r < rows; r++) {
        if (r == turn)
            ask = early.next;
        if (ask) {
            prefetch_row(ask, size);
            ask += dst_stride;
        }
        if (w == 1)
            memcpy(dst, src, row_nitems);
        else if (w == 2 || w == 4 || w == 8)
            row_of_power(dst, src, n, w, row_nitems);
        else if (w < 8)
            row_of_narrow(dst, src, n, w, row_nitems);
        else
            row_of_wide(dst, src, n, w, row_nitems);
        dst += dst_stride;
        src += src_step;
    }
}

// Rows without gaps on both sides are one long row.
INLINE struct plane_rows
joined_rows(const struct plane_rows *r)
{
    struct plane_rows p = *r;
    if (p.src_step == p.row_nitems && p.dst_stride == (ptrdiff_t)(p.row_nitems * p.w)) {
        p.row_nitems *= p.rows;
        p.rows = 1;
    }
    return p;
}

INLINE void
unshuffle_rows_by_width(uint8_t *restrict dst, const uint8_t *restrict src,
                        const struct plane_rows *r)
{
    const struct plane_rows p = joined_rows(r);

    if (p.row_nitems == 0)
        return;
    src += p.first;
    switch (p.w) {
#define CASE(width)                   \
    case width:                       \
        rows_of(dst, src, &p, width); \
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
        rows_of(dst, src, &p, p.w);
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
