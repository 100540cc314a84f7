/*
 * bitshuffle_avx2.c - bits of items to rows of bits and back, with AVX2.
 *
 * As in bitshuffle_c.c, tiles of items pass through a buffer as byte planes. Eight bytes of a
 * plane, q of [q][item], are a matrix of bits that is transposed inside a word, to [q][bit]. A tile
 * of 256 items is two lanes of 16 words, 7 bits of address each: four steps of interleave.h lead
 * from [q][bit] to rows, [bit][q], and three lead back. Items above WIDTH_MAX bytes, and those
 * behind the last tile, are done in plain C.
 */
#include "filter/private.h"
#include "filter/x86/interleave.h"

enum {
    TILE_NITEMS = 256,
    ROW_SIZE = TILE_NITEMS / 8,
    LANE_NITEMS = TILE_NITEMS / 2,
    WIDTH_MAX = 32, // the tile stays in the first cache
};

// In each word: bit c of byte r becomes bit r of byte c.
INLINE __m256i
swap_bits(__m256i x, int distance, long long mask)
{
    const __m256i t = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, distance)),
                                       _mm256_set1_epi64x(mask));
    return _mm256_xor_si256(x, _mm256_xor_si256(t, _mm256_slli_epi64(t, distance)));
}

INLINE __m256i
transpose_bits(__m256i x)
{
    x = swap_bits(x, 7, 0x00aa00aa00aa00aa);
    x = swap_bits(x, 14, 0x0000cccc0000cccc);
    return swap_bits(x, 28, 0x00000000f0f0f0f0);
}

// 256 bytes of a plane to 32 bytes in each of eight rows.
INLINE void
plane_to_rows(uint8_t *restrict dst, size_t row_size, const uint8_t *restrict plane)
{
    __m256i v[16];
    foreach (j, 8)
        v[j] =
            transpose_bits(_mm256_inserti128_si256(_mm256_castsi128_si256(load16(plane + 16 * j)),
                                                   load16(plane + LANE_NITEMS + 16 * j), 1));
    interleave32(v, 8, 4);
    foreach (k, 8)
        _mm256_storeu_si256((void *)(dst + k * row_size), v[k]);
}

INLINE void
rows_to_plane(uint8_t *restrict plane, const uint8_t *restrict src, size_t row_size)
{
    __m256i v[16];
    foreach (k, 8)
        v[k] = _mm256_loadu_si256((const void *)(src + k * row_size));
    interleave32(v, 8, 3);
    foreach (j, 8) {
        const __m256i x = transpose_bits(v[j]);
        store16(plane + 16 * j, _mm256_castsi256_si128(x));
        store16(plane + LANE_NITEMS + 16 * j, _mm256_extracti128_si256(x, 1));
    }
}

void
bitshuffle_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    uint8_t tile[TILE_NITEMS * WIDTH_MAX];
    size_t i = 0;

    for (; w <= WIDTH_MAX && n - i >= TILE_NITEMS; i += TILE_NITEMS) {
        const uint8_t *planes = src + i; // of items of one byte
        if (w > 1) {
            shuffle_avx2(tile, src + i * w, TILE_NITEMS, w);
            planes = tile;
        }
        for (size_t j = 0; j < w; j++)
            plane_to_rows(dst + j * n + i / 8, n / 8, planes + j * TILE_NITEMS);
    }
    bitshuffle_from_c(dst, src, n, w, i);
}

void
bitunshuffle_avx2(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    uint8_t tile[TILE_NITEMS * WIDTH_MAX];
    size_t i = 0;

    for (; w <= WIDTH_MAX && n - i >= TILE_NITEMS; i += TILE_NITEMS) {
        uint8_t *const planes = w > 1 ? tile : dst + i;
        for (size_t j = 0; j < w; j++)
            rows_to_plane(planes + j * TILE_NITEMS, src + j * n + i / 8, n / 8);
        if (w > 1)
            unshuffle_avx2(dst + i * w, tile, TILE_NITEMS, w);
    }
    bitunshuffle_from_c(dst, src, n, w, i);
}
