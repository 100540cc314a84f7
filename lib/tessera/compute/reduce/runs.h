/*
 * runs.h - a piece of an array, in runs that a kernel takes.
 *
 * Functions without state: any thread, with cells of its own.
 */
#ifndef COMPUTE_REDUCE_RUNS_H
#define COMPUTE_REDUCE_RUNS_H

#include "compute/reduce/cells.h"
#include "compute/reduce/kernels.h"

#include <stddef.h>

// A box of items, and a box of cells that holds their cells.
struct run_box {
    const struct cells *cells;
    const int64_t *first, *n; // the cells; C order
    const int64_t *start, *stop; // the items
};

// Call the kernel for all numbers of a box, which stand in C order without gaps. base: the first
// cell of the box of cells; `best` has numbers of that size.
void runs_reduce(const struct run_box *box, reduce_fn *fn, const struct cell_row *base,
                 const void *numbers, size_t size);

#endif
