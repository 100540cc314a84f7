/*
 * copy.h - an array whose items are those of others: a copy, a concatenation, a stack; or its last
 * items, when another array is appended. And the description of such an array:
 *
 *     st = combination_init(&c, arrays, n, axis, params, to_path, err);
 *     if (st == TESS_OK)
 *         st = array_create(&home, storage, &c.params, &c.content, &made, err);
 *     combination_finish(&c);
 *
 * A combination belongs to one call, and to its thread; no lock. Of an array with dirty blocks it
 * requires exclusive access, as they are written back.
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
#ifndef ARRAY_COPY_COPY_H
#define ARRAY_COPY_COPY_H

#include "array/array.h"
#include "array/open/open.h"
#include "meta/layers.h"

#include <stdbool.h>

// -- copy_items.c

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

// -- combine.c

struct combination {
    tess_params params; // of the new array; refer to what follows, to the caller's, to the first
    struct array_content content;
    struct copy_sources sources;
    tess_metalayer metalayers[LAYERS_FIXED_MAX];
    int64_t *starts; // of each source along the axis
    uint8_t *fill; // the fill value of the first array in the other byte order; NULL: not needed
};

// Whether arrays can stand side by side along an axis, or be stacked (-1): TESS_ERR_ARG.
tess_status combine_check_alike(const tess_array *a, const tess_array *b, int axis,
                                tess_error *err);

/*
 * n >= 1 arrays that are alike, side by side along an axis. params NULL: as the first array is;
 * what they leave open comes from it, too. Blocks that wait in the caches of the arrays are written
 * back. End it with combination_finish(), also after a failure.
 */
tess_status combination_init(struct combination *c, const tess_array *const *arrays, int64_t n,
                             int axis, const tess_params *params, bool to_path, tess_error *err);
void combination_finish(struct combination *c);

#endif
