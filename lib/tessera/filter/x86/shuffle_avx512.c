/*
 * shuffle_avx512.c - bytes of items to planes and back, with AVX-512 and VBMI.
 *
 * One instruction takes any 64 of the 128 bytes of two registers, by their numbers. So for items
 * of up to 8 bytes a tile is as many as two registers hold when a plane takes a half, a quarter or
 * an eighth of one, and each width has a table of numbers.
 *
 * Of items of up to 16 bytes, 16 are four registers as planes: after a step of vec16.h, tables find
 * the bytes of each item in two of them. To planes go 64 items, in matrices of 8 items by 8 bytes
 * that tables transpose; their words change places between registers.
 *
 * Ends are masked. Wider items are done with AVX2.
 */
#include "filter/private.h"
#include "filter/vec16/tiles.h"
#include "filter/x86/interleave.h"
#include "filter/x86/vec64.h"

enum { NARROW_MAX = 8, WIDE_MAX = 16 };

// Items of a tile.
#define TILE(w) ((w) <= 2 ? 64u : (w) <= 4 ? 32u : 16u)

typedef uint8_t places[2][64];
#define PLACES(f, w) [w] = {{PLACES_64(f, w, 0)}, {PLACES_64(f, w, 64)}}

// Byte o of a tile's items, in its planes; and the other way round.
#define ITEM_BYTE(w, o) (o) % (w)*TILE(w) + (o) / (w)
#define PLANE_BYTE(w, o) (o) % TILE(w) * (w) + (o) / TILE(w)
static const _Alignas(64) places item_bytes[NARROW_MAX + 1] = {
    PLACES(ITEM_BYTE, 2), PLACES(ITEM_BYTE, 3), PLACES(ITEM_BYTE, 4), PLACES(ITEM_BYTE, 5),
    PLACES(ITEM_BYTE, 6), PLACES(ITEM_BYTE, 7), PLACES(ITEM_BYTE, 8),
};
static const _Alignas(64) places plane_bytes[NARROW_MAX + 1] = {
    PLACES(PLANE_BYTE, 2), PLACES(PLANE_BYTE, 3), PLACES(PLANE_BYTE, 4), PLACES(PLANE_BYTE, 5),
    PLACES(PLANE_BYTE, 6), PLACES(PLANE_BYTE, 7), PLACES(PLANE_BYTE, 8),
};

// Planes to items.

// What a tile of some items has: a byte each in a plane, and those of two registers.
struct ends {
    size_t nitems;
    __mmask64 plane, low, high;
};

INLINE struct ends
ends_of(size_t nitems, size_t w)
{
    return (struct ends){nitems, first_of_64(nitems), first_from(nitems * w, 0),
                         first_from(nitems * w, 64)};
}

INLINE __m512i
join64(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// The planes from number j on that fill a register; there are w.
INLINE __m512i
planes_from(const uint8_t *src, size_t n, size_t w, size_t j, __mmask64 mask)
{
    __m256i half[2];
    if (TILE(w) == 64)
        return load64(src + j * n, mask);
    foreach (h, 2) {
        const size_t k = TILE(w) == 32 ? j + h : j + 2 * h;
        if (k >= w)
            half[h] = _mm256_setzero_si256();
        else if (TILE(w) == 32)
            half[h] = _mm256_maskz_loadu_epi8((__mmask32)mask, src + k * n);
        else if (k + 1 >= w)
            half[h] = _mm256_zextsi128_si256(_mm_maskz_loadu_epi8((__mmask16)mask, src + k * n));
        else
            half[h] = join(_mm_maskz_loadu_epi8((__mmask16)mask, src + k * n),
                           _mm_maskz_loadu_epi8((__mmask16)mask, src + (k + 1) * n));
    }
    return join64(half[0], half[1]);
}

INLINE void
narrow_items(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, struct ends e)
{
    const __m512i a = planes_from(src, n, w, 0, e.plane);
    const __m512i b = planes_from(src, n, w, 64 / TILE(w), e.plane);
    store64(dst, _mm512_permutex2var_epi8(a, _mm512_load_si512(item_bytes[w][0]), b), e.low);
    if (e.high)
        store64(dst + 64, _mm512_permutex2var_epi8(a, _mm512_load_si512(item_bytes[w][1]), b),
                e.high);
}

// Planes 4 * (2 * z1 + z0) + l are in lane l of a register. After the step, lanes have bytes
// [item of 8][z1], and two registers z0 have the same items: four become neighbours.
#define WIDE_BYTE(w, o)                                                                       \
    (o) % 64 % (w) / 4 % 2 * 64 + (o) % 64 % (w) % 4 * 16 + (o) / 64 * 8 + (o) % 64 / (w)*2 + \
        (o) % 64 % (w) / 8
static const _Alignas(64) places wide_bytes[WIDE_MAX + 1] = {
    PLACES(WIDE_BYTE, 9),  PLACES(WIDE_BYTE, 10), PLACES(WIDE_BYTE, 11), PLACES(WIDE_BYTE, 12),
    PLACES(WIDE_BYTE, 13), PLACES(WIDE_BYTE, 14), PLACES(WIDE_BYTE, 15), PLACES(WIDE_BYTE, 16),
};

INLINE void
wide_items(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, struct ends e)
{
    const __m512i low = _mm512_load_si512(wide_bytes[w][0]);
    const __m512i high = _mm512_load_si512(wide_bytes[w][1]);
    __m512i v[4], u[4];
    foreach (z, 4)
        v[z] = planes_from(src, n, w, 4 * z, e.plane);
    foreach (z, 2) {
        u[z] = _mm512_unpacklo_epi8(v[z], v[z + 2]);
        u[z + 2] = _mm512_unpackhi_epi8(v[z], v[z + 2]);
    }
    foreach (k, 4)
        if (e.nitems > 4 * k)
            store64(dst + 4 * k * w,
                    _mm512_permutex2var_epi8(u[k / 2 * 2], k % 2 ? high : low, u[k / 2 * 2 + 1]),
                    first_of_64(least(e.nitems - 4 * k, 4) * w));
}

INLINE void
some_items(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, struct ends e)
{
    if (w <= NARROW_MAX)
        narrow_items(dst, src, n, w, e);
    else
        wide_items(dst, src, n, w, e);
}

INLINE void
rows_of(uint8_t *restrict dst, const uint8_t *restrict src, const struct plane_rows *p, size_t w)
{
    const size_t n = p->n, tile = TILE(w), row_nitems = p->row_nitems;
    const size_t rest = row_nitems % tile, whole = row_nitems - rest;
    const struct ends e = ends_of(rest, w);
    struct rows_ahead early = ask_for_rows(p, dst);

    for (size_t r = 0; r < p->rows; r++) {
        rows_ahead_at(&early, r);
        for (size_t i = 0; i < whole; i += tile)
            some_items(dst + i * w, src + i, n, w, ends_of(tile, w));
        if (rest > 0)
            some_items(dst + whole * w, src + whole, n, w, e);
        dst += p->dst_stride;
        src += p->src_step;
    }
}

// Items to planes.

// The planes from number j on that fill a register.
INLINE void
planes_to(uint8_t *dst, size_t n, size_t w, size_t j, __m512i v, __mmask64 mask)
{
    if (TILE(w) == 64) {
        store64(dst + j * n, v, mask);
        return;
    }
    foreach (h, 2) {
        const __m256i half = h == 0 ? _mm512_castsi512_si256(v) : _mm512_extracti64x4_epi64(v, 1);
        const size_t k = TILE(w) == 32 ? j + h : j + 2 * h;
        if (k < w && TILE(w) == 32)
            _mm256_mask_storeu_epi8(dst + k * n, (__mmask32)mask, half);
        else if (k < w)
            _mm_mask_storeu_epi8(dst + k * n, (__mmask16)mask, _mm256_castsi256_si128(half));
        if (k + 1 < w && TILE(w) == 16)
            _mm_mask_storeu_epi8(dst + (k + 1) * n, (__mmask16)mask,
                                 _mm256_extracti128_si256(half, 1));
    }
}

INLINE void
narrow_planes(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, struct ends e)
{
    const __m512i a = load64(src, e.low), b = load64(src + 64, e.high);
    const __m512i even = _mm512_load_si512(plane_bytes[w][0]);
    const __m512i odd = _mm512_load_si512(plane_bytes[w][1]);
    planes_to(dst, n, w, 0, _mm512_permutex2var_epi8(a, even, b), e.plane);
    planes_to(dst, n, w, 64 / TILE(w), _mm512_permutex2var_epi8(a, odd, b), e.plane);
}

INLINE void
planes_of_narrow_tiles(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    size_t i = 0;
    for (; n - i >= TILE(w); i += TILE(w))
        narrow_planes(dst + i, src + i * w, n, w, ends_of(TILE(w), w));
    if (n > i)
        narrow_planes(dst + i, src + i * w, n, w, ends_of(n - i, w));
}

// Words [m][p] of eight registers to [p][m].
INLINE void
transpose_words(__m512i v[8])
{
    EXCHANGE(v, 1, _mm512_unpacklo_epi64, _mm512_unpackhi_epi64);
    EXCHANGE(v, 2, even_lanes, odd_lanes);
    EXCHANGE(v, 4, even_lanes, odd_lanes);
}

// Bytes [p][i] are byte p of item i, for eight of both.
INLINE __m512i
column_bytes(size_t w)
{
    const __m512i p = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i columns = _mm512_mullo_epi64(p, _mm512_set1_epi64(0x0101010101010101));
    const __m512i items = _mm512_set1_epi64((long long)(w * 0x0706050403020100)); // bytes below 128
    return _mm512_add_epi8(columns, items);
}

// Up to 64 items; `left` bytes may be read.
INLINE void
wide_planes(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems,
            size_t left)
{
    const __m512i first = column_bytes(w);
    const __m512i second = _mm512_add_epi8(first, _mm512_set1_epi8(8));
    __m512i v[8], u[8];
    foreach (m, 8) {
        const size_t at = 8 * m * w;
        const __m512i a = load64(src + at, first_from(left, at));
        const __m512i b = load64(src + at + 64, first_from(left, at + 64));
        v[m] = _mm512_permutex2var_epi8(a, first, b);
        u[m] = _mm512_permutex2var_epi8(a, second, b);
    }
    transpose_words(v);
    transpose_words(u);
    foreach (p, 8)
        store64(dst + p * n, v[p], first_of_64(nitems));
    foreach (p, 8)
        if (8 + p < w)
            store64(dst + (8 + p) * n, u[p], first_of_64(nitems));
}

INLINE void
planes_of_wide_tiles(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    enum { BEYOND = 7 }; // items that must follow a tile: 128 bytes are read of every 8 items
    size_t i = 0;
    for (; n - i >= 64 + BEYOND; i += 64)
        wide_planes(dst + i, src + i * w, n, w, 64, SIZE_MAX);
    for (; i < n; i += 64)
        wide_planes(dst + i, src + i * w, n, w, least(n - i, 64), (n - i) * w);
}

static void
rows_of_all_widths(uint8_t *restrict dst, const uint8_t *restrict src, const struct plane_rows *r)
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
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
        CASE(9);
        CASE(10);
        CASE(11);
        CASE(12);
        CASE(13);
        CASE(14);
        CASE(15);
        CASE(16);
#undef CASE
    default:
        unshuffle_rows_avx2(dst, src - p.first, r);
    }
}

// Rows of 4 and 8 bytes gain as long as they go to the second cache only. In reads of whole arrays,
// whose results go to memory, they lose some per cent to the narrower stores of AVX2.
void
unshuffle_rows_avx512(uint8_t *restrict dst, const uint8_t *restrict src,
                      const struct plane_rows *r)
{
    if (r->w == 4 || r->w == 8)
        unshuffle_rows_avx2(dst, src, r);
    else
        rows_of_all_widths(dst, src, r);
}

void
unshuffle_avx512(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    rows_of_all_widths(dst, src, &(struct plane_rows){.n = n, .w = w, .rows = 1, .row_nitems = n});
}

void
shuffle_avx512(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    switch (w) {
    case 1:
        memcpy(dst, src, n);
        break;
#define CASE(width)                                 \
    case width:                                     \
        planes_of_narrow_tiles(dst, src, n, width); \
        break
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
#undef CASE
    default:
        if (w <= WIDE_MAX)
            planes_of_wide_tiles(dst, src, n, w);
        else
            shuffle_avx2(dst, src, n, w);
    }
}
