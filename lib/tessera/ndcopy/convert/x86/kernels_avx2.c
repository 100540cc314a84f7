/*
 * kernels_avx2.c - the loops of conversions, compiled for AVX2.
 */
#define CONVERT_KERNELS convert_kernels_avx2
#include "ndcopy/convert/loops.h"
