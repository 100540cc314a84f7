/*
 * box_walk.h - visits a large shape in boxes of bounded size.
 */
#ifndef TESS_DATA_BOX_WALK_H
#define TESS_DATA_BOX_WALK_H

#include <tessera/array.h>

#include <stdbool.h>

// Bytes that a box should not exceed.
#define BOX_WALK_BYTES (INT64_C(64) << 20)

enum box_walk_order {
    BOX_WALK_C, // first axis slowest
    BOX_WALK_FORTRAN, // last axis slowest
    BOX_WALK_STREAM, // as BOX_WALK_C, and the boxes follow each other without a gap in C order
    BOX_WALK_STREAM_FORTRAN // as BOX_WALK_FORTRAN, and without a gap in Fortran order
};

// What is visited. skew NULL: zeros; most NULL: no limit.
struct box_walk_plan {
    int ndim;
    const int64_t *shape;
    const int64_t *grain; // borders between boxes lie at multiples of it where possible, >= 1
    const int64_t *skew; // where index 0 lies in the grid of grains
    const int64_t *most; // items of a box along each axis; not for streams
    int64_t max_items; // of a box; exceeded by boxes of one grain, never in streams.
                       // box_walk_run(): 0: as many as fit into BOX_WALK_BYTES
    enum box_walk_order order;
    bool quiet; // box_walk_run() shows no progress
    tess_array *array; // box_walk_run(): the progress of calls on it moves the bar; may be NULL
};

struct box_walk {
    int ndim;
    enum box_walk_order order;
    bool begun, empty;
    int64_t shape[TESS_MAX_NDIM];
    int64_t extent[TESS_MAX_NDIM]; // of the largest box
    int64_t skew[TESS_MAX_NDIM];
    int64_t box_items; // items of the largest box

    int64_t start[TESS_MAX_NDIM]; // the current box
    int64_t stop[TESS_MAX_NDIM];
    int64_t items;
};

void box_walk_init(struct box_walk *w, const struct box_walk_plan *plan);

// Go to the first or next box; false when there are no more.
bool box_walk_step(struct box_walk *w);

// Processes the current box. `buffer` has room for the items of the largest box.
typedef tess_status box_walk_visit_fn(const struct box_walk *w, uint8_t *buffer, void *user,
                                      tess_error *err);

// Visit all boxes of items of that size, with a progress bar, until a visit fails.
tess_status box_walk_run(const struct box_walk_plan *plan, int32_t typesize,
                         box_walk_visit_fn *visit, void *user, tess_error *err);

#endif
