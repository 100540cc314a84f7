/*
 * nd.h - arrays of b2nd.h for tests: items are int32 numbers, beginning with their position in C
 * order.
 */
#ifndef TEST_COMPAT_ND_H
#define TEST_COMPAT_ND_H

#include "compat/compat.h"

// Where arrays live.
struct nd_place {
    const char *name;
    bool contiguous;
    bool file;
};
extern const struct nd_place nd_places[];
enum { ND_PLACES = 4 };

// Shapes, and the product of the first.
struct nd_shapes {
    int8_t ndim;
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM];
    int32_t blockshape[B2ND_MAX_DIM];
};
int64_t nd_count(const int64_t *shape, int ndim);

// A context for int32 items, without a type of the program; path NULL: in memory.
b2nd_context_t *nd_context(const struct nd_shapes *shapes, bool contiguous, const char *path);

// Items first, first + 1, ... in memory to be freed.
int32_t *nd_items(int64_t count, int32_t first);

// A new array of numbers from 0 on; path NULL: in memory.
b2nd_array_t *nd_numbers(const struct nd_shapes *shapes, bool contiguous, const char *path);

// All items, in memory to be freed.
int32_t *nd_all(const b2nd_array_t *array);

// The array has these items, and members that fit its shapes.
void nd_check(const b2nd_array_t *array, const int32_t *items);

// The item at the given place of a matrix.
int nd_set_item(b2nd_array_t *array, int64_t row, int64_t column, int32_t item);
int32_t nd_get_item(const b2nd_array_t *array, int64_t row, int64_t column);

// A reference in memory: copy a box between an array in C order and a dense buffer.
void nd_box(int ndim, const int64_t *shape, const int64_t *start, const int64_t *stop,
            int32_t *items, int32_t *box, bool set);

#endif
