/*
 * workloads.h - which arrays, which data, and what is done with them.
 */
#ifndef COMPARE_WORKLOADS_H
#define COMPARE_WORKLOADS_H

#include "side.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An array of the comparison at full size.
struct workload {
    const char *name;
    const char *dtype;
    int typesize, ndim;
    int64_t shape[SIDE_MAX_NDIM], chunk[SIDE_MAX_NDIM], block[SIDE_MAX_NDIM];
};

extern const struct workload workloads[];
extern const int nworkloads;

// The array of a workload: full, or whole chunks of at most `size` bytes (one chunk at least).
void workload_array(const struct workload *w, int64_t size, struct side_array *array);

// Sums of slow waves, floats as array->data says; of uint16, the low byte is noise.
void workload_fill(const struct side_array *array, uint64_t seed, void *dst);

int64_t array_nitems(const struct side_array *array);
size_t array_size(const struct side_array *array); // bytes
size_t box_size(const struct side_array *array, const struct side_box *box); // bytes

enum work_kind {
    WORK_WRITE,
    WORK_READ,
    WORK_SET,
    WORK_ROWS_READ,
    WORK_ROWS_SET,
    WORK_SPARSE,
    WORK_ORTHOGONAL
};

// One cell: what is timed as a whole.
struct work {
    char name[32]; // "planes-0"
    const char *group; // cells that are averaged together
    enum work_kind kind;
    int nboxes;
    struct side_box *boxes; // of WORK_READ and WORK_SET
};

#define WORKS_MAX 40

// All cells of an array, at positions that the seed determines.
struct works {
    struct work list[WORKS_MAX];
    int n;
};

void works_init(struct works *works, const struct side_array *array, uint64_t seed);
void works_finish(struct works *works);

// Box number n of the rows of an array, one item thick along all axes but the last.
void row_box(const struct side_array *array, int64_t n, struct side_box *box);
int64_t array_nrows(const struct side_array *array);

#endif
