/*
 * histogram_avx2.c - the kernels of histograms, compiled for AVX2.
 */
#define HISTOGRAM_KERNELS histogram_kernels_avx2
#include "compute/histogram/loops.h"
