/*
 * bitshuffle_vec16.c - bits of items to rows of bits and back, 16 bytes at a time.
 *
 * As in bitshuffle_c.c, tiles of items pass through a buffer as byte planes. Eight bytes of a
 * plane, q of [q][item], are a matrix of bits that is transposed inside a word, to [q][bit]. A tile
 * of 128 items is 16 words, 7 bits of address: four steps of vec16.h lead from [q][bit] to rows,
 * [bit][q], and three lead back. Items above WIDTH_MAX bytes, and those behind the last tile, are
 * done in plain C.
 */
#include "filter/private.h"
#include "filter/vec16/vec16.h"

enum {
    TILE_NITEMS = 128,
    WIDTH_MAX = 64, // the tile stays in the first cache
};

// In each word: bit c of byte r becomes bit r of byte c. Distances are constants.
#define SWAP_BITS(x, distance, mask)                                                               \
    do {                                                                                           \
        const vec16 t = vec16_and(vec16_xor(x, vec16_words_down(x, distance)), vec16_words(mask)); \
        x = vec16_xor(x, vec16_xor(t, vec16_words_up(t, distance)));                               \
    } while (0)

INLINE vec16
transpose_bits(vec16 x)
{
    SWAP_BITS(x, 7, 0x00aa00aa00aa00aa);
    SWAP_BITS(x, 14, 0x0000cccc0000cccc);
    SWAP_BITS(x, 28, 0x00000000f0f0f0f0);
    return x;
}

// 128 bytes of a plane to 16 bytes in each of eight rows.
INLINE void
plane_to_rows(uint8_t *restrict dst, size_t row_size, const uint8_t *restrict plane)
{
    vec16 v[16];
    foreach (j, 8)
        v[j] = transpose_bits(load16(plane + 16 * j));
    interleave16(v, 8, 4);
    foreach (k, 8)
        store16(dst + k * row_size, v[k]);
}

INLINE void
rows_to_plane(uint8_t *restrict plane, const uint8_t *restrict src, size_t row_size)
{
    vec16 v[16];
    foreach (k, 8)
        v[k] = load16(src + k * row_size);
    interleave16(v, 8, 3);
    foreach (j, 8)
        store16(plane + 16 * j, transpose_bits(v[j]));
}

void
bitshuffle_vec16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    uint8_t tile[TILE_NITEMS * WIDTH_MAX];
    size_t i = 0;

    for (; w <= WIDTH_MAX && n - i >= TILE_NITEMS; i += TILE_NITEMS) {
        const uint8_t *planes = src + i; // of items of one byte
        if (w > 1) {
            shuffle_vec16(tile, src + i * w, TILE_NITEMS, w);
            planes = tile;
        }
        for (size_t j = 0; j < w; j++)
            plane_to_rows(dst + j * n + i / 8, n / 8, planes + j * TILE_NITEMS);
    }
    bitshuffle_from_c(dst, src, n, w, i);
}

void
bitunshuffle_vec16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    uint8_t tile[TILE_NITEMS * WIDTH_MAX];
    size_t i = 0;

    for (; w <= WIDTH_MAX && n - i >= TILE_NITEMS; i += TILE_NITEMS) {
        uint8_t *const planes = w > 1 ? tile : dst + i;
        for (size_t j = 0; j < w; j++)
            rows_to_plane(planes + j * TILE_NITEMS, src + j * n + i / 8, n / 8);
        if (w > 1)
            unshuffle_vec16(dst + i * w, tile, TILE_NITEMS, w);
    }
    bitunshuffle_from_c(dst, src, n, w, i);
}
