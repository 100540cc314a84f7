/*
 * edge.h - boxes that leave an axis: what they show there.
 *
 * An axis has `length` items, and a box along it the indices start .. start + count - 1, which may
 * be any numbers that fit. Of each mode, the items that are shown are one run of the axis and
 * copies of items of that run: so a box is read once, without what it shows twice, and completed
 * in memory.
 *
 * Functions without state.
 */
#ifndef GEOM_EDGE_H
#define GEOM_EDGE_H

#include <tessera/boxes.h>

#include <stdbool.h>
#include <stdint.h>

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
