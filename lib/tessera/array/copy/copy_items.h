/*
 * copy_items.h - an array whose items are those of others: a copy, a concatenation, a stack; or its
 * last items, when another array is appended.
 *
 * The target is filled piece by piece (geom/rechunk.h): what each source has of a piece is read
 * into memory, and the piece is written. Chunks that are the same on both sides are copied as they
 * are stored.
 *
 * The calling thread goes from piece to piece; inside a piece, reading and writing are jobs, one
 * after the other, so workers never read a source and write the target at once. So a source may be
 * the target. There is no mutex here; the lock files of the sources, but for that of the target,
 * are held shared from the first piece until it is known that the disk still has what was read.
 */
#ifndef ARRAY_COPY_COPY_ITEMS_H
#define ARRAY_COPY_COPY_ITEMS_H

#include "array/array.h"

// Arrays, or views, of one item type, side by side along an axis: source n has the target's items
// from starts[n] on, up to starts[n + 1].
struct copy_sources {
    const tess_array *const *arrays; // the target may be one
    int64_t n;
    int axis;
    const int64_t *starts; // n + 1
    bool swapped; // the bytes of each `word` change order on the way
    int32_t word;
};

// Fill an array with its sources from starts[0] on, as one change of the frame, begun and ended by
// the caller. What waits in the cache of a source is better written back before: its chunks are not
// copied as they are stored.
tess_status array_copy_items(tess_array *a, const struct copy_sources *sources, struct watch *watch,
                             tess_error *err);

#endif
