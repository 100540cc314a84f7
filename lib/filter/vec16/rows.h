/*
 * rows.h - what a loop over rows does around them.
 */
#ifndef FILTER_VEC16_ROWS_H
#define FILTER_VEC16_ROWS_H

#include "filter/c/kernels_c.h"
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
    const uint8_t *ask; // NULL: nothing
    const uint8_t *next; // asked for from row `turn` on
    size_t turn, size;
    ptrdiff_t stride;
};

INLINE struct prefetch
prefetch_begin(const struct plane_rows *p, const uint8_t *dst)
{
    const size_t size = p->row_nitems * p->w;
    const bool foreseen = size > PREFETCH_SIZE ||
                          (p->dst_stride < PREFETCH_STRIDE && p->dst_stride > -PREFETCH_STRIDE);
    struct prefetch early = {.size = size, .stride = p->dst_stride, .turn = p->rows};
    size_t ahead = PREFETCH_ROWS;

    if (foreseen)
        return early;
    if (p->rows < 2 * PREFETCH_ROWS && !p->next)
        ahead = (p->rows + 1) / 2;
    else if (p->rows < PREFETCH_ROWS)
        ahead = p->rows;
    if (p->rows < 2 * PREFETCH_ROWS)
        early.next = p->next;
    early.turn = p->rows - ahead;
    early.ask = dst + (ptrdiff_t)ahead * p->dst_stride;
    return early;
}

INLINE void
prefetch_at(struct prefetch *early, size_t r)
{
    if (r == early->turn)
        early->ask = early->next;
    if (early->ask) {
        prefetch_row(early->ask, early->size);
        early->ask += early->stride;
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

#endif
