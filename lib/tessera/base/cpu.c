/*
 * cpu.c - asking the processor, once.
 *
 * What a program may use depends on the operating system too (it has to save the registers); the
 * compiler's __builtin_cpu_supports() looks at both.
 */
#include "base/cpu.h"

#include <stdatomic.h>

enum { KNOWN = 1 << 30 };

static unsigned
detect(void)
{
    unsigned mask = 0;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse2"))
        mask |= CPU_SSE2;
    if (__builtin_cpu_supports("ssse3"))
        mask |= CPU_SSSE3;
    if (__builtin_cpu_supports("avx2"))
        mask |= CPU_AVX2;
#ifdef HAVE_X86_AVX512 // older compilers do not know all the names
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("gfni") &&
        __builtin_cpu_supports("bmi2"))
        mask |= CPU_AVX512;
#endif
#elif defined(__aarch64__)
    mask |= CPU_NEON; // part of every AArch64
#endif
    return mask;
}

unsigned
cpu_mask(void)
{
    static atomic_uint cached; // threads that meet here find the same
    unsigned mask = atomic_load_explicit(&cached, memory_order_relaxed);

    if (mask == 0) {
        mask = detect() | KNOWN;
        atomic_store_explicit(&cached, mask, memory_order_relaxed);
    }
    return mask & ~(unsigned)KNOWN;
}

#if defined(__x86_64__) || defined(__i386__)
__attribute__((target("avx"))) static void
clear_upper_halves_avx(void)
{
    __builtin_ia32_vzeroupper();
}

void
cpu_clear_upper_halves(void)
{
    if (cpu_mask() & CPU_AVX2)
        clear_upper_halves_avx();
}
#else
void
cpu_clear_upper_halves(void)
{
}
#endif
