/*
 * kernels_vec16.c - kernels for machines with vectors of 16 bytes.
 *
 * Running sums inside a register are made in steps of 1, 2, 4 and 8 bytes. What all registers
 * before add up to is a chain of its own, one addition long for each. Differences compilers do as
 * well.
 */
#include "filter/private.h"

#include "filter/vec16/tiles.h"
#include "filter/vec16/vec16.h"

// -- bytes to planes

INLINE void
row_of_power(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    size_t i = 0;
    for (; nitems - i >= 32; i += 16)
        items16(dst + i * w, src + i, n, w);
    power_end(dst, src, n, w, nitems, i);
}

INLINE void
row_of_wide(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w, size_t nitems)
{
    if (nitems < 8) {
        items_plain(dst, src, n, w, nitems);
        return;
    }
    if (w == 16 && (nitems < STRIP || !is_crowded(n))) {
        row_of_power(dst, src, n, w, nitems);
        return;
    }
    for (size_t at = 0; at < nitems; at += STRIP) {
        const size_t i = nitems >= 16 && nitems - at < 16 ? nitems - 16 : at;
        row_end(dst + i * w, src + i, n, w, nitems - i < STRIP ? nitems - i : STRIP);
    }
}

// n items, at least 16.
INLINE void
planes_of_power(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    for (size_t at = 0; at < n; at += 16) {
        const size_t i = n - at < 16 ? n - 16 : at;
        planes16(dst + i, src + i * w, n, w);
    }
}

// n items, at least 16, of at least 9 bytes.
INLINE void
planes_of_wide(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    if (w == 16 && !is_crowded(n)) {
        planes_of_power(dst, src, n, w);
        return;
    }
    for (size_t at = 0; at < n; at += STRIP)
        for (size_t j = 0; j < w; j += 8) {
            const size_t c = w - j < 8 ? w - 8 : j;
            planes_end(dst + c * n, src + c, n, w, at, n - at < STRIP ? n : at + STRIP);
        }
}

#include "filter/vec16/widths.h"

void
unshuffle_rows_vec16(uint8_t *restrict dst, const uint8_t *restrict src, const struct plane_rows *r)
{
    unshuffle_rows_by_width(dst, src, r);
}

void
unshuffle_vec16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    unshuffle_rows_vec16(dst, src,
                         &(struct plane_rows){.n = n, .w = w, .rows = 1, .row_nitems = n});
}

void
shuffle_vec16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w)
{
    shuffle_by_width(dst, src, n, w);
}

// -- running sums

INLINE vec16
sums(vec16 x)
{
    x = vec16_add(x, vec16_shift_bytes(x, 1));
    x = vec16_add(x, vec16_shift_bytes(x, 2));
    x = vec16_add(x, vec16_shift_bytes(x, 4));
    return vec16_add(x, vec16_shift_bytes(x, 8));
}

void
byteundelta_vec16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    vec16 before = VEC16_ZERO; // in every byte
    size_t i = 0;

    for (; n - i >= 16; i += 16) {
        const vec16 x = sums(load16(src + i));
        store16(dst + i, vec16_add(before, x));
        before = vec16_add(before, vec16_last(x));
    }
    uint8_t sum = i > 0 ? dst[i - 1] : 0;
    for (; i < n; i++)
        dst[i] = sum = (uint8_t)(sum + src[i]);
}
