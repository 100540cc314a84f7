/*
 * array.h - an N-dimensional array: its members, and calls on it.
 *
 * An array owns its super-chunk, whose handle it shares. Its members follow that of the handle when
 * a call begins, if others changed the shape meanwhile.
 */
#ifndef COMPAT_B2ND_ARRAY_H
#define COMPAT_B2ND_ARRAY_H

#include "schunk/schunk.h"

#include <b2nd.h>

// An array over a super-chunk, which then belongs to it; after a failure it stays the caller's.
// Returns a code.
int nd_new(struct b2_schunk *s, b2nd_array_t **array);

// What a metalayer says of an array.
struct nd_layer {
    int8_t ndim;
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM];
    int32_t blockshape[B2ND_MAX_DIM];
    char *dtype; // NULL: none
    int8_t dtype_format;
};

// The same for a super-chunk that cannot hold the chunks of its layer: the array has members, and
// calls on its items fail.
int nd_new_without_chunks(struct b2_schunk *s, const struct nd_layer *layer, b2nd_array_t **array);

// The super-chunk and the handle of an array. Calls that only read have a const array, whose
// members may have to follow a change all the same.
struct b2_schunk *nd_schunk(const b2nd_array_t *array);
tess_array *nd_handle(const b2nd_array_t *array);

// The array without const, for calls that change it in spite of their signature.
b2nd_array_t *nd_mutable(const b2nd_array_t *array);

// Begin a call that reads or writes items, or that changes anything else. Returns a code; on
// success end it by nd_end().
int nd_read_begin(const b2nd_array_t *array);
int nd_write_begin(b2nd_array_t *array);
int nd_change_begin(b2nd_array_t *array);
int nd_encodes(const b2nd_array_t *array); // 0, or the code of calls that write items
void nd_end(const b2nd_array_t *array);

// Call a function for each chunk that meets the box [start, stop), which has items: with the number
// of the chunk and its first index. Ends at the first result that is not 0, and returns it.
typedef int nd_chunk_fn(void *arg, int64_t n, const int64_t *origin);
int nd_each_chunk(const b2nd_array_t *array, const int64_t *start, const int64_t *stop,
                  nd_chunk_fn *run, void *arg);

// Inside a call that writes: the items of a box were written. Their chunks are encoded again if the
// context of the super-chunk encodes otherwise than the library, and listed again when the call
// ends. Returns a code.
int nd_written(b2nd_array_t *array, const int64_t *start, const int64_t *stop);

// Set the members from the handle, whose shape this call changed: along one axis from position on,
// or (axis -1) along several. Returns a code.
int nd_reshaped(b2nd_array_t *array, int axis, int64_t position);

// Bytes of one item.
int64_t nd_typesize(const b2nd_array_t *array);

#endif
