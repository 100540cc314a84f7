/*
 * lz4_loop_neon.c - the loop over the sequences of an LZ4 block, with NEON of AArch64.
 */
#include <arm_neon.h>
#include <stdint.h>

typedef uint8x16_t vec16;

typedef struct {
    vec16 low, high;
} vec32;

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

static inline vec32
load32(const uint8_t *p)
{
    return (vec32){load16(p), load16(p + 16)};
}

static inline void
store32(uint8_t *p, vec32 v)
{
    store16(p, v.low);
    store16(p + 16, v.high);
}

static inline vec32
join32(vec16 low, vec16 high)
{
    return (vec32){low, high};
}

#define LOOP lz4_loop_neon
#include "codec/lz4_loop_vec.h"
