/*
 * job.c - items, points, positions and masks, from a seed.
 */
#include "job.h"

#include "../compare/workloads.h"
#include "../support.h"

#include <stdlib.h>
#include <string.h>

static void
draw_points(struct job *j, uint64_t *state)
{
    for (int k = 0; k < POINTS; k++) {
        int64_t rest = j->flat[k] = bench_random_below(state, j->nitems);
        for (int i = NDIM - 1; i >= 0; i--) {
            j->points[k * NDIM + i] = rest % j->array.shape[i];
            rest /= j->array.shape[i];
        }
    }
}

static void
draw_positions(struct job *j, uint64_t *state)
{
    for (int i = 0; i < NDIM; i++) {
        const int64_t shape = j->array.shape[i];

        j->counts[i] = shape < POSITIONS ? shape : POSITIONS;
        j->positions[i] = bench_alloc((size_t)j->counts[i] * sizeof *j->positions[i]);
        for (int64_t k = 0; k < j->counts[i]; k++) // one in each part: sorted
            j->positions[i][k] =
                k * shape / j->counts[i] + bench_random_below(state, shape / j->counts[i]);
    }
}

// One byte of n is set.
static void
draw_mask(struct mask *mask, const struct job *j, int ndim, int64_t n, uint64_t *state)
{
    size_t each = sizeof *j->items, count = 1;

    for (int i = 0; i < NDIM; i++)
        *(i < ndim ? &count : &each) *= (size_t)j->array.shape[i];
    *mask = (struct mask){.ndim = ndim, .bytes = bench_alloc(count), .count = count};
    for (size_t i = 0; i < count; i++) {
        mask->bytes[i] = bench_random_below(state, n) == 0;
        mask->size += mask->bytes[i] * each;
    }
}

static void
draw_masks(struct job *j, uint64_t *state)
{
    struct side_array mask = j->array;

    draw_mask(&j->half, j, NDIM, 2, state);
    draw_mask(&j->few, j, NDIM, 1000, state);
    draw_mask(&j->planes, j, 1, 10, state);
    mask.typesize = 1;
    mask.dtype = "|u1";
    j->half_array = j->tessera->create(&mask, j->half.bytes, (size_t)j->nitems);
    j->tessera->flush(j->half_array);
}

void
job_init(struct job *j, const struct side_array *array, const struct side *tessera,
         const struct side *blosc2, uint64_t seed)
{
    uint64_t state = seed;

    *j = (struct job){.array = *array, .tessera = tessera, .blosc2 = blosc2};
    j->size = array_size(array);
    j->nitems = array_nitems(array);
    j->items = bench_alloc(j->size);
    j->other = bench_alloc(j->size);
    workload_fill(array, seed, j->items);
    workload_fill(array, seed + 1, j->other);
    draw_points(j, &state);
    draw_positions(j, &state);
    draw_masks(j, &state);
    j->scratch = bench_alloc(2 * j->size);
    j->scratch2 = bench_alloc(2 * j->size);
}

void
job_finish(struct job *j)
{
    j->tessera->close(j->half_array);
    for (int i = 0; i < NDIM; i++)
        free(j->positions[i]);
    free(j->items);
    free(j->other);
    free(j->half.bytes);
    free(j->few.bytes);
    free(j->planes.bytes);
    free(j->scratch);
    free(j->scratch2);
}
