/*
 * kernels.c - which kernel for which machine.
 *
 * The table starts with plain C; each instruction set this build has a file for overwrites what it
 * does better. HAVE_* is set where the build adds that file.
 */
#include "filter/kernels.h"

#include "base/cpu.h"
#include "filter/private.h"

#include <pthread.h>

static struct filter_kernels table;

void
filter_kernels_init(struct filter_kernels *k, unsigned cpu)
{
    (void)cpu;
    *k = (struct filter_kernels){
        .shuffle = shuffle_c,
        .unshuffle = unshuffle_c,
        .unshuffle_rows = unshuffle_rows_c,
        .bitshuffle = bitshuffle_c,
        .bitunshuffle = bitunshuffle_c,
        .exclusive_or = exclusive_or_c,
        .bytedelta = bytedelta_c,
        .byteundelta = byteundelta_c,
        .is_run = is_run_c,
    };
#ifdef HAVE_VEC16
    if (cpu & (CPU_SSE2 | CPU_NEON)) {
        k->shuffle = shuffle_vec16;
        k->unshuffle = unshuffle_vec16;
        k->unshuffle_rows = unshuffle_rows_vec16;
        k->bitshuffle = bitshuffle_vec16;
        k->bitunshuffle = bitunshuffle_vec16;
        k->byteundelta = byteundelta_vec16;
    }
#endif
#ifdef HAVE_X86_AVX2
    if (cpu & CPU_AVX2) {
        k->shuffle = shuffle_avx2;
        k->unshuffle = unshuffle_avx2;
        k->unshuffle_rows = unshuffle_rows_avx2;
        k->bitshuffle = bitshuffle_avx2;
        k->bitunshuffle = bitunshuffle_avx2;
        k->exclusive_or = exclusive_or_avx2;
        k->bytedelta = bytedelta_avx2;
        k->byteundelta = byteundelta_avx2;
    }
#endif
#ifdef HAVE_X86_AVX512
    if (cpu & CPU_AVX512) {
        k->shuffle = shuffle_avx512;
        k->unshuffle = unshuffle_avx512;
        k->unshuffle_rows = unshuffle_rows_avx512;
        k->bitshuffle = bitshuffle_avx512;
        k->bitunshuffle = bitunshuffle_avx512;
    }
#endif
}

static void
kernels_set_up(void)
{
    filter_kernels_init(&table, cpu_mask());
}

const struct filter_kernels *
filter_kernels(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, kernels_set_up);
    return &table;
}
