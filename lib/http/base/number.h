/*
 * number.h - the smaller and the larger of two numbers.
 */
#ifndef HTTP_BASE_NUMBER_H
#define HTTP_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

static inline int64_t
http_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t
http_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline size_t
http_min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t
http_max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

// The size, but not more than `most` >= 0.
static inline size_t
http_size_within(size_t size, int64_t most)
{
    return (uint64_t)most < size ? (size_t)most : size;
}

#endif
