/*
 * shuffle_avx2.c - bytes of items to planes and back, with AVX2.
 *
 * A tile of 16 items of 2^a bytes has addresses of a + 4 bits. Planes are [byte of item][item],
 * items are [item][byte of item], so a steps of interleave.h lead from planes to items, and 4 from
 * items to planes.
 *
 * Wider items go in groups of 16 columns, and what is left in 8; the last group overlaps the one
 * before. Rows end with a tile that overlaps the one before: it stores the same bytes again.
 */
#include "filter/kernels_c.h"
#include "filter/x86/interleave.h"
#include "filter/x86/kernels_x86.h"

#include <stdbool.h>

enum {
    PREFETCH_ROWS = 20, // how far ahead, or half of the rows; gains a quarter on rows of 200 bytes
    PREFETCH_SIZE = 1024, // rows longer than this the processor foresees
    LINE_SIZE = 64,
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

INLINE void
copy_strip(uint8_t *restrict dst, const uint8_t *restrict src)
{
    store32(dst, load32(src));
    store32(dst + 32, load32(src + 32));
}

// Planes to items, n bytes from plane to plane, w a power of two.

INLINE void
items32(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    __m256i v[16];
    foreach (j, w)
        v[j] = load32(src + j * n);
    interleave32(v, w, log2_of(w));
    foreach (k, w / 2) { // whole registers: halves cost gcc 12 a quarter of the speed
        store32(dst + 32 * k, _mm256_permute2x128_si256(v[2 * k], v[2 * k + 1], 0x20));
        store32(dst + 16 * w + 32 * k, _mm256_permute2x128_si256(v[2 * k], v[2 * k + 1], 0x31));
    }
}

INLINE void
items16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    __m128i v[16];
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
    __m128i v[16];
    foreach (j, w / 2)
        v[j] = _mm_unpacklo_epi8(load8(src + j * n), load8(src + (j + w / 2) * n));
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

INLINE void
row_of_power(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    size_t i = 0;
    for (; nitems - i >= 32; i += 32)
        items32(dst + i * w, src + i, n, w);
    power_end(dst, src, n, w, nitems, i);
}

// Planes to items for the other widths: `have` columns, as 8 bytes per item, w bytes apart. With
// have < 8 the bytes behind an item are overwritten by the next one.

INLINE void
columns16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    __m128i v[16];
    foreach (j, 8)
        v[j] = j < have ? load16(src + j * n) : _mm_setzero_si128();
    interleave16(v, 8, 3);
    foreach (k, 8) {
        store8(dst + 2 * k * w, v[k]);
        store8(dst + (2 * k + 1) * w, _mm_unpackhi_epi64(v[k], v[k]));
    }
}

INLINE void
columns8(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    __m128i v[16];
    foreach (j, 8)
        v[j] = j < have ? load8(src + j * n) : _mm_setzero_si128();
    foreach (j, 4)
        v[j] = _mm_unpacklo_epi8(v[j], v[j + 4]);
    interleave16(v, 4, 2);
    foreach (k, 4) {
        store8(dst + 2 * k * w, v[k]);
        store8(dst + (2 * k + 1) * w, _mm_unpackhi_epi64(v[k], v[k]));
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

// 16 columns of 32 items, in order: each item may write over the start of the next one.
INLINE void
columns32(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    __m256i v[16];
    foreach (j, 16)
        v[j] = j < have ? load32(src + j * n) : _mm256_setzero_si256();
    interleave32(v, 16, 4);
    foreach (k, 16)
        store16(dst + k * w, _mm256_castsi256_si128(v[k]));
    foreach (k, 16)
        store16(dst + (16 + k) * w, _mm256_extracti128_si256(v[k], 1));
}

// The same for STRIP items.
INLINE void
columns_strip(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    _Alignas(LINE_SIZE) uint8_t tile[16 * STRIP];
    if (is_crowded(n)) {
        for (size_t j = 0; j < have; j++)
            copy_strip(tile + j * STRIP, src + j * n);
        src = tile;
        n = STRIP;
    }
    for (size_t i = 0; i < STRIP && w == 16; i += 32)
        items32(dst + i * w, src + i, n, 16);
    for (size_t i = 0; i < STRIP && w != 16; i += 32)
        columns32(dst + i * w, src + i, n, w, have);
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

// More than 8 columns.
INLINE void
row_of_wide(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    const size_t spill = w < 16; // as in row_of_narrow
    const bool strips = w > 16 || is_crowded(n);
    size_t i = 0;
    if (nitems < 8 && w != 16) {
        items_plain(dst, src, n, w, nitems);
        return;
    }
    for (; strips && nitems - i >= STRIP + spill; i += STRIP)
        for (size_t j = 0; j < w; j += 16) {
            const size_t c = w >= 16 && w - j < 16 ? w - 16 : j;
            if (w > 16 && w - j <= 8)
                columns(dst + i * w + w - 8, src + (w - 8) * n + i, n, w, STRIP);
            else
                columns_strip(dst + i * w + c, src + c * n + i, n, w, w < 16 ? w : 16);
        }
    for (; w <= 16 && nitems - i >= 32 + spill; i += 32)
        if (w == 16)
            items32(dst + i * w, src + i, n, 16);
        else
            columns32(dst + i * w, src + i, n, w, w);
    if (w == 16) {
        power_end(dst, src, n, w, nitems, i);
    } else if (nitems > i) {
        i = nitems - i < 8 ? nitems - 8 : i;
        row_end(dst + i * w, src + i, n, w, nitems - i);
    }
}

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
    if (size <= PREFETCH_SIZE)
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

void
unshuffle_rows_avx2(uint8_t *restrict dst, ptrdiff_t dst_stride, const uint8_t *restrict src,
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

void
unshuffle_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    unshuffle_rows_avx2(dst, 0, src, n, w, 0, 1, 0, n);
}

// Items to planes, n bytes from plane to plane, w a power of two.

INLINE void
planes32(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    __m256i v[16];
    foreach (k, w)
        v[k] = join(load16(src + 16 * k), load16(src + 16 * (w + k)));
    interleave32(v, w, 4);
    foreach (j, w)
        store32(dst + j * n, v[j]);
}

INLINE void
planes16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    __m128i v[16];
    foreach (k, w)
        v[k] = load16(src + 16 * k);
    interleave16(v, w, 4);
    foreach (j, w)
        store16(dst + j * n, v[j]);
}

// n items, at least 16.
INLINE void
planes_of_power(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    size_t i = 0;
    for (; n - i >= 32; i += 32)
        planes32(dst + i, src + i * w, n, w);
    if (n - i > 16)
        planes16(dst + i, src + i * w, n, w);
    if (n > i) {
        i = n - 16;
        planes16(dst + i, src + i * w, n, w);
    }
}

// 16 items to the first `have` planes; 8 bytes of each item are read.
INLINE void
group16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    __m128i v[16];
    foreach (k, 8)
        v[k] = _mm_unpacklo_epi64(load8(src + 2 * k * w), load8(src + (2 * k + 1) * w));
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

// 32 items to the first `have` planes; 16 bytes of each item are read.
INLINE void
group32(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    __m256i v[16];
    foreach (k, 16)
        v[k] = join(load16(src + k * w), load16(src + (16 + k) * w));
    interleave32(v, 16, 4);
    foreach (j, 16)
        if (j < have)
            store32(dst + j * n, v[j]);
}

// The same for STRIP items.
INLINE void
group_strip(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t have)
{
    _Alignas(LINE_SIZE) uint8_t tile[16 * STRIP];
    const bool crowded = is_crowded(n);
    uint8_t *const to = crowded ? tile : dst;
    const size_t distance = crowded ? STRIP : n;

    for (size_t i = 0; i < STRIP; i += 32)
        group32(to + i, src + i * w, distance, w, have);
    for (size_t j = 0; j < have && crowded; j++)
        copy_strip(dst + j * n, tile + j * STRIP);
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

// n items, at least 16, of at least 9 bytes.
INLINE void
planes_of_wide(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    const size_t spill = w < 16; // as in planes_of_narrow
    const bool strips = w > 16 || is_crowded(n);
    size_t i = 0;
    for (; !strips && n - i >= 32 + spill; i += 32)
        group32(dst + i, src + i * w, n, w, w);
    for (; strips && n - i >= STRIP + spill; i += STRIP)
        for (size_t j = 0; j < w; j += 16) {
            const size_t c = w >= 16 && w - j < 16 ? w - 16 : j;
            if (w > 16 && w - j <= 8)
                planes_end(dst + (w - 8) * n, src + w - 8, n, w, i, i + STRIP);
            else
                group_strip(dst + c * n + i, src + i * w + c, n, w, w < 16 ? w : 16);
        }
    for (size_t j = 0; j < w; j += 8) {
        const size_t c = w - j < 8 ? w - 8 : j;
        planes_end(dst + c * n, src + c, n, w, i, n);
    }
}

void
shuffle_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
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
