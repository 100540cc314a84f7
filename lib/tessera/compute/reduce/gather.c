/*
 * gather.c - a state takes in items: pieces of numbers, boxes of equal items, other states.
 */
#include "compute/reduce/private.h"

#include "base/exact.h"
#include "compute/reduce/kernels.h"
#include "compute/reduce/reduce.h"

#include <math.h>
#include <string.h>

enum { WAITING_MAX = 1 << 30 }; // items in low and high

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
        return state_add_squares(s, start, stop, numbers, mask, err);
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
            state_join_squares(s, at, &all);
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
    state_each_cell(s, start, stop, add_equal_run, &e);
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
            const struct squares squares = state_squares(other, from + k);
            state_join_squares(s, to + k, &squares);
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
