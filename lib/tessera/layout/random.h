/*
 * random.h - numbers that look random, the same in each run: places of accesses, generated fields.
 *
 * The finaliser of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", 2014).
 */
#ifndef LAYOUT_RANDOM_H
#define LAYOUT_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t
random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// The next number of a sequence.
static inline uint64_t
random_next(uint64_t *state)
{
    return random_mix(*state += RANDOM_STEP);
}

#endif
