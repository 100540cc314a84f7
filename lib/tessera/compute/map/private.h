/*
 * private.h - what the units of map share: into which boxes a mapping is divided, and the boxes of
 * an input in memory.
 *
 * Borders of boxes are borders of chunks of all outputs, so that each chunk is stored once; where
 * such a box is more than memory holds, it is divided further. Boxes are larger than that where
 * blocks of inputs would be decoded by several of them, or they would be very small. What boxes
 * there are depends on the mapping alone, not on threads. Dividing takes no lock and does no I/O.
 */
#ifndef COMPUTE_MAP_PRIVATE_H
#define COMPUTE_MAP_PRIVATE_H

#include "compute/engine/engine.h"
#include "compute/map/map.h"
#include "geom/index_map.h"

// -- boxes

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

// -- inputs in memory: with a halo, broadcast, and converted

/*
 * Read the box [start, stop) of an input, with its halo, to memory of map_input_size() bytes.
 * *first: where its item at start is; strides: bytes per axis of the mapping. Any thread, outside
 * the gate of the array's grid.
 */
tess_status map_input_read(const struct mapping *m, const struct map_input *in,
                           const int64_t *start, const int64_t *stop, uint8_t *room,
                           const uint8_t **first, int64_t *strides, struct watch *watch,
                           tess_error *err);

// The part of an input, along its own axes, from which that reads. Where a halo leaves the array,
// what is read instead may be elsewhere.
void map_input_box(const struct mapping *m, const struct map_input *in, const int64_t *start,
                   const int64_t *stop, int64_t *own_start, int64_t *own_stop);

// Whether all items of the box are one, without a halo; *item, of in->itemsize bytes, is that.
tess_status map_input_is_constant(const struct mapping *m, const struct map_input *in,
                                  const int64_t *start, const int64_t *stop, struct watch *watch,
                                  uint8_t *item, bool *is, tess_error *err);

#endif
