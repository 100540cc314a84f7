/*
 * index_map.h - the indices of a view, and of a box that leaves an axis, as indices of the array
 * behind them.
 *
 * A view has axes of its base, in any order, each with a first item and a step of either sign; axes
 * of the base that it lacks, along which one item is seen; and new axes of length 1.
 *
 * A box along an axis of `length` items has the indices start .. start + count - 1, which may be
 * any numbers that fit (edge_read()). Of each mode, the items that are shown are one run of the
 * axis and copies of items of that run: so a box is read once, without what it shows twice, and
 * completed in memory.
 *
 * Functions without state.
 */
#ifndef GEOM_INDEX_MAP_H
#define GEOM_INDEX_MAP_H

#include "base/limits.h"
#include "geom/box.h"

#include <tessera/boxes.h>

#include <stdbool.h>
#include <stdint.h>

struct index_map {
    int ndim; // of the view
    int base_ndim;
    int axis[NDIM_MAX]; // of the base, for each axis of the view; -1: a new one
    // For each axis of the base: the axis of the view that runs along it, or -1; item i of that is
    // first + i * step. Without such an axis the item is first, and step is 1.
    int view_axis[NDIM_MAX];
    int64_t first[NDIM_MAX], step[NDIM_MAX];
};

// The indices are those of the base.
void index_map_identity(struct index_map *map, int ndim);

// Of the indices seen so far: count[i] items from first[i] on, step[i] apart, along each axis.
void index_map_slice(struct index_map *map, const int64_t *first, const int64_t *count,
                     const int64_t *step);
// Axes in another order: axes[i] is the axis as seen so far, or -1 for a new one.
void index_map_axes(struct index_map *map, int ndim, const int *axes);

// The index along an axis of the base, for indices of the view.
static inline int64_t
index_map_index(const struct index_map *map, int base_axis, const int64_t *index)
{
    const int i = map->view_axis[base_axis];
    return i < 0 ? map->first[base_axis] : map->first[base_axis] + index[i] * map->step[base_axis];
}

// A box of the base, and the memory for it.
struct index_box {
    struct box box; // of the arrays below: the struct must not be moved
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX];
    int64_t offset; // bytes from the first item of the view's box to the first of the base's
    int64_t stride[NDIM_MAX]; // bytes, per axis of the base
};

// For a box of the view, and memory whose items are `stride` bytes apart along the axes of the
// view.
void index_map_box(const struct index_map *map, const struct box *box, const int64_t *stride,
                   struct index_box *base);

// What is read of an axis: n items from `first` on, for the indices at .. at + n - 1 of the box.
struct edge_run {
    int64_t at, n; // n = 0: nothing, the box shows only the fill value
    int64_t first;
    bool turned; // the box has them in the opposite order
};

// The box leaves no axis with TESS_EDGE_ERROR; length > 0 for TESS_EDGE_NEAREST and
// TESS_EDGE_MIRROR; count > 0.
struct edge_run edge_read(tess_edge mode, int64_t start, int64_t count, int64_t length);

// Indices of the box that are copies: n of them from `to` on, of those from `from` on, by `step`,
// which is 1, 0 or -1.
struct edge_copy {
    int64_t to, n;
    int64_t from, step;
};

// The first copies from index `to` of the box on; false: there are none. For TESS_EDGE_NEAREST and
// TESS_EDGE_MIRROR.
bool edge_copies(tess_edge mode, int64_t start, int64_t count, int64_t length,
                 const struct edge_run *run, int64_t to, struct edge_copy *copy);

#endif
