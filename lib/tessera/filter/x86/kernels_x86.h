/*
 * kernels_x86.h - kernels for x86-64, each in a file built for its instruction set.
 */
#ifndef FILTER_X86_KERNELS_X86_H
#define FILTER_X86_KERNELS_X86_H

#include "filter/kernels.h"

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
