/*
 * look.h - an array that a stranger wrote, looked at.
 */
#ifndef FUZZ_LOOK_H
#define FUZZ_LOOK_H

#include "fuzz/fuzz.h"

#include <tessera.h>

// tess_limits of targets. libFuzzer's -malloc_limit_mb=17 shows that no allocation exceeds it.
enum {
    LOOK_MEMORY = 1 << 24,
    LOOK_NCHUNKS = 1 << 16,
};

// Returns all items, *size bytes, to be freed; NULL if they are too many, or cannot be read. The
// limits are those that the array was opened with.
uint8_t *look_at(tess_array *a, const tess_limits *limits, size_t *size);

#endif
