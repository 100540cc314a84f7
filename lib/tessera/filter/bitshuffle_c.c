/*
 * bitshuffle_c.c - bits of items to rows of bits and back, in plain C.
 *
 * Tiles of 64 items pass through a small buffer as byte planes. Eight bytes of a plane, one of
 * each of eight items, are a matrix of 8 x 8 bits in a word; the words of a tile are a matrix of
 * 8 x 8 bytes. Both are transposed in registers.
 *
 * Here, and with the instruction sets, it is a unit of its own: in one with shuffle_c(), which it
 * calls for each tile, compilers inline that, and the code is five times as large.
 */
#include "filter/private.h"

#include "base/bytes.h"

#include <assert.h>

enum { TILE_NITEMS = 64, WIDTH_MAX = 255 };

// Bit c of byte r becomes bit r of byte c: blocks of 1, 2 and 4 bits trade places across the
// diagonal.
static inline uint64_t
transpose_bits(uint64_t x)
{
    uint64_t t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aa;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000cccc0000cccc;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0;
    return x ^ t ^ (t << 28);
}

// One step of the same for bytes: `distance` words apart, `distance` bytes up.
static inline void
swap_blocks(uint64_t x[8], int distance, uint64_t mask)
{
    for (int r = 0; r < 8; r++) {
        if (r & distance)
            continue;
        const uint64_t t = ((x[r] >> 8 * distance) ^ x[r + distance]) & mask;
        x[r] ^= t << 8 * distance;
        x[r + distance] ^= t;
    }
}

// Byte c of word r becomes byte r of word c.
static inline void
transpose_bytes(uint64_t x[8])
{
    swap_blocks(x, 4, 0x00000000ffffffff);
    swap_blocks(x, 2, 0x0000ffff0000ffff);
    swap_blocks(x, 1, 0x00ff00ff00ff00ff);
}

// The low n bytes of a word, n <= 8.
static inline uint64_t
load_word(const uint8_t *src, size_t n)
{
    if (n == 8)
        return get_u64le(src);
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++)
        x |= (uint64_t)src[i] << 8 * i;
    return x;
}

static inline void
store_word(uint8_t *dst, uint64_t x, size_t n)
{
    if (n == 8) {
        put_u64le(dst, x);
        return;
    }
    for (size_t i = 0; i < n; i++)
        dst[i] = (uint8_t)(x >> 8 * i);
}

// A plane of 8 * n bytes, n <= 8, to n bytes in each of eight rows.
static void
plane_to_rows(uint8_t *restrict dst, size_t row_size, const uint8_t *restrict plane, size_t n)
{
    uint64_t x[8] = {0};
    for (size_t i = 0; i < n; i++)
        x[i] = transpose_bits(get_u64le(plane + 8 * i));
    transpose_bytes(x);
    for (size_t k = 0; k < 8; k++)
        store_word(dst + k * row_size, x[k], n);
}

static void
rows_to_plane(uint8_t *restrict plane, const uint8_t *restrict src, size_t row_size, size_t n)
{
    uint64_t x[8];
    for (size_t k = 0; k < 8; k++)
        x[k] = load_word(src + k * row_size, n);
    transpose_bytes(x);
    for (size_t i = 0; i < n; i++)
        put_u64le(plane + 8 * i, transpose_bits(x[i]));
}

void
bitshuffle_from_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w,
                  size_t first)
{
    uint8_t tile[TILE_NITEMS * WIDTH_MAX];
    assert(n % 8 == 0 && w <= WIDTH_MAX);

    for (size_t i = first; i < n; i += TILE_NITEMS) {
        const size_t count = n - i < TILE_NITEMS ? n - i : TILE_NITEMS;
        shuffle_c(tile, src + i * w, count, w);
        for (size_t j = 0; j < w; j++)
            plane_to_rows(dst + j * n + i / 8, n / 8, tile + j * count, count / 8);
    }
}

void
bitshuffle_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    bitshuffle_from_c(dst, src, n, w, 0);
}

void
bitunshuffle_from_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w,
                    size_t first)
{
    uint8_t tile[TILE_NITEMS * WIDTH_MAX];
    assert(n % 8 == 0 && w <= WIDTH_MAX);

    for (size_t i = first; i < n; i += TILE_NITEMS) {
        const size_t count = n - i < TILE_NITEMS ? n - i : TILE_NITEMS;
        for (size_t j = 0; j < w; j++)
            rows_to_plane(tile + j * count, src + j * n + i / 8, n / 8, count / 8);
        unshuffle_c(dst + i * w, tile, count, w);
    }
}

void
bitunshuffle_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    bitunshuffle_from_c(dst, src, n, w, 0);
}
