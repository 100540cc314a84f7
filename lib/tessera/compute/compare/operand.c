/*
 * operand.c - the items of one side of a comparison, as numbers of the machine.
 */
#include "compute/compare/operand.h"

#include "base/half.h"
#include "base/swap.h"
#include "meta/dtype.h"
#include "ndcopy/ndcopy.h"

#include <string.h>

static const struct {
    tess_kind kind;
    int32_t size;
    enum comparable type;
} types[] = {
    {TESS_KIND_BOOL, 1, COMPARABLE_U1},     {TESS_KIND_INT, 1, COMPARABLE_I1},
    {TESS_KIND_INT, 2, COMPARABLE_I2},      {TESS_KIND_INT, 4, COMPARABLE_I4},
    {TESS_KIND_INT, 8, COMPARABLE_I8},      {TESS_KIND_UINT, 1, COMPARABLE_U1},
    {TESS_KIND_UINT, 2, COMPARABLE_U2},     {TESS_KIND_UINT, 4, COMPARABLE_U4},
    {TESS_KIND_UINT, 8, COMPARABLE_U8},     {TESS_KIND_FLOAT, 2, COMPARABLE_F4},
    {TESS_KIND_FLOAT, 4, COMPARABLE_F4},    {TESS_KIND_FLOAT, 8, COMPARABLE_F8},
    {TESS_KIND_DATETIME, 8, COMPARABLE_I8}, {TESS_KIND_TIMEDELTA, 8, COMPARABLE_I8},
};

void
operand_init(struct operand *o, const tess_array *a)
{
    *o = (struct operand){.a = a, .dtype = dtype_parse(a->nd.dtype), .type = COMPARABLE_COUNT};
    if (a->nd.dtype_format != 0 || o->dtype.size != a->g->typesize) {
        o->dtype.kind = TESS_KIND_OPAQUE;
        return;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == o->dtype.kind && types[i].size == o->dtype.size)
            o->type = types[i].type;
    o->turned = dtype_is_turned(&o->dtype);
    o->half = o->dtype.kind == TESS_KIND_FLOAT && o->dtype.size == 2;
    o->truth = o->dtype.kind == TESS_KIND_BOOL;
    o->time = o->dtype.kind == TESS_KIND_DATETIME || o->dtype.kind == TESS_KIND_TIMEDELTA;
    if (o->time && !time_unit_parse(a->nd.dtype, &o->unit))
        o->type = COMPARABLE_COUNT;
}

enum comparable
operand_widest(const struct operand *o)
{
    return o->type >= COMPARABLE_F4   ? COMPARABLE_F8
           : o->type >= COMPARABLE_U1 ? COMPARABLE_U8
                                      : COMPARABLE_I8;
}

#define WIDEN(name, type, member)                                                   \
    static void widen_##name(const void *items, size_t n, union operand_room *wide) \
    {                                                                               \
        const type *const x = items;                                                \
        for (size_t k = 0; k < n; k++)                                              \
            wide->member[k] = x[k];                                                 \
    }

WIDEN(i1, int8_t, i8)
WIDEN(i2, int16_t, i8)
WIDEN(i4, int32_t, i8)
WIDEN(u1, uint8_t, u8)
WIDEN(u2, uint16_t, u8)
WIDEN(u4, uint32_t, u8)
WIDEN(f4, float, f8)

static void (*const wideners[COMPARABLE_COUNT])(const void *items, size_t n,
                                                union operand_room *wide) = {
    [COMPARABLE_I1] = widen_i1, [COMPARABLE_I2] = widen_i2, [COMPARABLE_I4] = widen_i4,
    [COMPARABLE_U1] = widen_u1, [COMPARABLE_U2] = widen_u2, [COMPARABLE_U4] = widen_u4,
    [COMPARABLE_F4] = widen_f4,
};

// Items of 2 bytes, in their own room.
static void
widen_halves(union operand_room *own, size_t n)
{
    uint16_t halves[OPERAND_PIECE];
    memcpy(halves, own->bytes, n * sizeof *halves);
    halves_to_floats(own->f4, halves, n);
}

const void *
operand_load(const struct operand *o, const uint8_t *items, int64_t stride, size_t n, bool widen,
             union operand_room *own, union operand_room *wide)
{
    const int64_t size = o->dtype.size, count = (int64_t)n;
    const void *loaded = items;
    if (stride != size || o->turned || o->half || o->truth) {
        ndcopy(1, &count, size, own->bytes, &size, items, &stride);
        if (o->turned)
            swap_bytes(own->bytes, n * (size_t)size, (size_t)size);
        if (o->half)
            widen_halves(own, n);
        for (size_t k = 0; k < n && o->truth; k++)
            own->bytes[k] = own->bytes[k] != 0;
        loaded = own->bytes;
    }
    if (!widen || !wideners[o->type])
        return loaded;
    wideners[o->type](loaded, n, wide);
    return wide->bytes;
}
