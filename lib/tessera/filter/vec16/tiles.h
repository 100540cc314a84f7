/*
 * tiles.h - shuffle and its inverse in tiles of 8 and 16 items.
 *
 * A tile of 16 items of 2^a bytes has addresses of a + 4 bits. Planes are [byte of item][item],
 * items are [item][byte of item], so a steps of vec16.h lead from planes to items, and 4 from
 * items to planes.
 *
 * Other widths go in groups of 8 columns; the last group overlaps the one before. Rows end with a
 * tile that overlaps the one before: it stores the same bytes again.
 */
#ifndef FILTER_VEC16_TILES_H
#define FILTER_VEC16_TILES_H

#include "base/rows_ahead.h"
#include "filter/private.h"
#include "filter/vec16/vec16.h"

#include <stdbool.h>

enum {
    // Items for which a group of columns is done before the next one: planes often lie a power of
    // two apart, where the lines of more than 8 of them do not fit in the first cache together.
    STRIP = 64,
};

INLINE int
log2_of(size_t w)
{
    return w == 2 ? 1 : w == 4 ? 2 : w == 8 ? 3 : 4;
}

// Whether lines at the same place of 16 planes meet in so few sets of the first cache, of 4 KiB a
// way, that they drive each other out. A tile that is packed takes their place then.
INLINE bool
is_crowded(size_t n)
{
    return (n + LINE_SIZE) % 2048 <= 2 * LINE_SIZE;
}

// Planes to items, n bytes from plane to plane, w a power of two.

INLINE void
items16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    vec16 v[16];
    foreach (j, w)
        v[j] = load16(src + j * n);
    interleave16(v, w, log2_of(w));
    foreach (k, w)
        store16(dst + 16 * k, v[k]);
}

// 8 items fill half as many registers after the first step.
INLINE void
items8(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    vec16 v[16];
    foreach (j, w / 2)
        v[j] = vec16_zip_low(load8(src + j * n), load8(src + (j + w / 2) * n));
    interleave16(v, w / 2, log2_of(w) - 1);
    foreach (k, w / 2)
        store16(dst + 16 * k, v[k]);
}

INLINE void
items_plain(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++)
        for (size_t j = 0; j < w; j++)
            dst[i * w + j] = src[j * n + i];
}

// The items of a row from number i on, fewer than 32.
INLINE void
power_end(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems,
          size_t i)
{
    if (nitems < 8) {
        items_plain(dst, src, n, w, nitems);
        return;
    }
    if (nitems < 16) {
        items8(dst, src, n, w);
        i = nitems - 8;
        items8(dst + i * w, src + i, n, w);
        return;
    }
    if (nitems - i > 16)
        items16(dst + i * w, src + i, n, w);
    if (nitems > i) {
        i = nitems - 16;
        items16(dst + i * w, src + i, n, w);
    }
}

// Planes to items for the other widths: `have` columns, as 8 bytes per item, w bytes apart. With
// have < 8 the bytes behind an item are overwritten by the next one.

INLINE void
columns16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    vec16 v[16];
    foreach (j, 8)
        v[j] = j < have ? load16(src + j * n) : VEC16_ZERO;
    interleave16(v, 8, 3);
    foreach (k, 8) {
        store8(dst + 2 * k * w, v[k]);
        store8(dst + (2 * k + 1) * w, vec16_high_half(v[k]));
    }
}

INLINE void
columns8(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    vec16 v[16];
    foreach (j, 8)
        v[j] = j < have ? load8(src + j * n) : VEC16_ZERO;
    foreach (j, 4)
        v[j] = vec16_zip_low(v[j], v[j + 4]);
    interleave16(v, 4, 2);
    foreach (k, 4) {
        store8(dst + 2 * k * w, v[k]);
        store8(dst + (2 * k + 1) * w, vec16_high_half(v[k]));
    }
}

INLINE void
row_of_narrow(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    const size_t spill = 7 / w; // items that must follow a tile: it writes beyond its last one
    size_t i = 0;
    for (; nitems - i >= 16 + spill; i += 16)
        columns16(dst + i * w, src + i, n, w, w);
    for (; nitems - i >= 8 + spill; i += 8)
        columns8(dst + i * w, src + i, n, w, w);
    items_plain(dst + i * w, src + i, n, w, nitems - i);
}

// 8 columns of at least 8 items.
INLINE void
columns(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    if (nitems < 16) {
        columns8(dst, src, n, w, 8);
        dst += (nitems - 8) * w;
        src += nitems - 8;
        columns8(dst, src, n, w, 8);
        return;
    }
    for (size_t at = 0; at < nitems; at += 16) {
        const size_t i = nitems - at < 16 ? nitems - 16 : at;
        columns16(dst + i * w, src + i, n, w, 8);
    }
}

// At least 8 items: 8 columns at a time.
INLINE void
row_end(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    for (size_t j = 0; j < w; j += 8) {
        const size_t c = w - j < 8 ? w - 8 : j;
        columns(dst + c, src + c * n, n, w, nitems);
    }
}

// Items to planes, n bytes from plane to plane, w a power of two.

INLINE void
planes16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    vec16 v[16];
    foreach (k, w)
        v[k] = load16(src + 16 * k);
    interleave16(v, w, 4);
    foreach (j, w)
        store16(dst + j * n, v[j]);
}

// 16 items to the first `have` planes; 8 bytes of each item are read.
INLINE void
group16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    vec16 v[16];
    foreach (k, 8)
        v[k] = vec16_low_halves(load8(src + 2 * k * w), load8(src + (2 * k + 1) * w));
    interleave16(v, 8, 4);
    foreach (j, 8)
        if (j < have)
            store16(dst + j * n, v[j]);
}

INLINE void
planes_plain(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t i)
{
    for (; i < n; i++)
        for (size_t j = 0; j < w; j++)
            dst[j * n + i] = src[i * w + j];
}

INLINE void
planes_of_narrow(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    const size_t spill = 7 / w; // items that must follow a tile: it reads beyond its last one
    size_t i = 0;
    for (; n - i >= 16 + spill; i += 16)
        group16(dst + i, src + i * w, n, w, w);
    planes_plain(dst, src, n, w, i);
}

// 8 columns of the items from number `first` on; at least 16 in all.
INLINE void
planes_end(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t first,
           size_t stop)
{
    for (size_t k = first; k < stop; k += 16) {
        const size_t i = n - k < 16 ? n - 16 : k;
        group16(dst + i, src + i * w, n, w, 8);
    }
}

// -- what a loop over rows does around them

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
