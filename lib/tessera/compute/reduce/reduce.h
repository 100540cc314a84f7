/*
 * reduce.h - the engine of reductions and downsampling: an array in cells, each of which becomes an
 * item of a new array.
 *
 * The new array is made tile by tile. A tile is as large as memory allows; the items that belong to
 * it are divided into grains, boxes of whole blocks, and threads share the grains. A grain is read
 * piece by piece, about a block at a time, so that what is reduced is still in the cache of the
 * core. Where a grain has all items of its cells, its results go straight to the memory of the
 * tile; otherwise the states of grains are merged in the order of the grains, so that sums do not
 * depend on threads.
 *
 * Threads: next and finish of a job are called by one thread at a time (task/task.h), and the state
 * of the tile belongs to finish. The rooms are atomic: a room is taken and given back with one
 * exchange. No lock; array_read() enters the gate of the source itself.
 */
#ifndef COMPUTE_REDUCE_REDUCE_H
#define COMPUTE_REDUCE_REDUCE_H

#include "array/array.h"
#include "compute/reduce/reduction.h"

#include <tessera/params.h>

struct home;

// A new array, as plan.h says; home and storage as for array_create().
tess_status reduction_create(const struct reduction *r, const struct home *home,
                             const tess_storage *storage, const tess_params *params,
                             tess_array **out, tess_error *err);

#endif
