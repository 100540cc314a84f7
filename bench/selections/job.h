/*
 * job.h - the array that the cells work on, what they take from, and the cells.
 *
 * The array has three axes of floats, for the versions by hand are written as a program would that
 * knows its data. Along axis 0 its shape is a multiple of the chunk, along axis 1 it is not.
 */
#ifndef SELECTIONS_JOB_H
#define SELECTIONS_JOB_H

#include "../compare/side.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NDIM 3
#define POINTS 10000
#define FEW_POINTS 100 // the first of these
#define POSITIONS 40 // of the orthogonal cells, per axis
#define FEW_POSITIONS 4 // the first of these

struct job {
    struct side_array array;
    const struct side *tessera, *blosc2; // the latter may be NULL
    size_t size; // bytes of all items
    int64_t nitems;
    float *items; // of the array, C order
    float *other; // as many other ones, to be written
    int64_t flat[POINTS]; // points, by their index in C order
    int64_t points[POINTS * NDIM];
    int64_t *positions[NDIM], counts[NDIM];
    // Masks: half of the items and one in a thousand at random, one plane of ten along axis 0.
    struct mask {
        int ndim;
        uint8_t *bytes;
        size_t count; // of bytes
        size_t size; // bytes of the items it chooses
    } half, few, planes;
    void *half_array; // a Tessera array
    // Memory for the versions by hand, twice the array each; its pages are there already.
    float *scratch, *scratch2;
};

void job_init(struct job *job, const struct side_array *array, const struct side *tessera,
              const struct side *blosc2, uint64_t seed);
void job_finish(struct job *job);

// One call of a cell.
struct turn {
    const struct job *job;
    const struct side *side; // whose array it is
    void *a; // one of Tessera's is opened for this call, with its cache of 32 MiB empty
    void *base; // another array, the same as `a` was at first; not to be changed
    void *made; // by the call; NULL: nothing, or `a` is the result
    float *dst; // for the result of cells that read; twice the size of the array
    size_t used; // bytes of the result in dst
};

typedef void turn_fn(struct turn *t);

struct cell {
    const char *name;
    enum { READS, CHANGES } kind; // of `a`; what makes another array only reads it
    turn_fn *any; // through the side: Tessera, and c-blosc2, which has the operation
    turn_fn *ours; // or Tessera alone
    turn_fn *hand; // with reads and writes of boxes; may be NULL
    const char *by_hand; // what that does; NULL: as the cell before
};

extern const struct cell cells_slice[], cells_pick[], cells_write[], cells_shape[],
    cells_copy[]; // up to one without a name

#endif
