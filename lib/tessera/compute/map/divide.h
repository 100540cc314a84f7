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

#include "compute/map/mapping.h"

struct division {
    int ndim;
    int64_t *at[NDIM_MAX]; // per axis, where boxes begin, and the end; owned
    int64_t n[NDIM_MAX]; // boxes per axis
    int64_t longest[NDIM_MAX]; // items of one along the axis, at most
};

// kept: for each input, whether all of it is in memory already. memory: for everything else.
// TESS_ERR_LIMIT: that is not enough for one item.
tess_status division_init(struct division *d, const struct mapping *m, const bool *kept,
                          int64_t memory, tess_error *err);
void division_finish(struct division *d); // zeroed: fine

// Bytes of items of a box of that shape, with its halo: of all inputs that are not kept, and of all
// outputs. INT64_MAX: or more.
int64_t mapping_inputs_size(const struct mapping *m, const bool *kept, const int64_t *shape);
int64_t mapping_outputs_size(const struct mapping *m, const int64_t *shape);
// Of one input; the items as they are stored, and, if they are converted, the others.
int64_t map_input_size(const struct mapping *m, const struct map_input *in, const int64_t *shape);

// The boxes in C order.
struct division_walk {
    const struct division *d;
    bool more;
    int64_t index[NDIM_MAX];
};
void division_walk_begin(struct division_walk *w, const struct division *d);
void division_walk_next(struct division_walk *w, int64_t *start, int64_t *stop); // if w->more

#endif
