/*
 * half.h - floats of 2 bytes: IEEE's (5 bits of exponent) and bfloat16 (8 bits).
 *
 * Functions without state. Machines need not know the types: they are handled as their bits.
 */
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Exact. The exponent is counted on to that of a float; the least halves have none, they are
// multiples of 2^-24. Masks, as gcc makes no vectors of a loop with a choice in it.
static inline float
half_to_float(uint16_t half)
{
    const uint32_t shift = (uint32_t)112 << 23;
    const uint32_t rest = half & 0x7fff, sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t least = -(uint32_t)(rest < 0x400), none = -(uint32_t)(rest >= 0x7c00);
    const uint32_t usual = (rest << 13) + shift + (shift & none); // none: infinite or NaN
    const float multiple = (float)(int32_t)rest * 0x1p-24F;
    uint32_t bits;
    float wide;
    memcpy(&bits, &multiple, sizeof bits);
    bits = (bits & least) | (usual & ~least) | sign;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

static inline void
halves_to_floats(float *restrict to, const uint16_t *restrict halves, size_t n)
{
    for (size_t k = 0; k < n; k++)
        to[k] = half_to_float(halves[k]);
}

static inline float
bfloat16_to_float(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float wide;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

// The nearest float with so many bits of exponent and fraction, 15 in all; of two, the even one.
// What is too large becomes infinite.
static inline uint16_t
half_round(double wide, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint32_t infinite = (uint32_t)((1 << exponent_bits) - 1) << fraction_bits;
    uint64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    const uint32_t sign = (uint32_t)(bits >> 63) << 15;
    bits &= UINT64_MAX >> 1;
    if (bits >= (uint64_t)0x7ff << 52) // the highest bit of the fraction makes a NaN of it
        return (uint16_t)(sign | infinite |
                          (uint32_t)(bits > (uint64_t)0x7ff << 52) << (fraction_bits - 1));
    const int exponent = (int)(bits >> 52) - 1023 + bias;
    if (exponent > 2 * bias)
        return (uint16_t)(sign | infinite);
    if (exponent < -fraction_bits)
        return (uint16_t)sign;
    // Those without an exponent lose bits of their fraction, and keep the leading one.
    const int lost = 52 - fraction_bits + (exponent < 1 ? 1 - exponent : 0);
    const uint64_t fraction = (bits & (UINT64_MAX >> 12)) | (uint64_t)1 << 52;
    const uint64_t kept = fraction >> lost, rest = fraction & (((uint64_t)1 << lost) - 1);
    const uint64_t tie = (uint64_t)1 << (lost - 1);
    uint32_t half = (uint32_t)kept;
    if (exponent >= 1)
        half += (uint32_t)(exponent - 1) << fraction_bits; // kept has the leading bit
    half += rest > tie || (rest == tie && (kept & 1)); // may carry into the exponent
    return (uint16_t)(sign | half);
}

/*
 * The same from floats, which compilers make vectors of: both results are calculated, and masks
 * choose. Usual numbers lose 13 bits of their fraction: half of what is lost is added, and less by
 * one if the last bit that is kept is 0, so that the sum carries where the number is rounded up.
 * Those without an exponent are rounded by the addition of a float whose last bit is their unit.
 */
static inline uint16_t
half_of_float(float wide)
{
    const float unit = 0.5F; // 2^-24 is its last bit
    const uint32_t shift = (uint32_t)112 << 23, infinite = 0x7c00;
    uint32_t bits, unit_bits, least_bits;
    float least;
    memcpy(&bits, &wide, sizeof bits);
    memcpy(&unit_bits, &unit, sizeof unit_bits);
    const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    memcpy(&least, &size, sizeof least);
    least += unit;
    memcpy(&least_bits, &least, sizeof least_bits);
    const uint32_t is_least = -(uint32_t)(size < (uint32_t)113 << 23);
    const uint32_t is_great = -(uint32_t)(size >= (uint32_t)143 << 23);
    const uint32_t is_none = -(uint32_t)(size > (uint32_t)255 << 23);
    const uint32_t usual = (size - shift + 0xfff + (size >> 13 & 1)) >> 13;
    const uint32_t half = (usual & ~is_least) | ((least_bits - unit_bits) & is_least);
    const uint32_t great = infinite | (is_none & 0x200);
    return (uint16_t)((half & ~is_great) | (great & is_great) | sign);
}

static inline uint16_t
bfloat16_of_float(float wide)
{
    uint32_t bits;
    memcpy(&bits, &wide, sizeof bits);
    const uint32_t is_none = -(uint32_t)((bits & 0x7fffffff) > (uint32_t)255 << 23);
    const uint32_t usual = bits + 0x7fff + (bits >> 16 & 1), none = bits | 0x400000;
    return (uint16_t)(((usual & ~is_none) | (none & is_none)) >> 16);
}

static inline uint16_t
half_of_double(double wide)
{
    return half_round(wide, 5, 10);
}

static inline uint16_t
bfloat16_of_double(double wide)
{
    return half_round(wide, 8, 7);
}

#endif
