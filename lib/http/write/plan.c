/*
 * plan.c - how large the parts of an upload are, and how many are in memory.
 */
#include "write/plan.h"

#include "base/number.h"

enum {
    STEP = 1000, // parts of one size
    DOUBLINGS = 8,
};

#define GROWN_MOST ((int64_t)2 << 30) // what parts grow to
#define MEMORY ((int64_t)320 << 20)

int64_t
http_part_size(int64_t first, int number)
{
    const int step = (number - 1) / STEP;
    const int64_t grown = first << http_min(step, DOUBLINGS);
    if (grown <= GROWN_MOST)
        return grown;
    return http_max(first, GROWN_MOST);
}

int
http_parts_in_memory(int64_t size)
{
    const int64_t fit = MEMORY / size;
    if (fit > HTTP_PARTS_AT_ONCE)
        return HTTP_PARTS_AT_ONCE + 1;
    return (int)http_max(fit, 2);
}
