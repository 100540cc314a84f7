/*
 * widths.h - which tiles for which width.
 *
 * For the files that have those of tiles.h: they define row_of_power(), row_of_wide(),
 * planes_of_power() and planes_of_wide() first, with the widest registers that they have.
 */
#ifndef FILTER_VEC16_WIDTHS_H
#define FILTER_VEC16_WIDTHS_H

#include "filter/vec16/tiles.h"

INLINE void
row_of(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    if (w == 1)
        memcpy(dst, src, nitems);
    else if (w == 2 || w == 4 || w == 8)
        row_of_power(dst, src, n, w, nitems);
    else if (w < 8)
        row_of_narrow(dst, src, n, w, nitems);
    else
        row_of_wide(dst, src, n, w, nitems);
}

INLINE void
rows_of(uint8_t *restrict dst, const uint8_t *restrict src, const struct plane_rows *p, size_t w)
{
    struct rows_ahead early = ask_for_rows(p, dst);
    for (size_t r = 0; r < p->rows; r++) {
        rows_ahead_at(&early, r);
        row_of(dst, src, p->n, w, p->row_nitems);
        dst += p->dst_stride;
        src += p->src_step;
    }
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
