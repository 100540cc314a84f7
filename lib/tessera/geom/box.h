/*
 * box.h - a box of items, as it travels from the public functions down to the copies.
 *
 * Only pointers: the arrays belong to a caller further up, and stay until the call returns. Which
 * array the indices are of, the function says that gets the box; those of a view become those of
 * its base in array/items/box.c (geom/index_map.h), once.
 */
#ifndef GEOM_BOX_H
#define GEOM_BOX_H

#include <stdbool.h>
#include <stdint.h>

// Along each axis, the items start, start + step, ... before stop; where there are any, the one
// before `stop` is one of them. step >= 1; NULL: every item, which is often the faster way.
struct box {
    const int64_t *start, *stop, *step;
};

static inline bool
box_is_empty(int ndim, const struct box *box)
{
    for (int i = 0; i < ndim; i++)
        if (box->start[i] >= box->stop[i])
            return true;
    return false;
}

// Items of a box without steps, whose number fits.
static inline int64_t
box_nitems(int ndim, const struct box *box)
{
    int64_t nitems = 1;
    for (int i = 0; i < ndim; i++)
        nitems *= box->stop[i] - box->start[i];
    return nitems;
}

// Strides, in bytes, of memory that has the items of a box without steps in C order.
static inline void
box_strides(int ndim, const struct box *box, int64_t itemsize, int64_t *stride)
{
    for (int i = ndim - 1; i >= 0; i--) {
        stride[i] = itemsize;
        itemsize *= box->stop[i] - box->start[i];
    }
}

#endif
