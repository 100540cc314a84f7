/*
 * loops.h - the kernels of comparisons, for the set of instructions that the file is compiled for.
 *
 * The source that includes this defines COMPARE_KERNELS, the name of the table. Results are made as
 * wide as the items first, a few hundred at a time, and narrowed then: gcc 12 makes no vectors of a
 * loop that does both.
 */
#include "compute/compare/kernels.h"

enum { SOME = 256 };

#define COMPARE_LOOPS(name, type, word, member)                                             \
    static void narrow_##name(uint8_t *restrict mask, const word *restrict truth, size_t n) \
    {                                                                                       \
        for (size_t k = 0; k < n; k++)                                                      \
            mask[k] = (uint8_t)truth[k];                                                    \
    }                                                                                       \
    static void range_##name(const void *items, size_t n, const struct range *range,        \
                             uint8_t *mask)                                                 \
    {                                                                                       \
        const type *x = items;                                                              \
        const type lo = (type)range->lo.member, hi = (type)range->hi.member;                \
        const word invert = range->invert;                                                  \
        word truth[SOME];                                                                   \
        for (size_t at = 0; at < n; at += SOME) {                                           \
            const size_t some = n - at < SOME ? n - at : SOME;                              \
            for (size_t k = 0; k < some; k++)                                               \
                truth[k] = (word)((word)((x[at + k] >= lo) & (x[at + k] <= hi)) ^ invert);  \
            narrow_##name(mask + at, truth, some);                                          \
        }                                                                                   \
    }                                                                                       \
    COMPARE_PAIR(eq_##name, name, type, word, ==)                                           \
    COMPARE_PAIR(lt_##name, name, type, word, <)                                            \
    COMPARE_PAIR(le_##name, name, type, word, <=)

#define COMPARE_PAIR(own, name, type, word, op)                            \
    static void own(const void *a, const void *b, size_t n, uint8_t *mask) \
    {                                                                      \
        const type *const x = a, *const y = b;                             \
        word truth[SOME];                                                  \
        for (size_t at = 0; at < n; at += SOME) {                          \
            const size_t some = n - at < SOME ? n - at : SOME;             \
            for (size_t k = 0; k < some; k++)                              \
                truth[k] = (word)(x[at + k] op y[at + k]);                 \
            narrow_##name(mask + at, truth, some);                         \
        }                                                                  \
    }

COMPARE_LOOPS(i1, int8_t, uint8_t, i)
COMPARE_LOOPS(i2, int16_t, uint16_t, i)
COMPARE_LOOPS(i4, int32_t, uint32_t, i)
COMPARE_LOOPS(i8, int64_t, uint64_t, i)
COMPARE_LOOPS(u1, uint8_t, uint8_t, u)
COMPARE_LOOPS(u2, uint16_t, uint16_t, u)
COMPARE_LOOPS(u4, uint32_t, uint32_t, u)
COMPARE_LOOPS(u8, uint64_t, uint64_t, u)
COMPARE_LOOPS(f4, float, uint32_t, d)
COMPARE_LOOPS(f8, double, uint64_t, d)

#define COMPARE_ROW(which)                                                                  \
    {                                                                                       \
        which##_i1, which##_i2, which##_i4, which##_i8, which##_u1, which##_u2, which##_u4, \
            which##_u8, which##_f4, which##_f8                                              \
    }

const struct compare_kernels COMPARE_KERNELS = {
    .range = COMPARE_ROW(range),
    .pair = {[PAIR_EQ] = COMPARE_ROW(eq), [PAIR_LT] = COMPARE_ROW(lt), [PAIR_LE] = COMPARE_ROW(le)},
};
