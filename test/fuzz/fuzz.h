/*
 * fuzz.h - what the targets share: the entry point, decisions taken from bytes, and failing.
 *
 * A target is a program with LLVMFuzzerTestOneInput(), made by libFuzzer or by replay.c. It keeps
 * nothing from one input to the next. What it finds wrong it says on stderr before it aborts.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include "base/bytes.h"
#include "support/exact.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What must hold; `...` is a sentence for printf() that says what did not.
#define must(condition, ...)                                      \
    do {                                                          \
        if (!(condition)) {                                       \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);       \
            fprintf(stderr, __VA_ARGS__);                         \
            fprintf(stderr, " (%s does not hold)\n", #condition); \
            abort();                                              \
        }                                                         \
    } while (0)

// A number below `bound` (1 to 65536); 0 when the bytes are used up.
static inline int64_t
draw_below(struct rd *r, int64_t bound)
{
    if (bound <= 256)
        return rd_u8(r) % bound;
    return rd_u16be(r) % bound;
}

#endif
