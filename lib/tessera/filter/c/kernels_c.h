/*
 * kernels_c.h - the plain C kernels, which every table starts with.
 *
 * Also what other versions call for the widths and ends that they have nothing better for.
 */
#ifndef FILTER_C_KERNELS_C_H
#define FILTER_C_KERNELS_C_H

#include "filter/kernels.h"

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

#endif
