/*
 * arrays.h - what an access costs in an array, with the cache off and on.
 */
#ifndef CACHE_ARRAYS_H
#define CACHE_ARRAYS_H

#include "trace.h"

struct arrays_rules {
    int side; // of a cube of floats
    int edge; // of the cubes that are read, 1 to 25 items
    int64_t budget; // bytes
    int rounds;
    int64_t accesses; // of a round
    int codec, level;
    int users; // 1 or 8, or 0 for both
    uint64_t seed;
};

// Columns, then a line for each trace, working set and number of threads, to stdout.
void arrays_run(const struct arrays_rules *rules);

// boxes.c: a line for each of three boxes. Of the rules codec, level, budget and seed count.
void boxes_run(const struct arrays_rules *rules);

#endif
