/*
 * loops.h - the kernels of histograms, for the set of instructions that the file is compiled for.
 *
 * The source that includes this defines HISTOGRAM_KERNELS, the name of the table.
 */
#include "compute/histogram/private.h"

#include <string.h>

// The nearest double. Integers of 8 bytes, which few machines convert in vectors, come in halves:
// each in the low bits of a double of a fixed exponent; the difference is exact, the sum rounds.
static inline double
double_of_key(uint64_t key, double offset)
{
    const uint64_t low = (key & UINT32_MAX) | UINT64_C(0x4330000000000000); // 2^52 + low half
    const uint64_t high = (key >> 32) | UINT64_C(0x4530000000000000); // 2^84 + 2^32 high half
    double l, h;
    memcpy(&l, &low, sizeof l);
    memcpy(&h, &high, sizeof h);
    return (h - offset) + l;
}

// value: of item x as a double; inside: whether x is within the ends. No NaN reaches the cast: it
// is not less than `last`.
#define CALCULATE_LOOP(name, type, value, inside, has_doubt)                             \
    static int name(const struct calculation *c, const uint8_t *items, int64_t n,        \
                    int32_t *restrict bin)                                               \
    {                                                                                    \
        const double base = c->base, scale = c->scale, least = c->least, last = c->last; \
        const double doubt = c->doubt, offset = c->offset, low = c->low, top = c->top;   \
        const uint64_t low_key = c->low_key, top_key = c->top_key;                       \
        int64_t doubts = 0, outside = 0;                                                 \
        (void)offset, (void)low_key, (void)top_key, (void)low, (void)top;                \
        for (int64_t i = 0; i < n; i++) {                                                \
            type x;                                                                      \
            memcpy(&x, items + i * (int64_t)sizeof x, sizeof x);                         \
            double at = ((value)-base) * scale;                                          \
            at = at < last ? at : last;                                                  \
            at = at > least ? at : least;                                                \
            bin[i] = (int32_t)at;                                                        \
            if (has_doubt)                                                               \
                doubts += at - (double)bin[i] <= doubt;                                  \
            outside += !(inside);                                                        \
        }                                                                                \
        return (doubts ? CALCULATED_DOUBT : 0) | (outside ? CALCULATED_OUTSIDE : 0);     \
    }
#define CALCULATE(name, type, value, inside)                                                     \
    CALCULATE_LOOP(sure_##name, type, value, inside, 0)                                          \
    CALCULATE_LOOP(doubtful_##name, type, value, inside, 1)                                      \
    static int calculate_##name(const struct calculation *c, const void *items, int64_t n,       \
                                int32_t *bin)                                                    \
    {                                                                                            \
        return c->doubt < 0 ? sure_##name(c, items, n, bin) : doubtful_##name(c, items, n, bin); \
    }

CALCULATE(i4, int32_t, (double)x, ((double)x >= low) & ((double)x <= top))
CALCULATE(u4, uint32_t, (double)x, ((double)x >= low) & ((double)x <= top))
CALCULATE(f4, float, (double)x, ((double)x >= low) & ((double)x <= top))
CALCULATE(f8, double, x, (x >= low) & (x <= top))
CALCULATE(keys, uint64_t, double_of_key(x, offset), (x >= low_key) & (x <= top_key))

const struct histogram_kernels HISTOGRAM_KERNELS = {
    .calculate = {calculate_i4, calculate_u4, calculate_f4, calculate_f8, calculate_keys},
};
