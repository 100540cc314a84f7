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
#include "compute/reduce/squares.h"

#include <math.h>
#include <string.h>

enum {
    WAITING_MAX = 1 << 30, // items in low and high
    LIGHT = 8, // a cell keeps its shift if a piece has at most so many times its items
    TRIES = 3, // shifts of a piece
};

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

// -- squares of floats

static struct squares
get_squares(const struct state *s, int64_t at)
{
    return (struct squares){s->weight[at], s->shift[at], s->sum[at], s->squares[at]};
}

static void
put_squares(struct state *s, int64_t at, const struct squares *a)
{
    s->weight[at] = a->weight;
    s->shift[at] = a->shift;
    s->sum[at] = a->sum;
    s->squares[at] = a->squares;
}

static void
join_squares(struct state *s, int64_t at, const struct squares *other)
{
    struct squares a = get_squares(s, at);
    squares_join(&a, other);
    put_squares(s, at, &a);
}

// *light: set if a cell has few items compared with those of the piece.
static void
find_light(struct state *s, const struct cell_run *run, const void *light)
{
    const double *const weight = s->weight + run->at, least = (double)run->nitems / LIGHT;
    int64_t any = 0;
    for (int64_t k = 0; k < run->n; k++)
        any |= weight[k] < least;
    **(bool *const *)light |= any != 0;
}

static void
count_squares(struct state *s, const struct cell_run *run, const void *what)
{
    const double n = (double)run->nitems;
    double *restrict const weight = s->weight + run->at;
    const double *restrict const sum = s->sum + run->at;
    const double *restrict const squares = s->squares + run->at;
    int64_t far = 0;
    (void)what;
    for (int64_t k = 0; k < run->n; k++) {
        weight[k] += n;
        far |= squares_are_far(weight[k], sum[k], squares[k]);
    }
    for (int64_t k = run->at; far && k < run->at + run->n; k++) {
        struct squares a = get_squares(s, k);
        squares_center(&a);
        put_squares(s, k, &a);
    }
}

// The weights of the cells in `part`: items of the piece that are no NaNs.
static void
count_part(struct state *s, const struct cell_run *run, const void *what)
{
    const struct state *const part = what;
    (void)s;
    for (int64_t k = run->other; k < run->other + run->n; k++)
        part->weight[k] = (double)(run->nitems - part->missing[k]);
}

static void
join_part(struct state *s, const struct cell_run *run, const void *what)
{
    const struct state *const part = what;
    for (int64_t k = 0; k < run->n; k++) {
        const struct squares other = get_squares(part, run->other + k);
        join_squares(s, run->at + k, &other);
    }
}

// Replace shifts that are far from the mean. Returns whether there was one.
static bool
better_shifts(struct state *part)
{
    bool far = false;
    for (int64_t k = 0; k < part->ncells; k++) {
        const struct squares a = get_squares(part, k);
        if (squares_are_far(a.weight, a.sum, a.squares)) {
            part->shift[k] += squares_distance(&a);
            far = true;
        }
    }
    return far;
}

// If all cells have enough items already, their shifts are good, and the items of the piece are
// added to their sums. Otherwise the sums of the piece are made apart, with shifts of its own, and
// joined: the shift is one of the items, or, if the mean turns out to be far from it, near the
// mean.
static tess_status
add_squares(struct state *s, const int64_t *start, const int64_t *stop, const void *numbers,
            const uint8_t *mask, tess_error *err)
{
    reduce_fn *const add = kernel_squares_float(s->g->number, mask != NULL);
    int64_t first[NDIM_MAX], last[NDIM_MAX];
    bool light = mask != NULL, *const found = &light;
    struct state part;
    if (!light)
        each_cell(s, start, stop, find_light, &found);
    if (!light) {
        state_run(s, start, stop, add,
                  &(struct cell_row){.sum = s->sum, .squares = s->squares, .shift = s->shift},
                  numbers, s->g->size);
        each_cell(s, start, stop, count_squares, NULL);
        return TESS_OK;
    }
    cells_of_items(s->cells, start, stop, first, last);
    const tess_status st = state_init(&part, s->g, s->cells, first, last, err);
    if (st != TESS_OK)
        return st;
    const struct cell_row to = {.sum = part.sum, .squares = part.squares, .shift = part.shift};
    const size_t size = (size_t)part.ncells * sizeof *part.sum;
    if (mask)
        state_run(&part, start, stop, kernel_sum_whole(NUMERIC_U1),
                  &(struct cell_row){.low = part.missing}, mask, 1);
    each_cell(s, start, stop, count_part, &part);
    state_run(&part, start, stop, kernel_shift(s->g->number), &to, numbers, s->g->size);
    state_run(&part, start, stop, add, &to, numbers, s->g->size);
    for (int i = 1; i < TRIES && better_shifts(&part); i++) {
        memset(part.sum, 0, size);
        memset(part.squares, 0, size);
        state_run(&part, start, stop, add, &to, numbers, s->g->size);
    }
    each_cell(s, start, stop, join_part, &part);
    state_finish(&part);
    return TESS_OK;
}

// -- items

static void
add_halves(int128 *sum, int128 high, int128 low)
{
    *sum = int128_add(*sum, int128_add(int128_shift(high, 32), low));
}

void
state_settle(struct state *s)
{
    if (s->waiting == 0)
        return;
    const size_t size = (size_t)s->ncells * sizeof *s->low;
    const bool squares = s->g->kind == GATHER_WHOLE_SQUARES;
    for (int64_t k = 0; k < s->ncells; k++)
        add_halves(&s->whole[k], int128_of(squares ? 0 : s->high[k]), int128_of(s->low[k]));
    for (int64_t k = 0; squares && k < s->ncells; k++) {
        // square_low is modulo 2^64; the sum of the low 32 bits of all squares is less than that
        const uint64_t rest = s->square_low[k] - (s->square_high[k] << 32);
        add_halves(&s->whole_squares[k], int128_of_u64(s->square_high[k]), int128_of_u64(rest));
    }
    memset(s->low, 0, size);
    memset(squares ? (void *)s->square_low : s->high, 0, size);
    if (squares)
        memset(s->square_high, 0, size);
    s->waiting = 0;
}

// Make sure that n more items can be added to low and high without overflow.
static void
wait_for(struct state *s, int64_t n)
{
    if (s->waiting + n > WAITING_MAX)
        state_settle(s);
    s->waiting += n;
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
    case GATHER_WHOLE_SQUARES:
        wait_for(s, n);
        state_run(s, start, stop, kernel_squares_whole(g->number),
                  &(struct cell_row){
                      .low = s->low, .square_low = s->square_low, .square_high = s->square_high},
                  numbers, g->size);
        return TESS_OK;
    case GATHER_WHOLE:
        wait_for(s, n);
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

static int128
whole_of(enum numeric number, const void *x)
{
    switch (number) {
    case NUMERIC_I1:
        return int128_of(*(const int8_t *)x);
    case NUMERIC_I2:
        return int128_of(*(const int16_t *)x);
    case NUMERIC_I4:
        return int128_of(*(const int32_t *)x);
    case NUMERIC_I8:
        return int128_of(*(const int64_t *)x);
    case NUMERIC_U1:
        return int128_of(*(const uint8_t *)x);
    case NUMERIC_U2:
        return int128_of(*(const uint16_t *)x);
    case NUMERIC_U4:
        return int128_of(*(const uint32_t *)x);
    default:
        return int128_of_u64(*(const uint64_t *)x);
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
    int128 sum;
    if (e->missing)
        s->missing[at] += nitems;
    switch (s->g->kind) {
    case GATHER_WHOLE_SQUARES:
        sum = int128_mul(whole_of(s->g->number, e->number), int128_of(nitems));
        s->whole[at] = int128_add(s->whole[at], sum);
        sum = int128_mul(sum, whole_of(s->g->number, e->number));
        s->whole_squares[at] = int128_add(s->whole_squares[at], sum);
        return;
    case GATHER_WHOLE:
        sum = int128_mul(whole_of(s->g->number, e->number), int128_of(nitems));
        s->whole[at] = int128_add(s->whole[at], sum);
        return;
    case GATHER_FLOAT: { // counts of at most 32 bits that are not 0
        const double x = is_f4 ? (double)*(const float *)e->number : *(const double *)e->number;
        if (nitems > few)
            add_product(s, at, x, (double)(nitems - few));
        if (few > 0)
            add_product(s, at, x, (double)few);
        return;
    }
    case GATHER_SQUARES: {
        const double x = is_f4 ? (double)*(const float *)e->number : *(const double *)e->number;
        const struct squares all = isfinite(x) ? (struct squares){(double)nitems, x, 0, 0}
                                               : (struct squares){(double)nitems, 0, x, x * x};
        if (!e->missing)
            join_squares(s, at, &all);
        return;
    }
    case GATHER_LEAST:
    case GATHER_GREATEST:
        kernel_extreme(s->g->number, s->g->kind == GATHER_GREATEST)(
            &(struct cell_row){.best = s->best + (size_t)at * s->g->size}, e->number, 1, 0, 1, 1,
            1);
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
    case GATHER_WHOLE_SQUARES:
        for (int64_t k = 0; k < n; k++)
            s->whole_squares[to + k] =
                int128_add(s->whole_squares[to + k], other->whole_squares[from + k]);
        // fallthrough
    case GATHER_WHOLE:
        for (int64_t k = 0; k < n; k++)
            s->whole[to + k] = int128_add(s->whole[to + k], other->whole[from + k]);
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
            other->best + (size_t)from * g->size, 1, 0, n, 1, 1);
        return;
    case GATHER_SQUARES:
        for (int64_t k = 0; k < n; k++) {
            const struct squares squares = get_squares(other, from + k);
            join_squares(s, to + k, &squares);
        }
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
