/*
 * random.h - random numbers that come again with the same seed.
 *
 *     struct random r;
 *     random_init(&r, random_seed());
 */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

// The number in TESS_TEST_SEED, else one from the clock. Prints it to stderr, so that a failure
// can be repeated.
uint64_t random_seed(void);

// How many cases to draw: the number in TESS_TEST_CASES; else `many` if TESS_TEST_LONG is set, and
// not 0; else `few`.
int64_t random_cases(int64_t few, int64_t many);

void random_init(struct random *r, uint64_t seed);

uint64_t random_next(struct random *r); // all 64 bits
uint64_t random_below(struct random *r, uint64_t bound); // 0 <= result < bound; bound > 0

// The same of a number that is signed: lengths, positions, counts.
static inline int64_t
below(struct random *r, int64_t bound)
{
    return (int64_t)random_below(r, (uint64_t)bound);
}

static inline bool
one_in(struct random *r, int64_t n)
{
    return below(r, n) == 0;
}

void random_bytes(struct random *r, void *dst, size_t size);

// Bytes of some alphabet, and copies of what was before, near or far, short or long: as codecs like
// them, more or less.
void random_repetitive(struct random *r, uint8_t *dst, size_t size);

#endif
