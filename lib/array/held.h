/*
 * held.h - small writes that wait in the block cache, to be encoded once.
 *
 * Who writes row after row touches each block many times. So a small write goes into decoded blocks
 * of the cache, which are dirty from then on, and a block is encoded when it was not written to for
 * a while (there are newer ones, and the budget is used up), or when all has to be in the frame.
 */
#ifndef ARRAY_HELD_H
#define ARRAY_HELD_H

#include "array/array.h"
#include "array/strided.h"

// Whether a box is to be written by held_write(): it is small against the cache.
bool held_wants(const tess_array *a, const int64_t *start, const int64_t *stop,
                const int64_t *step);

// Write back the oldest dirty blocks, so that held_write() of such a box finds room. Not inside of
// a change of the frame: these are some, with commits between them if they overwrite much.
tess_status held_make_room(tess_array *a, const int64_t *start, const int64_t *stop,
                           const int64_t *step, tess_error *err);

// Memory into a box. Nothing is changed on failure.
tess_status held_write(tess_array *a, const int64_t *start, const int64_t *stop,
                       const int64_t *step, const struct strided_const *src, tess_error *err);

// Write back all dirty blocks, in the same way. On failure those stay dirty that are not in the
// frame.
tess_status held_write_back(tess_array *a, tess_error *err);

#endif
