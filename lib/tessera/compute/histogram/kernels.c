/*
 * kernels.c - the kernels of histograms for any machine, and which ones this machine gets.
 */
#include "compute/histogram/kernels.h"

#include "base/cpu.h"

#define HISTOGRAM_KERNELS histogram_kernels_c
#include "compute/histogram/loops.h"

const struct histogram_kernels *
histogram_kernels_for(unsigned cpu)
{
#ifdef HAVE_X86_AVX2
    if (cpu & CPU_AVX2)
        return &histogram_kernels_avx2;
#endif
    (void)cpu;
    return &histogram_kernels_c;
}
