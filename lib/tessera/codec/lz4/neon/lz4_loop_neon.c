/*
 * lz4_loop_neon.c - the loop over the sequences of an LZ4 block, with NEON of AArch64.
 */
#include <arm_neon.h>
#include <stdint.h>

typedef uint8x16_t vec16;

static inline vec16
load16(const uint8_t *p)
{
    return vld1q_u8(p);
}

static inline void
store16(uint8_t *p, vec16 v)
{
    vst1q_u8(p, v);
}

// Indices beyond the vector give 0.
static inline vec16
pick16(vec16 v, vec16 indices)
{
    return vqtbl1q_u8(v, indices);
}

#include "codec/lz4/vec32_of_two.h"

#define LOOP lz4_loop_neon
#include "codec/lz4/lz4_loop_vec.h"
