/*
 * state.c - what is known so far of the items of a box of cells.
 */
#include "compute/reduce/state.h"

#include "base/checked.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/swap.h"
#include "compute/reduce/cells.h"
#include "compute/reduce/kernels.h"
#include "compute/reduce/runs.h"

#include <math.h>
#include <string.h>

enum { WAITING_MAX = 1 << 30 }; // items in low and high

// -- memory

int64_t
state_cell_size(const struct gathering *g)
{
    static const int64_t sizes[] = {
        [GATHER_WHOLE] = 32,   [GATHER_FLOAT] = 16,   [GATHER_LEAST] = 8,
        [GATHER_GREATEST] = 8, [GATHER_SQUARES] = 24, [GATHER_NOTHING] = 0,
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
    } else if (g->kind == GATHER_SQUARES) {
        s->weight = state_part(s, &used, sizeof *s->weight);
        s->mean = state_part(s, &used, sizeof *s->mean);
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

static void
state_run(const struct state *s, const int64_t *start, const int64_t *stop, reduce_fn *fn,
          const struct cell_row *base, const void *numbers, size_t size)
{
    const struct run_box box = {s->cells, s->first, s->n, start, stop};
    runs_reduce(&box, fn, base, numbers, size);
}

// -- cells of a box, in runs

// Cells that follow each other and have as many items of the box.
struct cell_run {
    int64_t at; // the first, in the state
    int64_t other; // and in the box
    int64_t n;
    int64_t nitems; // of each
};

typedef void cell_fn(struct state *s, const struct cell_run *run, const void *what);

// Along the last axis, cells at the ends may have fewer items.
static void
each_row(struct state *s, struct cell_run row, int64_t start, int64_t stop, cell_fn *fn,
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

static void
each_cell(struct state *s, const int64_t *start, const int64_t *stop, cell_fn *fn, const void *what)
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

// -- squares

// Numbers of two sets together (Chan, Golub, LeVeque 1979).
static void
join_squares(struct state *s, int64_t at, double weight, double mean, double squares)
{
    const double all = s->weight[at] + weight, share = weight / all, d = mean - s->mean[at];
    if (weight == 0)
        return;
    s->squares[at] += squares + d * d * (s->weight[at] * share);
    s->mean[at] += d * share;
    s->weight[at] = all;
}

// The same for cells of as many items each, in a loop that compilers make vectors of.
static void
join_row(double *restrict weight, double *restrict mean, double *restrict squares, int64_t n,
         double other_weight, const double *restrict other_mean,
         const double *restrict other_squares)
{
    for (int64_t k = 0; k < n; k++) {
        const double all = weight[k] + other_weight, share = other_weight / all;
        const double d = other_mean[k] - mean[k];
        squares[k] += other_squares[k] + d * d * (weight[k] * share);
        mean[k] += d * share;
        weight[k] = all;
    }
}

// Of a piece: sums, which become means, and squares.
struct piece_squares {
    const int64_t *missing;
    double *sum, *lost, *squares;
};

static void
make_means(struct state *s, const struct cell_run *run, const void *what)
{
    const struct piece_squares *const p = what;
    (void)s;
    for (int64_t k = run->other; k < run->other + run->n; k++) {
        const int64_t n = run->nitems - (p->missing ? p->missing[k] : 0);
        p->sum[k] = n > 0 ? exact_value((double[]){p->sum[k], p->lost[k]}) / (double)n : 0;
    }
}

static void
join_piece(struct state *s, const struct cell_run *run, const void *what)
{
    const struct piece_squares *const p = what;
    if (!p->missing) {
        join_row(s->weight + run->at, s->mean + run->at, s->squares + run->at, run->n,
                 (double)run->nitems, p->sum + run->other, p->squares + run->other);
        return;
    }
    for (int64_t k = 0; k < run->n; k++) {
        const int64_t other = run->other + k, n = run->nitems - p->missing[other];
        join_squares(s, run->at + k, (double)n, p->sum[other], p->squares[other]);
    }
}

// Twice over the piece, which is in the cache: first for the mean, as of numbers that are almost
// equal, squares would have nothing but the error.
static tess_status
add_squares(struct state *s, const int64_t *start, const int64_t *stop, const void *numbers,
            const uint8_t *mask, tess_error *err)
{
    const struct gathering sums = {.kind = GATHER_FLOAT};
    int64_t first[NDIM_MAX], last[NDIM_MAX];
    struct state part;
    cells_of_items(s->cells, start, stop, first, last);
    tess_status st = state_init(&part, &sums, s->cells, first, last, err);
    double *const squares = st == TESS_OK ? mem_zeroed((size_t)part.ncells, sizeof *squares) : NULL;
    if (st == TESS_OK && !squares)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for the cells of a reduction");
    if (st == TESS_OK) {
        const struct piece_squares p = {mask ? part.missing : NULL, part.sum, part.lost, squares};
        if (mask) // `lost` is zeros, as a mean to begin with
            state_run(&part, start, stop, kernel_sum_whole(NUMERIC_U1),
                      &(struct cell_row){.low = part.missing}, mask, 1);
        state_run(&part, start, stop,
                  mask ? kernel_distance(s->g->number) : kernel_sum_float(s->g->number),
                  &(struct cell_row){.sum = part.sum, .lost = part.lost, .mean = part.lost},
                  numbers, s->g->size);
        each_cell(s, start, stop, make_means, &p);
        state_run(&part, start, stop, kernel_square(s->g->number),
                  &(struct cell_row){.sum = squares, .mean = part.sum}, numbers, s->g->size);
        each_cell(s, start, stop, join_piece, &p);
    }
    mem_free(squares);
    state_finish(&part);
    return st;
}

// -- items

void
state_settle(struct state *s)
{
    if (s->waiting == 0)
        return;
    for (int64_t k = 0; k < s->ncells; k++)
        s->whole[k] += (whole_sum)s->high[k] * ((int64_t)1 << 32) + s->low[k];
    memset(s->low, 0, (size_t)s->ncells * sizeof *s->low);
    memset(s->high, 0, (size_t)s->ncells * sizeof *s->high);
    s->waiting = 0;
}

tess_status
state_add(struct state *s, const int64_t *start, const int64_t *stop, const void *numbers,
          const uint8_t *mask, tess_error *err)
{
    const struct gathering *const g = s->g;
    int64_t n = 1;
    for (int i = 0; i < s->cells->ndim; i++)
        n *= stop[i] - start[i];
    if (mask)
        state_run(s, start, stop, kernel_sum_whole(NUMERIC_U1),
                  &(struct cell_row){.low = s->missing}, mask, 1);
    switch (g->kind) {
    case GATHER_WHOLE:
        if (s->waiting + n > WAITING_MAX)
            state_settle(s);
        s->waiting += n;
        state_run(s, start, stop, kernel_sum_whole(g->number),
                  &(struct cell_row){.low = s->low, .high = s->high}, numbers, g->size);
        return TESS_OK;
    case GATHER_FLOAT:
        state_run(s, start, stop, kernel_sum_float(g->number),
                  &(struct cell_row){.sum = s->sum, .lost = s->lost}, numbers, g->size);
        return TESS_OK;
    case GATHER_LEAST:
    case GATHER_GREATEST:
        state_run(s, start, stop, kernel_extreme(g->number, g->kind == GATHER_GREATEST),
                  &(struct cell_row){.best = s->best}, numbers, g->size);
        return TESS_OK;
    case GATHER_SQUARES:
        return add_squares(s, start, stop, numbers, mask, err);
    case GATHER_NOTHING:
        break;
    }
    return TESS_OK;
}

// -- equal items

static whole_sum
whole_of(enum numeric number, const void *x)
{
    switch (number) {
    case NUMERIC_I1:
        return *(const int8_t *)x;
    case NUMERIC_I2:
        return *(const int16_t *)x;
    case NUMERIC_I4:
        return *(const int32_t *)x;
    case NUMERIC_I8:
        return *(const int64_t *)x;
    case NUMERIC_U1:
        return *(const uint8_t *)x;
    case NUMERIC_U2:
        return *(const uint16_t *)x;
    case NUMERIC_U4:
        return *(const uint32_t *)x;
    default:
        return *(const uint64_t *)x;
    }
}

// A product of a double and a count, and what it lacks.
static void
add_product(struct state *s, int64_t at, double x, double n)
{
    double sum[2] = {s->sum[at], s->lost[at]};
    exact_add(sum, x * n);
    s->sum[at] = sum[0];
    s->lost[at] = sum[1] + (isfinite(x * n) ? fma(x, n, -(x * n)) : 0);
}

struct equal {
    const void *number;
    bool missing;
};

static void
add_equal_cell(struct state *s, int64_t at, int64_t nitems, const void *what)
{
    const struct equal *const e = what;
    const int64_t few = nitems & INT32_MAX;
    const bool is_f4 = s->g->number == NUMERIC_F4;
    if (e->missing)
        s->missing[at] += nitems;
    switch (s->g->kind) {
    case GATHER_WHOLE:
        s->whole[at] += whole_of(s->g->number, e->number) * nitems;
        return;
    case GATHER_FLOAT: { // counts of at most 32 bits that are not 0
        const double x = is_f4 ? (double)*(const float *)e->number : *(const double *)e->number;
        if (nitems > few)
            add_product(s, at, x, (double)(nitems - few));
        if (few > 0)
            add_product(s, at, x, (double)few);
        return;
    }
    case GATHER_SQUARES:
        if (!e->missing)
            join_squares(s, at, (double)nitems,
                         is_f4 ? (double)*(const float *)e->number : *(const double *)e->number, 0);
        return;
    case GATHER_LEAST:
    case GATHER_GREATEST:
        kernel_extreme(s->g->number, s->g->kind == GATHER_GREATEST)(
            &(struct cell_row){.best = s->best + (size_t)at * s->g->size}, e->number, 1, 0, 1, 1);
        return;
    case GATHER_NOTHING:
        return;
    }
}

static void
add_equal_run(struct state *s, const struct cell_run *run, const void *what)
{
    for (int64_t k = 0; k < run->n; k++)
        add_equal_cell(s, run->at + k, run->nitems, what);
}

void
state_add_equal(struct state *s, const int64_t *start, const int64_t *stop, const void *number,
                const uint8_t *mask)
{
    const struct equal e = {.number = number, .missing = mask && *mask};
    each_cell(s, start, stop, add_equal_run, &e);
}

// -- states

static void
merge_row(struct state *s, int64_t to, const struct state *other, int64_t from, int64_t n)
{
    const struct gathering *const g = s->g;
    for (int64_t k = 0; k < n; k++)
        s->missing[to + k] += other->missing[from + k];
    switch (g->kind) {
    case GATHER_WHOLE:
        for (int64_t k = 0; k < n; k++)
            s->whole[to + k] += other->whole[from + k];
        return;
    case GATHER_FLOAT:
        for (int64_t k = 0; k < n; k++) {
            double sum[2] = {s->sum[to + k], s->lost[to + k]};
            exact_add(sum, other->sum[from + k]);
            s->sum[to + k] = sum[0];
            s->lost[to + k] = sum[1] + other->lost[from + k];
        }
        return;
    case GATHER_LEAST:
    case GATHER_GREATEST:
        kernel_extreme(g->number, g->kind == GATHER_GREATEST)(
            &(struct cell_row){.best = s->best + (size_t)to * g->size},
            other->best + (size_t)from * g->size, 1, 0, n, 1);
        return;
    case GATHER_SQUARES:
        for (int64_t k = 0; k < n; k++)
            join_squares(s, to + k, other->weight[from + k], other->mean[from + k],
                         other->squares[from + k]);
        return;
    case GATHER_NOTHING:
        return;
    }
}

void
state_merge(struct state *s, const struct state *other)
{
    const int ndim = s->cells->ndim, last = ndim - 1;
    const int64_t row = ndim > 0 ? other->n[last] : 1;
    int64_t at[NDIM_MAX] = {0};
    for (int64_t from = 0; from < other->ncells; from += row) {
        int64_t to = 0;
        for (int i = 0; i < ndim; i++)
            to = to * s->n[i] + other->first[i] + at[i] - s->first[i];
        merge_row(s, to, other, from, row);
        for (int i = last - 1; i >= 0 && ++at[i] == other->n[i]; i--)
            at[i] = 0;
    }
}
