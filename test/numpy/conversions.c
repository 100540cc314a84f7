/*
 * conversions.c - items of random types and values read and written as other types, written down
 * for conversions.py.
 *
 * Each case is an array in memory, items that are often where types end, and one call. What went in
 * and what came out is told (tell.h), byte for byte; nothing is compared here. Case i is drawn from
 * the seed plus i alone, and the types and what happens to misfits run through all combinations.
 */
#include "numpy/tell.h"
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TYPES = 29, TIMES = 16, ITEMS_MAX = 64, ITEM_MAX = 16, MISFITS = 3 };

static const struct type {
    const char *dtype; // bfloat16 is told as |V2
    int size, word;
} types[TYPES] = {
    {"|b1", 1, 1},     {"|i1", 1, 1},   {"|u1", 1, 1}, {"<i2", 2, 2},      {">i2", 2, 2},
    {"<u2", 2, 2},     {">u2", 2, 2},   {"<i4", 4, 4}, {">i4", 4, 4},      {"<u4", 4, 4},
    {">u4", 4, 4},     {"<i8", 8, 8},   {">i8", 8, 8}, {"<u8", 8, 8},      {">u8", 8, 8},
    {"<f2", 2, 2},     {">f2", 2, 2},   {"<f4", 4, 4}, {">f4", 4, 4},      {"<f8", 8, 8},
    {">f8", 8, 8},     {"<c8", 8, 4},   {">c8", 8, 4}, {"<c16", 16, 8},    {">c16", 16, 8},
    {"float32", 4, 4}, {"int16", 2, 2}, {"?", 1, 1},   {"bfloat16", 2, 2},
};

static const struct type times[TIMES] = {
    {"<M8[Y]", 8, 8},    {"<M8[M]", 8, 8},  {"<M8[W]", 8, 8},   {">M8[D]", 8, 8},
    {"<M8[h]", 8, 8},    {"<M8[3h]", 8, 8}, {"<M8[s]", 8, 8},   {"<M8[ms]", 8, 8},
    {"<M8[25us]", 8, 8}, {">M8[ns]", 8, 8}, {"<m8[Y]", 8, 8},   {"<m8[M]", 8, 8},
    {"<m8[D]", 8, 8},    {"<m8[s]", 8, 8},  {"<m8[7us]", 8, 8}, {"<m8[as]", 8, 8},
};

// -- items

static uint64_t
draw_integer(struct random *r)
{
    const int bits = (int)below(r, 65);
    const uint64_t power = bits < 64 ? UINT64_C(1) << bits : 0; // 0: 2^64
    const uint64_t near = power + (uint64_t)below(r, 5) - 2;
    switch (below(r, 4)) {
    case 0:
        return (uint64_t)below(r, 7) - 3;
    case 1:
        return near;
    case 2:
        return 0 - near;
    default:
        return random_next(r) >> below(r, 64);
    }
}

static double
draw_float(struct random *r)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     0.5,
                                     -0.5,
                                     1.5,
                                     2.5,
                                     -0.9,
                                     -1.0,
                                     127.5,
                                     255.99,
                                     65519.99,
                                     65520.0,
                                     65504.0,
                                     0x1p-24,
                                     0x1p-25,
                                     0x1.8p-25,
                                     0x1p-149,
                                     0x1p-150,
                                     0x1.8p-150,
                                     0x1p-1074,
                                     0x1.fffffep127,
                                     0x1.ffffffp127,
                                     0x1.fffffefffffffp127,
                                     0x1.fep127,
                                     0x1.ffp127,
                                     0x1.fefffffffffffp127,
                                     1e300,
                                     -1e39,
                                     0x1p-133,
                                     0x1p-134,
                                     32767.5,
                                     -32768.5,
                                     -32769.0,
                                     4294967295.5};
    uint64_t bits = random_next(r);
    double x;
    switch (below(r, 6)) {
    case 0:
        return special[below(r, sizeof special / sizeof *special)];
    case 1:
        return (double)(int64_t)draw_integer(r);
    case 2:
        return (double)draw_integer(r) + 0.25 * (double)below(r, 4);
    case 3:
        if (below(r, 2)) // infinite, or NaN
            bits = UINT64_C(0x7ff0000000000000) | (bits & UINT64_C(0x8008000000000000));
        memcpy(&x, &bits, sizeof x);
        return x;
    case 4:
        return ((double)below(r, 2001) - 1000) / 8;
    default:
        bits = (bits & UINT64_C(0x800fffffffffffff)) | (uint64_t)(1023 - 160 + below(r, 320)) << 52;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
}

static void
turn(const struct type *t, uint8_t *item)
{
    const uint16_t probe = 1;
    const bool big = *(const uint8_t *)&probe == 0;
    if (strcmp(t->dtype, "bfloat16") == 0 || (t->dtype[0] == '>') == big)
        return;
    for (int k = 0; k < t->size; k += t->word)
        for (int i = 0; i < t->word / 2; i++) {
            const uint8_t byte = item[k + i];
            item[k + i] = item[k + t->word - 1 - i];
            item[k + t->word - 1 - i] = byte;
        }
}

// A number of a type, in the order of the machine. Little endian machines: the low bytes come
// first.
static void
draw_item(struct random *r, const struct type *t, uint8_t *item)
{
    const char kind = t->dtype[1];
    const bool complex = kind == 'c', single = t->word == 4;
    const uint64_t whole = draw_integer(r);
    memset(item, 0, ITEM_MAX);
    if (strcmp(t->dtype, "bfloat16") == 0 || kind == 'b' || t->size == 1 ||
        (kind == 'f' && t->size == 2)) {
        random_bytes(r, item, (size_t)t->size);
        if (kind == 'b' && below(r, 2))
            item[0] = (uint8_t)below(r, 2);
    } else if (kind == 'f' || complex || strcmp(t->dtype, "float32") == 0) {
        for (int k = 0; k < t->size; k += t->word) {
            const double x = complex && k > 0 && below(r, 2) ? 0.0 : draw_float(r);
            const float narrow = (float)x;
            memcpy(item + k, single ? (const void *)&narrow : &x, (size_t)t->word);
        }
    } else if (t->word == 2) {
        memcpy(item, &(uint16_t){(uint16_t)whole}, 2);
    } else if (t->word == 4) {
        memcpy(item, &(uint32_t){(uint32_t)whole}, 4);
    } else {
        memcpy(item, &whole, 8);
    }
    turn(t, item);
}

// Counts of time that stay where NumPy calculates them right, at times not.
static void
draw_time(struct random *r, const struct type *t, uint8_t *item)
{
    uint64_t count = draw_integer(r);
    if (below(r, 3))
        count = (uint64_t)(below(r, 400001) - 200000);
    if (below(r, 10) == 0)
        count = UINT64_C(1) << 63; // NaT
    memcpy(item, &count, sizeof count);
    turn(t, item);
}

// -- calls

static tess_number
draw_number(struct random *r)
{
    tess_number x = {.kind = TESS_KIND_INT};
    switch (below(r, 3)) {
    case 0:
        x.i = below(r, 3) ? below(r, 300) - 150 : (int64_t)draw_integer(r);
        break;
    case 1:
        x.kind = TESS_KIND_UINT;
        x.u = below(r, 3) ? (uint64_t)below(r, 300) : draw_integer(r);
        break;
    default:
        x.kind = TESS_KIND_FLOAT;
        x.f = below(r, 3) ? (double)(below(r, 600) - 300) / 4 : draw_float(r);
    }
    return x;
}

// One of the items, as a number, so that some are missing.
static tess_number
number_of(struct random *r, const struct type *t, const uint8_t *items, int64_t n)
{
    uint8_t item[ITEM_MAX];
    const char kind = t->dtype[1];
    memcpy(item, items + below(r, n) * t->size, (size_t)t->size);
    turn(t, item);
    if (kind == 'i' && t->size == 2)
        return (tess_number){.kind = TESS_KIND_INT, .i = *(int16_t *)(void *)item};
    if (kind == 'i' && t->size == 1)
        return (tess_number){.kind = TESS_KIND_INT, .i = (int8_t)*item};
    if (kind == 'u' && t->size == 1)
        return (tess_number){.kind = TESS_KIND_UINT, .u = *item};
    if (kind == 'f' && t->size == 8)
        return (tess_number){.kind = TESS_KIND_FLOAT, .f = *(double *)(void *)item};
    if (kind == 'f' && t->size == 4)
        return (tess_number){.kind = TESS_KIND_FLOAT, .f = (double)*(float *)(void *)item};
    return draw_number(r);
}

static void
draw_how(struct random *r, const struct type *stored, const uint8_t *items, int64_t n,
         tess_conversion *how)
{
    static const double scales[] = {2, 0.5, 0.01, 1e-3, -1, 1.0 / 3, 1e10};
    if (below(r, 2)) {
        how->scale = scales[below(r, sizeof scales / sizeof *scales)];
        how->offset = below(r, 3) ? (double)(below(r, 2000) - 1000) / 10 : 0;
    }
    if (below(r, 2)) {
        how->nmissing = 1 + (int)below(r, TESS_MISSING_MAX);
        for (int i = 0; i < how->nmissing; i++)
            how->missing[i] = below(r, 2) ? number_of(r, stored, items, n) : draw_number(r);
    }
    if (below(r, 4) == 0)
        how->least = draw_number(r);
    if (below(r, 4) == 0)
        how->most = draw_number(r);
    if (how->least.kind == TESS_KIND_FLOAT && how->least.f != how->least.f)
        how->least.kind = (tess_kind)0;
    if (how->most.kind == TESS_KIND_FLOAT && how->most.f != how->most.f)
        how->most.kind = (tess_kind)0;
}

static void
tell_numbers(int n, const tess_number *list)
{
    int64_t kinds[TESS_MISSING_MAX], ints[TESS_MISSING_MAX];
    double floats[TESS_MISSING_MAX];
    for (int i = 0; i < n; i++) {
        kinds[i] = list[i].kind;
        ints[i] = list[i].kind == TESS_KIND_UINT ? (int64_t)list[i].u : list[i].i;
        floats[i] = list[i].f;
    }
    tell_integers(n, kinds);
    tell_integers(n, ints);
    tell_floats(n, floats);
}

static const char *
told_type(const struct type *t)
{
    return strcmp(t->dtype, "bfloat16") == 0 ? "|V2" : t->dtype;
}

// "item [12] does not fit in <f4": 12; -1 for other messages.
static int64_t
misfit_at(const char *message)
{
    const char *const at = strstr(message, "item [");
    return at ? strtoll(at + 6, NULL, 10) : -1;
}

static void
convert(bool writing, const struct type *from, const struct type *to, int64_t n,
        const uint8_t *items, const tess_conversion *how)
{
    const struct type *const stored = writing ? to : from;
    const size_t from_size = (size_t)(n * from->size), to_size = (size_t)(n * to->size);
    const int64_t start = 0;
    uint8_t result[ITEMS_MAX * ITEM_MAX] = {0};
    tess_storage memory;
    tess_params p;
    tess_array *a;
    tess_error error = {0};

    tess_storage_init(&memory);
    tess_params_init(&p);
    p.ndim = 1;
    p.shape[0] = n;
    p.dtype = stored->dtype;
    if (writing)
        ok(tess_array_zeros(&memory, &p, &a, err));
    else
        ok(tess_array_from(&memory, &p, items, from_size, &a, err));
    const tess_status st =
        writing
            ? tess_array_write_as(a, &start, &n, from->dtype, how, items, from_size, NULL, &error)
            : tess_array_read_as(a, &start, &n, to->dtype, how, result, to_size, NULL, &error);
    if (writing)
        ok(tess_array_read(a, &start, &n, result, to_size, err));
    ok(tess_array_close(a, err));
    tell_begin(writing ? "write" : "read");
    tell_text("from", from->dtype);
    tell_text("to", to->dtype);
    tell_number("misfit", how->misfit);
    tell_number("status", st);
    tell_number("at", st == TESS_OK ? -1 : misfit_at(error.message));
    tell_end();
    tell_floats(2, (const double[]){how->scale, how->offset});
    tell_numbers(how->nmissing, how->missing);
    tell_numbers(2, (const tess_number[]){how->least, how->most});
    tell_items(told_type(from), (size_t)from->size, 1, &n, items);
    tell_items(told_type(to), (size_t)to->size, 1, &n, result);
}

// All pairs, misfits and directions, and with or without more, come before one comes again.
static void
live(struct random *r, uint64_t seed)
{
    const uint64_t all = (TYPES * TYPES + TIMES * TIMES) * MISFITS * 2;
    int64_t rest = (int64_t)(seed % all);
    const bool plain = seed / all % 2; // nothing but the types
    bool writing = rest % 2;
    tess_conversion how;
    uint8_t items[ITEMS_MAX * ITEM_MAX];
    const int64_t n = 1 + below(r, ITEMS_MAX);

    tess_conversion_init(&how);
    how.misfit = (int)(rest / 2 % MISFITS);
    rest /= 2 * MISFITS;
    const bool time = rest >= TYPES * TYPES;
    const int64_t pair = time ? rest - TYPES * TYPES : rest, most = time ? TIMES : TYPES;
    const struct type *const from = (time ? times : types) + pair / most;
    const struct type *const to = (time ? times : types) + pair % most;
    if (to->dtype == types[TYPES - 1].dtype) // of memory only
        writing = false;
    if (from->dtype == types[TYPES - 1].dtype)
        writing = true;
    if (to->dtype == from->dtype && !strcmp(to->dtype, "bfloat16"))
        return;
    for (int64_t i = 0; i < n; i++) {
        uint8_t item[ITEM_MAX];
        (time ? draw_time : draw_item)(r, from, item);
        memcpy(items + i * from->size, item, (size_t)from->size);
    }
    if (!plain && !time && from->dtype[1] != 'c' && to->dtype[1] != 'c')
        draw_how(r, writing ? to : from, items, n, &how);
    convert(writing, from, to, n, items, &how);
}

int
main(void)
{
    struct random r;
    const uint64_t seed = random_seed();
    const int64_t cases = random_cases(14000, 200000);
    for (int64_t i = 0; i < cases; i++) {
        random_init(&r, seed + (uint64_t)i);
        tell_begin("case");
        tell_number("seed", (int64_t)(seed + (uint64_t)i));
        tell_end();
        live(&r, seed + (uint64_t)i);
    }
    tell_finish();
    return 0;
}
