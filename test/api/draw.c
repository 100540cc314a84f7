/*
 * draw.c - random arrays of all kinds, with the reference of each.
 */
#include "api/draw.h"

#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITEM_MAX = 64 };

const struct draw_type draw_types[DRAW_TYPES] = {
    {"<i4", 4, 4, true},     {">i2", 2, 2, true},  {"<f8", 8, 8, true},   {"|u1", 1, 1, false},
    {"<c8", 8, 4, true},     {"<U3", 12, 4, true}, {"|S5", 5, 5, false},  {">f4", 4, 4, true},
    {"<M8[us]", 8, 8, true}, {NULL, 3, 3, false},  {">c16", 16, 8, true}, {NULL, 1, 1, false},
};

int64_t
draw_below(struct random *r, int64_t n)
{
    return (int64_t)random_below(r, (uint64_t)n);
}

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void *
allocate(size_t size)
{
    void *const p = malloc(size > 0 ? size : 1);
    assert_non_null(p);
    return p;
}

void
draw_items(struct random *r, uint8_t *dst, int64_t n, size_t typesize)
{
    const int64_t style = draw_below(r, 3);
    for (int64_t k = 0; k < n; k++, dst += typesize) {
        const uint64_t x = style == 0 ? (uint64_t)k : style == 1 ? random_next(r) : 7;
        for (size_t j = 0; j < typesize; j++)
            dst[j] = (uint8_t)(x >> 8 * (j % 8));
    }
}

void
draw_shape(struct random *r, int ndim, int64_t most, int64_t *shape)
{
    for (int i = 0; i < ndim; i++) {
        shape[i] = 1 + draw_below(r, i == ndim - 1 ? most : smaller(most, 30));
        most /= shape[i];
    }
    if (ndim > 0 && draw_below(r, 25) == 0)
        shape[draw_below(r, ndim)] = 0;
}

void
draw_layout(struct random *r, const int64_t *shape, tess_params *p)
{
    static const tess_codec codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC,
                                        TESS_CODEC_ZLIB, TESS_CODEC_ZSTD};
    static const uint8_t filters[] = {TESS_FILTER_NONE, TESS_FILTER_SHUFFLE, TESS_FILTER_BITSHUFFLE,
                                      TESS_FILTER_SHUFFLE};
    const bool chosen = draw_below(r, 10) == 0;

    for (int i = 0; i < p->ndim && !chosen; i++) {
        p->chunkshape[i] = 1 + draw_below(r, shape[i] + 2);
        if (shape[i] / p->chunkshape[i] > 5) // not too many
            p->chunkshape[i] = shape[i] / 5;
        p->blockshape[i] = 1 + draw_below(r, p->chunkshape[i]);
    }
    p->codec = codecs[draw_below(r, 5)];
    p->clevel = (int)draw_below(r, 10);
    p->dictionary =
        p->codec != TESS_CODEC_BLOSCLZ && p->codec != TESS_CODEC_ZLIB && draw_below(r, 4) == 0;
    p->split = (tess_split)(TESS_SPLIT_ALWAYS + draw_below(r, 3));
    p->filters[TESS_MAX_FILTERS - 1] = filters[draw_below(r, 4)];
    if (draw_below(r, 4) == 0)
        p->filters[TESS_MAX_FILTERS - 2] = TESS_FILTER_DELTA;
}

void
draw_context(struct random *r, size_t typesize, tess_context *context)
{
    tess_context_init(context);
    context->threads = 1 + (int)draw_below(r, 4);
    if (draw_below(r, 2))
        context->cache = draw_below(r, 2) ? 0 : 3000;
    if (draw_below(r, 3))
        context->memory = (int64_t)typesize * (1 + draw_below(r, draw_below(r, 2) ? 10 : 2000));
}

static void
change_some(struct random *r, tess_array *a, struct reference *ref)
{
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM] = {0};

    if (reference_size(ref) == 0)
        return;
    for (int i = 0; i < ref->ndim; i++) {
        start[i] = draw_below(r, ref->shape[i]);
        stop[i] = start[i] + 1 + draw_below(r, ref->shape[i] - start[i]);
    }
    const size_t size = reference_box_size(ref, start, stop);
    uint8_t *const items = allocate(size);
    draw_items(r, items, (int64_t)(size / ref->typesize), ref->typesize);
    if (draw_below(r, 2)) {
        for (size_t k = ref->typesize; k < size; k += ref->typesize)
            memcpy(items + k, items, ref->typesize);
        ok(tess_array_fill(a, start, stop, NULL, items, ref->typesize, err));
    } else {
        ok(tess_array_write(a, start, stop, items, size, err));
    }
    reference_set(ref, start, stop, items);
    free(items);
}

static void
create(struct random *r, const tess_storage *storage, const tess_params *p, size_t typesize,
       tess_array **a, struct reference *ref)
{
    static const int64_t origin[TESS_MAX_NDIM] = {0};
    const int64_t kind = draw_below(r, 7);
    uint8_t item[ITEM_MAX];

    reference_init(ref, p->ndim, p->shape, typesize);
    const size_t size = reference_size(ref);
    draw_items(r, item, 1, typesize);
    if (kind == 0)
        ok(tess_array_zeros(storage, p, a, err));
    else if (kind == 1)
        ok(tess_array_uninit(storage, p, a, err));
    else if (kind == 2 && (typesize == 4 || typesize == 8))
        ok(tess_array_nan(storage, p, a, err));
    else if (kind == 3)
        ok(tess_array_full(storage, p, item, typesize, a, err));
    else
        draw_items(r, ref->data, (int64_t)(size / typesize), typesize);
    if (*a)
        ok(tess_array_read(*a, origin, p->shape, ref->data, size, err));
    else
        ok(tess_array_from(storage, p, ref->data, size, a, err));
}

// An array that is not a view, in d->a. It may be open for reading only, unless it is to be written
// to.
static void
draw_base(struct random *r, const char *name, const struct draw_type *type, int ndim,
          const int64_t *shape, bool writable, struct drawn *d)
{
    tess_params p;

    draw_context(r, type->size, &d->context);
    tess_storage_init(&d->storage);
    d->storage.mode = TESS_MODE_REPLACE;
    d->storage.durability = TESS_DURABILITY_NONE;
    d->storage.context = &d->context;
    tess_params_init(&p);
    p.dtype = type->dtype;
    p.typesize = (int32_t)type->size;
    p.ndim = ndim;
    if (ndim > 0)
        memcpy(p.shape, shape, sizeof *shape * (size_t)ndim);
    draw_layout(r, shape, &p);
    if (draw_below(r, 10) == 0)
        p.layer = TESS_LAYER_CATERVA;
    if (draw_below(r, 2)) {
        d->storage.path = files_path(name);
        p.layout = draw_below(r, 2) ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
        files_remove(d->storage.path);
    }
    d->a = NULL;
    create(r, &d->storage, &p, type->size, &d->a, &d->ref);
    d->writable = true;
    for (int64_t n = draw_below(r, 4); n > 0; n--)
        change_some(r, d->a, &d->ref);
    if (d->storage.path && draw_below(r, 2)) {
        ok(tess_array_close(d->a, err));
        d->writable = writable || draw_below(r, 2);
        d->storage.mode = d->writable ? TESS_MODE_UPDATE : TESS_MODE_READ;
        d->storage.mmap = !d->writable && draw_below(r, 2);
        ok(tess_array_open(&d->storage, &d->a, err));
    }
    if (d->writable && draw_below(r, 2))
        change_some(r, d->a, &d->ref); // may wait in the cache
    d->storage.path = NULL; // it stays only until some calls later
}

// What a view is made of: for each axis of the base, a slice, and the axis of the view; -1: none.
struct plan {
    int ndim;
    int64_t shape[TESS_MAX_NDIM], first[TESS_MAX_NDIM], count[TESS_MAX_NDIM], step[TESS_MAX_NDIM];
    int axis[TESS_MAX_NDIM];
};

static void
plan_axis(struct random *r, struct plan *plan, int axis, int64_t count)
{
    const int n = plan->ndim++;
    const bool plain = draw_below(r, 3) == 0;
    const int64_t step = plain ? 1 : 1 + draw_below(r, 3);
    const int64_t before = plain ? 0 : draw_below(r, 4);
    const int64_t span = count > 0 ? (count - 1) * step + 1 : 0;
    const bool down = count > 0 && draw_below(r, 3) == 0;

    plan->axis[n] = axis;
    plan->count[n] = count;
    plan->shape[n] = before + span + (plain ? 0 : draw_below(r, 4));
    plan->first[n] = down ? before + span - 1 : before;
    plan->step[n] = down ? -step : step;
}

// Axes of the view in any order, some of length 1 left out, others between them.
static void
draw_plan(struct random *r, int ndim, const int64_t *shape, struct plan *plan)
{
    int order[TESS_MAX_NDIM];

    plan->ndim = 0;
    for (int i = 0; i < ndim; i++) {
        const int64_t k = draw_below(r, 2) ? i : draw_below(r, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < ndim; i++) {
        if (draw_below(r, 6) == 0)
            plan_axis(r, plan, -1, 1);
        if (shape[order[i]] != 1 || draw_below(r, 2))
            plan_axis(r, plan, order[i], shape[order[i]]);
    }
}

// In place of an array, a view of it.
static void
replace(tess_array **a, tess_array *view, const tess_array *base)
{
    if (*a != base)
        ok(tess_array_close(*a, err));
    *a = view;
}

static tess_array *
make_view(const struct plan *plan, int ndim, tess_array *base)
{
    int64_t stop[TESS_MAX_NDIM] = {0};
    int axes[TESS_MAX_NDIM], order[TESS_MAX_NDIM] = {0};
    bool there[TESS_MAX_NDIM] = {false};
    tess_array *a = base, *view;
    int left = 0;

    for (int i = 0; i < plan->ndim; i++)
        stop[i] = plan->count[i] == 0 ? plan->first[i]
                                      : plan->first[i] + (plan->count[i] - 1) * plan->step[i] +
                                            (plan->step[i] > 0 ? 1 : -1);
    ok(tess_array_view_slice(a, plan->first, stop, plan->step, &view, err));
    replace(&a, view, base);
    for (int i = 0; i < plan->ndim; i++) {
        if (plan->axis[i] >= 0) {
            axes[left++] = plan->axis[i];
            there[plan->axis[i]] = true;
            continue;
        }
        ok(tess_array_view_squeeze(a, left, &view, err));
        replace(&a, view, base);
    }
    for (int i = 0, n = 0; i < ndim; i++) {
        if (!there[i])
            continue;
        for (int k = 0; k < left; k++)
            if (axes[k] == i)
                order[n] = k;
        n++;
    }
    ok(tess_array_view_permute(a, order, &view, err));
    replace(&a, view, base);
    for (int i = 0; i < ndim; i++) {
        if (there[i])
            continue;
        ok(tess_array_view_expand(a, i, &view, err));
        replace(&a, view, base);
    }
    return a;
}

static void
see(const struct plan *plan, const struct reference *base, struct reference *ref)
{
    const int64_t n = reference_nitems(ref->ndim, ref->shape);

    for (int64_t k = 0; k < n; k++) {
        int64_t at[TESS_MAX_NDIM], index = 0, rest = k;
        for (int i = ref->ndim - 1; i >= 0; i--) {
            at[i] = rest % ref->shape[i];
            rest /= ref->shape[i];
        }
        for (int i = 0; i < plan->ndim; i++)
            index = index * plan->shape[i] + plan->first[i] +
                    (plan->axis[i] >= 0 ? at[plan->axis[i]] * plan->step[i] : 0);
        memcpy(ref->data + (size_t)k * ref->typesize, base->data + (size_t)index * ref->typesize,
               ref->typesize);
    }
}

void
draw_array(struct random *r, const char *name, const struct draw_type *type, int ndim,
           const int64_t *shape, bool writable, struct drawn *d)
{
    struct plan plan;
    struct reference ref;

    memset(d, 0, sizeof *d);
    if (draw_below(r, 2)) {
        draw_base(r, name, type, ndim, shape, writable, d);
        return;
    }
    draw_plan(r, ndim, shape, &plan);
    draw_base(r, name, type, plan.ndim, plan.shape, writable, d);
    d->base = d->a;
    d->a = make_view(&plan, ndim, d->base);
    reference_init(&ref, ndim, shape, type->size);
    see(&plan, &d->ref, &ref);
    reference_finish(&d->ref);
    d->ref = ref;
}

void
draw_finish(struct drawn *d)
{
    if (d->base)
        ok(tess_array_close(d->base, err));
    ok(tess_array_close(d->a, err));
    reference_finish(&d->ref);
}
