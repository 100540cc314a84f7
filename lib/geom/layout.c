/*
 * layout.c - chunk and block shapes for those who give none.
 *
 * Nothing is known of how the array will be read, so cells are made nearly cubic in items, but
 * longer along the last axis, where items are neighbours in memory: short rows are what reads and
 * writes of blocks cost most for.
 */
#include "geom/layout.h"

#include "base/checked.h"
#include "geom/shape.h"

#include <stdbool.h>

enum {
    BLOCK_BYTES = 128 << 10, // three of them are at work per thread
    CHUNK_BYTES = 4 << 20,
    LAST_AXIS_LONGER = 4,
    GROWING = 64, // what an axis of 0 items is taken for: it will grow
    GROWING_ALONE = 1 << 20, // in one dimension
};

static bool
is_unset(int ndim, const int64_t *shape)
{
    for (int i = 0; i < ndim; i++)
        if (shape[i] != 0)
            return false;
    return true;
}

// Double the shortest axis until the cell has `nitems`, in steps of `unit`, inside `shape`.
static void
grow_cell(int ndim, const int64_t *shape, const int64_t *unit, int64_t nitems, int64_t *cell)
{
    int64_t count = 1;
    bool fits = true;
    for (int i = 0; i < ndim; i++) {
        cell[i] = unit[i];
        fits = fits && mul_i64(count, unit[i], &count);
    }
    if (!fits)
        return; // far too large already; geometry_init() says so
    while (count <= nitems / 2) {
        int best = -1;
        int64_t best_length = 0;
        for (int i = 0; i < ndim; i++) {
            const int64_t length = i == ndim - 1 ? cell[i] / LAST_AXIS_LONGER : cell[i];
            if (cell[i] < shape[i] && (best < 0 || length <= best_length)) {
                best = i;
                best_length = length;
            }
        }
        if (best < 0)
            return;
        cell[best] *= 2;
        count *= 2;
    }
}

// As few cells as before, of nearly equal lengths: less of the last one is padding.
static void
even_out(int ndim, const int64_t *shape, const int64_t *unit, int64_t *cell)
{
    for (int i = 0; i < ndim; i++) {
        const int64_t cells = ceil_div(shape[i], cell[i]);
        cell[i] = max_i64(ceil_div(ceil_div(shape[i], cells), unit[i]), 1) * unit[i];
    }
}

void
layout_choose(int ndim, const int64_t *shape, int64_t typesize, int64_t *chunkshape,
              int64_t *blockshape)
{
    int64_t ones[NDIM_MAX] = {0}, outer[NDIM_MAX] = {0};
    const bool choose_chunks = is_unset(ndim, chunkshape);
    const bool choose_blocks = is_unset(ndim, blockshape);

    for (int i = 0; i < ndim; i++) {
        ones[i] = 1;
        outer[i] = !choose_chunks ? chunkshape[i] : shape[i];
        if (outer[i] <= 0)
            outer[i] = ndim == 1 ? GROWING_ALONE : GROWING;
    }
    if (choose_blocks) {
        grow_cell(ndim, outer, ones, BLOCK_BYTES / typesize, blockshape);
        even_out(ndim, outer, ones, blockshape);
    }
    if (choose_chunks) {
        for (int i = 0; i < ndim; i++)
            if (blockshape[i] <= 0)
                return; // the caller's blocks make no sense; geometry_init() says so
        grow_cell(ndim, outer, blockshape, CHUNK_BYTES / typesize, chunkshape);
        even_out(ndim, outer, blockshape, chunkshape);
        for (int i = 0; i < ndim; i++)
            chunkshape[i] = min_i64(chunkshape[i], max_i64(outer[i], blockshape[i]));
    }
}
