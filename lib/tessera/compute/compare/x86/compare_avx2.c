/*
 * compare_avx2.c - the kernels of comparisons, compiled for AVX2.
 */
#define COMPARE_KERNELS compare_kernels_avx2
#include "compute/compare/loops.h"
