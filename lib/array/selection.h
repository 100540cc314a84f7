/*
 * selection.h - chosen items of an array, sorted by the chunk and block they are in.
 *
 * Two kinds: points, and lists of indices per axis whose combinations are meant. The caller's
 * memory holds the items in the order in which they were chosen; `at` counts items there. Chunks
 * and blocks of a selection are found by number, so that any thread may start anywhere:
 *
 *     struct part chunk, block;
 *     for (more = selection_chunk(s, 0, &chunk); more; ... chunk.n + 1 ...)
 *         for (more = selection_block(s, &chunk, 0, &block); more; ... block.n + 1 ...)
 *             for (picks_begin(s, &block, &p); picks_next(&p);)
 *                 ... p.list[0 .. p.n) ...
 *
 * The picks of a block come in an order that leaves the item chosen last for the last.
 *
 * Where chunks are no grids of blocks (linear and plain arrays) each counts as one block that holds
 * the items in order.
 */
#ifndef ARRAY_SELECTION_H
#define ARRAY_SELECTION_H

#include "array/array.h"

// A chosen point; sorted by chunk and block (and item, where there are no blocks).
struct point {
    int64_t chunk;
    int32_t block;
    int32_t item; // of the block
    int64_t at;
};

// Indices of an axis that follow each other in a block, and in the caller's list; sorted.
struct axis_pick {
    int64_t chunk, block, item; // coordinates along the axis
    int64_t at; // of the list
    int64_t length; // more than 1 only on the last axis
};
struct axis {
    struct axis_pick *picks;
    int64_t n;
    int64_t at_step; // items of the caller from one entry of the list to the next
    int64_t item_step; // items of a block from one item to the next along the axis
};

struct selection {
    const tess_array *a;
    int64_t cell[NDIM_MAX]; // what counts as a block
    int64_t cells[NDIM_MAX]; // in a chunk
    int64_t nblocks; // that the selection meets, of all chunks
    struct point *points; // NULL: axes
    int64_t npoints;
    struct axis axis[NDIM_MAX];
    // Axes: new ones of a view, along which the same items are chosen again and again.
    int nnew;
    int64_t copies[NDIM_MAX], copy_step[NDIM_MAX];
    int64_t ncopies; // in all, >= 1
};

// Every index lies inside the shape, and there are some. On failure *s is empty. What is chosen of
// a view is a selection of its base.
tess_status selection_of_points(struct selection *s, const tess_array *a, int64_t npoints,
                                const int64_t *coords, tess_error *err);
tess_status selection_of_axes(struct selection *s, const tess_array *a, const int64_t *counts,
                              const int64_t *const *indices, tess_error *err);
void selection_finish(struct selection *s); // zeroed: fine

// Where copy n < ncopies of the chosen items begins, in items of the caller.
int64_t selection_copy(const struct selection *s, int64_t n);

// The part of a selection that is in a chunk, or in a block of one.
struct part {
    int64_t n; // number of the chunk, or of the block in it
    int64_t first[NDIM_MAX], stop[NDIM_MAX]; // picks per axis; points: [0] only
};

// The first chunk from number n on that is met; false: there is none.
bool selection_chunk(const struct selection *s, int64_t n, struct part *chunk);
// The same for blocks of a chunk.
bool selection_block(const struct selection *s, const struct part *chunk, int64_t n,
                     struct part *block);

// Items of a block: all that are chosen lie in [first, stop).
struct reach {
    int64_t first, stop;
    int64_t npicks; // runs of items
};
struct reach selection_reach(const struct selection *s, const struct part *block);

// Chosen items that follow each other in the block and in the caller's memory.
struct pick {
    int64_t item;
    int64_t at;
    int64_t length;
};

enum { PICKS_MAX = 64 };

struct picks {
    const struct selection *s;
    const struct part *block;
    bool more;
    int64_t now[NDIM_MAX]; // the next pick, per axis
    int64_t n;
    struct pick list[PICKS_MAX];
};

void picks_begin(struct picks *p, const struct selection *s, const struct part *block);
bool picks_next(struct picks *p); // some more in p->list; false: that was all

#endif
