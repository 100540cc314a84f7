/*
 * divide.h - in which parts an array is reduced: tiles of the result, grains of a tile, pieces of a
 * grain.
 *
 * What makes a grain depends on the array and the reduction alone, not on threads or memory: so
 * sums do not, either. No I/O, no lock.
 */
#ifndef COMPUTE_REDUCE_DIVIDE_H
#define COMPUTE_REDUCE_DIVIDE_H

#include "compute/reduce/reduction.h"

#include <stdbool.h>

struct granularity {
    const struct reduction *r;
    int64_t chunk[NDIM_MAX]; // of the source
    int64_t piece[NDIM_MAX]; // blocks of a chunk that are read at once
    int64_t grain[NDIM_MAX]; // of the array; work of one thread
    bool split; // a cell may be in several grains
    size_t piece_nitems;
};

void divide_source(struct granularity *d, const struct reduction *r);

// Cells of a tile: as many as memory allows, whole chunks of the new array if possible.
void divide_result(const struct granularity *d, const tess_array *out, int64_t *tile);

#endif
