/*
 * kernels_vec16.h - kernels for machines with vectors of 16 bytes: every x86-64 and AArch64.
 */
#ifndef FILTER_VEC16_KERNELS_VEC16_H
#define FILTER_VEC16_KERNELS_VEC16_H

#include "filter/kernels.h"

shuffle_fn shuffle_vec16;
unshuffle_fn unshuffle_vec16;
unshuffle_rows_fn unshuffle_rows_vec16;
bitshuffle_fn bitshuffle_vec16;
bitunshuffle_fn bitunshuffle_vec16;
byteundelta_fn byteundelta_vec16;

#endif
