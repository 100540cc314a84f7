/*
 * state.c - items in cells, the memory of what is known of them, and the runs in which a piece of
 * an array goes to a kernel, or to a function of cells.
 *
 * Axes that behave alike are joined. The last one gives the rows of a run, and the one before it
 * rows that go to the same cells. Trailing axes of factor 1 become a width (kernels.h), so that a
 * run is a whole row of an image of interleaved colours, and not one of its pixels.
 */
#include "compute/reduce/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/swap.h"
#include "compute/reduce/kernels.h"
#include "compute/reduce/reduce.h"

#include <string.h>

// -- cells

int64_t
cells_length(const struct cells *c, int axis, int64_t at)
{
    return min_i64(c->factor[axis], c->shape[axis] - at * c->factor[axis]);
}

void
cells_items(const struct cells *c, const int64_t *first, const int64_t *last, int64_t *start,
            int64_t *stop)
{
    for (int i = 0; i < c->ndim; i++) {
        start[i] = first[i] * c->factor[i];
        stop[i] = (last[i] - 1) * c->factor[i] + cells_length(c, i, last[i] - 1);
    }
}

void
cells_of_items(const struct cells *c, const int64_t *start, const int64_t *stop, int64_t *first,
               int64_t *last)
{
    for (int i = 0; i < c->ndim; i++) {
        first[i] = start[i] / c->factor[i];
        last[i] = ceil_div(stop[i], c->factor[i]);
    }
}

// -- memory

int64_t
state_cell_size(const struct gathering *g)
{
    static const int64_t sizes[] = {
        [GATHER_WHOLE] = 32,   [GATHER_FLOAT] = 16,         [GATHER_LEAST] = 8,
        [GATHER_GREATEST] = 8, [GATHER_WHOLE_SQUARES] = 56, [GATHER_SQUARES] = 32,
        [GATHER_NOTHING] = 0,
    };
    return sizes[g->kind] + 8;
}

static void *
state_part(const struct state *s, size_t *used, size_t size)
{
    void *const at = s->memory + *used;
    *used += size * (size_t)s->ncells;
    return at;
}

// No extreme is worse.
static void
begin_extremes(struct state *s)
{
    const bool least = s->g->kind == GATHER_LEAST;
    const bool sign = s->g->number <= NUMERIC_I8;
    const size_t size = s->g->size;
    uint8_t item[8];
    memset(item, !least ? 0 : s->g->truth ? 1 : 0xff, size);
    if (sign) // the top bit tells the least of signed integers
        item[machine_is_big_endian() ? 0 : size - 1] ^= 0x80;
    for (size_t k = 0; k < (size_t)s->ncells; k++)
        memcpy(s->best + k * size, item, size);
}

tess_status
state_init(struct state *s, const struct gathering *g, const struct cells *cells,
           const int64_t *first, const int64_t *last, tess_error *err)
{
    size_t used = 0;
    *s = (struct state){.g = g, .cells = cells, .ncells = 1};
    for (int i = 0; i < cells->ndim; i++) {
        s->first[i] = first[i];
        s->n[i] = last[i] - first[i];
        s->ncells *= s->n[i];
    }
    s->memory = mem_zeroed((size_t)s->ncells + 1, (size_t)state_cell_size(g));
    if (!s->memory)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the cells of a reduction");
    if (g->kind == GATHER_WHOLE) {
        s->whole = state_part(s, &used, sizeof *s->whole);
        s->low = state_part(s, &used, sizeof *s->low);
        s->high = state_part(s, &used, sizeof *s->high);
    } else if (g->kind == GATHER_FLOAT) {
        s->sum = state_part(s, &used, sizeof *s->sum);
        s->lost = state_part(s, &used, sizeof *s->lost);
    } else if (g->kind == GATHER_WHOLE_SQUARES) {
        s->whole = state_part(s, &used, sizeof *s->whole);
        s->whole_squares = state_part(s, &used, sizeof *s->whole_squares);
        s->low = state_part(s, &used, sizeof *s->low);
        s->square_low = state_part(s, &used, sizeof *s->square_low);
        s->square_high = state_part(s, &used, sizeof *s->square_high);
    } else if (g->kind == GATHER_SQUARES) {
        s->weight = state_part(s, &used, sizeof *s->weight);
        s->shift = state_part(s, &used, sizeof *s->shift);
        s->sum = state_part(s, &used, sizeof *s->sum);
        s->squares = state_part(s, &used, sizeof *s->squares);
    } else if (g->kind != GATHER_NOTHING) {
        s->best = state_part(s, &used, 8);
        begin_extremes(s);
    }
    s->missing = state_part(s, &used, sizeof *s->missing);
    return TESS_OK;
}

void
state_finish(struct state *s)
{
    mem_free(s->memory);
    s->memory = NULL;
}

// -- runs that a kernel takes

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
runs_of(struct runs *r, const struct state *s, const int64_t *start, const int64_t *stop)
{
    int64_t pitch = 1, stride = 1;
    r->ndim = 0;
    r->width = 1;
    r->at = 0;
    if (s->cells->ndim == 0)
        runs_prepend(r, (struct run_axis){1, 1, 0, 1, 1});
    for (int i = s->cells->ndim - 1; i >= 0; i--) {
        const int64_t f = s->cells->factor[i], n = stop[i] - start[i];
        runs_prepend(r, (struct run_axis){n, f, start[i] - s->first[i] * f, pitch, stride});
        pitch *= s->n[i];
        stride *= n;
    }
    memmove(r->axis, r->axis + NDIM_MAX + 1 - r->ndim, (size_t)r->ndim * sizeof *r->axis);
}

void
state_run(const struct state *s, const int64_t *start, const int64_t *stop, reduce_fn *fn,
          const struct cell_row *base, const void *numbers, size_t size)
{
    struct runs r = {.fn = fn, .base = *base, .numbers = numbers, .size = size};
    runs_of(&r, s, start, stop);
    run_axes(&r, 0, r.at, 0);
}

// -- cells of a box, in runs

// Along the last axis, cells at the ends may have fewer items.
static void
each_row(struct state *s, struct cell_run row, int64_t start, int64_t stop, state_cell_fn *fn,
         const void *what)
{
    const int last = s->cells->ndim - 1;
    const int64_t f = s->cells->factor[last], rest = row.nitems;
    while (start < stop) {
        const int64_t head = min_i64(f - start % f, stop - start);
        const bool whole = head == f && stop - start >= f;
        row.n = whole ? (stop - start) / f : 1;
        row.nitems = rest * (whole ? f : head);
        fn(s, &row, what);
        row.at += row.n;
        row.other += row.n;
        start += whole ? row.n * f : head;
    }
}

void
state_each_cell(struct state *s, const int64_t *start, const int64_t *stop, state_cell_fn *fn,
                const void *what)
{
    const struct cells *const c = s->cells;
    const int last = c->ndim - 1;
    int64_t first[NDIM_MAX], end[NDIM_MAX], at[NDIM_MAX], other = 0;
    if (c->ndim == 0) {
        fn(s, &(struct cell_run){0, 0, 1, 1}, what);
        return;
    }
    cells_of_items(c, start, stop, first, end);
    memcpy(at, first, sizeof at);
    for (int i = 0; i >= 0; other += end[last] - first[last]) {
        struct cell_run row = {.other = other, .nitems = 1};
        for (int k = 0; k < c->ndim; k++) {
            row.at = row.at * s->n[k] + at[k] - s->first[k];
            if (k < last)
                row.nitems *= min_i64(stop[k], (at[k] + 1) * c->factor[k]) -
                              max_i64(start[k], at[k] * c->factor[k]);
        }
        each_row(s, row, start[last], stop[last], fn, what);
        for (i = last - 1; i >= 0 && ++at[i] == end[i]; i--)
            at[i] = first[i];
    }
}
