/*
 * kernels_avx2.c - kernels with AVX2.
 *
 * Bytes of items to planes and back: tiles are those of vec16/tiles.h, two at once. Wide items go
 * in groups of 16 columns, and what is left in 8.
 *
 * Running sums inside a register are made in steps of 1, 2, 4 and 8 bytes. What all registers
 * before add up to is a chain of its own, one addition long for each.
 */
#include "filter/private.h"

#include "filter/vec16/tiles.h"
#include "filter/x86/interleave.h"

#include <immintrin.h>

// -- bytes to planes

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

// The last tile of a row may overlap the one before it. For 8 bytes, where that gains a fifth on
// rows of 50 items, it costs a tenth on those of 20, as gcc 12 keeps its registers.
INLINE void
row_of_power(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    size_t i = 0;
    for (; nitems - i >= 32; i += 32)
        items32(dst + i * w, src + i, n, w);
    if (w < 8 && nitems > 32 && nitems - i > 16) {
        i = nitems - 32;
        items32(dst + i * w, src + i, n, w);
        return;
    }
    power_end(dst, src, n, w, nitems, i);
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

#include "filter/vec16/widths.h"

void
unshuffle_rows_avx2(uint8_t *restrict dst, const uint8_t *restrict src, const struct plane_rows *r)
{
    unshuffle_rows_by_width(dst, src, r);
}

void
unshuffle_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    unshuffle_rows_avx2(dst, src, &(struct plane_rows){.n = n, .w = w, .rows = 1, .row_nitems = n});
}

void
shuffle_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    shuffle_by_width(dst, src, n, w);
}

// -- differences and running sums

// Sums of each half by itself.
static inline __m256i
sum_halves(__m256i x)
{
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 1));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 2));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 4));
    return _mm256_add_epi8(x, _mm256_slli_si256(x, 8));
}

void
byteundelta_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    const __m256i last = _mm256_set1_epi8(15);
    __m256i before = _mm256_setzero_si256(); // in every byte
    size_t i = 0;

    for (; n - i >= 32; i += 32) {
        const __m256i x = sum_halves(_mm256_loadu_si256((const void *)(src + i)));
        const __m256i ends = _mm256_shuffle_epi8(x, last); // of both halves
        const __m256i low = _mm256_permute2x128_si256(ends, ends, 0x08); // the first, in the second
        const __m256i all = _mm256_add_epi8(ends, _mm256_permute2x128_si256(ends, ends, 0x01));
        _mm256_storeu_si256((void *)(dst + i), _mm256_add_epi8(before, _mm256_add_epi8(x, low)));
        before = _mm256_add_epi8(before, all);
    }
    uint8_t sum = (uint8_t)_mm256_extract_epi8(before, 0);
    for (; i < n; i++)
        dst[i] = sum = (uint8_t)(sum + src[i]);
}

void
bytedelta_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    size_t i = 1;
    if (n > 0)
        dst[0] = src[0];
    for (; n >= 32 + i; i += 32) {
        const __m256i before = _mm256_loadu_si256((const void *)(src + i - 1));
        const __m256i x = _mm256_loadu_si256((const void *)(src + i));
        _mm256_storeu_si256((void *)(dst + i), _mm256_sub_epi8(x, before));
    }
    for (; i < n; i++)
        dst[i] = (uint8_t)(src[i] - src[i - 1]);
}

// -- exclusive or

// All is read before anything is written: dst may be a or b.
INLINE void
exclusive_or_64(uint8_t *dst, const uint8_t *a, const uint8_t *b)
{
    const __m256i low = _mm256_xor_si256(load32(a), load32(b));
    const __m256i high = _mm256_xor_si256(load32(a + 32), load32(b + 32));
    store32(dst, low);
    store32(dst + 32, high);
}

void
exclusive_or_avx2(uint8_t *dst, const uint8_t *a, const uint8_t *b, size_t size)
{
    size_t i = 0;
    for (; size - i >= 64; i += 64)
        exclusive_or_64(dst + i, a + i, b + i);
    for (; size - i >= 16; i += 16)
        store16(dst + i, _mm_xor_si128(load16(a + i), load16(b + i)));
    for (; i < size; i++)
        dst[i] = a[i] ^ b[i];
}
