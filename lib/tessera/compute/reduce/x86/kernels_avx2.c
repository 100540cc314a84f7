/*
 * kernels_avx2.c - the kernels of reductions, compiled for AVX2.
 */
#define REDUCE_KERNELS reduce_kernels_avx2
#include "compute/reduce/loops.h"
