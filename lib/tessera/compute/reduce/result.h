/*
 * result.h - from a state to the items of a new array.
 */
#ifndef COMPUTE_REDUCE_RESULT_H
#define COMPUTE_REDUCE_RESULT_H

#include "compute/reduce/state.h"

// One number per cell.
enum result_value {
    RESULT_SUM, // i8 or u8 of integers; f8
    RESULT_MEAN, // f8
    RESULT_VARIANCE, // f8
    RESULT_EXTREME, // as the items
    RESULT_COUNT, // i8
    RESULT_NEAR_MEAN, // as the items: the nearest of them
};

struct result {
    enum result_value value;
    int64_t ddof;
    int32_t size; // bytes of an item
    bool turn; // into the other byte order
};

// The items of all cells, in C order with these strides of bytes. TESS_ERR_LIMIT: a sum needs more
// than 64 bits.
tess_status result_give(const struct result *r, struct state *s, uint8_t *items,
                        const int64_t *strides, tess_error *err);

#endif
