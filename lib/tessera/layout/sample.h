/*
 * sample.h - a part of an array that stands for all of it, in memory.
 *
 * An array that is not larger than the sample may be is taken as it is. Of a larger one the longest
 * axes are shortened, and from a shortened axis pieces are taken at equal distances, so that the
 * sample has something of everywhere. Without data there is a smooth field with noise in it.
 */
#ifndef LAYOUT_SAMPLE_H
#define LAYOUT_SAMPLE_H

#include <tessera/layout.h>

#include <stdbool.h>
#include <stdint.h>

struct sample {
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    bool whole; // it is the array
    size_t size; // bytes
    uint8_t *items; // in C order
};

// `size` bytes are as many as it may have. End it with sample_close(), also after a failure.
tess_status sample_take(struct sample *s, const tess_params *array, int64_t size,
                        tess_tuner_read_fn *read, void *from, tess_error *err);

// The same without data: a smooth field with noise, between 0 and 1000.
tess_status sample_generate(struct sample *s, const tess_params *array, int64_t size,
                            tess_error *err);

void sample_close(struct sample *s); // also one of zeros

// -- numbers that look random, the same in each run: places of accesses, generated fields
//
// The finaliser of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014).

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t
sample_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// The next number of a sequence.
static inline uint64_t
sample_random(uint64_t *state)
{
    return sample_mix(*state += RANDOM_STEP);
}

#endif
