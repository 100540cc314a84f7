/*
 * kernels.c - the kernels of comparisons for any machine, and which ones this machine gets.
 */
#include "compute/compare/kernels.h"

#include "base/cpu.h"

#define COMPARE_KERNELS compare_kernels_c
#include "compute/compare/loops.h"

const struct compare_kernels *
compare_kernels_for(unsigned cpu)
{
#ifdef HAVE_X86_AVX2
    if (cpu & CPU_AVX2)
        return &compare_kernels_avx2;
#endif
    (void)cpu;
    return &compare_kernels_c;
}
