/*
 * kernels.c - the loops of conversions for any machine, and which ones this machine gets.
 */
#include "ndcopy/convert/kernels.h"

#include "base/cpu.h"

#define CONVERT_KERNELS convert_kernels_c
#include "ndcopy/convert/loops.h"

const struct convert_kernels *
convert_kernels_for(unsigned cpu)
{
#ifdef HAVE_X86_AVX2
    if (cpu & CPU_AVX2)
        return &convert_kernels_avx2;
#endif
    (void)cpu;
    return &convert_kernels_c;
}

const struct convert_kernels *
convert_kernels(void)
{
    return convert_kernels_for(cpu_mask());
}
