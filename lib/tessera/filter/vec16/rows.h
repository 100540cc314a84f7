/*
 * rows.h - what a loop over rows does around them.
 */
#ifndef FILTER_VEC16_ROWS_H
#define FILTER_VEC16_ROWS_H

#include "base/rows_ahead.h"
#include "filter/c/kernels_c.h"
#include "filter/vec16/tiles.h"

INLINE struct rows_ahead
ask_for_rows(const struct plane_rows *p, const uint8_t *dst)
{
    return rows_ahead_begin(dst, p->rows, p->row_nitems * p->w, p->dst_stride, p->next);
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

#endif
