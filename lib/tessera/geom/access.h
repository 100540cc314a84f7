/*
 * access.h - what is done with an array in one call, as far as a layout is concerned.
 *
 * Whatever is read or written is a box, of which some axes are whole.
 */
#ifndef GEOM_ACCESS_H
#define GEOM_ACCESS_H

#include "base/limits.h"

#include <stdint.h>

enum access_kind {
    ACCESS_READ, // a box, anywhere in the array
    ACCESS_UPDATE, // likewise, written
    ACCESS_APPEND, // the array grows by the box
    ACCESS_WRITE // the array is made from its items
};

#define ACCESS_WHOLE (-1)

struct access {
    enum access_kind kind;
    int axis; // that grows
    int64_t extent[NDIM_MAX]; // of the box; ACCESS_WHOLE: all of the axis
};

// The box in an array of that shape: the extent, whole axes and too long ones cut to it.
static inline void
access_extent(const struct access *a, int ndim, const int64_t *shape, int64_t *extent)
{
    for (int i = 0; i < ndim; i++)
        extent[i] =
            a->extent[i] == ACCESS_WHOLE || a->extent[i] > shape[i] ? shape[i] : a->extent[i];
}

#endif
