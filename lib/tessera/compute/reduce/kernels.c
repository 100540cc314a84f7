/*
 * kernels.c - the kernels of reductions for any machine, and which ones this machine gets.
 */
#include "compute/reduce/kernels.h"

#include "base/cpu.h"

#define REDUCE_KERNELS reduce_kernels_c
#include "compute/reduce/loops.h"

const struct reduce_kernels *
reduce_kernels_for(unsigned cpu)
{
#ifdef HAVE_X86_AVX2
    if (cpu & CPU_AVX2)
        return &reduce_kernels_avx2;
#endif
    (void)cpu;
    return &reduce_kernels_c;
}

static const struct reduce_kernels *
mine(void)
{
    return reduce_kernels_for(cpu_mask());
}

reduce_fn *
kernel_sum_whole(enum numeric number)
{
    return mine()->sum_whole[number];
}

reduce_fn *
kernel_sum_float(enum numeric number)
{
    return mine()->sum_float[number == NUMERIC_F8];
}

reduce_fn *
kernel_extreme(enum numeric number, bool greatest)
{
    return greatest ? mine()->greatest[number] : mine()->least[number];
}

reduce_fn *
kernel_squares_whole(enum numeric number)
{
    return mine()->squares_whole[number];
}

reduce_fn *
kernel_squares_float(enum numeric number, bool skip_nan)
{
    const bool wide = number == NUMERIC_F8;
    return skip_nan ? mine()->squares_present[wide] : mine()->squares_float[wide];
}

reduce_fn *
kernel_shift(enum numeric number)
{
    return mine()->shift[number == NUMERIC_F8];
}

nans_fn *
kernel_nans(int32_t size)
{
    return mine()->nans[size / 4];
}

order_fn *
kernel_order(int32_t size)
{
    return mine()->order[size / 4];
}
