/*
 * halves.h - the cells of a grid in boxes: as large as they can be, else their halves.
 *
 * For work that is done at once for any number of cells if they have something in common, and one
 * by one otherwise: a box that is refused is cut in two, across its slowest axis of more than one
 * cell, down to single cells. So the cells come in C order, whatever their boxes.
 */
#ifndef GEOM_HALVES_H
#define GEOM_HALVES_H

#include "base/error.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct halves {
    int ndim;
    int backwards; // the axis along which the last cells come first; -1: none
    void *user;
    // Do all cells of [first, last) at once. *done: false, nothing was done.
    tess_status (*box)(void *user, const int64_t *first, const int64_t *last, bool *done,
                       tess_error *err);
    // Do a cell that box() refused.
    tess_status (*cell)(void *user, const int64_t *at, tess_error *err);
};

// There is a cell. Ends with the first failure.
tess_status halves_do(const struct halves *h, const int64_t *first, const int64_t *last,
                      tess_error *err);

#endif
