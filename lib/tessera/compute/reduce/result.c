/*
 * result.c - from a state to the items of a new array.
 */
#include "compute/reduce/private.h"

#include "base/error.h"
#include "base/exact.h"
#include "base/half.h"
#include "base/swap.h"
#include "compute/reduce/reduce.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// n cells of a row, from number `at` of the state on. The first `nfull` of them have nitems each,
// the others last_nitems.
struct row {
    int64_t at, n, nfull;
    int64_t nitems, last_nitems;
};

static int64_t
items_of(const struct row *row, int64_t k)
{
    return k < row->nfull ? row->nitems : row->last_nitems;
}

static int64_t
present_of(const struct state *s, const struct row *row, int64_t k)
{
    return items_of(row, k) - s->missing[row->at + k];
}

static double
sum_of(const struct state *s, int64_t at)
{
    return exact_value((double[]){s->sum[at], s->lost[at]});
}

static tess_status
give_sums(const struct state *s, const struct row *row, uint8_t *to, tess_error *err)
{
    const bool sign = s->g->dtype.kind != TESS_KIND_UINT; // that of bool is signed, too
    for (int64_t k = 0; k < row->n; k++) {
        if (s->g->kind == GATHER_FLOAT) {
            const double sum = sum_of(s, row->at + k);
            memcpy(to + 8 * k, &sum, 8);
            continue;
        }
        const int128 sum = s->whole[row->at + k];
        const uint64_t bits = int128_low(sum);
        if (sign ? !int128_fits_i64(sum) : !int128_fits_u64(sum))
            return err_set(err, TESS_ERR_LIMIT, -1, "a sum of %.17g, which does not fit in 64 bits",
                           int128_to_double(sum));
        memcpy(to + 8 * k, &bits, 8);
    }
    return TESS_OK;
}

static double
mean_of(const struct state *s, int64_t at, int64_t n)
{
    if (n <= 0)
        return (double)NAN;
    return (s->g->kind == GATHER_WHOLE ? int128_to_double(s->whole[at]) : sum_of(s, at)) /
           (double)n;
}

static void
give_means(const struct state *s, const struct row *row, uint8_t *to)
{
    for (int64_t k = 0; k < row->n; k++) {
        const double mean = mean_of(s, row->at + k, present_of(s, row, k));
        memcpy(to + 8 * k, &mean, 8);
    }
}

static void
give_variances(const struct state *s, const struct row *row, int64_t ddof, uint8_t *to)
{
    for (int64_t k = 0; k < row->n; k++) {
        const int64_t at = row->at + k;
        const double variance =
            s->g->kind == GATHER_WHOLE_SQUARES
                ? squares_whole_variance(s->whole[at], s->whole_squares[at], items_of(row, k), ddof)
                : squares_variance(
                      &(struct squares){s->weight[at], s->shift[at], s->sum[at], s->squares[at]},
                      ddof);
        memcpy(to + 8 * k, &variance, 8);
    }
}

static void
give_counts(const struct state *s, const struct row *row, uint8_t *to)
{
    for (int64_t k = 0; k < row->n; k++) {
        const int64_t n = present_of(s, row, k);
        memcpy(to + 8 * k, &n, 8);
    }
}

static void
put_nan(uint8_t *to, size_t size)
{
    const uint16_t half = 0x7e00;
    const uint32_t single = 0x7fc00000;
    const uint64_t full = (uint64_t)0x7ff8 << 48;
    memcpy(to, size == 2 ? (const void *)&half : size == 4 ? (const void *)&single : &full, size);
}

static void
give_extremes(struct state *s, const struct row *row, uint8_t *to)
{
    const size_t size = s->g->size;
    uint8_t *const best = s->best + (size_t)row->at * size;
    gathering_unorder(s->g, best, (size_t)row->n);
    memcpy(to, best, (size_t)row->n * size);
    if (!s->g->missing)
        return;
    for (int64_t k = 0; k < row->n; k++) {
        const int64_t missing = s->missing[row->at + k];
        if (missing > 0 && (!s->g->skip_nan || missing == items_of(row, k)))
            put_nan(to + (size_t)k * size, size);
    }
}

// The nearest integer to sum / n; of two that are as near, the even one. Divisions of 128 bits take
// ten times as long as the others.
#define NEAR_QUOTIENT(name, type)                                           \
    static type name(type sum, type n)                                      \
    {                                                                       \
        type q = sum / n, rest = sum - q * n;                               \
        if (rest < 0) {                                                     \
            q--;                                                            \
            rest += n;                                                      \
        }                                                                   \
        return q + (rest > n - rest || (rest == n - rest && (q & 1) != 0)); \
    }

NEAR_QUOTIENT(near_quotient32, int32_t)
NEAR_QUOTIENT(near_quotient64, int64_t)

static int64_t
near_quotient128(int128 sum, int64_t n)
{
    const int128 quotient = int128_div(sum, int128_of(n));
    uint64_t q = int128_low(quotient);
    int64_t rest = (int64_t)int128_low(int128_sub(sum, int128_mul(quotient, int128_of(n))));
    if (rest < 0) {
        q--;
        rest += n;
    }
    q += rest > n - rest || (rest == n - rest && (q & 1) != 0);
    return (int64_t)q; // the bits of one without a sign, if the items are of that type
}

static int64_t
near_quotient(int128 sum, int64_t n)
{
    const int64_t part = (int64_t)int128_low(sum);
    if (!int128_fits_i64(sum))
        return near_quotient128(sum, n);
    if (part == (int32_t)part && n == (int32_t)n)
        return near_quotient32((int32_t)part, (int32_t)n);
    return near_quotient64(part, n);
}

static void
put_result_item(const struct state *s, int64_t at, int64_t n, uint8_t *to)
{
    const size_t size = (size_t)s->g->dtype.size;
    if (s->g->kind == GATHER_WHOLE) {
        const int64_t mean = near_quotient(s->whole[at], n);
        const int8_t i1 = (int8_t)mean;
        const int16_t i2 = (int16_t)mean;
        const int32_t i4 = (int32_t)mean;
        memcpy(to,
               size == 1   ? (const void *)&i1
               : size == 2 ? (const void *)&i2
               : size == 4 ? (const void *)&i4
                           : &mean,
               size);
        return;
    }
    const double mean = mean_of(s, at, n);
    const float single = (float)mean;
    const uint16_t half = size == 2 ? half_of_double(mean) : 0;
    if (isnan(mean))
        put_nan(to, size);
    else
        memcpy(to,
               size == 2   ? (const void *)&half
               : size == 4 ? (const void *)&single
                           : &mean,
               size);
}

// The same for cells of 2^shift items, whose sum fits in 64 bits: a shift, and no question.
#define SHIFT_MEANS(name, type)                                                           \
    static void name(const int128 *sums, int64_t ncells, int shift, uint8_t *to)          \
    {                                                                                     \
        const int64_t n = (int64_t)1 << shift;                                            \
        for (int64_t k = 0; k < ncells; k++) {                                            \
            const int64_t sum = (int64_t)int128_low(sums[k]);                             \
            const int64_t q = sum >> shift, rest = sum & (n - 1);                         \
            const type mean = (type)(q + ((2 * rest > n) | ((2 * rest == n) & (q & 1)))); \
            memcpy(to + k * (int64_t)sizeof mean, &mean, sizeof mean);                    \
        }                                                                                 \
    }

SHIFT_MEANS(shift_means1, int8_t)
SHIFT_MEANS(shift_means2, int16_t)
SHIFT_MEANS(shift_means4, int32_t)

// The first cells of a row, which have the same number of items; returns how many were done.
static int64_t
give_shifted_means(const struct state *s, const struct row *row, uint8_t *to)
{
    const int32_t size = s->g->dtype.size;
    const int64_t n = row->nitems;
    if (s->g->kind != GATHER_WHOLE || size > 4 || n > INT32_MAX || (n & (n - 1)) != 0)
        return 0;
    (size == 1   ? shift_means1
     : size == 2 ? shift_means2
                 : shift_means4)(s->whole + row->at, row->nfull, __builtin_ctzll((uint64_t)n), to);
    return row->nfull;
}

// Floats of a row without NaNs that were left out, in loops without questions.
static bool
give_plain_means(const struct state *s, const struct row *row, uint8_t *to)
{
    const int32_t size = s->g->dtype.size;
    if (s->g->kind != GATHER_FLOAT || s->g->missing || size == 2)
        return false;
    for (int64_t k = 0; k < row->n; k++) {
        const double mean = sum_of(s, row->at + k) / (double)items_of(row, k);
        const float single = (float)mean;
        if (size == 4)
            memcpy(to + 4 * k, &single, 4);
        else
            memcpy(to + 8 * k, &mean, 8);
    }
    return true;
}

static tess_status
give_result_row(const struct result *r, struct state *s, const struct row *row, uint8_t *to,
                tess_error *err)
{
    tess_status st = TESS_OK;
    switch (r->value) {
    case RESULT_SUM:
        st = give_sums(s, row, to, err);
        break;
    case RESULT_MEAN:
        give_means(s, row, to);
        break;
    case RESULT_VARIANCE:
        give_variances(s, row, r->ddof, to);
        break;
    case RESULT_COUNT:
        give_counts(s, row, to);
        break;
    case RESULT_EXTREME:
        give_extremes(s, row, to);
        break;
    case RESULT_NEAR_MEAN:
        for (int64_t k = give_plain_means(s, row, to) ? row->n : give_shifted_means(s, row, to);
             k < row->n; k++)
            put_result_item(s, row->at + k, present_of(s, row, k), to + k * r->size);
        break;
    }
    if (st == TESS_OK && r->turn)
        swap_bytes(to, (size_t)(row->n * r->size), (size_t)r->size);
    return st;
}

// A row of cells, and its first axis: the last axis, or an earlier one if all behind it have factor
// 1, as colours do, and their results lie in memory without gaps.
static struct row
row_of(const struct state *s, const int64_t *strides, int *axis)
{
    const struct cells *const c = s->cells;
    struct row row = {.n = 1, .nfull = 1, .nitems = 1, .last_nitems = 1};
    int i = c->ndim - 1;
    if (i < 0)
        return row;
    for (; i > 0 && c->factor[i] == 1 && strides[i - 1] == s->n[i] * strides[i]; i--) {
        row.n *= s->n[i];
        row.nitems *= cells_length(c, i, s->first[i]); // 0 of an axis without items
    }
    row.last_nitems = row.nitems * cells_length(c, i, s->first[i] + s->n[i] - 1);
    row.nitems *= c->factor[i];
    row.nfull = row.n * (row.last_nitems == row.nitems ? s->n[i] : s->n[i] - 1);
    row.n *= s->n[i];
    *axis = i;
    return row;
}

tess_status
result_give(const struct result *r, struct state *s, uint8_t *items, const int64_t *strides,
            tess_error *err)
{
    const struct cells *const c = s->cells;
    int64_t at[NDIM_MAX] = {0};
    tess_status st = TESS_OK;
    int axis = 0;
    const struct row first = row_of(s, strides, &axis);
    struct row row = first;
    state_settle(s);
    for (; row.at < s->ncells && st == TESS_OK; row.at += row.n) {
        int64_t offset = 0, rows = 1; // items of a cell along the axes before
        for (int i = 0; i < axis; i++) {
            rows *= cells_length(c, i, s->first[i] + at[i]);
            offset += at[i] * strides[i];
        }
        row.nitems = rows * first.nitems;
        row.last_nitems = rows * first.last_nitems;
        st = give_result_row(r, s, &row, items + offset, err);
        for (int i = axis - 1; i >= 0 && ++at[i] == s->n[i]; i--)
            at[i] = 0;
    }
    return st;
}
