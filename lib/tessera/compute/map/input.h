/*
 * input.h - the boxes of an input in memory: with a halo, broadcast, and converted.
 */
#ifndef COMPUTE_MAP_INPUT_H
#define COMPUTE_MAP_INPUT_H

#include "compute/map/mapping.h"

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
