/*
 * counter.c - items, counted in slots.
 */
#include "compute/histogram/private.h"

#include "base/checked.h"
#include "base/half.h"
#include "base/memory.h"
#include "meta/dtype.h"

#include <string.h>

enum {
    PIECE = 512, // items
    VALUES1 = 256, // of 1 byte
    LANES1 = 8, // tables for items of 1 byte: one for each byte of a word
    VALUES2 = 65536,
    LANES2 = 2, // for those of 2 bytes
};

bool
counting_type(struct counting *c, const tess_dtype *d)
{
    c->dtype = *d;
    c->turned = dtype_is_turned(d);
    return dtype_is_number(d);
}

void
counting_begin(struct counting *c)
{
    if (c->dtype.kind != TESS_KIND_FLOAT && !c->bins.whole)
        bins_round(&c->bins);
    c->way = c->dtype.size <= 2                                      ? BY_VALUE
             : equal_init(&c->equal, &c->bins, &c->dtype, c->turned) ? BY_CALCULATING
             : lookup_init(&c->lookup, &c->bins)                     ? BY_LOOKUP
                                                                     : BY_BISECTION;
}

void
counting_finish(struct counting *c)
{
    lookup_finish(&c->lookup);
}

// -- numbers

// n items to doubles, in either byte order.
#define NUMBERS(name, word, turn, type)                                                      \
    static void double_##name(double *restrict to, const uint8_t *restrict items, int64_t n) \
    {                                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                    \
            type x;                                                                          \
            memcpy(&x, items + i * (int64_t)sizeof x, sizeof x);                             \
            to[i] = (double)x;                                                               \
        }                                                                                    \
    }                                                                                        \
    static void turned_##name(double *restrict to, const uint8_t *restrict items, int64_t n) \
    {                                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                    \
            word bits;                                                                       \
            type x;                                                                          \
            memcpy(&bits, items + i * (int64_t)sizeof bits, sizeof bits);                    \
            bits = turn(bits);                                                               \
            memcpy(&x, &bits, sizeof x);                                                     \
            to[i] = (double)x;                                                               \
        }                                                                                    \
    }
NUMBERS(i2, uint16_t, __builtin_bswap16, int16_t)
NUMBERS(u2, uint16_t, __builtin_bswap16, uint16_t)
NUMBERS(i4, uint32_t, __builtin_bswap32, int32_t)
NUMBERS(u4, uint32_t, __builtin_bswap32, uint32_t)
NUMBERS(f4, uint32_t, __builtin_bswap32, float)
NUMBERS(f8, uint64_t, __builtin_bswap64, double)

static double
double_of_half(const uint8_t *item, bool turned)
{
    uint16_t bits;
    memcpy(&bits, item, sizeof bits);
    return (double)half_to_float(turned ? __builtin_bswap16(bits) : bits);
}

static void
doubles_of(const struct counting *c, double *to, const uint8_t *items, int64_t n)
{
    typedef void fn(double *restrict, const uint8_t *restrict, int64_t);
    static fn *const table[3][2][2] = {
        {{double_i2, turned_i2}, {double_u2, turned_u2}},
        {{double_i4, turned_i4}, {double_u4, turned_u4}},
        {{double_f4, turned_f4}, {double_f8, turned_f8}},
    };
    const bool is_float = c->dtype.kind == TESS_KIND_FLOAT;
    if (is_float && c->dtype.size == 2)
        to[0] = double_of_half(items, c->turned); // comes alone
    else if (c->dtype.size == 1)
        to[0] = c->dtype.kind == TESS_KIND_INT    ? (double)(int8_t)items[0]
                : c->dtype.kind == TESS_KIND_BOOL ? (double)(items[0] != 0)
                                                  : (double)items[0];
    else if (is_float)
        table[2][c->dtype.size == 8][c->turned](to, items, n);
    else
        table[c->dtype.size == 4][c->dtype.kind == TESS_KIND_UINT][c->turned](to, items, n);
}

static void
keys_of(const struct counting *c, uint64_t *restrict to, const uint8_t *items, int64_t n)
{
    const uint64_t flip = bins_key(&c->bins, 0);
    for (int64_t i = 0; i < n; i++) {
        uint64_t x;
        memcpy(&x, items + i * (int64_t)sizeof x, sizeof x);
        to[i] = x ^ flip;
    }
    for (int64_t i = 0; c->turned && i < n; i++)
        to[i] = __builtin_bswap64(to[i] ^ flip) ^ flip;
}

int64_t
counting_slot(const struct counting *c, const uint8_t *item)
{
    int32_t slot;
    if (c->bins.whole) {
        uint64_t key;
        keys_of(c, &key, item, 1);
        bins_slots_of_keys(&c->bins, &key, 1, &slot);
        return slot;
    }
    double x;
    doubles_of(c, &x, item, 1);
    bins_slots(&c->bins, &x, 1, &slot);
    return slot;
}

// -- bins

// Numbers about which there is doubt may be below the lower edge of the bin that was calculated.
static void
correct_bins(const struct bins *b, const double *x, int64_t n, int32_t *restrict bin)
{
    for (int64_t i = 0; i < n; i++)
        bin[i] -= x[i] < b->low[bin[i]];
}

static void
correct_bins_of_keys(const struct bins *b, const uint64_t *keys, int64_t n, int32_t *restrict bin)
{
    for (int64_t i = 0; i < n; i++)
        bin[i] -= keys[i] < b->low_key[bin[i]];
}

// Bins to slots: below is 0 after that, above n + 1, NaN n + 2.
static void
mark_outside(const struct bins *b, const double *x, int64_t n, int32_t *restrict bin)
{
    const double low = b->low[0], top = b->top;
    const int32_t above = (int32_t)b->n;
    for (int64_t i = 0; i < n; i++) {
        int32_t slot = bin[i];
        slot = x[i] < low ? -1 : slot;
        slot = x[i] > top ? above : slot;
        bin[i] = x[i] != x[i] ? above + 1 : slot;
    }
}

static void
mark_outside_keys(const struct bins *b, const uint64_t *keys, int64_t n, int32_t *restrict bin)
{
    const uint64_t low = b->low_key[0], top = b->top_key;
    const int32_t above = (int32_t)b->n;
    for (int64_t i = 0; i < n; i++)
        bin[i] = keys[i] < low ? -1 : keys[i] > top ? above : bin[i];
}

// Bins of items, -1 below.
static void
calculate_bins(const struct counting *c, const uint8_t *items, int64_t n, int32_t *bin)
{
    double x[PIECE];
    int look = 0;
    if (c->equal.items)
        look = c->equal.items(&c->equal.calculation, items, n, bin);
    if (!c->equal.items || look)
        doubles_of(c, x, items, n);
    if (!c->equal.items)
        look = c->equal.doubles(&c->equal.calculation, x, n, bin);
    if (look & CALCULATED_DOUBT)
        correct_bins(&c->bins, x, n, bin);
    if (look & CALCULATED_OUTSIDE)
        mark_outside(&c->bins, x, n, bin);
}

static void
find_bins_of_keys(const struct counting *c, const uint64_t *keys, int64_t n, int32_t *bin)
{
    const int look = c->way == BY_LOOKUP ? lookup_bins_of_keys(&c->lookup, &c->bins, keys, n, bin)
                                         : c->equal.keys(&c->equal.calculation, keys, n, bin);
    if (look & CALCULATED_DOUBT)
        correct_bins_of_keys(&c->bins, keys, n, bin);
    if (look & CALCULATED_OUTSIDE)
        mark_outside_keys(&c->bins, keys, n, bin);
}

// -- counters

// Rows of counts; all of them should fit in the first cache of a core.
static int
rows_of(int64_t nslots)
{
    return nslots <= 300 ? COUNTER_LANES : nslots <= 1000 ? 4 : 2;
}

struct counter *
counter_new(const struct counting *c)
{
    const size_t n = (size_t)c->bins.n + BINS_SLOTS;
    struct counter *const k = mem_zeroed(1, sizeof *k);
    if (!k)
        return NULL;
    atomic_flag_clear(&k->busy);
    k->nrows = c->way == BY_VALUE ? 1 : rows_of((int64_t)n);
    if (c->way == BY_VALUE)
        k->values =
            mem_zeroed(c->dtype.size == 1 ? VALUES1 * LANES1 : VALUES2 * LANES2, sizeof *k->values);
    k->slots[0] = mem_zeroed((size_t)k->nrows * n, sizeof *k->slots[0]);
    if ((c->way == BY_VALUE && !k->values) || !k->slots[0]) {
        counter_free(k);
        return NULL;
    }
    for (int i = 1; i < COUNTER_LANES; i++)
        k->slots[i] = k->slots[0] + (size_t)(i % k->nrows) * n;
    return k;
}

void
counter_free(struct counter *k)
{
    if (!k)
        return;
    mem_free(k->values);
    mem_free(k->slots[0]);
    mem_free(k);
}

static void
count_values1(uint32_t *values, const uint8_t *items, int64_t n)
{
    int64_t i = 0;
    for (; i + LANES1 <= n; i += LANES1) {
        uint64_t word;
        memcpy(&word, items + i, sizeof word);
        for (int j = 0; j < LANES1; j++)
            values[j * VALUES1 + (int)(word >> (8 * j) & 0xff)]++;
    }
    for (; i < n; i++)
        values[items[i]]++;
}

static void
count_values2(uint32_t *values, const uint8_t *items, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        uint16_t bits[4];
        memcpy(bits, items + 2 * i, sizeof bits);
        for (int j = 0; j < 4; j++)
            values[j % LANES2 * VALUES2 + bits[j]]++;
    }
    for (; i < n; i++) {
        uint16_t bits;
        memcpy(&bits, items + 2 * i, sizeof bits);
        values[bits]++;
    }
}

static void
count_slots(struct counter *k, const int32_t *slots, int64_t n, int32_t plus)
{
    int64_t *row[COUNTER_LANES], i = 0;
    for (int j = 0; j < COUNTER_LANES; j++)
        row[j] = k->slots[j] + plus;
    for (; i + COUNTER_LANES <= n; i += COUNTER_LANES)
        for (int j = 0; j < COUNTER_LANES; j++)
            row[j][slots[i + j]]++;
    for (; i < n; i++)
        row[0][slots[i]]++;
}

static void
count_numbers(struct counter *k, const struct counting *c, const uint8_t *items, int64_t n)
{
    const struct bins *const b = &c->bins;
    int32_t slots[PIECE];
    if (b->whole) {
        uint64_t keys[PIECE];
        keys_of(c, keys, items, n);
        if (c->way == BY_BISECTION)
            bins_slots_of_keys(b, keys, n, slots);
        else
            find_bins_of_keys(c, keys, n, slots);
    } else if (c->way == BY_CALCULATING) {
        calculate_bins(c, items, n, slots);
    } else {
        double x[PIECE];
        doubles_of(c, x, items, n);
        if (c->way == BY_BISECTION)
            bins_slots(b, x, n, slots);
        else if (lookup_bins(&c->lookup, b, x, n, slots) & CALCULATED_OUTSIDE)
            mark_outside(b, x, n, slots);
    }
    count_slots(k, slots, n, c->way == BY_BISECTION ? 0 : 1);
}

// Counts of values to slots.
static void
move_values(struct counter *k, const struct counting *c)
{
    const int64_t n = c->dtype.size == 1 ? VALUES1 * LANES1 : VALUES2 * LANES2;
    for (int64_t v = 0; v < n; v++) {
        const uint16_t two = (uint16_t)v;
        const uint8_t one = (uint8_t)v;
        uint8_t item[8] = {one}; // of any type, for the compiler
        if (k->values[v] == 0)
            continue;
        if (c->dtype.size == 2)
            memcpy(item, &two, sizeof two);
        k->slots[0][counting_slot(c, item)] += k->values[v];
        k->values[v] = 0;
    }
    k->nvalues = 0;
}

void
counter_add(struct counter *k, const struct counting *c, const uint8_t *items, int64_t n)
{
    const int64_t size = c->dtype.size;
    if (k->values) {
        if (k->nvalues > INT32_MAX) // a block has less than 2^31 items
            move_values(k, c);
        k->nvalues += n;
        if (size == 1)
            count_values1(k->values, items, n);
        else
            count_values2(k->values, items, n);
        return;
    }
    for (int64_t i = 0; i < n; i += PIECE)
        count_numbers(k, c, items + i * size, min_i64(n - i, PIECE));
}

void
counter_move(struct counter *k, const struct counting *c, int64_t *slots)
{
    const int64_t n = c->bins.n + BINS_SLOTS;
    if (k->values)
        move_values(k, c);
    for (int row = 0; row < k->nrows; row++)
        for (int64_t i = 0; i < n; i++)
            slots[i] += k->slots[row][i];
}
