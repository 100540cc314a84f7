/*
 * tally.c - numbers of an array: how many are finite, their extremes, and their sum.
 *
 * Rows are collected in a piece of memory that stays in a core's first cache; short ones cost a
 * copy, no more. There items get the byte order of the machine, and are aligned: the loops over a
 * piece are ones that compilers make vectors of.
 *
 * Floats go through a loop that does not ask which are finite. Where one is not, the sum is not
 * either, and the piece is done again, item by item.
 */
#include "compute/statistics/statistics.h"

#include "base/checked.h"
#include "base/exact.h"
#include "base/half.h"
#include "meta/dtype.h"
#include "ndcopy/ndcopy.h"

#include <math.h>
#include <string.h>

enum {
    PIECE_SIZE = 4096, // bytes
    LANES = 8, // sums of floats that are made side by side
    RUN = 8, // items of each
};

union number_piece {
    uint8_t bytes[PIECE_SIZE];
    int8_t i1[PIECE_SIZE];
    int16_t i2[PIECE_SIZE / 2];
    int32_t i4[PIECE_SIZE / 4];
    int64_t i8[PIECE_SIZE / 8];
    uint8_t u1[PIECE_SIZE];
    uint16_t u2[PIECE_SIZE / 2];
    uint32_t u4[PIECE_SIZE / 4];
    uint64_t u8[PIECE_SIZE / 8];
    float f4[PIECE_SIZE / 4];
    double f8[PIECE_SIZE / 8];
    _Alignas(64) char line;
};

static void
widen(struct tally *t, tess_kind kind, const union number *min, const union number *max)
{
    if (kind == TESS_KIND_FLOAT) {
        t->min.f = fmin(t->min.f, min->f);
        t->max.f = fmax(t->max.f, max->f);
    } else if (kind == TESS_KIND_INT) {
        t->min.i = min->i < t->min.i ? min->i : t->min.i;
        t->max.i = max->i > t->max.i ? max->i : t->max.i;
    } else {
        t->min.u = min->u < t->min.u ? min->u : t->min.u;
        t->max.u = max->u > t->max.u ? max->u : t->max.u;
    }
}

static void
number_add(struct tally *t, tess_kind kind, const struct tally *other)
{
    if (t->count == t->nonfinite) {
        t->min = other->min;
        t->max = other->max;
    } else if (other->count > other->nonfinite) {
        widen(t, kind, &other->min, &other->max);
    }
    if (kind == TESS_KIND_FLOAT) {
        exact_add(t->sum.parts, other->sum.parts[0]);
        t->sum.parts[1] += other->sum.parts[1];
    } else {
        t->sum.whole = int128_add(t->sum.whole, other->sum.whole);
    }
    t->count += other->count;
    t->nonfinite += other->nonfinite;
}

void
tally_add(struct tally *t, const struct number_type *type, const struct tally *other)
{
    number_add(t, type->kind, other);
}

// -- integers

// The sum of a piece fits in `wide`.
#define TALLY_INTEGERS(name, type, wide, of, kind, member)                                       \
    static void tally_##name(struct tally *t, const union number_piece *p, int64_t n)            \
    {                                                                                            \
        const type *const x = p->name;                                                           \
        type min = x[0], max = x[0];                                                             \
        wide sum = 0;                                                                            \
        for (int64_t k = 0; k < n; k++) {                                                        \
            min = x[k] < min ? x[k] : min;                                                       \
            max = x[k] > max ? x[k] : max;                                                       \
            sum += (wide)x[k];                                                                   \
        }                                                                                        \
        number_add(t, kind,                                                                      \
                   &(struct tally){                                                              \
                       .count = n, .min.member = min, .max.member = max, .sum.whole = of(sum)}); \
    }

TALLY_INTEGERS(i1, int8_t, int32_t, int128_of, TESS_KIND_INT, i)
TALLY_INTEGERS(i2, int16_t, int32_t, int128_of, TESS_KIND_INT, i)
TALLY_INTEGERS(i4, int32_t, int64_t, int128_of, TESS_KIND_INT, i)
TALLY_INTEGERS(u1, uint8_t, uint32_t, int128_of_u64, TESS_KIND_UINT, u)
TALLY_INTEGERS(u2, uint16_t, uint32_t, int128_of_u64, TESS_KIND_UINT, u)
TALLY_INTEGERS(u4, uint32_t, uint64_t, int128_of_u64, TESS_KIND_UINT, u)

static int128
sum_of_halves(uint64_t low, uint64_t high)
{
    return int128_add(int128_shift(int128_of_u64(high), 32), int128_of_u64(low));
}

// Both halves of an item are summed for themselves.
static void
tally_u8(struct tally *t, const union number_piece *p, int64_t n)
{
    const uint64_t *const x = p->u8;
    uint64_t min = x[0], max = x[0], low = 0, high = 0;
    for (int64_t k = 0; k < n; k++) {
        min = x[k] < min ? x[k] : min;
        max = x[k] > max ? x[k] : max;
        low += x[k] & UINT32_MAX;
        high += x[k] >> 32;
    }
    const int128 sum = sum_of_halves(low, high);
    number_add(t, TESS_KIND_UINT,
               &(struct tally){.count = n, .min.u = min, .max.u = max, .sum.whole = sum});
}

// As unsigned ones that are 2^63 greater.
static void
tally_i8(struct tally *t, const union number_piece *p, int64_t n)
{
    const uint64_t bias = (uint64_t)1 << 63;
    const int64_t *const x = p->i8;
    int64_t min = x[0], max = x[0];
    uint64_t low = 0, high = 0;
    for (int64_t k = 0; k < n; k++) {
        const uint64_t biased = (uint64_t)x[k] ^ bias;
        min = x[k] < min ? x[k] : min;
        max = x[k] > max ? x[k] : max;
        low += biased & UINT32_MAX;
        high += biased >> 32;
    }
    const int128 biases = int128_mul(int128_of_u64(bias), int128_of(n));
    const int128 sum = int128_sub(sum_of_halves(low, high), biases);
    number_add(t, TESS_KIND_INT,
               &(struct tally){.count = n, .min.i = min, .max.i = max, .sum.whole = sum});
}

// -- floats

// Sums side by side, of a few items each, as what these lose is not kept; and one by one, where
// some may be NaN or infinite, or the sum of all too large.
#define SUM_FLOATS(name, type)                                                            \
    static void sum_##name(const type *x, int64_t n, double all[2])                       \
    {                                                                                     \
        all[0] = all[1] = 0;                                                              \
        for (; n >= RUN * LANES; n -= RUN * LANES, x += RUN * LANES) {                    \
            double sum[LANES] = {0};                                                      \
            for (int k = 0; k < RUN * LANES; k += LANES)                                  \
                for (int i = 0; i < LANES; i++)                                           \
                    sum[i] += (double)x[k + i];                                           \
            for (int i = 0; i < LANES / 2; i++)                                           \
                exact_add(all, sum[i] + sum[i + LANES / 2]);                              \
        }                                                                                 \
        for (int64_t i = 0; i < n; i++)                                                   \
            exact_add(all, (double)x[i]);                                                 \
    }                                                                                     \
    static void tally_##name##_slowly(struct tally *t, const type *x, int64_t n)          \
    {                                                                                     \
        for (int64_t k = 0; k < n; k++) {                                                 \
            const double y = (double)x[k];                                                \
            struct tally one = {.count = 1, .min.f = y, .max.f = y, .sum.parts = {y, 0}}; \
            if (!isfinite(y))                                                             \
                one = (struct tally){.count = 1, .nonfinite = 1};                         \
            number_add(t, TESS_KIND_FLOAT, &one);                                         \
        }                                                                                 \
    }

SUM_FLOATS(f4, float)
SUM_FLOATS(f8, double)

// Bits of a float to an integer that is in the same order, and back.
static int32_t
ordered(int32_t bits)
{
    return bits ^ (bits >> 31 & INT32_MAX);
}

static double
float_of_ordered(int32_t x)
{
    const int32_t bits = ordered(x);
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

// Extremes of integers are what gcc makes vectors of.
static void
tally_f4(struct tally *t, const union number_piece *p, int64_t n)
{
    const int32_t *const bits = p->i4;
    int32_t min = INT32_MAX, max = INT32_MIN;
    double sum[2];
    sum_f4(p->f4, n, sum);
    if (!isfinite(sum[0])) {
        tally_f4_slowly(t, p->f4, n);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        const int32_t x = ordered(bits[k]);
        min = x < min ? x : min;
        max = x > max ? x : max;
    }
    number_add(t, TESS_KIND_FLOAT,
               &(struct tally){.count = n,
                               .min.f = float_of_ordered(min),
                               .max.f = float_of_ordered(max),
                               .sum.parts = {sum[0], sum[1]}});
}

static void
tally_f8(struct tally *t, const union number_piece *p, int64_t n)
{
    const double *const x = p->f8;
    double min[LANES], max[LANES];
    double sum[2];
    sum_f8(x, n, sum);
    if (!isfinite(sum[0])) {
        tally_f8_slowly(t, x, n);
        return;
    }
    for (int i = 0; i < LANES; i++)
        min[i] = max[i] = x[0];
    for (int64_t k = 0; k < n - n % LANES; k += LANES)
        for (int i = 0; i < LANES; i++) {
            min[i] = x[k + i] < min[i] ? x[k + i] : min[i];
            max[i] = x[k + i] > max[i] ? x[k + i] : max[i];
        }
    for (int64_t k = n - n % LANES; k < n; k++) {
        min[0] = x[k] < min[0] ? x[k] : min[0];
        max[0] = x[k] > max[0] ? x[k] : max[0];
    }
    for (int i = 1; i < LANES; i++) {
        min[0] = min[i] < min[0] ? min[i] : min[0];
        max[0] = max[i] > max[0] ? max[i] : max[0];
    }
    number_add(t, TESS_KIND_FLOAT,
               &(struct tally){
                   .count = n, .min.f = min[0], .max.f = max[0], .sum.parts = {sum[0], sum[1]}});
}

static void
tally_f2(struct tally *t, const union number_piece *p, int64_t n)
{
    union number_piece floats;
    for (int64_t done = 0; done < n;) {
        const int64_t count = min_i64(n - done, PIECE_SIZE / 4);
        halves_to_floats(floats.f4, p->u2 + done, (size_t)count);
        tally_f4(t, &floats, count);
        done += count;
    }
}

// -- types

bool
number_type_init(struct number_type *type, const tess_dtype *dtype)
{
    static const struct {
        tess_kind kind;
        int32_t size;
        struct number_type type;
    } known[] = {
        {TESS_KIND_BOOL, 1, {TESS_KIND_UINT, 1, true, false, tally_u1}},
        {TESS_KIND_INT, 1, {TESS_KIND_INT, 1, false, false, tally_i1}},
        {TESS_KIND_INT, 2, {TESS_KIND_INT, 2, false, false, tally_i2}},
        {TESS_KIND_INT, 4, {TESS_KIND_INT, 4, false, false, tally_i4}},
        {TESS_KIND_INT, 8, {TESS_KIND_INT, 8, false, false, tally_i8}},
        {TESS_KIND_UINT, 1, {TESS_KIND_UINT, 1, false, false, tally_u1}},
        {TESS_KIND_UINT, 2, {TESS_KIND_UINT, 2, false, false, tally_u2}},
        {TESS_KIND_UINT, 4, {TESS_KIND_UINT, 4, false, false, tally_u4}},
        {TESS_KIND_UINT, 8, {TESS_KIND_UINT, 8, false, false, tally_u8}},
        {TESS_KIND_FLOAT, 2, {TESS_KIND_FLOAT, 2, false, false, tally_f2}},
        {TESS_KIND_FLOAT, 4, {TESS_KIND_FLOAT, 4, false, false, tally_f4}},
        {TESS_KIND_FLOAT, 8, {TESS_KIND_FLOAT, 8, false, false, tally_f8}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].kind == dtype->kind && known[i].size == dtype->size) {
            *type = known[i].type;
            type->turn = dtype_is_turned(dtype);
            return true;
        }
    return false;
}

// -- boxes

static void
number_turn(union number_piece *p, int32_t size, int64_t n)
{
    if (size == 2)
        for (int64_t k = 0; k < n; k++)
            p->u2[k] = __builtin_bswap16(p->u2[k]);
    else if (size == 4)
        for (int64_t k = 0; k < n; k++)
            p->u4[k] = __builtin_bswap32(p->u4[k]);
    else
        for (int64_t k = 0; k < n; k++)
            p->u8[k] = __builtin_bswap64(p->u8[k]);
}

static void
tally_piece(struct tally *t, const struct number_type *type, union number_piece *p, int64_t n)
{
    if (type->turn)
        number_turn(p, type->size, n);
    for (int64_t k = 0; type->truth && k < n; k++)
        p->u1[k] = p->u1[k] != 0;
    if (n > 0)
        type->piece(t, p, n);
}

// Items on their way into a piece.
struct collector {
    const struct number_type *type;
    struct tally *t;
    int64_t n; // in the piece
    union number_piece piece;
};

// Items that stand one behind the other.
static void
number_collect(struct collector *c, const uint8_t *items, int64_t n)
{
    const int64_t size = c->type->size, room = PIECE_SIZE / size;
    while (n > 0) {
        const int64_t run = min_i64(n, room - c->n);
        memcpy(c->piece.bytes + c->n * size, items, (size_t)(run * size));
        items += run * size;
        n -= run;
        c->n += run;
        if (c->n == room) {
            tally_piece(c->t, c->type, &c->piece, room);
            c->n = 0;
        }
    }
}

void
tally_box(struct tally *t, const struct number_type *type, int ndim, const int64_t *shape,
          const int64_t *stride, const uint8_t *items)
{
    struct collector c;
    struct ndrows r;

    c.type = type; // the piece needs no zeros
    c.t = t;
    c.n = 0;
    for (bool more = ndrows_begin(&r, ndim, shape, type->size, stride, stride); more;
         more = ndrows_next(&r)) {
        const int64_t run = r.packed ? r.row_nitems : 1;
        for (int64_t i = 0; i < r.rows; i++)
            for (int64_t k = 0; k < r.row_nitems; k += run)
                number_collect(&c, items + r.src + i * r.row_src + k * r.item_src, run);
    }
    tally_piece(t, type, &c.piece, c.n);
}

// A product of a double and a count, and what it lacks.
static void
add_exact_product(double sum[2], double x, double n)
{
    const double product = x * n;
    exact_add(sum, product);
    if (isfinite(product))
        sum[1] += fma(x, n, -product);
}

void
tally_repeat(struct tally *t, const struct number_type *type, const uint8_t *item, int64_t n)
{
    static const int64_t one = 1;
    const int64_t stride = type->size;
    const int64_t low = n & INT32_MAX;
    struct tally all = {0};

    tally_box(&all, type, 1, &one, &stride, item);
    if (type->kind == TESS_KIND_FLOAT) {
        const double x = all.sum.parts[0];
        all.sum.parts[0] = 0;
        add_exact_product(all.sum.parts, x, (double)(n - low)); // at most 32 bits that are not 0
        add_exact_product(all.sum.parts, x, (double)low);
    } else {
        all.sum.whole = int128_mul(all.sum.whole, int128_of(n));
    }
    all.count *= n;
    all.nonfinite *= n;
    tally_add(t, type, &all);
}
