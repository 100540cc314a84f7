/*
 * compute_reduce.c - tests of compute/reduce: pieces of any place and size that are taken in by
 * states, and states that are merged, against a loop over the items.
 */
#include "base/cpu.h"
#include "base/exact.h"
#include "base/int128.h"
#include "compute/reduce/kernels.h"
#include "compute/reduce/private.h"
#include "support/native.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 3000 };

// Items of a box, in C order; each is a number that follows from its place.
static int16_t
item_at(const int64_t *at, int ndim)
{
    int64_t x = 17;
    for (int i = 0; i < ndim; i++)
        x = x * 31 + at[i] * 7;
    return (int16_t)(x % 2001 - 1000);
}

static size_t
collect(const int64_t *start, const int64_t *stop, int ndim, int16_t *items)
{
    int64_t at[NDIM_MAX];
    size_t n = 0;
    memcpy(at, start, sizeof at);
    for (int i = 0; i >= 0;) {
        items[n++] = item_at(at, ndim);
        for (i = ndim - 1; i >= 0 && ++at[i] == stop[i]; i--)
            at[i] = start[i];
    }
    return n;
}

// What is made of numbers of a type.
struct making {
    const char *type;
    enum gather_kind gather;
    enum result_value value;
};

static const struct making makings[] = {
    {NATIVE "i2", GATHER_WHOLE, RESULT_NEAR_MEAN},
    {"|i1", GATHER_WHOLE, RESULT_NEAR_MEAN},
    {"|u1", GATHER_WHOLE, RESULT_NEAR_MEAN},
    {NATIVE "u2", GATHER_WHOLE, RESULT_NEAR_MEAN},
    {NATIVE "i4", GATHER_WHOLE, RESULT_NEAR_MEAN},
    {NATIVE "u4", GATHER_WHOLE, RESULT_NEAR_MEAN},
    {NATIVE "i8", GATHER_WHOLE, RESULT_NEAR_MEAN},
    {NATIVE "u8", GATHER_WHOLE, RESULT_NEAR_MEAN},
    {NATIVE "f4", GATHER_FLOAT, RESULT_NEAR_MEAN},
    {NATIVE "f8", GATHER_FLOAT, RESULT_NEAR_MEAN},
    {NATIVE "f8", GATHER_FLOAT, RESULT_SUM},
    {"|i1", GATHER_LEAST, RESULT_EXTREME},
    {"|u1", GATHER_GREATEST, RESULT_EXTREME},
    {NATIVE "i2", GATHER_GREATEST, RESULT_EXTREME},
    {NATIVE "u2", GATHER_LEAST, RESULT_EXTREME},
    {NATIVE "i4", GATHER_LEAST, RESULT_EXTREME},
    {NATIVE "u4", GATHER_GREATEST, RESULT_EXTREME},
    {NATIVE "i8", GATHER_GREATEST, RESULT_EXTREME},
    {NATIVE "u8", GATHER_LEAST, RESULT_EXTREME},
    {NATIVE "i2", GATHER_WHOLE_SQUARES, RESULT_VARIANCE},
    {NATIVE "i4", GATHER_WHOLE_SQUARES, RESULT_VARIANCE},
    {NATIVE "f4", GATHER_SQUARES, RESULT_VARIANCE},
    {NATIVE "f8", GATHER_SQUARES, RESULT_VARIANCE},
};
enum { MAKINGS = sizeof makings / sizeof *makings };

static void
put_number(const tess_dtype *dtype, int128 x, uint8_t *to)
{
    const double f8 = int128_to_double(x);
    const float f4 = (float)f8;
    const uint64_t u8 = int128_low(x);
    const uint32_t u4 = (uint32_t)u8;
    const uint16_t u2 = (uint16_t)u8;
    const uint8_t u1 = (uint8_t)u8;
    const bool real = dtype->kind == TESS_KIND_FLOAT;
    memcpy(to,
           dtype->size == 1   ? (const void *)&u1
           : dtype->size == 2 ? (const void *)&u2
           : dtype->size == 4 ? (real ? (const void *)&f4 : (const void *)&u4)
           : real             ? (const void *)&f8
                              : (const void *)&u8,
           (size_t)dtype->size);
}

// An item as a number of that type.
static int128
number_as(const tess_dtype *dtype, int16_t x)
{
    const int unused = 64 - 8 * dtype->size;
    if (dtype->kind == TESS_KIND_FLOAT)
        return int128_of(x);
    return dtype->kind == TESS_KIND_INT ? int128_of((int64_t)((uint64_t)x << unused) >> unused)
                                        : int128_of_u64((uint64_t)x << unused >> unused);
}

// The item of a result, from a loop over those of a cell.
static void
put_result(const struct making *m, const tess_dtype *dtype, const int16_t *items, int64_t n,
           uint8_t *to)
{
    const int128 count = int128_of(n);
    int128 sum = int128_of(0), squares = sum, least = number_as(dtype, items[0]), greatest = least;
    double f8 = 0;
    for (int64_t k = 0; k < n; k++) {
        const int128 x = number_as(dtype, items[k]);
        sum = int128_add(sum, x);
        if (m->value == RESULT_VARIANCE)
            squares = int128_add(squares, int128_mul(x, x));
        least = int128_is_less(x, least) ? x : least;
        greatest = int128_is_less(greatest, x) ? x : greatest;
    }
    if (m->value == RESULT_EXTREME) {
        put_number(dtype, m->gather == GATHER_LEAST ? least : greatest, to);
        return;
    }
    if (m->value == RESULT_NEAR_MEAN && dtype->kind != TESS_KIND_FLOAT) {
        int64_t rest = (int64_t)int128_low(int128_rest(sum, count)); // may be below 0
        uint64_t q = int128_low(int128_div(sum, count)) - (rest < 0);
        rest += rest < 0 ? n : 0;
        q += 2 * rest > n || (2 * rest == n && q % 2 != 0);
        put_number(dtype, int128_of((int64_t)q), to);
        return;
    }
    f8 = int128_to_double(sum);
    if (m->value == RESULT_VARIANCE)
        f8 = int128_to_double(int128_sub(int128_mul(count, squares), int128_mul(sum, sum))) /
             (double)(n * n);
    else if (m->value != RESULT_SUM)
        f8 /= (double)n;
    const float f4 = (float)f8;
    if (m->value == RESULT_NEAR_MEAN && dtype->size == 4)
        memcpy(to, &f4, 4);
    else
        memcpy(to, &f8, 8);
}

// Axes with factors; behind them often one or two that stay, as colours do.
static void
draw_cells(struct random *r, struct cells *c)
{
    static const int64_t widths[] = {1, 2, 3, 4, 5, 7};
    const int colours = random_below(r, 2) == 0 ? 1 + (int)random_below(r, 2) : 0;
    *c = (struct cells){.ndim = 1 + (int)random_below(r, colours > 0 ? 3 : 4) + colours};
    for (int i = 0; i < c->ndim; i++) {
        const bool stays = i >= c->ndim - colours;
        c->shape[i] = stays ? widths[random_below(r, 6)] : 1 + (int64_t)random_below(r, 9);
        c->factor[i] = stays ? 1 : 1 + (int64_t)random_below(r, 10);
    }
    if (colours > 0 && c->ndim == colours + 1) { // a row of more than a line of the kernels
        c->shape[0] = 1 + (int64_t)random_below(r, 500);
        c->factor[0] = 1 + (int64_t)random_below(r, random_below(r, 4) == 0 ? 70 : 10);
    }
}

enum { PIECES = 4, PIECE_ITEMS = 9 * 9 * 9 * 49 };

struct piece {
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
};

// Cut a box of items at random; cells may lie on both sides.
static int
draw_pieces(struct random *r, const struct cells *c, struct piece *pieces)
{
    int n = 1;
    memset(&pieces[0], 0, sizeof pieces[0]);
    memcpy(pieces[0].stop, c->shape, sizeof pieces[0].stop);
    while (n < PIECES) {
        struct piece *const cut = &pieces[random_below(r, (uint64_t)n)];
        const int axis = (int)random_below(r, (uint64_t)c->ndim);
        const int64_t length = cut->stop[axis] - cut->start[axis];
        const int64_t at = cut->start[axis] + (int64_t)random_below(r, (uint64_t)length);
        if (at == cut->start[axis])
            break;
        pieces[n] = *cut;
        pieces[n++].start[axis] = cut->stop[axis] = at;
    }
    return n;
}

static void
add_items(struct state *s, const struct piece *p, const tess_dtype *dtype)
{
    static int16_t items[PIECE_ITEMS];
    static _Alignas(8) uint8_t numbers[PIECE_ITEMS * 8];
    const size_t n = collect(p->start, p->stop, s->cells->ndim, items);
    assert_true(n <= PIECE_ITEMS);
    for (size_t k = 0; k < n; k++)
        put_number(dtype, number_as(dtype, items[k]), numbers + k * (size_t)dtype->size);
    assert_int_equal(state_add(s, p->start, p->stop, numbers, NULL, NULL), TESS_OK);
    state_settle(s);
}

// Pieces go to a state of their own, or to that of all, in which they begin anywhere. Results lie
// among others.
static void
check_pieces(struct random *r, const struct making *m)
{
    const tess_dtype dtype = tess_dtype_parse(m->type);
    const bool same = m->value == RESULT_NEAR_MEAN || m->value == RESULT_EXTREME;
    const struct result result = {.value = m->value, .size = same ? dtype.size : 8};
    int64_t zeros[NDIM_MAX] = {0}, last[NDIM_MAX], at[NDIM_MAX] = {0}, strides[NDIM_MAX];
    static int16_t items[PIECE_ITEMS];
    struct piece pieces[PIECES];
    int64_t size = result.size;
    struct gathering g;
    struct cells c;
    struct state all;
    assert_true(gathering_init(&g, m->gather, &dtype, false, false));
    draw_cells(r, &c);
    for (int i = c.ndim - 1; i >= 0; i--) {
        last[i] = (c.shape[i] + c.factor[i] - 1) / c.factor[i];
        strides[i] = size;
        size *= last[i] + (random_below(r, 4) == 0);
    }
    assert_int_equal(state_init(&all, &g, &c, zeros, last, NULL), TESS_OK);
    const int npieces = draw_pieces(r, &c, pieces);
    for (int i = 0; i < npieces; i++) {
        int64_t first[NDIM_MAX], end[NDIM_MAX];
        struct state part;
        if (random_below(r, 2) == 0) {
            add_items(&all, &pieces[i], &dtype);
            continue;
        }
        cells_of_items(&c, pieces[i].start, pieces[i].stop, first, end);
        assert_int_equal(state_init(&part, &g, &c, first, end, NULL), TESS_OK);
        add_items(&part, &pieces[i], &dtype);
        state_merge(&all, &part);
        state_finish(&part);
    }
    uint8_t *const results = malloc((size_t)size);
    assert_non_null(results);
    assert_int_equal(result_give(&result, &all, results, strides, NULL), TESS_OK);
    for (int64_t k = 0; k < all.ncells; k++) {
        int64_t start[NDIM_MAX], stop[NDIM_MAX], next[NDIM_MAX], offset = 0;
        uint8_t want[8];
        for (int i = 0; i < c.ndim; i++) {
            next[i] = at[i] + 1;
            offset += at[i] * strides[i];
        }
        cells_items(&c, at, next, start, stop);
        put_result(m, &dtype, items, (int64_t)collect(start, stop, c.ndim, items), want);
        assert_memory_equal(results + offset, want, (size_t)result.size);
        for (int i = c.ndim - 1; i >= 0 && ++at[i] == last[i]; i--)
            at[i] = 0;
    }
    state_finish(&all);
    free(results);
}

static void
pieces_add_up(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < CASES; i++)
        check_pieces(&r, &makings[i % MAKINGS]);
}

// Sums in which plain additions lose everything but the last items.
static void
sums_of_floats_keep_what_is_lost(void **state)
{
    const tess_dtype dtype = tess_dtype_parse(NATIVE "f8");
    const struct cells c = {.ndim = 2, .shape = {3000, 3}, .factor = {3000, 1}};
    const int64_t zeros[NDIM_MAX] = {0}, last[NDIM_MAX] = {1, 3};
    struct gathering g;
    struct state s;
    double(*const items)[3] = malloc(3000 * sizeof *items);
    (void)state;
    assert_non_null(items);
    for (int k = 0; k < 3000; k++)
        for (int i = 0; i < 3; i++) // the large ones eight apart, so that none meets the other
            items[k][i] = k == 0 ? 0x1p60 : k == 2992 ? -0x1p60 : (k - 1) % 8 < 7 && k > 7 ? 1 : 0;
    assert_true(gathering_init(&g, GATHER_FLOAT, &dtype, false, false));
    assert_int_equal(state_init(&s, &g, &c, zeros, last, NULL), TESS_OK);
    assert_int_equal(state_add(&s, zeros, c.shape, items, NULL, NULL), TESS_OK);
    double want = 0;
    for (int k = 8; k < 2992; k++)
        want += items[k][0];
    for (int i = 0; i < 3; i++) {
        const double got = exact_value((double[]){s.sum[i], s.lost[i]});
        assert_true(got >= want && got <= want + 8);
    }
    state_finish(&s);
    free(items);
}

// -- variances

// The variance of items, which pieces of random lengths and two states bring; NaNs are left out.
static double
variance_of(struct random *r, const char *type, const void *items, int64_t n, int64_t ddof)
{
    const tess_dtype dtype = tess_dtype_parse(type);
    const bool whole = dtype.kind != TESS_KIND_FLOAT && dtype.size <= 4;
    const struct cells c = {.ndim = 1, .shape = {n}, .factor = {n}};
    const int64_t zero = 0, one = 1, cut = (int64_t)random_below(r, (uint64_t)n);
    const struct result result = {.value = RESULT_VARIANCE, .ddof = ddof, .size = 8};
    struct gathering g;
    struct state s[2];
    double variance;
    uint8_t *const room = malloc((size_t)n * 8), *const mask_room = malloc((size_t)n);
    uint8_t *const own = malloc((size_t)n * 8);
    assert_true(room && mask_room && own);
    assert_true(
        gathering_init(&g, whole ? GATHER_WHOLE_SQUARES : GATHER_SQUARES, &dtype, false, true));
    for (int i = 0; i < 2; i++)
        assert_int_equal(state_init(&s[i], &g, &c, &zero, &one, NULL), TESS_OK);
    for (int64_t start = 0, stop; start < n; start = stop) {
        const size_t size = (size_t)dtype.size;
        const int64_t left = (start < cut ? cut : n) - start;
        const uint8_t *mask;
        const void *numbers;
        stop = start + 1 + (int64_t)random_below(r, (uint64_t)left);
        memcpy(own, (const uint8_t *)items + (size_t)start * size, (size_t)(stop - start) * size);
        gathering_prepare(&g, own, (size_t)(stop - start), room, mask_room, &numbers, &mask);
        if (stop == start + 1)
            state_add_equal(&s[start < cut], &start, &stop, numbers, mask);
        else
            assert_int_equal(state_add(&s[start < cut], &start, &stop, numbers, mask, NULL),
                             TESS_OK);
    }
    for (int i = 0; i < 2; i++)
        state_settle(&s[i]);
    state_merge(&s[0], &s[1]);
    assert_int_equal(result_give(&result, &s[0], (uint8_t *)&variance, (int64_t[]){8}, NULL),
                     TESS_OK);
    for (int i = 0; i < 2; i++)
        state_finish(&s[i]);
    free(room);
    free(mask_room);
    free(own);
    return variance;
}

// Whole numbers of few digits: the nearest double to the variance, in any order.
static void
variances_of_small_numbers_are_exact(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < CASES; i++) {
        const int64_t n = i % 2 == 0 ? 4 : 1 + (int64_t)random_below(&r, 60);
        int64_t low = (int64_t)random_below(&r, 1000) - 500, sum = 0, squares = 0;
        int64_t i8[60] = {0};
        double f8[60];
        float f4[60];
        int32_t i4[60];
        int16_t i2[60];
        for (int64_t k = 0; k < n; k++) {
            const int64_t x = i % 2 == 0 ? (const int64_t[]){1, 3, 4, 7}[k]
                                         : low + (int64_t)random_below(&r, 100);
            const int64_t at = (int64_t)random_below(&r, (uint64_t)k + 1); // shuffled
            i8[k] = i8[at];
            i8[at] = x;
            sum += x;
            squares += x * x;
        }
        for (int64_t k = 0; k < n; k++) {
            f8[k] = (double)i8[k];
            f4[k] = (float)i8[k];
            i4[k] = (int32_t)i8[k];
            i2[k] = (int16_t)i8[k];
        }
        const double want = (double)(n * squares - sum * sum) / (double)(n * n);
        assert_true(i % 2 == 1 || want == 4.6875);
        assert_true(variance_of(&r, NATIVE "f8", f8, n, 0) == want);
        assert_true(variance_of(&r, NATIVE "f4", f4, n, 0) == want);
        assert_true(variance_of(&r, NATIVE "i8", i8, n, 0) == want);
        assert_true(variance_of(&r, NATIVE "i4", i4, n, 0) == want);
        assert_true(variance_of(&r, NATIVE "i2", i2, n, 0) == want);
    }
}

// Numbers far from 0, with outliers and NaNs: against a loop that takes the mean first.
static void
variances_far_from_zero_keep_their_digits(void **state)
{
    enum { ITEMS = 20000 };
    static const struct {
        const char *type;
        double offset, noise;
        bool outliers;
    } cases[] = {
        {NATIVE "f8", 1e9, 1e-3, false}, {NATIVE "f8", -1e12, 1, true}, {NATIVE "f8", 0, 1e5, true},
        {NATIVE "f4", 1e6, 10, false},   {NATIVE "f4", 1e9, 1e4, true}, {NATIVE "i4", 1e9, 3, true},
        {NATIVE "u4", 4e9, 2e8, false},  {NATIVE "i8", 1e15, 9, false},
    };
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    uint8_t *const items = malloc(ITEMS * 8);
    long double *const values = malloc(ITEMS * sizeof *values);
    assert_true(items && values);
    for (size_t i = 0; i < 40 * sizeof cases / sizeof *cases; i++) {
        const size_t c = i % (sizeof cases / sizeof *cases);
        const tess_dtype dtype = tess_dtype_parse(cases[c].type);
        const int64_t n = 2 + (int64_t)random_below(&r, ITEMS - 2);
        long double mean = 0, squares = 0;
        int64_t there = 0;
        for (int64_t k = 0; k < n; k++) {
            const bool out = cases[c].outliers && (k < 3 || random_below(&r, 5000) == 0);
            const double x = (out ? 0 : cases[c].offset) +
                             cases[c].noise * ((double)random_below(&r, 1 << 20) / (1 << 20));
            uint8_t *const to = items + (size_t)k * (size_t)dtype.size;
            long double value;
            if (dtype.kind == TESS_KIND_FLOAT) {
                const double f8 = random_below(&r, 3000) == 0 ? (double)NAN : x;
                const float f4 = (float)f8;
                memcpy(to, dtype.size == 4 ? (const void *)&f4 : &f8, (size_t)dtype.size);
                value = dtype.size == 4 ? (long double)f4 : (long double)f8;
            } else {
                const int64_t i8 = (int64_t)x;
                const uint32_t u4 = (uint32_t)i8;
                memcpy(to, dtype.size == 4 ? (const void *)&u4 : &i8, (size_t)dtype.size);
                value = (long double)i8;
            }
            if (!isnan(value))
                values[there++] = value;
        }
        for (int64_t k = 0; k < there; k++)
            mean += (values[k] - values[0]) / (long double)there;
        for (int64_t k = 0; k < there; k++)
            squares += (values[k] - values[0] - mean) * (values[k] - values[0] - mean);
        const double got = variance_of(&r, cases[c].type, items, n, 1);
        const long double want = squares / (long double)(there - 1);
        if (there > 1)
            assert_true(fabsl((long double)got - want) <= 1e-13L * want);
    }
    free(items);
    free(values);
}

// What is no number, or infinite, and sums of more items than a cell may get at once.
static void
variances_of_the_extreme(void **state)
{
    const double huge[] = {1e200, -1e200, 3}, same[] = {1e290, 1e290, 1e290};
    const double infinite[] = {1, (double)INFINITY, 2}, none[] = {(double)NAN, (double)NAN};
    const int64_t n = (int64_t)1 << 40;
    const double most = UINT32_MAX;
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 20; i++) {
        assert_true(isinf(variance_of(&r, NATIVE "f8", huge, 3, 0)));
        assert_true(variance_of(&r, NATIVE "f8", same, 3, 0) == 0);
        assert_true(isnan(variance_of(&r, NATIVE "f8", infinite, 3, 0)));
        assert_true(isnan(variance_of(&r, NATIVE "f8", none, 2, 0)));
        assert_true(isnan(variance_of(&r, NATIVE "f8", huge, 3, 3)));
        assert_true(isnan(variance_of(&r, NATIVE "i4", huge, 1, 1)));
    }
    // n items that are 0 and n of 2^32 - 1; n of 2^32 - 1, but that one is 1 less
    const int128 item = int128_of(UINT32_MAX), less = int128_of(UINT32_MAX - INT64_C(1));
    const int128 sum = int128_mul(item, int128_of(n)), squares = int128_mul(item, sum);
    const double halves = squares_whole_variance(sum, squares, 2 * n, 0);
    const double one = squares_whole_variance(
        int128_sub(sum, int128_of(1)),
        int128_add(int128_sub(squares, int128_mul(item, item)), int128_mul(less, less)), n, 0);
    assert_true(fabs(halves * 4 / (most * most) - 1) < 1e-15);
    assert_true(fabs(one * (double)n - 1) < 1e-11);
}

// The definition: each item is a row of its own. A shift is the first item of a cell.
static void
reduce_items(reduce_fn *fn, const struct cell_row *to, const uint8_t *items, size_t size,
             int64_t nrows, int64_t n, int64_t f, int64_t w)
{
    for (int64_t r = 0; r < nrows; r++)
        for (int64_t k = n - 1; k >= 0; k--) {
            const int64_t cell = k / (f * w) * w + k % w;
            fn(&(struct cell_row){.low = to->low + cell,
                                  .high = to->high + cell,
                                  .sum = to->sum + cell,
                                  .lost = to->lost + cell,
                                  .square_low = to->square_low + cell,
                                  .square_high = to->square_high + cell,
                                  .squares = to->squares + cell,
                                  .shift = to->shift + cell,
                                  .best = to->best + (size_t)cell * size},
               items + (size_t)(r * n + k) * size, 1, 0, 1, 1, 1);
        }
}

// All kernels of this machine do what those for any machine do, and these what they are defined to
// do, to the last bit.
static void
compare_kernels(struct random *r, reduce_fn *any, reduce_fn *mine, bool is_float, size_t size)
{
    enum { ITEMS = 600, ROWS = 20 };
    const bool is_long = random_below(r, 4) == 0;
    const int64_t w = random_below(r, 2) == 0 ? 1 : 1 + (int64_t)random_below(r, 7);
    const int64_t most = w > 1 ? RUN_GROUP_MAX / w : ITEMS;
    const int64_t f = 1 + (int64_t)random_below(r, is_long ? (uint64_t)most : 12);
    const int64_t width = (1 + (int64_t)random_below(r, 40)) * f * w;
    const int64_t rows = 1 + (int64_t)random_below(r, ROWS), n = width < ITEMS ? width : f * w;
    static _Alignas(8) uint8_t items[ITEMS * ROWS * 8];
    static union {
        struct {
            int64_t low[ITEMS], high[ITEMS];
            uint64_t square_low[ITEMS], square_high[ITEMS];
            double sum[ITEMS], lost[ITEMS], squares[ITEMS], shift[ITEMS];
            _Alignas(8) uint8_t best[ITEMS * 8];
        } cells;
        uint8_t bytes[sizeof(double) * ITEMS * 9];
    } got[3];
    random_bytes(r, items, sizeof items);
    for (size_t k = 0; k < (size_t)ITEMS * ROWS && is_float; k++) {
        const float x = (float)random_below(r, 100000) / 64 - 700;
        const double y = (double)x;
        memcpy(items + k * size, size == 4 ? (const void *)&x : &y, size);
    }
    random_bytes(r, got[0].cells.best, sizeof got[0].cells.best);
    for (int k = 0; k < ITEMS; k++)
        got[0].cells.shift[k] = k;
    got[2] = got[1] = got[0];
    for (int i = 0; i < 3; i++) {
        const struct cell_row to = {.low = got[i].cells.low,
                                    .high = got[i].cells.high,
                                    .sum = got[i].cells.sum,
                                    .lost = got[i].cells.lost,
                                    .square_low = got[i].cells.square_low,
                                    .square_high = got[i].cells.square_high,
                                    .squares = got[i].cells.squares,
                                    .shift = got[i].cells.shift,
                                    .best = got[i].cells.best};
        if (i < 2)
            (i == 0 ? any : mine)(&to, items, rows, n, n, f, w);
        else
            reduce_items(any, &to, items, size, rows, n, f, w);
        assert_memory_equal(got[0].bytes, got[i].bytes, sizeof got[0].bytes);
    }
}

static void
kernels_of_all_machines_agree(void **state)
{
    const struct reduce_kernels *const any = reduce_kernels_for(0);
    const struct reduce_kernels *const mine = reduce_kernels_for(cpu_mask());
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 300; i++) {
        for (size_t k = 0; k < NUMERIC_F4; k++) {
            const size_t size = (size_t)1 << k % 4;
            compare_kernels(&r, any->sum_whole[k], mine->sum_whole[k], false, size);
            compare_kernels(&r, any->least[k], mine->least[k], false, size);
            compare_kernels(&r, any->greatest[k], mine->greatest[k], false, size);
            if (size < 8)
                compare_kernels(&r, any->squares_whole[k], mine->squares_whole[k], false, size);
        }
        for (size_t k = 0; k < 2; k++) {
            compare_kernels(&r, any->sum_float[k], mine->sum_float[k], true, 4 << k);
            compare_kernels(&r, any->squares_float[k], mine->squares_float[k], true, 4 << k);
            compare_kernels(&r, any->squares_present[k], mine->squares_present[k], true, 4 << k);
            compare_kernels(&r, any->shift[k], mine->shift[k], true, 4 << k);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_all_machines_agree),
        cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(sums_of_floats_keep_what_is_lost),
        cmocka_unit_test(variances_of_small_numbers_are_exact),
        cmocka_unit_test(variances_far_from_zero_keep_their_digits),
        cmocka_unit_test(variances_of_the_extreme),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
