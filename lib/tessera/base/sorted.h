/*
 * sorted.h - whether a sorted list has a number.
 */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// list: n numbers, ascending.
static inline bool
sorted_has_i64(const int64_t *list, size_t n, int64_t wanted)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && list[low] == wanted;
}

#endif
