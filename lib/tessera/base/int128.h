/*
 * int128.h - signed integers of 128 bits: for sums of 64-bit integers, and for comparing 64-bit
 * integers with doubles exactly.
 *
 * Where the compiler has __int128, each function is one operation of that type. Elsewhere (most
 * 32-bit machines), and with INT128_OF_HALVES, a number is two 64-bit halves in two's complement,
 * with the same results. The caller ensures that results fit; only int128_mul_fits() checks.
 * test/unit/base_int128.c tests both forms.
 */
#ifndef BASE_INT128_H
#define BASE_INT128_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined __SIZEOF_INT128__ && !defined INT128_OF_HALVES

__extension__ typedef __int128 int128;

static inline int128
int128_of(int64_t x)
{
    return x;
}

static inline int128
int128_of_u64(uint64_t x)
{
    return (int128)x;
}

// Rounds towards 0; -2^127 < x < 2^127.
static inline int128
int128_of_double(double x)
{
    return (int128)x;
}

// Rounds to nearest, ties to even.
static inline double
int128_to_double(int128 x)
{
    return (double)x;
}

// The low 64 bits.
static inline uint64_t
int128_low(int128 x)
{
    return (uint64_t)x;
}

static inline int128
int128_add(int128 x, int128 y)
{
    return x + y;
}

static inline int128
int128_sub(int128 x, int128 y)
{
    return x - y;
}

static inline int128
int128_mul(int128 x, int128 y)
{
    return x * y;
}

// Whether the product fits; *product is it, or its low 128 bits.
static inline bool
int128_mul_fits(int128 x, int128 y, int128 *product)
{
    return !__builtin_mul_overflow(x, y, product);
}

// The quotient, rounded towards 0; y is not 0.
static inline int128
int128_div(int128 x, int128 y)
{
    return x / y;
}

// < 0, 0 or > 0: x is less than y, equal to y, or greater.
static inline int
int128_compare(int128 x, int128 y)
{
    return (x > y) - (x < y);
}

#else

typedef struct {
    uint64_t low;
    uint64_t high; // the highest bit is the sign
} int128;

static inline int128
int128_of(int64_t x)
{
    return (int128){(uint64_t)x, x < 0 ? UINT64_MAX : 0};
}

static inline int128
int128_of_u64(uint64_t x)
{
    return (int128){x, 0};
}

static inline uint64_t
int128_low(int128 x)
{
    return x.low;
}

static inline bool
int128_is_negative(int128 x)
{
    return x.high >> 63 != 0;
}

static inline int128
int128_add(int128 x, int128 y)
{
    const uint64_t low = x.low + y.low;
    return (int128){low, x.high + y.high + (low < x.low)};
}

static inline int128
int128_sub(int128 x, int128 y)
{
    return (int128){x.low - y.low, x.high - y.high - (x.low < y.low)};
}

// The absolute value, without a sign: that of -2^127 has 128 bits.
static inline int128
int128_size(int128 x)
{
    return int128_is_negative(x) ? int128_sub((int128){0, 0}, x) : x;
}

static inline int128
int128_signed(int128 size, bool negative)
{
    return negative ? int128_sub((int128){0, 0}, size) : size;
}

static inline int128
int128_of_double(double x)
{
    const double size = fabs(x), high = floor(size * 0x1p-64);
    return int128_signed((int128){(uint64_t)(size - high * 0x1p64), (uint64_t)high}, x < 0);
}

// The highest 64 bits of the absolute value are converted; the lowest of them is a sticky bit, set
// if any lower bit is set. So the conversion rounds once, and correctly.
static inline double
int128_to_double(int128 x)
{
    const int128 size = int128_size(x);
    double d = (double)size.low;
    if (size.high != 0) {
        const int behind = 64 - __builtin_clzll(size.high); // 1 to 64
        const bool all = behind == 64;
        const uint64_t first = all ? size.high : size.high << (64 - behind) | size.low >> behind;
        const uint64_t rest = all ? size.low : size.low << (64 - behind);
        d = ldexp((double)(first | (rest != 0)), behind);
    }
    return int128_is_negative(x) ? -d : d;
}

// The whole product of two halves, by long multiplication of quarters.
static inline int128
int128_product(uint64_t x, uint64_t y)
{
    const uint64_t x0 = x & UINT32_MAX, x1 = x >> 32, y0 = y & UINT32_MAX, y1 = y >> 32;
    const uint64_t low = x0 * y0, middle = x1 * y0 + (low >> 32); // below 2^64
    const uint64_t other = x0 * y1 + (middle & UINT32_MAX);
    return (int128){other << 32 | (low & UINT32_MAX), x1 * y1 + (middle >> 32) + (other >> 32)};
}

static inline int128
int128_mul(int128 x, int128 y)
{
    int128 product = int128_product(x.low, y.low);
    product.high += x.low * y.high + x.high * y.low;
    return product;
}

static inline bool
int128_mul_fits(int128 x, int128 y, int128 *product)
{
    const int128 a = int128_size(x), b = int128_size(y);
    const bool negative = int128_is_negative(x) != int128_is_negative(y);
    const int128 low = int128_product(a.low, b.low);
    const int128 across =
        a.high != 0 ? int128_product(a.high, b.low) : int128_product(a.low, b.high);
    const uint64_t high = low.high + across.low, limit = (uint64_t)1 << 63;
    *product = int128_mul(x, y);
    return (a.high == 0 || b.high == 0) && across.high == 0 && high >= low.high &&
           (high < limit || (negative && high == limit && low.low == 0));
}

// By long division, bit by bit, unless both fit in one half.
static inline int128
int128_div(int128 x, int128 y)
{
    const int128 a = int128_size(x), b = int128_size(y);
    const bool negative = int128_is_negative(x) != int128_is_negative(y);
    int128 quotient = {0, 0}, rest = {0, 0};
    if (a.high == 0 && b.high == 0)
        return int128_signed((int128){a.low / b.low, 0}, negative);
    for (int bit = 127; bit >= 0; bit--) {
        const uint64_t next = (bit >= 64 ? a.high : a.low) >> (bit % 64) & 1;
        const bool carry = rest.high >> 63 != 0;
        rest = (int128){rest.low << 1 | next, rest.high << 1 | rest.low >> 63};
        quotient = (int128){quotient.low << 1, quotient.high << 1 | quotient.low >> 63};
        if (carry || rest.high > b.high || (rest.high == b.high && rest.low >= b.low)) {
            rest = int128_sub(rest, b);
            quotient.low |= 1;
        }
    }
    return int128_signed(quotient, negative);
}

static inline int
int128_compare(int128 x, int128 y)
{
    const uint64_t sign = (uint64_t)1 << 63, a = x.high ^ sign, b = y.high ^ sign;
    return a != b ? (a > b) - (a < b) : (x.low > y.low) - (x.low < y.low);
}

#endif

// -- functions of both forms

static inline int128
int128_shift(int128 x, int bits) // up, by 0 to 126
{
    enum { MOST = 62 }; // a power of two that int64_t holds
    for (; bits > MOST; bits -= MOST)
        x = int128_mul(x, int128_of((int64_t)1 << MOST));
    return int128_mul(x, int128_of((int64_t)1 << bits));
}

static inline bool
int128_is_less(int128 x, int128 y)
{
    return int128_compare(x, y) < 0;
}

static inline bool
int128_is_equal(int128 x, int128 y)
{
    return int128_compare(x, y) == 0;
}

// The remainder of x divided by y, with the sign of x.
static inline int128
int128_rest(int128 x, int128 y)
{
    return int128_sub(x, int128_mul(int128_div(x, y), y));
}

static inline bool
int128_fits_i64(int128 x)
{
    return int128_is_equal(x, int128_of((int64_t)int128_low(x)));
}

static inline bool
int128_fits_u64(int128 x)
{
    return int128_is_equal(x, int128_of_u64(int128_low(x)));
}

// As int128_compare(), exactly, for |x| <= 2^64 and any double except NaN. If the integer parts are
// equal, the fraction of the double decides.
static inline int
int128_compare_double(int128 x, double y)
{
    const double far = 0x1p70;
    const double near = y < -far ? -far : y > far ? far : y;
    const int128 whole = int128_of_double(near);
    const double rest = near - int128_to_double(whole);
    const int order = int128_compare(x, whole);
    return order != 0 ? order : (rest < 0) - (rest > 0);
}

#endif
