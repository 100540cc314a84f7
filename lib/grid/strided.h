/*
 * strided.h - memory that stands for a box.
 */
#ifndef GRID_STRIDED_H
#define GRID_STRIDED_H

#include "base/limits.h"

#include <stdint.h>

// Memory with arbitrary strides, in bytes, that stands for a box: they may be negative, and 0 where
// it is read. The first item of the box is at `items`.
struct strided {
    uint8_t *items;
    int64_t stride[NDIM_MAX];
};
struct strided_const {
    const uint8_t *items;
    int64_t stride[NDIM_MAX];
};

#endif
