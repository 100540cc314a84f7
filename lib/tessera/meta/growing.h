/*
 * growing.h - bytes that are appended to memory that grows, which becomes the caller's.
 *
 * As msgpack_sbuffer, with memory of the library's. Belongs to one thread.
 */
#ifndef META_GROWING_H
#define META_GROWING_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct growing { // zeroed: empty
    char *data; // NULL: nothing was appended
    size_t size, capacity;
};

// False: there is no memory; what was appended before is still there.
static inline bool
growing_append(struct growing *g, const void *bytes, size_t size)
{
    enum { CAPACITY_MIN = 256 };
    size_t capacity = g->capacity ? g->capacity : CAPACITY_MIN;

    if (size > g->capacity - g->size) {
        while (capacity - g->size < size) {
            if (capacity > (size_t)-1 / 2)
                return false;
            capacity *= 2;
        }
        char *const data = mem_resize(g->data, capacity);
        if (!data)
            return false;
        g->data = data;
        g->capacity = capacity;
    }
    if (size > 0)
        memcpy(g->data + g->size, bytes, size);
    g->size += size;
    return true;
}

// The memory, which mem_free() frees.
static inline void *
growing_take(struct growing *g)
{
    void *const data = g->data;
    *g = (struct growing){0};
    return data;
}

static inline void
growing_finish(struct growing *g)
{
    mem_free(growing_take(g));
}

#endif
