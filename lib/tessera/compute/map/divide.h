/*
 * divide.h - into which boxes a mapping is divided.
 *
 * Borders of boxes are borders of chunks of all outputs, so that each chunk is stored once; where
 * such a box is more than memory holds, it is divided further. Boxes are larger than that where
 * blocks of inputs would be decoded by several of them, or they would be very small. What boxes
 * there are depends on the mapping alone, not on threads. No I/O, no lock.
 */
#ifndef COMPUTE_MAP_DIVIDE_H
#define COMPUTE_MAP_DIVIDE_H

#include "compute/engine/division.h"
#include "compute/map/mapping.h"
#include "geom/index_map.h"

// kept: for each input, whether all of it is in memory already. memory: for everything else.
// TESS_ERR_LIMIT: that is not enough for one item.
tess_status division_init(struct division *d, const struct mapping *m, const bool *kept,
                          int64_t memory, tess_error *err);
// Bytes of items of a box of that shape, with its halo: of all inputs that are not kept, and of all
// outputs. INT64_MAX: or more.
int64_t mapping_inputs_size(const struct mapping *m, const bool *kept, const int64_t *shape);
int64_t mapping_outputs_size(const struct mapping *m, const int64_t *shape);
// Of one input; the items as they are stored, and, if they are converted, the others.
int64_t map_input_size(const struct mapping *m, const struct map_input *in, const int64_t *shape);

// -- where the chunks and blocks of an array, which may be a view, begin along its axes; axes are
// those of a mapping, of which the array's are the last ones

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
