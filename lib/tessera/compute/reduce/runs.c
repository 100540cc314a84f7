/*
 * runs.c - a piece of an array, in runs that a kernel takes.
 *
 * Axes that behave alike are joined. The last one gives the rows of a run, and the one before it
 * rows that go to the same cells. Trailing axes of factor 1 become a width (kernels.h), so that a
 * run is a whole row of an image of interleaved colours, and not one of its pixels.
 */
#include "compute/reduce/runs.h"

#include "base/checked.h"
#include "compute/reduce/kernels.h"

#include <string.h>

struct run_axis {
    int64_t n; // items
    int64_t factor, phase; // item k is in cell (phase + k) / factor
    int64_t pitch; // cells
    int64_t stride; // items
};

// A piece on its way to a kernel.
struct runs {
    reduce_fn *fn;
    struct cell_row base; // of the first cell of the state
    int ndim;
    struct run_axis axis[NDIM_MAX + 1];
    int64_t width; // numbers that an item of the last axis has, and cells that its cells have
    int64_t at; // of the first cell, in cells
    const uint8_t *numbers;
    size_t size; // of a number
};

static void
run_kernel(const struct runs *r, int64_t at, int64_t item, int64_t nrows, int64_t stride, int64_t n,
           int64_t f)
{
    const struct cell_row *const b = &r->base;
    const struct cell_row to = {
        .low = b->low ? b->low + at : NULL,
        .high = b->high ? b->high + at : NULL,
        .sum = b->sum ? b->sum + at : NULL,
        .lost = b->lost ? b->lost + at : NULL,
        .square_low = b->square_low ? b->square_low + at : NULL,
        .square_high = b->square_high ? b->square_high + at : NULL,
        .squares = b->squares ? b->squares + at : NULL,
        .shift = b->shift ? b->shift + at : NULL,
        .best = b->best ? b->best + (size_t)at * r->size : NULL,
    };
    r->fn(&to, r->numbers + (size_t)item * r->size, nrows, stride, n * r->width, f, r->width);
}

// Rows that go to the same cells.
static void
run_rows(const struct runs *r, int64_t at, int64_t item, int64_t nrows, int64_t stride)
{
    const struct run_axis *const x = &r->axis[r->ndim - 1];
    const int64_t head = x->phase == 0 ? 0 : min_i64(x->factor - x->phase, x->n);
    const int64_t whole = (x->n - head) / x->factor * x->factor, tail = x->n - head - whole;
    if (head > 0) {
        run_kernel(r, at, item, nrows, stride, head, head);
        at += r->width;
        item += head * r->width;
    }
    if (whole > 0)
        run_kernel(r, at, item, nrows, stride, whole, x->factor);
    if (tail > 0)
        run_kernel(r, at + whole / x->factor * r->width, item + whole * r->width, nrows, stride,
                   tail, tail);
}

static void
run_axes(const struct runs *r, int d, int64_t at, int64_t item)
{
    const struct run_axis *const x = &r->axis[d];
    if (d == r->ndim - 1) {
        run_rows(r, at, item, 1, 0);
        return;
    }
    for (int64_t k = 0; k < x->n;) {
        const int64_t cell = (x->phase + k) / x->factor;
        const int64_t stop = min_i64(x->n, (cell + 1) * x->factor - x->phase);
        if (d == r->ndim - 2) {
            run_rows(r, at + cell * x->pitch, item + k * x->stride, stop - k, x->stride);
            k = stop;
        } else {
            for (; k < stop; k++)
                run_axes(r, d + 1, at + cell * x->pitch, item + k * x->stride);
        }
    }
}

// Put an axis before those that there are, or join it with the first of them.
static void
runs_prepend(struct runs *r, struct run_axis x)
{
    r->at += x.phase / x.factor * x.pitch; // from here on, an axis begins with its first cell
    x.phase %= x.factor;
    const bool one = x.phase + x.n <= x.factor;
    if (one) {
        x.phase = 0;
        x.factor = x.n;
    }
    if (r->ndim > 0) {
        struct run_axis *const y = &r->axis[NDIM_MAX + 1 - r->ndim];
        const bool y_one = y->phase == 0 && y->factor == y->n;
        const bool y_last = r->ndim == 1;
        const bool y_all = y->factor == 1 && y->phase == 0 && x.pitch == y->n * y->pitch;
        if (x.n == 1)
            return;
        if (one && y_one) {
            y->n = y->factor = x.n * y->n;
            return;
        }
        if (x.factor == 1 && y_all) {
            y->n *= x.n;
            return;
        }
        if (y_one && y_last && x.pitch == 1) { // rows one after the other
            x.phase *= y->n;
            x.factor *= y->n;
            x.n *= y->n;
            x.stride = 1;
            *y = x;
            return;
        }
        if (!one && y_all && y_last && x.factor <= RUN_GROUP_MAX / y->n) { // longer rows are fast
            r->width = y->n;
            *y = x;
            return;
        }
    }
    r->axis[NDIM_MAX - r->ndim++] = x;
}

static void
runs_of(struct runs *r, const struct run_box *b)
{
    int64_t pitch = 1, stride = 1;
    r->ndim = 0;
    r->width = 1;
    r->at = 0;
    if (b->cells->ndim == 0)
        runs_prepend(r, (struct run_axis){1, 1, 0, 1, 1});
    for (int i = b->cells->ndim - 1; i >= 0; i--) {
        const int64_t f = b->cells->factor[i], n = b->stop[i] - b->start[i];
        runs_prepend(r, (struct run_axis){n, f, b->start[i] - b->first[i] * f, pitch, stride});
        pitch *= b->n[i];
        stride *= n;
    }
    memmove(r->axis, r->axis + NDIM_MAX + 1 - r->ndim, (size_t)r->ndim * sizeof *r->axis);
}

void
runs_reduce(const struct run_box *box, reduce_fn *fn, const struct cell_row *base,
            const void *numbers, size_t size)
{
    struct runs r = {.fn = fn, .base = *base, .numbers = numbers, .size = size};
    runs_of(&r, box);
    run_axes(&r, 0, r.at, 0);
}
