/*
 * mode.h - the item that a box of items in memory has most often.
 *
 * Functions without state; a room belongs to one thread.
 */
#ifndef COMPUTE_RESAMPLE_MODE_H
#define COMPUTE_RESAMPLE_MODE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

// Memory for the items of a box, used again; zeros at first. free(items) in the end.
struct mode_room {
    uint8_t *items;
    size_t capacity; // items of one size
};

// *mode receives the item; of several that are as frequent, the first in C order. The box has
// items.
tess_status mode_of(struct mode_room *room, int ndim, const int64_t *shape, const int64_t *strides,
                    const uint8_t *items, size_t size, uint8_t *mode, tess_error *err);

#endif
