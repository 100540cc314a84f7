/*
 * checked.h - arithmetic on claims.
 *
 * Each helper is true when the result fits; then *out holds it. *out is untouched otherwise.
 */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool
add_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

static inline bool
mul_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

// From a count that must not be negative to a size in memory.
static inline bool
to_size(int64_t n, size_t *out)
{
    if (n < 0 || (uint64_t)n > SIZE_MAX / 2)
        return false;
    *out = (size_t)n;
    return true;
}

static inline int64_t
min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t
max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// a / b rounded up, for a >= 0 and b > 0; cannot overflow.
static inline int64_t
ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

#endif
