/*
 * walk.h - visits a large shape in boxes of bounded size.
 */
#ifndef TESS_DATA_WALK_H
#define TESS_DATA_WALK_H

#include <tessera/array.h>

#include <stdbool.h>

// Bytes that a box should not exceed.
#define WALK_BYTES (INT64_C(64) << 20)

enum walk_order {
    WALK_C, // first axis slowest
    WALK_FORTRAN, // last axis slowest
    WALK_STREAM, // as WALK_C, and the boxes follow each other without a gap in C order
    WALK_STREAM_FORTRAN // as WALK_FORTRAN, and without a gap in Fortran order
};

// What is visited. skew NULL: zeros; most NULL: no limit.
struct walk_plan {
    int ndim;
    const int64_t *shape;
    const int64_t *grain; // borders between boxes lie at multiples of it where possible, >= 1
    const int64_t *skew; // where index 0 lies in the grid of grains
    const int64_t *most; // items of a box along each axis; not for streams
    int64_t max_items; // of a box; exceeded by boxes of one grain, never in streams. walk_run():
                       // 0: as many as fit into WALK_BYTES
    enum walk_order order;
    bool quiet; // walk_run() shows no progress
    tess_array *array; // walk_run(): the progress of calls on it moves the bar; may be NULL
};

struct walk {
    int ndim;
    enum walk_order order;
    bool begun, empty;
    int64_t shape[TESS_MAX_NDIM];
    int64_t extent[TESS_MAX_NDIM]; // of the largest box
    int64_t skew[TESS_MAX_NDIM];
    int64_t box_items; // items of the largest box

    int64_t start[TESS_MAX_NDIM]; // the current box
    int64_t stop[TESS_MAX_NDIM];
    int64_t items;
};

void walk_init(struct walk *w, const struct walk_plan *plan);

// Go to the first or next box; false when there are no more.
bool walk_step(struct walk *w);

// Processes the current box. `buffer` has room for the items of the largest box.
typedef tess_status walk_visit_fn(const struct walk *w, uint8_t *buffer, void *user,
                                  tess_error *err);

// Visit all boxes of items of that size, with a progress bar, until a visit fails.
tess_status walk_run(const struct walk_plan *plan, int32_t typesize, walk_visit_fn *visit,
                     void *user, tess_error *err);

#endif
