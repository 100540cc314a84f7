/*
 * strided.h - memory that stands for a box.
 */
#ifndef GRID_STRIDED_H
#define GRID_STRIDED_H

#include "base/limits.h"

#include <stdint.h>

struct converted;
struct converter;

// Memory with arbitrary strides, in bytes, that stands for a box: they may be negative, and 0 where
// it is read. The first item of the box is at `items`.
struct strided {
    uint8_t *items;
    int64_t stride[NDIM_MAX];
    const struct converted *as; // items become others on the way (converted.h); NULL: they do not
};
struct strided_const {
    const uint8_t *items;
    int64_t stride[NDIM_MAX];
    const struct converter *as; // all items fit; NULL: they are what is stored
};

#endif
