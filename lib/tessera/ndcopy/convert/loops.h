/*
 * loops.h - the loops of conversions. A source includes this once, with the name of its table:
 *
 *     #define CONVERT_KERNELS convert_kernels_c
 *     #include "ndcopy/convert/loops.h"
 *
 * A loop converts all items and collects whether one may not fit; compilers make vectors of that.
 * Only if one may not, a second loop looks at each.
 */
#include "base/half.h"
#include "ndcopy/convert/kernels.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef uint8_t b1;
typedef int8_t i1;
typedef int16_t i2;
typedef int32_t i4;
typedef int64_t i8;
typedef uint8_t u1;
typedef uint16_t u2;
typedef uint32_t u4;
typedef uint64_t u8;
typedef float f4;
typedef double f8;

#define COLD __attribute__((cold, noinline))

// Floats that become infinite as float32: these and all above.
#define F4_BEYOND 0x1.ffffffp127

// Least and greatest; the power of two behind the greatest.
#define INTEGERS(X)                              \
    X(i1, INT8_MIN, INT8_MAX, -0x1p7, 0x1p7)     \
    X(i2, INT16_MIN, INT16_MAX, -0x1p15, 0x1p15) \
    X(i4, INT32_MIN, INT32_MAX, -0x1p31, 0x1p31) \
    X(i8, INT64_MIN, INT64_MAX, -0x1p63, 0x1p63) \
    X(u1, 0, UINT8_MAX, 0, 0x1p8)                \
    X(u2, 0, UINT16_MAX, 0, 0x1p16)              \
    X(u4, 0, UINT32_MAX, 0, 0x1p32)              \
    X(u8, 0, UINT64_MAX, 0, 0x1p64)

#define ACCESS(type)                                            \
    static inline type get_##type(const uint8_t *p, size_t k)   \
    {                                                           \
        type x;                                                 \
        memcpy(&x, p + k * sizeof x, sizeof x);                 \
        return x;                                               \
    }                                                           \
    static inline void put_##type(uint8_t *p, size_t k, type x) \
    {                                                           \
        memcpy(p + k * sizeof x, &x, sizeof x);                 \
    }

ACCESS(i1)
ACCESS(i2)
ACCESS(i4)
ACCESS(i8)
ACCESS(u1)
ACCESS(u2)
ACCESS(u4)
ACCESS(u8)
ACCESS(f4)
ACCESS(f8)

static inline b1
get_b1(const uint8_t *p, size_t k)
{
    return p[k] != 0;
}

#define SIGNED(type)                        \
    static inline bool below_##type(type x) \
    {                                       \
        return x < 0;                       \
    }
#define UNSIGNED(type)                      \
    static inline bool below_##type(type x) \
    {                                       \
        (void)x;                            \
        return false;                       \
    }
SIGNED(i1)
SIGNED(i2)
SIGNED(i4)
SIGNED(i8)
UNSIGNED(b1)
UNSIGNED(u1)
UNSIGNED(u2)
UNSIGNED(u4)
UNSIGNED(u8)

// -- integers to integers

// It fits if it comes back, with the same sign. The cast keeps the low bits, as wrapping wants.
#define FROM_INTEGER(from, to, least, most)                                                     \
    static COLD size_t misfit_##from##_##to(uint8_t *restrict dst, const uint8_t *restrict src, \
                                            size_t n, enum misfit misfit)                       \
    {                                                                                           \
        for (size_t k = 0; k < n; k++) {                                                        \
            const from x = get_##from(src, k);                                                  \
            const to y = (to)x;                                                                 \
            if ((from)y == x && below_##to(y) == below_##from(x))                               \
                continue;                                                                       \
            if (misfit == MISFIT_STOP)                                                          \
                return k;                                                                       \
            put_##to(dst, k, below_##from(x) ? (to)(least) : (to)(most));                       \
        }                                                                                       \
        return n;                                                                               \
    }                                                                                           \
    static size_t convert_##from##_##to(uint8_t *restrict dst, const uint8_t *restrict src,     \
                                        size_t n, enum misfit misfit)                           \
    {                                                                                           \
        from lost = 0;                                                                          \
        for (size_t k = 0; k < n; k++) {                                                        \
            const from x = get_##from(src, k);                                                  \
            const to y = (to)x;                                                                 \
            const from back = (from)y;                                                          \
            const bool turned = below_##to(y) != below_##from(x);                               \
            lost = (from)(lost | (from)(back ^ x) | (from)turned);                              \
            put_##to(dst, k, y);                                                                \
        }                                                                                       \
        return lost && misfit != MISFIT_WRAP ? misfit_##from##_##to(dst, src, n, misfit) : n;   \
    }

// -- floats to integers

// Modulo 2^64, towards 0; what is not finite: 0.
static COLD uint64_t
wrapped(double x)
{
    if (!isfinite(x))
        return 0;
    const double rest = fmod(trunc(x), 0x1p64);
    return rest < 0 ? 0 - (uint64_t)-rest : (uint64_t)rest;
}

// The first loop also refuses what lies less than 1 below the least, which fits.
#define FROM_FLOAT(from, flag, to, least, most, low, behind)                                    \
    static COLD size_t misfit_##from##_##to(uint8_t *restrict dst, const uint8_t *restrict src, \
                                            size_t n, enum misfit misfit)                       \
    {                                                                                           \
        for (size_t k = 0; k < n; k++) {                                                        \
            const double x = trunc((double)get_##from(src, k));                                 \
            if (x >= (low) && x < (behind))                                                     \
                put_##to(dst, k, (to)x);                                                        \
            else if (misfit == MISFIT_STOP)                                                     \
                return k;                                                                       \
            else if (misfit == MISFIT_WRAP)                                                     \
                put_##to(dst, k, (to)wrapped(x));                                               \
            else                                                                                \
                put_##to(dst, k, isnan(x) ? 0 : x < 0 ? (to)(least) : (to)(most));              \
        }                                                                                       \
        return n;                                                                               \
    }                                                                                           \
    static size_t convert_##from##_##to(uint8_t *restrict dst, const uint8_t *restrict src,     \
                                        size_t n, enum misfit misfit)                           \
    {                                                                                           \
        flag within = -1;                                                                       \
        for (size_t k = 0; k < n; k++) {                                                        \
            const from x = get_##from(src, k);                                                  \
            within &= -(flag)(x >= (from)(low)) & -(flag)(x < (from)(behind));                  \
        }                                                                                       \
        if (!within)                                                                            \
            return misfit_##from##_##to(dst, src, n, misfit);                                   \
        for (size_t k = 0; k < n; k++)                                                          \
            put_##to(dst, k, (to)get_##from(src, k));                                           \
        return n;                                                                               \
    }

#define TO_INTEGER(to, least, most, low, behind)     \
    FROM_INTEGER(b1, to, least, most)                \
    FROM_INTEGER(i1, to, least, most)                \
    FROM_INTEGER(i2, to, least, most)                \
    FROM_INTEGER(i4, to, least, most)                \
    FROM_INTEGER(i8, to, least, most)                \
    FROM_INTEGER(u1, to, least, most)                \
    FROM_INTEGER(u2, to, least, most)                \
    FROM_INTEGER(u4, to, least, most)                \
    FROM_INTEGER(u8, to, least, most)                \
    FROM_FLOAT(f4, i4, to, least, most, low, behind) \
    FROM_FLOAT(f8, i8, to, least, most, low, behind)
INTEGERS(TO_INTEGER)

// -- to floats

#define EXACTLY(from, to, expression)                                                       \
    static size_t convert_##from##_##to(uint8_t *restrict dst, const uint8_t *restrict src, \
                                        size_t n, enum misfit misfit)                       \
    {                                                                                       \
        (void)misfit;                                                                       \
        for (size_t k = 0; k < n; k++)                                                      \
            put_##to(dst, k, expression);                                                   \
        return n;                                                                           \
    }

#define TO_FLOATS(from)                       \
    EXACTLY(from, f4, (f4)get_##from(src, k)) \
    EXACTLY(from, f8, (f8)get_##from(src, k))
TO_FLOATS(b1)
TO_FLOATS(i1)
TO_FLOATS(i2)
TO_FLOATS(i4)
TO_FLOATS(i8)
TO_FLOATS(u1)
TO_FLOATS(u2)
TO_FLOATS(u4)
TO_FLOATS(u8)
EXACTLY(f4, f4, get_f4(src, k))
EXACTLY(f4, f8, (f8)get_f4(src, k))
EXACTLY(f8, f8, get_f8(src, k))

// A double as a float; false if it does not fit.
static inline bool
put_narrow(uint8_t *dst, size_t k, double x, enum misfit misfit)
{
    const bool fits = !(fabs(x) >= F4_BEYOND) || isinf(x);
    if (!fits && misfit == MISFIT_SATURATE)
        put_f4(dst, k, x < 0 ? -0x1.fffffep127F : 0x1.fffffep127F);
    else
        put_f4(dst, k, (f4)x);
    return fits || misfit != MISFIT_STOP;
}

static COLD size_t
misfit_f8_f4(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, enum misfit misfit)
{
    for (size_t k = 0; k < n; k++)
        if (!put_narrow(dst, k, get_f8(src, k), misfit))
            return k;
    return n;
}

static size_t
convert_f8_f4(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, enum misfit misfit)
{
    i8 beyond = 0;
    for (size_t k = 0; k < n; k++) {
        const f8 x = get_f8(src, k);
        beyond |= -(i8)(fabs(x) >= F4_BEYOND);
        put_f4(dst, k, (f4)x);
    }
    return beyond ? misfit_f8_f4(dst, src, n, misfit) : n;
}

// -- floats of 2 bytes

#define WIDEN(name, widen)                                                                   \
    static size_t widen_##name(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, \
                               enum misfit misfit)                                           \
    {                                                                                        \
        (void)misfit;                                                                        \
        for (size_t k = 0; k < n; k++)                                                       \
            put_f4(dst, k, widen(get_u2(src, k)));                                           \
        return n;                                                                            \
    }

// Infinite is the greatest number, and one.
#define NARROW(name, narrow, infinite)                                                          \
    static COLD size_t misfit_narrow_##name(uint8_t *restrict dst, const uint8_t *restrict src, \
                                            size_t n, enum misfit misfit)                       \
    {                                                                                           \
        for (size_t k = 0; k < n; k++) {                                                        \
            const u2 half = narrow(get_f4(src, k));                                             \
            const bool fits = (half & 0x7fff) != (infinite) || isinf(get_f4(src, k));           \
            if (!fits && misfit == MISFIT_STOP)                                                 \
                return k;                                                                       \
            put_u2(dst, k, fits ? half : (u2)(half - 1));                                       \
        }                                                                                       \
        return n;                                                                               \
    }                                                                                           \
    static size_t narrow_##name(uint8_t *restrict dst, const uint8_t *restrict src, size_t n,   \
                                enum misfit misfit)                                             \
    {                                                                                           \
        u2 beyond = 0;                                                                          \
        for (size_t k = 0; k < n; k++) {                                                        \
            const u2 half = narrow(get_f4(src, k));                                             \
            beyond |= (u2) - (u2)((half & 0x7fff) == (infinite));                               \
            put_u2(dst, k, half);                                                               \
        }                                                                                       \
        return beyond && misfit != MISFIT_WRAP ? misfit_narrow_##name(dst, src, n, misfit) : n; \
    }
WIDEN(f2, half_to_float)
WIDEN(bf16, bfloat16_to_float)
NARROW(f2, half_of_float, 0x7c00)
NARROW(bf16, bfloat16_of_float, 0x7f80)

// -- to truth values

#define TO_TRUTH(from)                                                                    \
    static size_t convert_##from##_b1(uint8_t *restrict dst, const uint8_t *restrict src, \
                                      size_t n, enum misfit misfit)                       \
    {                                                                                     \
        (void)misfit;                                                                     \
        for (size_t k = 0; k < n; k++)                                                    \
            dst[k] = get_##from(src, k) != 0;                                             \
        return n;                                                                         \
    }
TO_TRUTH(b1)
TO_TRUTH(i1)
TO_TRUTH(i2)
TO_TRUTH(i4)
TO_TRUTH(i8)
TO_TRUTH(u1)
TO_TRUTH(u2)
TO_TRUTH(u4)
TO_TRUTH(u8)
TO_TRUTH(f4)
TO_TRUTH(f8)

// -- scaled

// magnitude: the largest absolute value of an item. If no integer of the type can exceed the range
// of float32 with this scale and offset, items are not compared with that range.
#define SCALED(from, magnitude)                                                                    \
    static COLD size_t misfit_scaled_##from(uint8_t *restrict dst, const uint8_t *restrict src,    \
                                            size_t n, enum misfit misfit, double scale,            \
                                            double offset)                                         \
    {                                                                                              \
        for (size_t k = 0; k < n; k++)                                                             \
            if (!put_narrow(dst, k, (f8)get_##from(src, k) * scale + offset, misfit))              \
                return k;                                                                          \
        return n;                                                                                  \
    }                                                                                              \
    static size_t scaled_##from##_f4(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, \
                                     enum misfit misfit, double scale, double offset)              \
    {                                                                                              \
        const bool all_fit = fabs(scale) * (magnitude) + fabs(offset) < F4_BEYOND / 2;             \
        i8 beyond = 0;                                                                             \
        for (size_t k = 0; all_fit && k < n; k++)                                                  \
            put_f4(dst, k, (f4)((f8)get_##from(src, k) * scale + offset));                         \
        for (size_t k = 0; !all_fit && k < n; k++) {                                               \
            const f8 x = (f8)get_##from(src, k) * scale + offset;                                  \
            beyond |= -(i8)(fabs(x) >= F4_BEYOND);                                                 \
            put_f4(dst, k, (f4)x);                                                                 \
        }                                                                                          \
        return beyond ? misfit_scaled_##from(dst, src, n, misfit, scale, offset) : n;              \
    }                                                                                              \
    static size_t scaled_##from##_f8(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, \
                                     enum misfit misfit, double scale, double offset)              \
    {                                                                                              \
        (void)misfit;                                                                              \
        for (size_t k = 0; k < n; k++)                                                             \
            put_f8(dst, k, (f8)get_##from(src, k) * scale + offset);                               \
        return n;                                                                                  \
    }
SCALED(b1, 1)
SCALED(i1, 0x1p7)
SCALED(i2, 0x1p15)
SCALED(i4, 0x1p31)
SCALED(i8, 0x1p63)
SCALED(u1, 0x1p8)
SCALED(u2, 0x1p16)
SCALED(u4, 0x1p32)
SCALED(u8, 0x1p64)
SCALED(f4, INFINITY)
SCALED(f8, INFINITY)

static void
round_doubles(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    for (size_t k = 0; k < n; k++)
        put_f8(dst, k, rint(get_f8(src, k)));
}

#define UNSCALE(name, to_integer)                                                                \
    static void name(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, double scale, \
                     double offset)                                                              \
    {                                                                                            \
        for (size_t k = 0; k < n; k++)                                                           \
            put_f8(dst, k, to_integer((get_f8(src, k) - offset) / scale));                       \
    }
UNSCALE(unscale, )
UNSCALE(unscale_round, rint)

// -- missing values

#define ANY_NAN(type, word)                                         \
    static bool any_nan_##type(const uint8_t *src, size_t n)        \
    {                                                               \
        word any = 0;                                               \
        for (size_t k = 0; k < n; k++)                              \
            any |= (word) - (word)(isnan(get_##type(src, k)) != 0); \
        return any != 0;                                            \
    }
ANY_NAN(f4, u4)
ANY_NAN(f8, u8)

// Usually no item is missing: a first pass detects this, with words as wide as the items. Each pass
// is a separate loop, so that the compiler can vectorize it. `held`: the type in which missing
// values are compared; it differs from `type` for booleans only.
#define MARK(type, held, word)                                                                  \
    static word beyond_##type(const uint8_t *restrict src, size_t n,                            \
                              const struct convert_missing *missing)                            \
    {                                                                                           \
        const type least = get_##held(missing->least, 0), most = get_##held(missing->most, 0);  \
        word any = 0;                                                                           \
        for (size_t k = 0; k < n; k++)                                                          \
            any |= (word) - (word)((get_##type(src, k) < least) | (get_##type(src, k) > most)); \
        return any;                                                                             \
    }                                                                                           \
    static bool any_##type(const uint8_t *restrict src, size_t n,                               \
                           const struct convert_missing *missing)                               \
    {                                                                                           \
        word any = missing->bounded ? beyond_##type(src, n, missing) : 0;                       \
        for (int i = 0; i < missing->count; i++) {                                              \
            const type value = get_##held(missing->values[i], 0);                               \
            for (size_t k = 0; k < n; k++)                                                      \
                any |= (word) - (word)(get_##type(src, k) == value);                            \
        }                                                                                       \
        return any != 0;                                                                        \
    }                                                                                           \
    static bool mark_##type(uint8_t *restrict mask, const uint8_t *restrict src, size_t n,      \
                            const struct convert_missing *missing)                              \
    {                                                                                           \
        const type least = get_##held(missing->least, 0), most = get_##held(missing->most, 0);  \
        if (!any_##type(src, n, missing))                                                       \
            return false;                                                                       \
        if (!missing->bounded)                                                                  \
            memset(mask, 0, n);                                                                 \
        for (size_t k = 0; missing->bounded && k < n; k++)                                      \
            mask[k] = (get_##type(src, k) < least) | (get_##type(src, k) > most);               \
        for (int i = 0; i < missing->count; i++) {                                              \
            const type value = get_##held(missing->values[i], 0);                               \
            for (size_t k = 0; k < n; k++)                                                      \
                mask[k] |= get_##type(src, k) == value;                                         \
        }                                                                                       \
        return true;                                                                            \
    }
MARK(b1, u1, u1)
MARK(i1, i1, u1)
MARK(i2, i2, u2)
MARK(i4, i4, u4)
MARK(i8, i8, u8)
MARK(u1, u1, u1)
MARK(u2, u2, u2)
MARK(u4, u4, u4)
MARK(u8, u8, u8)
MARK(f4, f4, u4)
MARK(f8, f8, u8)

#define BLANK(type)                                                                         \
    static void blank_##type(uint8_t *restrict dst, const uint8_t *restrict mask, size_t n) \
    {                                                                                       \
        for (size_t k = 0; k < n; k++)                                                      \
            put_##type(dst, k, mask[k] ? (type)NAN : get_##type(dst, k));                   \
    }
BLANK(f4)
BLANK(f8)

// -- byte order

#define TURN(type, turn)                                                                  \
    static void turn_##type(uint8_t *restrict dst, const uint8_t *restrict src, size_t n) \
    {                                                                                     \
        for (size_t k = 0; k < n; k++)                                                    \
            put_##type(dst, k, turn(get_##type(src, k)));                                 \
    }
TURN(u2, __builtin_bswap16)
TURN(u4, __builtin_bswap32)
TURN(u8, __builtin_bswap64)

#define PAIRS(from)                                                                             \
    {                                                                                           \
        convert_##from##_b1, convert_##from##_i1, convert_##from##_i2, convert_##from##_i4,     \
            convert_##from##_i8, convert_##from##_u1, convert_##from##_u2, convert_##from##_u4, \
            convert_##from##_u8, convert_##from##_f4, convert_##from##_f8                       \
    }
#define SCALED_PAIR(from)                      \
    {                                          \
        scaled_##from##_f4, scaled_##from##_f8 \
    }

const struct convert_kernels CONVERT_KERNELS = {
    .pairs = {PAIRS(b1), PAIRS(i1), PAIRS(i2), PAIRS(i4), PAIRS(i8), PAIRS(u1), PAIRS(u2),
              PAIRS(u4), PAIRS(u8), PAIRS(f4), PAIRS(f8)},
    .scaled = {SCALED_PAIR(b1), SCALED_PAIR(i1), SCALED_PAIR(i2), SCALED_PAIR(i4), SCALED_PAIR(i8),
               SCALED_PAIR(u1), SCALED_PAIR(u2), SCALED_PAIR(u4), SCALED_PAIR(u8), SCALED_PAIR(f4),
               SCALED_PAIR(f8)},
    .mark = {mark_b1, mark_i1, mark_i2, mark_i4, mark_i8, mark_u1, mark_u2, mark_u4, mark_u8,
             mark_f4, mark_f8},
    .blank = {blank_f4, blank_f8},
    .widen = {widen_f2, widen_bf16},
    .narrow = {narrow_f2, narrow_bf16},
    .round = round_doubles,
    .unscale = {unscale, unscale_round},
    .any_nan = {any_nan_f4, any_nan_f8},
    .turn2 = turn_u2,
    .turn4 = turn_u4,
    .turn8 = turn_u8,
};
