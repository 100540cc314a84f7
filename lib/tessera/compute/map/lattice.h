/*
 * lattice.h - where the chunks and blocks of an array, which may be a view, begin along its axes.
 *
 * Axes are those of a mapping, of which the array's are the last ones. No I/O, no lock.
 */
#ifndef COMPUTE_MAP_LATTICE_H
#define COMPUTE_MAP_LATTICE_H

#include "array/array.h"
#include "geom/index_map.h"

struct lattice {
    const struct geometry *g; // of the array that has the items
    struct index_map map;
    int first; // axis of the mapping that is axis 0 of the array
};

tess_status lattice_init(struct lattice *l, const tess_array *a, int first, tess_error *err);

// The index behind `at` with which another chunk begins; stop, if there is none before it.
int64_t lattice_next_chunk(const struct lattice *l, int axis, int64_t at, int64_t stop);
// The same for borders that several arrays have in common.
int64_t lattices_next_chunk(const struct lattice *lattices, int n, int axis, int64_t at,
                            int64_t stop);
// Whether the items at `at` - 1 and `at` are in one block.
bool lattice_share_block(const struct lattice *l, int axis, int64_t at);
// Items of a block along an axis, about; 1 at least.
int64_t lattice_block(const struct lattice *l, int axis);

#endif
