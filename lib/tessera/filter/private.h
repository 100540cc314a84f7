/*
 * private.h - the kernels of each instruction set, for the table in kernels.c.
 *
 * Those in plain C are also what others call for the widths and ends that they have nothing better
 * for. A set's are defined where the build has a file for it.
 */
#ifndef FILTER_PRIVATE_H
#define FILTER_PRIVATE_H

#include "filter/kernels.h"

// -- plain C (kernels_c.c, bitshuffle_c.c)

shuffle_fn shuffle_c;
unshuffle_fn unshuffle_c;
unshuffle_rows_fn unshuffle_rows_c;
bitshuffle_fn bitshuffle_c;
bitunshuffle_fn bitunshuffle_c;
xor_fn exclusive_or_c;
bytedelta_fn bytedelta_c;
byteundelta_fn byteundelta_c;
is_run_fn is_run_c;

// Bitshuffle of the items from number `first` on, a multiple of 8; the rows are those of all n.
void bitshuffle_from_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w,
                       size_t first);
void bitunshuffle_from_c(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, size_t w,
                         size_t first);

// -- vectors of 16 bytes: every x86-64 and AArch64 (vec16/kernels_vec16.c,
// vec16/bitshuffle_vec16.c)

shuffle_fn shuffle_vec16;
unshuffle_fn unshuffle_vec16;
unshuffle_rows_fn unshuffle_rows_vec16;
bitshuffle_fn bitshuffle_vec16;
bitunshuffle_fn bitunshuffle_vec16;
byteundelta_fn byteundelta_vec16;

// -- x86-64: AVX2 (x86/kernels_avx2.c, x86/bitshuffle_avx2.c), AVX-512
// (x86/shuffle_avx512.c, x86/bitshuffle_avx512.c)

shuffle_fn shuffle_avx2;
unshuffle_fn unshuffle_avx2;
unshuffle_rows_fn unshuffle_rows_avx2;
bitshuffle_fn bitshuffle_avx2;
bitunshuffle_fn bitunshuffle_avx2;
xor_fn exclusive_or_avx2;
bytedelta_fn bytedelta_avx2;
byteundelta_fn byteundelta_avx2;

shuffle_fn shuffle_avx512;
unshuffle_fn unshuffle_avx512;
unshuffle_rows_fn unshuffle_rows_avx512;
bitshuffle_fn bitshuffle_avx512;
bitunshuffle_fn bitunshuffle_avx512;

#endif
