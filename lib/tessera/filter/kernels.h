/*
 * kernels.h - the table of the filters' inner loops.
 *
 * Each kernel has a plain C version, the definition; instruction sets overwrite what they do
 * better. The table depends on a mask only (base/cpu.h), so that a test can ask for every machine
 * hidden in this one. Kernels do not allocate or fail, and touch exactly the bytes they were
 * given; source and destination do not overlap (unless said) and need no alignment.
 */
#ifndef FILTER_KERNELS_H
#define FILTER_KERNELS_H

#include <stddef.h>
#include <stdint.h>

// dst[j * n + i] = src[i * w + j] for i < n, j < w; both hold exactly n * w bytes.
typedef void shuffle_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w);

// dst[i * w + j] = src[j * n + i].
typedef void unshuffle_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w);

/*
 * Rows of items out of planes: for r < rows, i < row_nitems, j < w
 *     dst[r * dst_stride + i * w + j] = src[j * n + first + r * src_step + i]
 * The caller has checked that all items lie inside the planes.
 */
struct plane_rows {
    size_t n, w; // items of a plane, and planes
    size_t first, rows, row_nitems;
    size_t src_step; // items from one row to the next
    ptrdiff_t dst_stride; // bytes; may be negative
    const uint8_t *next; // where as many rows will be wanted next: a hint; NULL: none
};
typedef void unshuffle_rows_fn(uint8_t *restrict dst, const uint8_t *restrict src,
                               const struct plane_rows *r);

// Bitshuffle of n items of w <= 255 bytes, n a multiple of 8; both hold exactly n * w bytes:
//     bit b of dst[(8 * j + k) * (n / 8) + i] = bit k of src[(8 * i + b) * w + j]
typedef void bitshuffle_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w);
typedef void bitunshuffle_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n,
                             size_t w);

// dst[i] = a[i] ^ b[i]; dst may be a or b.
typedef void xor_fn(uint8_t *dst, const uint8_t *a, const uint8_t *b, size_t size);

// Differences inside one byte stream: dst[i] = src[i] - src[i - 1], with src[-1] = 0, modulo 256.
typedef void bytedelta_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n);
// Running sums, the inverse.
typedef void byteundelta_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n);

// Whether all `size` bytes (> 0) are equal to the first.
typedef int is_run_fn(const uint8_t *src, size_t size);

struct filter_kernels {
    shuffle_fn *shuffle;
    unshuffle_fn *unshuffle;
    unshuffle_rows_fn *unshuffle_rows;
    bitshuffle_fn *bitshuffle;
    bitunshuffle_fn *bitunshuffle;
    xor_fn *exclusive_or;
    bytedelta_fn *bytedelta;
    byteundelta_fn *byteundelta;
    is_run_fn *is_run;
};

// The best kernels for a mask of base/cpu.h; 0 gives the plain C ones.
void filter_kernels_init(struct filter_kernels *k, unsigned cpu);

// The kernels for this machine; set up at first use, by any thread.
const struct filter_kernels *filter_kernels(void);

#endif
