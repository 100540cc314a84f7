/*
 * vec32_of_two.h - vectors of 32 bytes for lz4_loop_vec.h, where the processor has 16: vec16,
 * load16() and store16() are defined by the source that includes this.
 */
#ifndef CODEC_LZ4_VEC32_OF_TWO_H
#define CODEC_LZ4_VEC32_OF_TWO_H

#include <stdint.h>

typedef struct {
    vec16 low, high;
} vec32;

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

#endif
