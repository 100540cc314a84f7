/*
 * prepare.c - items as they are stored, made into numbers that kernels reduce.
 *
 * Extremes of floats are those of integers in the same order, of which compilers make vectors and
 * which know no NaN: a NaN becomes what changes no extreme, and is counted apart.
 */
#include "compute/reduce/private.h"

#include "base/half.h"
#include "base/swap.h"
#include "compute/reduce/kernels.h"
#include "compute/reduce/reduce.h"
#include "meta/dtype.h"

#include <string.h>

static int
log_size(int32_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

// What kernels get.
static enum numeric
numeric_of(const struct gathering *g)
{
    const bool extreme = g->kind == GATHER_LEAST || g->kind == GATHER_GREATEST;
    const bool is_float = g->dtype.kind == TESS_KIND_FLOAT;
    if (g->truth)
        return NUMERIC_U1;
    if (g->kind == GATHER_FLOAT || g->kind == GATHER_SQUARES)
        return g->dtype.size <= 4 ? NUMERIC_F4 : NUMERIC_F8;
    if ((is_float && extreme) || g->dtype.kind == TESS_KIND_INT)
        return (enum numeric)(NUMERIC_I1 + log_size(g->dtype.size));
    return (enum numeric)(NUMERIC_U1 + log_size(g->dtype.size));
}

bool
gathering_init(struct gathering *g, enum gather_kind kind, const tess_dtype *dtype, bool truth,
               bool skip_nan)
{
    static const size_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
    const bool extreme = kind == GATHER_LEAST || kind == GATHER_GREATEST;
    const bool is_float = dtype->kind == TESS_KIND_FLOAT;
    *g = (struct gathering){.kind = kind, .dtype = *dtype, .skip_nan = skip_nan && is_float};
    g->truth = truth || dtype->kind == TESS_KIND_BOOL;
    g->turn = dtype_is_turned(dtype);
    g->missing = is_float && !truth && (skip_nan || extreme);
    g->number = numeric_of(g);
    g->size = sizes[g->number];
    return dtype_is_number(dtype);
}

// -- NaNs

static bool
find_nans(const void *items, int32_t size, size_t n, uint8_t *mask)
{
    return kernel_nans(size)(items, n, mask);
}

// What NaNs become instead.
#define REPLACE(name, type)                                                  \
    static void name(void *items, const uint8_t *mask, size_t n, type value) \
    {                                                                        \
        type *const x = items;                                               \
        for (size_t k = 0; k < n; k++)                                       \
            x[k] = mask[k] ? value : x[k];                                   \
    }

REPLACE(replace2, int16_t)
REPLACE(replace4, int32_t)
REPLACE(replace8, int64_t)

static void
order(void *items, int32_t size, size_t n)
{
    kernel_order(size)(items, n);
}

static void
replace_nans(const struct gathering *g, void *items, const uint8_t *mask, size_t n)
{
    const bool least = g->kind == GATHER_LEAST, most = g->kind == GATHER_GREATEST;
    if (g->dtype.size == 2)
        replace2(items, mask, n, least ? INT16_MAX : most ? INT16_MIN : 0);
    else if (g->dtype.size == 4)
        replace4(items, mask, n, least ? INT32_MAX : most ? INT32_MIN : 0);
    else
        replace8(items, mask, n, least ? INT64_MAX : most ? INT64_MIN : 0);
}

// -- conversions

#define TRUTH(name, type, rest)                                         \
    static void name(uint8_t *restrict to, const void *items, size_t n) \
    {                                                                   \
        const type *const x = items;                                    \
        for (size_t k = 0; k < n; k++)                                  \
            to[k] = (x[k] & (rest)) != 0;                               \
    }

TRUTH(truth1, uint8_t, UINT8_MAX)
TRUTH(truth2, uint16_t, UINT16_MAX)
TRUTH(truth4, uint32_t, UINT32_MAX)
TRUTH(truth8, uint64_t, UINT64_MAX)
TRUTH(truth_f2, uint16_t, INT16_MAX) // -0 is 0
TRUTH(truth_f4, uint32_t, INT32_MAX)
TRUTH(truth_f8, uint64_t, INT64_MAX)

static void
make_truth(const struct gathering *g, uint8_t *to, const uint8_t *items, size_t n)
{
    static void (*const table[2][4])(uint8_t *restrict, const void *, size_t) = {
        {truth1, truth2, truth4, truth8}, {NULL, truth_f2, truth_f4, truth_f8}};
    table[g->dtype.kind == TESS_KIND_FLOAT][log_size(g->dtype.size)](to, items, n);
}

#define CONVERT(name, from, type)                                    \
    static void name(void *restrict to, const void *items, size_t n) \
    {                                                                \
        const from *const x = items;                                 \
        type *const y = to;                                          \
        for (size_t k = 0; k < n; k++)                               \
            y[k] = (type)x[k];                                       \
    }

CONVERT(from_i8, int64_t, double)
CONVERT(from_u8, uint64_t, double)

// Halves, and integers of 8 bytes, whose squares have no exact sums.
static void
make_float(const struct gathering *g, void *to, const uint8_t *items, size_t n)
{
    if (g->dtype.kind == TESS_KIND_FLOAT)
        halves_to_floats(to, (const uint16_t *)(const void *)items, n);
    else if (g->dtype.kind == TESS_KIND_INT)
        from_i8(to, items, n);
    else
        from_u8(to, items, n);
}

static bool
needs_float(const struct gathering *g)
{
    return (g->kind == GATHER_FLOAT || g->kind == GATHER_SQUARES) &&
           (g->dtype.kind != TESS_KIND_FLOAT || g->dtype.size == 2);
}

void
gathering_prepare(const struct gathering *g, uint8_t *items, size_t n, uint8_t *room,
                  uint8_t *mask_room, const void **numbers, const uint8_t **mask)
{
    const bool is_float = g->dtype.kind == TESS_KIND_FLOAT;
    const bool extreme = g->kind == GATHER_LEAST || g->kind == GATHER_GREATEST;
    *numbers = items;
    *mask = NULL;
    if (g->turn)
        swap_bytes(items, n * (size_t)g->dtype.size, (size_t)g->dtype.size);
    if (g->truth) {
        // A NaN that is left out is as no item: 0 is that for any, and all knows none that is 0.
        if (is_float && g->skip_nan && g->kind == GATHER_GREATEST &&
            find_nans(items, g->dtype.size, n, mask_room))
            replace_nans(&(struct gathering){.kind = GATHER_FLOAT, .dtype = g->dtype}, items,
                         mask_room, n);
        make_truth(g, room, items, n);
        *numbers = room;
        return;
    }
    if (g->missing && find_nans(items, g->dtype.size, n, mask_room))
        *mask = mask_room;
    if (g->kind == GATHER_NOTHING)
        *numbers = NULL;
    if (extreme && is_float)
        order(items, g->dtype.size, n);
    if (*mask && g->kind != GATHER_SQUARES && g->kind != GATHER_NOTHING)
        replace_nans(g, items, *mask, n);
    if (needs_float(g)) {
        make_float(g, room, items, n);
        *numbers = room;
    }
}

void
gathering_unorder(const struct gathering *g, uint8_t *numbers, size_t n)
{
    if (g->dtype.kind == TESS_KIND_FLOAT && !g->truth)
        order(numbers, g->dtype.size, n);
}
