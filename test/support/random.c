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

void
random_repetitive(struct random *r, uint8_t *dst, size_t size)
{
    const size_t alphabet = (size_t)1 << random_below(r, 9);
    const size_t reach = (size_t)1 << (1 + random_below(r, 17));
    const size_t longest = (size_t)1 << (1 + random_below(r, 12));
    const size_t copies = (size_t)random_below(r, 101); // per cent

    for (size_t i = 0; i < size;) {
        size_t n = 1 + (size_t)random_below(r, longest);
        if (n > size - i)
            n = size - i;
        if (i > 0 && random_below(r, 100) < copies) {
            const size_t distance = 1 + (size_t)random_below(r, i < reach ? i : reach);
            for (; n > 0; n--, i++)
                dst[i] = dst[i - distance];
        } else {
            for (; n > 0; n--)
                dst[i++] = (uint8_t)random_below(r, alphabet);
        }
    }
}
