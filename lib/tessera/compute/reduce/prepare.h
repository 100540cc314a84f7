/*
 * prepare.h - items as they are stored, made into numbers that kernels reduce.
 *
 * Which kind of state a reduction has, and what its kernels get, is decided here, once per call.
 * Functions without state; memory belongs to the caller.
 */
#ifndef COMPUTE_REDUCE_PREPARE_H
#define COMPUTE_REDUCE_PREPARE_H

#include "compute/reduce/kernels.h"

#include <tessera/dtype.h>

#include <stddef.h>

enum gather_kind {
    GATHER_WHOLE, // sums of integers
    GATHER_FLOAT, // sums of floats
    GATHER_LEAST,
    GATHER_GREATEST,
    GATHER_WHOLE_SQUARES, // sums and sums of squares of integers of at most 4 bytes
    GATHER_SQUARES, // the same of integers of 8 bytes and of floats
    GATHER_NOTHING, // but what is missing
};

// What is gathered of items.
struct gathering {
    enum gather_kind kind;
    tess_dtype dtype; // of the items
    bool turn; // the other byte order
    bool truth; // all that is not 0 is 1
    bool skip_nan;
    bool missing; // NaNs are counted
    enum numeric number; // what kernels get, of
    size_t size; // bytes
};

// false: items are no numbers, or of a size that is not known. truth: as bool.
bool gathering_init(struct gathering *g, enum gather_kind kind, const tess_dtype *dtype, bool truth,
                    bool skip_nan);

/*
 * Make n items into numbers; *numbers receives where they are: in `items`, which may change, or in
 * `room`, of n * size bytes. NULL: there is nothing to reduce. *mask: NULL, or n bytes of
 * `mask_room`: 1 for each NaN.
 */
void gathering_prepare(const struct gathering *g, uint8_t *items, size_t n, uint8_t *room,
                       uint8_t *mask_room, const void **numbers, const uint8_t **mask);

// A number of an extreme of floats as an item again: in the byte order of the machine, in place.
void gathering_unorder(const struct gathering *g, uint8_t *numbers, size_t n);

#endif
