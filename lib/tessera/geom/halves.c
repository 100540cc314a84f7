/*
 * halves.c - the cells of a grid in boxes: as large as they can be, else their halves.
 */
#include "geom/halves.h"

#include <string.h>

tess_status
halves_do(const struct halves *h, const int64_t *first, const int64_t *last, tess_error *err)
{
    const size_t size = sizeof(int64_t) * (size_t)h->ndim;
    int64_t middle[NDIM_MAX], other[NDIM_MAX];
    bool done = false;
    int axis = 0;

    tess_status st = h->box(h->user, first, last, &done, err);
    if (st != TESS_OK || done)
        return st;
    while (axis < h->ndim && last[axis] - first[axis] == 1)
        axis++;
    if (axis == h->ndim)
        return h->cell(h->user, first, err);

    const int64_t cut = first[axis] + (last[axis] - first[axis]) / 2;
    memcpy(middle, last, size);
    memcpy(other, first, size);
    middle[axis] = other[axis] = cut;
    const bool lower_first = axis != h->backwards;
    st = lower_first ? halves_do(h, first, middle, err) : halves_do(h, other, last, err);
    if (st != TESS_OK)
        return st;
    return lower_first ? halves_do(h, other, last, err) : halves_do(h, first, middle, err);
}
