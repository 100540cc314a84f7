/*
 * random.c - splitmix64: a counter, and a hash of it.
 */
#include "support/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t
random_seed(void)
{
    const char *const text = getenv("TESS_TEST_SEED");
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t seed =
        text ? strtoull(text, NULL, 0) : (uint64_t)now.tv_sec * 1000003 + (uint64_t)now.tv_nsec;
    fprintf(stderr, "TESS_TEST_SEED=%" PRIu64 "\n", seed);
    return seed;
}

int64_t
random_cases(int64_t few, int64_t many)
{
    const char *const cases = getenv("TESS_TEST_CASES"), *const longer = getenv("TESS_TEST_LONG");
    return cases ? strtoll(cases, NULL, 10) : longer && strcmp(longer, "0") ? many : few;
}

void
random_init(struct random *r, uint64_t seed)
{
    r->state = seed;
}

uint64_t
random_next(struct random *r)
{
    uint64_t x = r->state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// The slight preference for small results, one part in 2^64 / bound, does not matter to tests.
uint64_t
random_below(struct random *r, uint64_t bound)
{
    return random_next(r) % bound;
}

void
random_bytes(struct random *r, void *dst, size_t size)
{
    uint8_t *const p = dst;
    for (size_t i = 0; i < size; i += 8) {
        const uint64_t x = random_next(r);
        memcpy(p + i, &x, size - i < 8 ? size - i : 8);
    }
}
