/*
 * bitshuffle_avx512.c - bits of items to rows of bits and back, with AVX-512, VBMI and GFNI.
 *
 * As in bitshuffle_c.c, tiles of items pass through a buffer as byte planes. Eight bytes of a plane
 * are a matrix of bits that one instruction transposes, last byte first. 512 items of a plane are
 * registers m of words q; their transposes have bytes k, one of each row. Between the addresses
 * [m][q][k] and [k][m][q] lie three exchanges of a register's number with places inside, a bit
 * each: one of bytes, which brings k before q as well, one of words, one of lanes.
 *
 * A tile has as many items as the buffer holds, and its end is masked: all is done here.
 */
#include "filter/private.h"
#include "filter/x86/vec64.h"

enum {
    TILE_NITEMS = 512,
    TILE_SIZE = 16 << 10, // half of the first cache
};

// Bit c of byte 7 - r becomes bit r of byte c, in each word.
INLINE __m512i
transpose_bits(__m512i x)
{
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64((long long)0x8040201008040201), x, 0);
}

INLINE __m512i
turn_words(__m512i x)
{
    const __m512i turned =
        _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
    return _mm512_shuffle_epi8(x, turned);
}

// The register of row k, and in the inverse of group m: the upper two bits have traded places.
INLINE size_t
place_of(size_t k)
{
    return (k & 1) | (k & 2) << 1 | (k & 4) >> 1;
}

// Bytes [m1][q][k] to [k2][m1][k1][k0][q], for both values of k2.
#define TO_ROWS(k2, o) (o) / 32 * 64 + (o) % 8 * 8 + 4 * (k2) + (o) / 8 % 4
static const _Alignas(64) uint8_t to_rows[2][64] = {
    {PLACES_64(TO_ROWS, 0, 0)},
    {PLACES_64(TO_ROWS, 1, 0)},
};

// Bytes [k2][k1][m2][k0][q] to [m2][q][7 - k].
#define TO_PLANE(m2, o)                                                                       \
    (7 - (o) % 8) / 4 * 64 + (7 - (o) % 8) / 2 % 2 * 32 + 16 * (m2) + (7 - (o) % 8) % 2 * 8 + \
        (o) / 8
static const _Alignas(64) uint8_t to_plane[2][64] = {
    {PLACES_64(TO_PLANE, 0, 0)},
    {PLACES_64(TO_PLANE, 1, 0)},
};

#define EVEN_BYTES(a, b) _mm512_permutex2var_epi8(a, even, b)
#define ODD_BYTES(a, b) _mm512_permutex2var_epi8(a, odd, b)

// nitems bytes of a plane to an eighth of them in each of eight rows.
INLINE void
plane_to_rows(uint8_t *restrict dst, size_t row_size, const uint8_t *restrict plane, size_t nitems)
{
    const __m512i even = _mm512_load_si512(to_rows[0]), odd = _mm512_load_si512(to_rows[1]);
    __m512i v[8];
    foreach (m, 8)
        v[m] = transpose_bits(turn_words(load64(plane + 64 * m, first_from(nitems, 64 * m))));
    EXCHANGE(v, 2, EVEN_BYTES, ODD_BYTES);
    EXCHANGE(v, 1, _mm512_unpacklo_epi64, _mm512_unpackhi_epi64);
    EXCHANGE(v, 4, even_lanes, odd_lanes);
    foreach (k, 8)
        store64(dst + k * row_size, v[place_of(k)], first_of_64(nitems / 8));
}

INLINE void
rows_to_plane(uint8_t *restrict plane, const uint8_t *restrict src, size_t row_size, size_t nitems)
{
    const __m512i even = _mm512_load_si512(to_plane[0]), odd = _mm512_load_si512(to_plane[1]);
    __m512i v[8];
    foreach (k, 8)
        v[place_of(k)] = load64(src + k * row_size, first_of_64(nitems / 8));
    EXCHANGE(v, 4, even_lanes, odd_lanes);
    EXCHANGE(v, 1, _mm512_unpacklo_epi64, _mm512_unpackhi_epi64);
    EXCHANGE(v, 2, EVEN_BYTES, ODD_BYTES);
    foreach (m, 8)
        store64(plane + 64 * m, transpose_bits(v[place_of(m)]), first_from(nitems, 64 * m));
}

// A multiple of 8, not 0: w is at most 255.
static size_t
tile_nitems(size_t w)
{
    return least(TILE_NITEMS, TILE_SIZE / w / 8 * 8);
}

void
bitshuffle_avx512(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    _Alignas(64) uint8_t tile[TILE_SIZE];
    const size_t most = tile_nitems(w);

    for (size_t i = 0; i < n; i += most) {
        const size_t nitems = least(n - i, most);
        const uint8_t *planes = src + i; // of items of one byte
        if (w > 1) {
            shuffle_avx512(tile, src + i * w, nitems, w);
            planes = tile;
        }
        for (size_t j = 0; j < w; j++)
            if (nitems == TILE_NITEMS)
                plane_to_rows(dst + j * n + i / 8, n / 8, planes + j * nitems, TILE_NITEMS);
            else
                plane_to_rows(dst + j * n + i / 8, n / 8, planes + j * nitems, nitems);
    }
}

void
bitunshuffle_avx512(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    _Alignas(64) uint8_t tile[TILE_SIZE];
    const size_t most = tile_nitems(w);

    for (size_t i = 0; i < n; i += most) {
        const size_t nitems = least(n - i, most);
        uint8_t *const planes = w > 1 ? tile : dst + i;
        for (size_t j = 0; j < w; j++)
            if (nitems == TILE_NITEMS)
                rows_to_plane(planes + j * nitems, src + j * n + i / 8, n / 8, TILE_NITEMS);
            else
                rows_to_plane(planes + j * nitems, src + j * n + i / 8, n / 8, nitems);
        if (w > 1)
            unshuffle_avx512(dst + i * w, tile, nitems, w);
    }
}
