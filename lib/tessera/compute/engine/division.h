/*
 * division.h - a box in smaller ones: per axis, where they begin.
 *
 * Either lists of borders, which may be anywhere, or the borders of a regular grid, which take no
 * memory. No I/O, no lock; any thread reads one that does not change.
 */
#ifndef COMPUTE_ENGINE_DIVISION_H
#define COMPUTE_ENGINE_DIVISION_H

#include "base/error.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct division {
    int ndim;
    int64_t n[NDIM_MAX]; // boxes per axis
    int64_t longest[NDIM_MAX]; // items of one along the axis, at most
    int64_t *at[NDIM_MAX]; // where boxes begin, and the end; owned; NULL: the grid has it
    int64_t capacity[NDIM_MAX]; // of the list
    int64_t start[NDIM_MAX], stop[NDIM_MAX], cell[NDIM_MAX]; // a box, in cells of a grid
};

// The parts of a box that has items in the cells of a grid.
void division_of_grid(struct division *d, int ndim, const int64_t *cell, const int64_t *start,
                      const int64_t *stop);

// Lists, axis by axis: the start, then each border in order, the last of which is the end.
tess_status division_begin(struct division *d, int axis, int64_t start, tess_error *err);
tess_status division_append(struct division *d, int axis, int64_t border, tess_error *err);

void division_finish(struct division *d); // zeroed: fine

// The boxes in C order.
struct division_walk {
    const struct division *d;
    bool more;
    int64_t index[NDIM_MAX];
};
void division_walk_begin(struct division_walk *w, const struct division *d);
void division_walk_next(struct division_walk *w, int64_t *start, int64_t *stop); // if w->more

#endif
