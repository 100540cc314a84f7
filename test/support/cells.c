/*
 * cells.c - random arrays of numbers, and their items in cells, slow and obvious.
 */
#include "support/cells.h"

#include "support/files.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS_MAX = 4000 };

static const char *const dtypes[] = {"|b1", "|i1", "<i2", ">i2", "<i4", ">i4", "<i8",
                                     ">i8", "|u1", "<u2", ">u2", "<u4", ">u4", "<u8",
                                     ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

// -- numbers

static long double
half_of(uint64_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = (double)(bits & 1023);
    const double x = exponent == 31  ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                     : exponent == 0 ? ldexp(fraction, -24)
                                     : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -x : x;
}

struct number
number_of(const tess_dtype *dtype, const uint8_t *item)
{
    struct number x = {.is_real = dtype->kind == TESS_KIND_FLOAT};
    const int unused = 64 - 8 * dtype->size;
    uint64_t bits = 0;
    float f;
    double d;
    for (int32_t k = 0; k < dtype->size; k++)
        bits = bits << 8 | item[dtype->order == '>' ? k : dtype->size - 1 - k];
    const uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    if (x.is_real)
        x.real = dtype->size == 2 ? half_of(bits) : dtype->size == 4 ? (long double)f : d;
    else if (dtype->kind == TESS_KIND_INT)
        x.whole = (int64_t)(bits << unused) >> unused;
    else
        x.whole = dtype->kind == TESS_KIND_BOOL ? bits != 0 : bits;
    return x;
}

long double
number_real(const struct number *x)
{
    return x->is_real ? x->real : (long double)x->whole;
}

static void
put_real(const tess_dtype *dtype, double x, uint8_t *item)
{
    const float f = (float)x;
    uint64_t bits = 0;
    uint32_t low;
    memcpy(&low, &f, sizeof low);
    memcpy(&bits, &x, sizeof bits);
    if (dtype->size == 4)
        bits = low;
    for (int32_t k = 0; k < dtype->size; k++)
        item[dtype->order == '>' ? dtype->size - 1 - k : k] = (uint8_t)(bits >> 8 * k);
}

// -- arrays

struct recipe {
    int small; // so many bytes of integers are 0
    bool nans, infinities;
};

static void
draw_item(struct random *r, const struct subject *s, const struct recipe *recipe, uint8_t *item)
{
    const size_t size = (size_t)s->dtype.size;
    random_bytes(r, item, size);
    if (s->dtype.kind == TESS_KIND_FLOAT && size > 2) {
        double x = ldexp((double)below(r, 1 << 20) - (1 << 19), (int)below(r, 30) - 25);
        if (recipe->nans && below(r, 5) == 0)
            x = (double)NAN;
        if (recipe->infinities && below(r, 40) == 0)
            x = below(r, 2) == 0 ? (double)INFINITY : -(double)INFINITY;
        put_real(&s->dtype, x, item);
    } else if (s->dtype.kind == TESS_KIND_FLOAT) {
        uint8_t *const high = &item[s->dtype.order == '>' ? 0 : 1];
        if (!recipe->nans && (*high & 0x7c) == 0x7c)
            *high = (uint8_t)(*high & 0x83);
    } else if (s->dtype.kind == TESS_KIND_BOOL) {
        item[0] = below(r, 3) == 0 ? item[0] : 0;
    } else {
        for (size_t k = 0; k < size && (int)k < recipe->small; k++)
            item[s->dtype.order == '>' ? k : size - 1 - k] = 0;
    }
}

// Some boxes are written, some of them with one value; others never.
static void
fill_base(struct subject *s, struct random *r, const int64_t *shape)
{
    const struct recipe recipe = {(int)below(r, 4), below(r, 2) == 0, below(r, 4) == 0};
    const size_t size = (size_t)s->dtype.size;
    for (int64_t n = below(r, 4); n >= 0; n--) {
        int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
        size_t nitems = 1;
        for (int i = 0; i < s->ndim; i++) {
            const bool all = below(r, 2) == 0;
            start[i] = all ? 0 : below(r, shape[i] + 1);
            stop[i] = all ? shape[i] : start[i] + below(r, shape[i] - start[i] + 1);
            nitems *= (size_t)(stop[i] - start[i]);
        }
        uint8_t *const items = malloc(nitems * size + 1);
        assert_non_null(items);
        const bool equal = below(r, 3) == 0;
        for (size_t k = 0; k < nitems; k++)
            if (k > 0 && equal)
                memcpy(items + k * size, items, size);
            else
                draw_item(r, s, &recipe, items + k * size);
        ok(tess_array_write(s->base, start, stop, items, nitems * size, err));
        free(items);
    }
}

static void
draw_view(struct subject *s, struct random *r)
{
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM];
    tess_array *slice;
    tess_info info;
    tess_array_info(s->base, &info);
    for (int i = 0; i < s->ndim; i++) {
        start[i] = below(r, info.shape[i] + 1);
        stop[i] = start[i] + below(r, info.shape[i] - start[i] + 1);
        step[i] = 1 + below(r, 2);
    }
    ok(tess_array_view_slice(s->base, start, stop, step, &slice, err));
    if (below(r, 2) == 0) {
        s->a = slice;
        return;
    }
    ok(tess_array_view_permute(slice, NULL, &s->a, err));
    ok(tess_array_close(slice, err));
}

void
subject_open(struct subject *s, struct random *r)
{
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    tess_storage storage;
    tess_params params;
    tess_info info;

    memset(s, 0, sizeof *s);
    tess_storage_init(&storage);
    tess_context_init(&s->context);
    s->context.threads = 1 + (int)below(r, 3);
    s->context.memory = below(r, 3) == 0 ? 1 + below(r, 4000) : s->context.memory;
    storage.context = &s->context;
    tess_params_init(&params);
    params.dtype = dtypes[below(r, DTYPES)];
    s->dtype = tess_dtype_parse(params.dtype);
    params.ndim = s->ndim = (int)below(r, 5);
    const bool empty = below(r, 12) == 0;
    const bool colours = s->ndim > 1 && below(r, 2) == 0; // the last axis
    const int64_t width = 1 + below(r, 7);
    for (int64_t i = 0, left = ITEMS_MAX / (colours ? width : 1); i < s->ndim; i++) {
        const bool colour = colours && i == s->ndim - 1;
        const bool whole = colour && !empty && below(r, 4) > 0;
        const bool last = i == s->ndim - 1 - colours;
        const int64_t most = last && below(r, 2) == 0 ? left : left < 30 ? left : 30;
        params.shape[i] = empty ? below(r, 4) : colour ? width : 1 + below(r, most);
        params.chunkshape[i] = whole ? params.shape[i] : 1 + below(r, params.shape[i] + 1);
        params.blockshape[i] = whole ? params.chunkshape[i] : 1 + below(r, params.chunkshape[i]);
        left = params.shape[i] > 0 ? left / params.shape[i] : left;
    }
    ok(tess_array_zeros(&storage, &params, &s->base, err));
    fill_base(s, r, params.shape);
    s->a = s->base;
    if (s->ndim > 0 && below(r, 4) == 0)
        draw_view(s, r);
    tess_array_info(s->a, &info);
    memcpy(s->shape, info.shape, sizeof s->shape);
    s->nitems = info.nitems;
    const size_t size = (size_t)(s->nitems * s->dtype.size);
    s->items = malloc(size + 1);
    assert_non_null(s->items);
    ok(tess_array_read(s->a, zeros, s->shape, s->items, size, err));
}

void
subject_close(struct subject *s)
{
    if (s->a != s->base)
        ok(tess_array_close(s->a, err));
    ok(tess_array_close(s->base, err));
    free(s->items);
}

// -- cells

bool
cells_walk_begin(struct cells_walk *w, const struct subject *s, const int64_t *factors,
                 int64_t *index)
{
    bool any = true;
    w->ndim = s->ndim;
    for (int i = 0; i < s->ndim; i++) {
        w->n[i] = factors[i] == 0 ? 1 : (s->shape[i] + factors[i] - 1) / factors[i];
        any &= w->n[i] > 0;
        index[i] = 0;
    }
    return any;
}

bool
cells_walk_next(const struct cells_walk *w, int64_t *index)
{
    for (int i = w->ndim - 1; i >= 0; i--) {
        if (++index[i] < w->n[i])
            return true;
        index[i] = 0;
    }
    return false;
}

void
cell_collect(struct cell *c, const struct subject *s, const int64_t *factors, const int64_t *index,
             bool skip_nan)
{
    *c = (struct cell){.real = s->dtype.kind == TESS_KIND_FLOAT,
                       .sign = s->dtype.kind != TESS_KIND_UINT};
    int64_t start[TESS_MAX_NDIM], count[TESS_MAX_NDIM];
    for (int i = 0; i < s->ndim; i++) {
        start[i] = index[i] * factors[i];
        const int64_t left = s->shape[i] - start[i];
        count[i] = factors[i] == 0 ? 0 : left < factors[i] ? left : factors[i];
    }
    const int64_t nitems = reference_nitems(s->ndim, count);
    c->items = malloc(((size_t)nitems + 1) * sizeof *c->items);
    assert_non_null(c->items);
    for (c->all = 0; c->all < nitems; c->all++) {
        int64_t at = 0, pitch = 1, rest = c->all;
        for (int i = s->ndim - 1; i >= 0; i--) {
            at += (start[i] + rest % count[i]) * pitch;
            pitch *= s->shape[i];
            rest /= count[i];
        }
        const struct number x = number_of(&s->dtype, s->items + (size_t)(at * s->dtype.size));
        if (!skip_nan || !x.is_real || !isnan(x.real))
            c->items[c->n++] = x;
    }
}

void
cell_finish(struct cell *c)
{
    free(c->items);
}

struct number
cell_extreme(const struct cell *c, bool greatest)
{
    struct number best = {.is_real = c->real, .real = (long double)NAN};
    for (int64_t k = 0; k < c->n; k++) {
        const struct number *const x = &c->items[k];
        const bool more = x->is_real ? x->real > best.real : x->whole > best.whole;
        const bool less = x->is_real ? x->real < best.real : x->whole < best.whole;
        if (x->is_real && isnan(x->real))
            return *x;
        if (k == 0 || (greatest ? more : less))
            best = *x;
    }
    return best;
}
