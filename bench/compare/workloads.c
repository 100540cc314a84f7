/*
 * workloads.c - the arrays of the comparison, their data, and the boxes of each cell.
 */
#include "workloads.h"

#include "../support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAVES 4

const struct workload workloads[] = {
    {"F4", "<f4", 4, 3, {400, 400, 400}, {100, 100, 100}, {25, 50, 50}},
    {"F8N", "<f8", 8, 4, {50, 100, 300, 250}, {10, 25, 50, 50}, {3, 5, 10, 20}},
    {"I8", "<i8", 8, 3, {625, 372, 200}, {50, 150, 100}, {13, 21, 30}},
    {"F8", "<f8", 8, 2, {8000, 8000}, {4000, 100}, {500, 25}},
    {"I2", "<u2", 2, 3, {1024, 1024, 1024}, {256, 256, 256}, {64, 64, 64}},
};
const int nworkloads = sizeof workloads / sizeof workloads[0];

int64_t
array_nitems(const struct side_array *array)
{
    int64_t n = 1;

    for (int i = 0; i < array->ndim; i++)
        n *= array->shape[i];
    return n;
}

size_t
array_size(const struct side_array *array)
{
    return (size_t)(array_nitems(array) * array->typesize);
}

size_t
box_size(const struct side_array *array, const struct side_box *box)
{
    int64_t n = array->typesize;

    for (int i = 0; i < array->ndim; i++)
        n *= box->stop[i] - box->start[i];
    return (size_t)n;
}

// The axis along which an array can best lose a chunk: the one that has most.
static int
longest_axis(const struct side_array *array)
{
    int axis = 0;

    for (int i = 1; i < array->ndim; i++)
        if (array->shape[i] * array->chunk[axis] > array->shape[axis] * array->chunk[i])
            axis = i;
    return axis;
}

void
workload_array(const struct workload *w, int64_t size, struct side_array *array)
{
    *array = (struct side_array){.ndim = w->ndim, .typesize = w->typesize, .dtype = w->dtype};
    memcpy(array->shape, w->shape, sizeof array->shape);
    memcpy(array->chunk, w->chunk, sizeof array->chunk);
    memcpy(array->block, w->block, sizeof array->block);
    if (size <= 0)
        return;
    for (int i = 0; i < w->ndim; i++)
        array->shape[i] = (w->shape[i] + w->chunk[i] - 1) / w->chunk[i] * w->chunk[i];
    while ((int64_t)array_size(array) > size) {
        const int axis = longest_axis(array);
        if (array->shape[axis] == array->chunk[axis])
            break;
        array->shape[axis] -= array->chunk[axis];
    }
}

// A wave of 100 to 400 items, at a random phase, along one axis.
static void
wave(double *dst, int64_t n, uint64_t *state)
{
    const double period = 100 + (double)bench_random_below(state, 300);
    const double phase = (double)bench_random_below(state, 1000) / 1000;

    for (int64_t i = 0; i < n; i++)
        dst[i * WAVES] = sin(2 * 3.14159265358979 * ((double)i / period + phase));
}

// v is in units of 0.01, about -120 to 120.
static double
as_float(const struct side_array *array, uint64_t *state, double v)
{
    if (array->data == DATA_ROUNDED)
        return floor(v + 0.5) / 100;
    if (array->data == DATA_SMOOTH)
        return v / 100;
    return (v + ((double)bench_random_below(state, 1 << 20) / (1 << 20) - 0.5) / 5) / 100;
}

static void
put(const struct side_array *array, uint64_t *state, double v, uint8_t *dst)
{
    if (array->dtype[1] == 'f') {
        const double f8 = as_float(array, state, v);
        const float f4 = (float)f8;
        memcpy(dst, array->typesize == 4 ? (const void *)&f4 : &f8, (size_t)array->typesize);
    } else {
        const int64_t i8 = (int64_t)floor(v * 1000);
        const uint64_t high = (uint64_t)(floor(v + 0.5) + 128) << 8;
        const uint16_t u2 = (uint16_t)(high | (bench_random(state) & 0xff));
        memcpy(dst, array->typesize == 2 ? (const void *)&u2 : &i8, (size_t)array->typesize);
    }
}

void
workload_fill(const struct side_array *array, uint64_t seed, void *dst)
{
    const int last = array->ndim - 1;
    const int64_t nrows = array_nrows(array), length = array->shape[last];
    double *axes[SIDE_MAX_NDIM];
    uint64_t state = seed;
    uint8_t *to = dst;

    for (int i = 0; i < array->ndim; i++) {
        axes[i] = bench_alloc((size_t)array->shape[i] * WAVES * sizeof(double));
        for (int w = 0; w < WAVES; w++)
            wave(axes[i] + w, array->shape[i], &state);
    }
    for (int64_t row = 0; row < nrows; row++) {
        double height[WAVES];
        struct side_box box;

        row_box(array, row, &box);
        for (int w = 0; w < WAVES; w++) {
            height[w] = 30;
            for (int i = 0; i < last; i++)
                height[w] *= axes[i][box.start[i] * WAVES + w];
        }
        for (int64_t k = 0; k < length; k++, to += array->typesize) {
            double v = 0;
            for (int w = 0; w < WAVES; w++)
                v += height[w] * axes[last][k * WAVES + w];
            put(array, &state, v, to);
        }
    }
    for (int i = 0; i < array->ndim; i++)
        free(axes[i]);
}

int64_t
array_nrows(const struct side_array *array)
{
    return array_nitems(array) / array->shape[array->ndim - 1];
}

void
row_box(const struct side_array *array, int64_t n, struct side_box *box)
{
    const int last = array->ndim - 1;

    box->start[last] = 0;
    box->stop[last] = array->shape[last];
    for (int i = last - 1; i >= 0; i--) {
        box->start[i] = n % array->shape[i];
        box->stop[i] = box->start[i] + 1;
        n /= array->shape[i];
    }
}

// A box of these extents, cut to the array's, somewhere inside it.
static void
draw(const struct side_array *array, const int64_t *extent, uint64_t *state, struct side_box *box)
{
    for (int i = 0; i < array->ndim; i++) {
        const int64_t n = extent[i] < array->shape[i] ? extent[i] : array->shape[i];
        box->start[i] = bench_random_below(state, array->shape[i] - n + 1);
        box->stop[i] = box->start[i] + n;
    }
}

static struct work *
add(struct works *works, enum work_kind kind, const char *group, int nboxes)
{
    struct work *const w = &works->list[works->n++];

    if (works->n > WORKS_MAX)
        bench_die("more than %d cells", WORKS_MAX);
    *w = (struct work){.group = group, .kind = kind, .nboxes = nboxes};
    w->boxes = nboxes ? bench_alloc((size_t)nboxes * sizeof *w->boxes) : NULL;
    return w;
}

static void
add_boxes(struct works *works, enum work_kind kind, const char *name, int nboxes,
          const struct side_array *array, const int64_t *extent, uint64_t *state)
{
    struct work *const w = add(works, kind, kind == WORK_SET ? "set" : "slice", nboxes);

    snprintf(w->name, sizeof w->name, "%s", name);
    for (int i = 0; i < nboxes; i++)
        draw(array, extent, state, &w->boxes[i]);
}

static void
add_cubes(struct works *works, enum work_kind kind, const char *name, int nboxes,
          const struct side_array *array, int64_t side, uint64_t *state)
{
    const int64_t extent[SIDE_MAX_NDIM] = {side, side, side, side};

    add_boxes(works, kind, name, nboxes, array, extent, state);
}

// Boxes one item thick across an axis and whole along the others, or the other way round.
static void
add_per_axis(struct works *works, enum work_kind kind, const char *name, int nboxes, bool lines,
             const struct side_array *array, uint64_t *state)
{
    for (int axis = 0; axis < array->ndim; axis++) {
        int64_t extent[SIDE_MAX_NDIM];
        char text[32];

        for (int i = 0; i < array->ndim; i++)
            extent[i] = (i == axis) == lines ? array->shape[i] : 1;
        snprintf(text, sizeof text, "%s-%d", name, axis);
        add_boxes(works, kind, text, nboxes, array, extent, state);
    }
}

static void
add_chunks(struct works *works, int nboxes, const struct side_array *array, uint64_t *state)
{
    add_boxes(works, WORK_READ, "chunks", nboxes, array, array->chunk, state);
    for (int n = 0; n < nboxes; n++) {
        struct side_box *const box = &works->list[works->n - 1].boxes[n];
        for (int i = 0; i < array->ndim; i++) {
            const int64_t chunk = array->chunk[i], shape = array->shape[i];
            box->start[i] = bench_random_below(state, (shape + chunk - 1) / chunk) * chunk;
            box->stop[i] = box->start[i] + chunk < shape ? box->start[i] + chunk : shape;
        }
    }
}

static void
add_whole(struct works *works, enum work_kind kind, const char *group, const char *name)
{
    struct work *const w = add(works, kind, group, 0);

    snprintf(w->name, sizeof w->name, "%s", name);
}

void
works_init(struct works *works, const struct side_array *array, uint64_t seed)
{
    uint64_t state = seed;

    works->n = 0;
    add_whole(works, WORK_WRITE, "write", "write");
    add_boxes(works, WORK_READ, "read", 1, array, array->shape, &state);
    works->list[works->n - 1].group = "read";
    add_per_axis(works, WORK_READ, "planes", 10, false, array, &state);
    add_per_axis(works, WORK_READ, "lines", 50, true, array, &state);
    add_cubes(works, WORK_READ, "points", 500, array, 1, &state);
    add_cubes(works, WORK_READ, "cubes10", 100, array, 10, &state);
    add_cubes(works, WORK_READ, "cubes100", 10, array, 100, &state);
    add_chunks(works, 10, array, &state);
    add_per_axis(works, WORK_SET, "set-plane", 1, false, array, &state);
    add_cubes(works, WORK_SET, "set-element", 1, array, 1, &state);
    add_whole(works, WORK_ROWS_READ, "rows", "rows-read");
    add_whole(works, WORK_ROWS_SET, "rows", "rows-set");
    add_whole(works, WORK_SPARSE, "sparse", "sparse");
    add_whole(works, WORK_ORTHOGONAL, "orthogonal", "orthogonal");
}

void
works_finish(struct works *works)
{
    for (int i = 0; i < works->n; i++)
        free(works->list[i].boxes);
    works->n = 0;
}
