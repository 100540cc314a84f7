/*
 * draw.c - what random arrays look like.
 */
#include "support/draw.h"

#include "support/exact.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof(array)[0]))

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static size_t
item_size(const tess_params *p)
{
    return (size_t)(p->dtype ? tess_dtype_parse(p->dtype).size : p->typesize);
}

// -- parameters

int32_t
draw_typesize(struct random *r)
{
    static const int32_t large[] = {24, 32, 100, 255, 256, DRAW_ITEM_MAX};
    if (one_in(r, 6))
        return one_in(r, 2) ? large[below(r, COUNT(large))] : 1 + (int32_t)below(r, DRAW_ITEM_MAX);
    return one_in(r, 2) ? 1 << below(r, 5) : 1 + (int32_t)below(r, 20);
}

void
draw_shape(struct random *r, int ndim, int64_t most, int64_t *shape)
{
    const bool even = ndim > 4 && one_in(r, 2); // later axes get their share
    for (int i = 0; i < ndim; i++) {
        const int64_t longest = i == ndim - 1 ? most : even ? 5 : 30 + most / 40;
        shape[i] = 1 + below(r, smaller(longest, most));
        most /= shape[i];
    }
}

void
draw_empty_shape(struct random *r, int ndim, int64_t most, int64_t *shape)
{
    draw_shape(r, ndim, most, shape);
    if (ndim > 0 && one_in(r, 15))
        shape[below(r, ndim)] = 0;
}

static double
divide_up(int64_t a, int64_t b)
{
    return (double)((a + b - 1) / b);
}

static double
count_chunks(const tess_params *p, const int64_t *shape)
{
    double n = 1;
    for (int i = 0; i < p->ndim; i++) // 0: the library chooses, as it fits
        n *= p->chunkshape[i] > 0 ? divide_up(shape[i], p->chunkshape[i]) : 1;
    return n;
}

static double
chunk_size(const tess_params *p)
{
    double size = (double)item_size(p);
    for (int i = 0; i < p->ndim; i++)
        size *= divide_up(p->chunkshape[i], p->blockshape[i]) * (double)p->blockshape[i];
    return size;
}

bool
draw_fits(const struct draw_limits *l, const tess_params *p, const int64_t *shape)
{
    double items = 1;
    for (int i = 0; i < p->ndim; i++)
        items *= (double)shape[i];
    return items <= 2 * (double)l->items && items * (double)item_size(p) <= 2 * (double)l->bytes &&
           count_chunks(p, shape) <= 2 * (double)l->chunks;
}

void
draw_grid(struct random *r, const struct draw_limits *l, const int64_t *shape, tess_params *p)
{
    for (int tries = 0; tries < 100; tries++) {
        for (int i = 0; i < p->ndim; i++) {
            p->chunkshape[i] = 1 + below(r, shape[i] + (one_in(r, 3) ? 5 : 1));
            p->blockshape[i] = 1 + below(r, p->chunkshape[i]);
        }
        if (chunk_size(p) > (double)l->bytes || count_chunks(p, shape) > (double)l->chunks)
            continue;
        if (l->chosen && one_in(r, 8))
            memset(p->blockshape, 0, sizeof p->blockshape);
        return;
    }
    for (int i = 0; i < p->ndim; i++) // one chunk of one block
        p->chunkshape[i] = p->blockshape[i] = shape[i] > 0 ? shape[i] : 1;
}

// What programs use, in the last two places.
static const uint8_t usual[][2] = {
    {0, 0},
    {0, TESS_FILTER_SHUFFLE},
    {0, TESS_FILTER_SHUFFLE},
    {0, TESS_FILTER_BITSHUFFLE},
    {0, TESS_FILTER_DELTA},
    {TESS_FILTER_DELTA, 0},
    {TESS_FILTER_DELTA, TESS_FILTER_SHUFFLE},
    {TESS_FILTER_DELTA, TESS_FILTER_BITSHUFFLE},
    {TESS_FILTER_SHUFFLE, TESS_FILTER_BYTEDELTA},
    {TESS_FILTER_SHUFFLE, TESS_FILTER_DELTA},
};

// And any of those that change no item, anywhere, with the width of some.
static void
draw_filters(struct random *r, tess_params *p)
{
    static const uint8_t exact[] = {TESS_FILTER_SHUFFLE, TESS_FILTER_BITSHUFFLE, TESS_FILTER_DELTA,
                                    TESS_FILTER_BYTEDELTA};
    const int64_t sparse = one_in(r, 3) ? 1 : 3;
    uint8_t *const f = p->filters;

    memset(p->filters, 0, sizeof p->filters);
    memset(p->filters_meta, 0, sizeof p->filters_meta);
    if (!one_in(r, 3)) {
        memcpy(f + TESS_MAX_FILTERS - 2, usual[below(r, COUNT(usual))], 2);
        return;
    }
    for (int i = 0; i < TESS_MAX_FILTERS; i++) {
        f[i] = one_in(r, sparse) ? exact[below(r, COUNT(exact))] : 0;
        if ((f[i] == TESS_FILTER_SHUFFLE || f[i] == TESS_FILTER_BYTEDELTA) && one_in(r, 3))
            p->filters_meta[i] = (uint8_t)(2 + below(r, 6));
    }
}

void
draw_methods(struct random *r, tess_params *p)
{
    static const tess_codec codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC,
                                        TESS_CODEC_ZLIB, TESS_CODEC_ZSTD};
    p->codec = codecs[below(r, COUNT(codecs))];
    p->clevel = (int)below(r, 10);
    p->dictionary = p->codec != TESS_CODEC_BLOSCLZ && p->codec != TESS_CODEC_ZLIB && one_in(r, 4);
    p->split = (tess_split)(TESS_SPLIT_ALWAYS + below(r, 3));
    draw_filters(r, p);
}

void
draw_layout(struct random *r, const int64_t *shape, tess_params *p)
{
    static const struct draw_limits wide = {.bytes = 10000000, .chunks = 1000};
    if (!one_in(r, 10)) // else the library chooses
        draw_grid(r, &wide, shape, p);
    draw_methods(r, p);
}

void
draw_params(struct random *r, const struct draw_limits *l, const char *dtype, tess_params *p)
{
    tess_params_init(p);
    p->dtype = dtype;
    p->typesize = dtype ? p->typesize : draw_typesize(r);
    p->ndim = (int)below(r, one_in(r, 4) ? l->ndim + 1 : smaller(l->ndim + 1, 5));
    const int64_t most = smaller(l->items, l->bytes / (int64_t)item_size(p));
    (l->empty ? draw_empty_shape : draw_shape)(r, p->ndim, most, p->shape);
    if (!l->chosen || !one_in(r, 15))
        draw_grid(r, l, p->shape, p);
    draw_methods(r, p);
}

void
draw_chunk_params(struct random *r, int64_t block, tess_params *p)
{
    tess_params_init(p);
    p->typesize = draw_typesize(r);
    draw_methods(r, p);
    for (int i = 0; i < TESS_MAX_FILTERS; i++) // as wide as an item, which chunks cannot say
        if (p->filters[i] == TESS_FILTER_BYTEDELTA && p->typesize > 255)
            p->filters[i] = p->filters_meta[i] = 0;
    if (one_in(r, 2)) {
        p->ndim = 1;
        p->blockshape[0] = 1 + below(r, block);
    }
}

void
draw_lossy(struct random *r, tess_params *p)
{
    const bool is_float = p->typesize == 4 || p->typesize == 8;
    uint8_t *const f = p->filters + TESS_MAX_FILTERS - 2;
    uint8_t *const meta = p->filters_meta + TESS_MAX_FILTERS - 2;

    memset(p->filters, 0, sizeof p->filters);
    memset(p->filters_meta, 0, sizeof p->filters_meta);
    if (is_float && one_in(r, 3)) {
        f[0] = TESS_FILTER_TRUNC_PREC;
        f[1] = TESS_FILTER_SHUFFLE;
        meta[0] = 0xfb; // 5 bits are cleared
    } else {
        const int at = one_in(r, 2);
        f[at] = TESS_FILTER_INT_TRUNC;
        meta[at] = 0xfd; // 3
        if (at == 0)
            f[1] = TESS_FILTER_BITSHUFFLE;
    }
}

void
draw_exact(const tess_params *p, void *items, size_t size)
{
    uint8_t *const bytes = items;
    int cut = 0;
    for (int i = 0; i < TESS_MAX_FILTERS; i++)
        if (p->filters[i] == TESS_FILTER_TRUNC_PREC || p->filters[i] == TESS_FILTER_INT_TRUNC)
            cut = 256 - p->filters_meta[i];
    for (size_t i = 0; cut > 0 && i < size; i += item_size(p))
        bytes[i] = (uint8_t)(bytes[i] >> cut << cut);
}

// -- where an array is, and what calls may use

void
draw_context(struct random *r, tess_context *context)
{
    tess_context_init(context);
    context->threads = (int)below(r, 5);
    if (one_in(r, 3))
        context->cache = 0;
    else if (one_in(r, 2))
        context->cache = below(r, 20000);
}

void
draw_memory(struct random *r, size_t typesize, tess_context *context)
{
    if (!one_in(r, 3))
        context->memory = (int64_t)typesize * (1 + below(r, one_in(r, 2) ? 10 : 2000));
}

void
draw_place(struct random *r, const char *name, const tess_context *context, tess_params *p,
           tess_storage *storage)
{
    tess_storage_init(storage);
    storage->mode = TESS_MODE_REPLACE;
    storage->durability = TESS_DURABILITY_NONE;
    storage->context = context;
    p->layout = TESS_LAYOUT_CONTIGUOUS;
    if (one_in(r, 2))
        return;
    storage->path = files_path(name);
    files_remove(storage->path);
    if (one_in(r, 2))
        p->layout = TESS_LAYOUT_SPARSE;
}

// -- items

static void
draw_ramp(struct random *r, uint8_t *dst, int64_t n, size_t typesize)
{
    const uint64_t step = one_in(r, 2) ? 1 : random_below(r, 1000);
    for (int64_t k = 0; k < n; k++, dst += typesize)
        for (size_t j = 0; j < typesize; j++)
            dst[j] = (uint8_t)((uint64_t)k * step >> 8 * (j % 8));
}

static void
draw_runs(struct random *r, uint8_t *dst, size_t size)
{
    const int64_t length = 5 + below(r, 100);
    for (size_t i = 0; i < size; i++)
        dst[i] = i > 0 && !one_in(r, length) ? dst[i - 1] : (uint8_t)below(r, 256);
}

void
draw_items(struct random *r, void *dst, int64_t n, size_t typesize)
{
    const size_t size = (size_t)n * typesize;
    uint8_t *const bytes = dst;

    switch (below(r, 8)) {
    case 0:
    case 1:
        draw_ramp(r, dst, n, typesize);
        break;
    case 2:
    case 3:
        random_bytes(r, dst, size);
        break;
    case 4:
        memset(dst, one_in(r, 2) ? 0 : (int)below(r, 256), size);
        break;
    case 5:
        random_bytes(r, dst, size > 0 ? typesize : 0);
        for (size_t i = typesize; i < size; i++)
            bytes[i] = bytes[i - typesize];
        break;
    case 6:
        draw_runs(r, dst, size);
        break;
    default:
        random_repetitive(r, dst, size);
    }
}

void
draw_pieces(struct random *r, void *dst, int64_t n, size_t typesize)
{
    for (int64_t k = 0, count; k < n; k += count) {
        count = smaller(1 + below(r, n / 4 + 1), n - k);
        draw_items(r, (uint8_t *)dst + (size_t)k * typesize, count, typesize);
    }
}

void
draw_box(struct random *r, int ndim, const int64_t *shape, int64_t *start, int64_t *stop)
{
    const bool all = one_in(r, 4);
    for (int i = 0; i < ndim; i++) {
        start[i] = all || shape[i] == 0 ? 0 : below(r, shape[i] + one_in(r, 20));
        stop[i] = all ? shape[i] : start[i] + below(r, shape[i] - start[i] + 1);
        if (stop[i] == start[i] && !one_in(r, 10)) // rarely empty
            stop[i] = smaller(start[i] + 1, shape[i]);
    }
}

// Of items without a type, as chunks of NaNs have them.
static void
fill_nans(const tess_params *p, struct reference *ref)
{
    static const uint8_t nan4[] = {0, 0, 0xc0, 0x7f}, nan8[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    reference_fill(ref, p->typesize == 4 ? nan4 : nan8);
    reference_grow_with(ref, p->typesize == 4 ? nan4 : nan8);
}

static tess_array *
create_nans(const tess_storage *storage, const tess_params *p, struct reference *ref)
{
    static const int64_t origin[TESS_MAX_NDIM] = {0};
    tess_array *a = NULL;
    ok(tess_array_nan(storage, p, &a, err));
    if (!p->dtype)
        fill_nans(p, ref);
    else
        ok(tess_array_read(a, origin, p->shape, ref->data, reference_size(ref), err));
    return a;
}

tess_array *
draw_create(struct random *r, const tess_storage *storage, const tess_params *p,
            struct reference *ref)
{
    const size_t typesize = item_size(p);
    const int64_t kind = below(r, 8);
    uint8_t item[DRAW_ITEM_MAX];
    tess_array *a = NULL;

    reference_init(ref, p->ndim, p->shape, typesize);
    if (p->fill)
        reference_grow_with(ref, p->fill);
    if (kind == 0) {
        ok(tess_array_zeros(storage, p, &a, err));
    } else if (kind == 1) {
        ok(tess_array_uninit(storage, p, &a, err));
    } else if (kind == 2 && !p->fill && (typesize == 4 || typesize == 8)) {
        a = create_nans(storage, p, ref);
    } else if (kind == 3 && !p->fill) {
        draw_items(r, item, 1, typesize);
        draw_exact(p, item, typesize);
        reference_fill(ref, item);
        reference_grow_with(ref, item);
        ok(tess_array_full(storage, p, item, typesize, &a, err));
    } else {
        const size_t size = reference_size(ref);
        (one_in(r, 3) ? draw_pieces : draw_items)(r, ref->data, (int64_t)(size / typesize),
                                                  typesize);
        draw_exact(p, ref->data, size);
        ok(tess_array_from(storage, p, ref->data, size, &a, err));
    }
    return a;
}

void
draw_change(struct random *r, tess_array *a, struct reference *ref)
{
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM] = {0};

    draw_box(r, ref->ndim, ref->shape, start, stop);
    const size_t size = reference_box_size(ref, start, stop), typesize = ref->typesize;
    uint8_t *const items = exact_memory(size > 0 ? size : typesize);
    draw_items(r, items, size > 0 ? (int64_t)(size / typesize) : 1, typesize);
    if (one_in(r, 2)) {
        for (size_t k = typesize; k < size; k += typesize)
            memcpy(items + k, items, typesize);
        ok(tess_array_fill(a, start, stop, NULL, items, typesize, err));
    } else {
        ok(tess_array_write(a, start, stop, items, size, err));
    }
    reference_set(ref, start, stop, items);
    free(items);
}

// -- whole arrays

const struct draw_type draw_types[DRAW_TYPES] = {
    {"<i4", 4, 4, true},     {">i2", 2, 2, true},  {"<f8", 8, 8, true},   {"|u1", 1, 1, false},
    {"<c8", 8, 4, true},     {"<U3", 12, 4, true}, {"|S5", 5, 5, false},  {">f4", 4, 4, true},
    {"<M8[us]", 8, 8, true}, {NULL, 3, 3, false},  {">c16", 16, 8, true}, {NULL, 1, 1, false},
};

// An array that is not a view, in d->a. It may be open for reading only, unless it is to be written
// to.
static void
draw_base(struct random *r, const char *name, const struct draw_type *type, int ndim,
          const int64_t *shape, bool writable, struct drawn *d)
{
    tess_params p;

    draw_context(r, &d->context);
    draw_memory(r, type->size, &d->context);
    tess_params_init(&p);
    p.dtype = type->dtype;
    p.typesize = (int32_t)type->size;
    p.ndim = ndim;
    if (ndim > 0)
        memcpy(p.shape, shape, sizeof *shape * (size_t)ndim);
    draw_layout(r, shape, &p);
    if (one_in(r, 10))
        p.layer = TESS_LAYER_CATERVA;
    draw_place(r, name, &d->context, &p, &d->storage);
    d->a = draw_create(r, &d->storage, &p, &d->ref);
    d->writable = true;
    for (int64_t n = below(r, 4); n > 0; n--)
        draw_change(r, d->a, &d->ref);
    if (d->storage.path && one_in(r, 2)) {
        ok(tess_array_close(d->a, err));
        d->writable = writable || one_in(r, 2);
        d->storage.mode = d->writable ? TESS_MODE_UPDATE : TESS_MODE_READ;
        d->storage.mmap = !d->writable && one_in(r, 2);
        ok(tess_array_open(&d->storage, &d->a, err));
    }
    if (d->writable && one_in(r, 2))
        draw_change(r, d->a, &d->ref); // may wait in the cache
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
    const bool plain = one_in(r, 3);
    const int64_t step = plain ? 1 : 1 + below(r, 3);
    const int64_t before = plain ? 0 : below(r, 4);
    const int64_t span = count > 0 ? (count - 1) * step + 1 : 0;
    const bool down = count > 0 && one_in(r, 3);

    plan->axis[n] = axis;
    plan->count[n] = count;
    plan->shape[n] = before + span + (plain ? 0 : below(r, 4));
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
        const int64_t k = one_in(r, 2) ? i : below(r, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < ndim; i++) {
        if (one_in(r, 6))
            plan_axis(r, plan, -1, 1);
        if (shape[order[i]] != 1 || one_in(r, 2))
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
    if (one_in(r, 2)) {
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
