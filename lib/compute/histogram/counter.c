/*
 * counter.c - items, counted in slots.
 */
#include "compute/histogram/counter.h"

#include "base/checked.h"
#include "base/half.h"
#include "base/memory.h"
#include "base/swap.h"

#include <math.h>
#include <string.h>

enum {
    PIECE = 512, // items
    VALUES1 = 256, // of 1 byte
    LANES = 4, // tables for items of 1 byte
    VALUES2 = 65536,
};

bool
counting_type(struct counting *c, const tess_dtype *d)
{
    const bool power = d->size == 1 || d->size == 2 || d->size == 4 || d->size == 8;
    c->dtype = *d;
    c->turned = d->size > 1 && d->order == (machine_is_big_endian() ? '<' : '>');
    switch (d->kind) {
    case TESS_KIND_BOOL:
        return d->size == 1;
    case TESS_KIND_INT:
    case TESS_KIND_UINT:
        return power;
    case TESS_KIND_FLOAT:
        return power && d->size > 1;
    default:
        return false;
    }
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
keys_of(const struct counting *c, uint64_t *to, const uint8_t *items, int64_t n)
{
    memcpy(to, items, (size_t)n * sizeof *to);
    for (int64_t i = 0; c->turned && i < n; i++)
        to[i] = __builtin_bswap64(to[i]);
    for (int64_t i = 0; i < n; i++)
        to[i] = bins_key(&c->bins, to[i]);
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

// -- bins of equal width

// In which bin numbers are, about: not outside, NaNs anywhere. Vectors.
static void
estimate(const struct bins *b, int32_t *restrict bin, const double *restrict x, int64_t n)
{
    const double lo = b->lo, scale = b->scale, last = (double)(b->n - 1);
    for (int64_t i = 0; i < n; i++) {
        double at = (x[i] - lo) * scale;
        at = at < last ? at : last;
        at = at > 0 ? at : 0;
        bin[i] = (int32_t)at;
    }
}

static void
equal_slots(const struct bins *b, const double *x, int64_t n, int32_t *restrict slots)
{
    const double *const low = b->low;
    const int32_t above = (int32_t)b->n + 1;
    int64_t outside = 0;
    estimate(b, slots, x, n);
    for (int64_t i = 0; i < n; i++) {
        const int32_t bin = slots[i];
        slots[i] = bin + 1 - (x[i] < low[bin]) + (x[i] >= low[bin + 1]);
        outside += !(x[i] <= b->top);
    }
    for (int64_t i = 0; i < n && outside > 0; i++)
        if (!(x[i] <= b->top))
            slots[i] = isnan(x[i]) ? above + 1 : above;
}

static void
equal_slots_of_keys(const struct bins *b, const uint64_t *keys, int64_t n, int32_t *restrict slots)
{
    const uint64_t *const low = b->low_key;
    const int32_t above = (int32_t)b->n + 1;
    double x[PIECE];
    for (int64_t i = 0; i < n; i++)
        x[i] = b->is_signed ? (double)(int64_t)(keys[i] ^ UINT64_C(1) << 63) : (double)keys[i];
    estimate(b, slots, x, n);
    for (int64_t i = 0; i < n; i++) {
        const int32_t bin = slots[i];
        const int32_t slot = bin + 1 - (keys[i] < low[bin]) + (keys[i] >= low[bin + 1]);
        slots[i] = slot;
    }
    for (int64_t i = 0; i < n; i++)
        if (keys[i] > b->top_key)
            slots[i] = above;
        else if (slots[i] == above) // the number behind the last lower edge is one of the type
            slots[i]--;
}

// -- counters

static bool
by_value(const struct counting *c)
{
    return c->dtype.size <= 2;
}

struct counter *
counter_new(const struct counting *c)
{
    const size_t n = (size_t)c->bins.n + BINS_SLOTS;
    struct counter *const k = mem_zeroed(1, sizeof *k);
    if (!k)
        return NULL;
    atomic_flag_clear(&k->busy);
    if (by_value(c))
        k->values = mem_zeroed(c->dtype.size == 1 ? VALUES1 * LANES : VALUES2, sizeof *k->values);
    k->slots[0] = mem_zeroed(2 * n, sizeof *k->slots[0]);
    if ((by_value(c) && !k->values) || !k->slots[0]) {
        counter_free(k);
        return NULL;
    }
    k->slots[1] = k->slots[0] + n;
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
    for (; i + LANES <= n; i += LANES) {
        values[items[i]]++;
        values[VALUES1 + items[i + 1]]++;
        values[2 * VALUES1 + items[i + 2]]++;
        values[3 * VALUES1 + items[i + 3]]++;
    }
    for (; i < n; i++)
        values[items[i]]++;
}

static void
count_values2(uint32_t *values, const uint8_t *items, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint16_t bits;
        memcpy(&bits, items + 2 * i, sizeof bits);
        values[bits]++;
    }
}

static void
count_numbers(struct counter *k, const struct counting *c, const uint8_t *items, int64_t n)
{
    const struct bins *const b = &c->bins;
    int32_t slots[PIECE];
    if (b->whole) {
        uint64_t keys[PIECE];
        keys_of(c, keys, items, n);
        (b->equal ? equal_slots_of_keys : bins_slots_of_keys)(b, keys, n, slots);
    } else {
        double x[PIECE];
        doubles_of(c, x, items, n);
        (b->equal ? equal_slots : bins_slots)(b, x, n, slots);
    }
    int64_t i = 0;
    for (; i + 1 < n; i += 2) {
        k->slots[0][slots[i]]++;
        k->slots[1][slots[i + 1]]++;
    }
    if (i < n)
        k->slots[0][slots[i]]++;
}

// Counts of values to slots.
static void
move_values(struct counter *k, const struct counting *c)
{
    const int64_t n = c->dtype.size == 1 ? VALUES1 * LANES : VALUES2;
    for (int64_t v = 0; v < n; v++) {
        const uint16_t two = (uint16_t)v;
        const uint8_t one = (uint8_t)v;
        uint8_t item[2] = {one, 0};
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
    for (int64_t i = 0; i < n; i++)
        slots[i] += k->slots[0][i] + k->slots[1][i];
}
