/*
 * exact.h - memory of exactly the size asked for, so that the address sanitizer sees a byte too
 * many.
 *
 * Running out of memory ends the program: tests have nothing to say about that here.
 */
#ifndef SUPPORT_EXACT_H
#define SUPPORT_EXACT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Zeros; free() them.
static inline void *
exact_memory(size_t size)
{
    void *const memory = calloc(size > 0 ? size : 1, 1);
    if (!memory)
        abort();
    return memory;
}

// The first `size` bytes of src; free() them.
static inline uint8_t *
exact_copy(const void *src, size_t size)
{
    uint8_t *const copy = exact_memory(size);
    if (size > 0)
        memcpy(copy, src, size);
    return copy;
}

#endif
