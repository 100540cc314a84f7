/*
 * cpu.h - which instruction sets this processor, and its operating system, allow.
 */
#ifndef BASE_CPU_H
#define BASE_CPU_H

enum {
    CPU_SSE2 = 1 << 0,
    CPU_SSSE3 = 1 << 1,
    CPU_AVX2 = 1 << 2,
    CPU_AVX512 = 1 << 3, // F, BW, VL, DQ, VBMI, GFNI, BMI2: Ice Lake, Zen 4 and later
    CPU_NEON = 1 << 8,
};

// The mask of this machine; computed at first use, by any thread.
unsigned cpu_mask(void);

// The upper halves of the vector registers are clear afterwards. To be called after functions of
// other libraries that leave something there: SSE code of the program, compiled without AVX, would
// run several times slower until the next such call.
void cpu_clear_upper_halves(void);

#endif
