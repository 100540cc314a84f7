/*
 * property.c - random arrays and random series of calls, against the slow reference.
 *
 * Case i is drawn from the seed plus i alone: TESS_TEST_SEED with the number that a failure prints
 * and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CASES_SHORT 800
#define CASES_LONG 20000
#define ITEMS_MAX 6000 // of an array
#define BYTES_MAX 200000 // of an array, and of a chunk
#define CHUNKS_MAX 600 // of an array
#define OPERATIONS_MAX 10

static const int32_t typesizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,  11,  12,  13,
                                    14, 15, 16, 17, 18, 19, 20, 24, 32, 100, 255, 256, 300};

struct pipeline {
    const char *name;
    uint8_t filters[TESS_MAX_FILTERS];
    uint8_t metas[TESS_MAX_FILTERS];
    int typesizes; // 0: any; 48: 4 or 8; 1248: 1, 2, 4 or 8
    int cut; // low bits that the lossy filter clears; data comes with them clear
};

static const struct pipeline pipelines[] = {
    {"none", {0}, {0}, 0, 0},
    {"shuffle", {0, 0, 0, 0, 0, 1}, {0}, 0, 0},
    {"shuffle first", {1}, {0}, 0, 0},
    {"shuffle of 2", {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 2}, 0, 0},
    {"shuffle of 7", {0, 1}, {0, 7}, 0, 0},
    {"bitshuffle", {0, 0, 0, 0, 0, 2}, {0}, 0, 0},
    {"delta", {0, 0, 0, 0, 0, 3}, {0}, 0, 0},
    {"delta, shuffle", {0, 0, 0, 0, 3, 1}, {0}, 0, 0},
    {"delta, bitshuffle", {3, 2}, {0}, 0, 0},
    {"shuffle, delta", {0, 0, 0, 1, 3, 0}, {0}, 0, 0},
    {"shuffle, bytedelta", {0, 0, 0, 0, 1, 35}, {0}, 0, 0},
    {"shuffle, bytedelta of 3", {0, 0, 0, 0, 1, 35}, {0, 0, 0, 0, 0, 3}, 0, 0},
    {"bytedelta", {0, 0, 35}, {0}, 0, 0},
    {"six filters", {3, 1, 2, 35, 1, 2}, {0}, 0, 0},
    {"trunc_prec, shuffle", {0, 0, 0, 0, 4, 1}, {0, 0, 0, 0, 0xfb, 0}, 48, 5},
    {"int_trunc", {0, 0, 0, 0, 0, 36}, {0, 0, 0, 0, 0, 0xfd}, 1248, 3},
    {"int_trunc, bitshuffle", {36, 2}, {0xfd, 0}, 1248, 3},
};

enum kind { KIND_UNINIT, KIND_ZEROS, KIND_NAN, KIND_FULL, KIND_FROM, KIND_COUNT };
static const char *const kind_names[] = {"uninit", "zeros", "nan", "full", "from"};

struct subject {
    struct random random;
    uint64_t seed;
    const struct pipeline *pipeline;
    enum kind kind;
    tess_params params;
    uint8_t *fill; // of the params; NULL: none
    tess_storage storage; // path NULL: memory
    tess_context context; // drawn anew whenever the array is opened
    tess_array *array;
    struct reference reference;
    char story[4000]; // what was done, for people
    size_t story_length;
};

static struct subject *telling; // whose story belongs to a failure

static void TESS_PRINTF(2, 3) tell(struct subject *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int n =
        vsnprintf(s->story + s->story_length, sizeof s->story - s->story_length, format, args);
    va_end(args);
    s->story_length += (size_t)n;
    if (s->story_length >= sizeof s->story)
        s->story_length = sizeof s->story - 1;
}

static void
tell_shape(struct subject *s, const char *what, const int64_t *shape)
{
    tell(s, " %s (", what);
    for (int i = 0; i < s->params.ndim; i++)
        tell(s, "%s%" PRId64, i ? ", " : "", shape[i]);
    tell(s, ")");
}

static int64_t
below(struct subject *s, int64_t n)
{
    return (int64_t)random_below(&s->random, (uint64_t)n);
}

static bool
one_in(struct subject *s, int64_t n)
{
    return below(s, n) == 0;
}

// -- what an array looks like

static int64_t
divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

// Bytes of a chunk in blocks, padding included.
static int64_t
chunk_bytes(const tess_params *p)
{
    int64_t n = p->typesize;

    for (int i = 0; i < p->ndim; i++)
        n *= divide_up(p->chunkshape[i], p->blockshape[i]) * p->blockshape[i];
    return n;
}

static int64_t
chunk_count(const tess_params *p, const int64_t *shape)
{
    int64_t n = 1;

    for (int i = 0; i < p->ndim; i++)
        n *= divide_up(shape[i], p->chunkshape[i]);
    return n;
}

static void
draw_shape(struct subject *s, int64_t budget)
{
    tess_params *p = &s->params;

    p->ndim = one_in(s, 4) ? (int)below(s, TESS_MAX_NDIM + 1) : 1 + (int)below(s, 4);
    for (int i = 0; i < p->ndim; i++) {
        // Later axes must get their share of the budget, so that it is not all in the first.
        const int64_t most = i == p->ndim - 1 ? budget : p->ndim > 4 ? 4 : 4 + budget / 40;
        p->shape[i] = 1 + below(s, most < budget ? most : budget);
        budget /= p->shape[i];
    }
    if (p->ndim > 0 && one_in(s, 12))
        p->shape[below(s, p->ndim)] = 0;
}

static void
draw_grid(struct subject *s)
{
    tess_params *p = &s->params;

    for (int tries = 0; tries < 100; tries++) {
        for (int i = 0; i < p->ndim; i++) {
            p->chunkshape[i] = 1 + below(s, p->shape[i] + (one_in(s, 3) ? 5 : 1));
            p->blockshape[i] = 1 + below(s, p->chunkshape[i]);
        }
        if (chunk_bytes(p) <= BYTES_MAX && chunk_count(p, p->shape) <= CHUNKS_MAX) {
            if (one_in(s, 8)) // the library chooses
                memset(p->blockshape, 0, sizeof p->blockshape);
            return;
        }
    }
    memset(p->chunkshape, 0, sizeof p->chunkshape);
    memset(p->blockshape, 0, sizeof p->blockshape);
}

static bool
suits(const struct pipeline *p, int32_t typesize)
{
    const bool f = typesize == 4 || typesize == 8;

    return p->typesizes == 0 || f || (p->typesizes == 1248 && (typesize == 1 || typesize == 2));
}

static uint8_t *draw_items(struct subject *s, size_t size);

static void
draw_params(struct subject *s)
{
    static const tess_codec codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC,
                                        TESS_CODEC_ZLIB, TESS_CODEC_ZSTD};
    tess_params *p = &s->params;

    tess_params_init(p);
    p->typesize = one_in(s, 2)
                      ? 1 << below(s, 4)
                      : typesizes[below(s, (int64_t)(sizeof typesizes / sizeof *typesizes))];
    draw_shape(s, ITEMS_MAX < BYTES_MAX / p->typesize ? ITEMS_MAX : BYTES_MAX / p->typesize);
    if (!one_in(s, 15))
        draw_grid(s);
    do {
        s->pipeline = &pipelines[below(s, (int64_t)(sizeof pipelines / sizeof *pipelines))];
    } while (!suits(s->pipeline, p->typesize));
    memcpy(p->filters, s->pipeline->filters, sizeof p->filters);
    memcpy(p->filters_meta, s->pipeline->metas, sizeof p->filters_meta);
    p->codec = codecs[below(s, 5)];
    p->clevel = (int)below(s, 10);
    p->dictionary = (p->codec == TESS_CODEC_LZ4 || p->codec == TESS_CODEC_LZ4HC ||
                     p->codec == TESS_CODEC_ZSTD) &&
                    one_in(s, 3);
    p->split = (tess_split)(TESS_SPLIT_ALWAYS + below(s, 3));
    p->layer = one_in(s, 8) ? TESS_LAYER_CATERVA : TESS_LAYER_B2ND;
    do {
        s->kind = (enum kind)below(s, KIND_COUNT);
    } while (s->kind == KIND_NAN && p->typesize != 4 && p->typesize != 8);
    if (s->kind != KIND_NAN && s->kind != KIND_FULL && one_in(s, 3)) {
        s->fill = draw_items(s, (size_t)p->typesize);
        p->fill = s->fill;
        p->fill_size = (size_t)p->typesize;
    }
}

// Threads and cache: no block fits in it, some do, all do.
static void
draw_context(struct subject *s)
{
    static const int threads[] = {0, 1, 2, 4};

    tess_context_init(&s->context);
    s->context.threads = threads[below(s, 4)];
    if (one_in(s, 3))
        s->context.cache = 0;
    else if (one_in(s, 2))
        s->context.cache = below(s, 20000);
    tell(s, " threads %d, cache %" PRId64 "\n", s->context.threads, s->context.cache);
}

static void
tell_params(struct subject *s)
{
    const tess_params *p = &s->params;

    tell(s, "%s, %s,", kind_names[s->kind],
         !s->storage.path                         ? "memory"
         : s->params.layout == TESS_LAYOUT_SPARSE ? "folder"
                                                  : "file");
    tell_shape(s, "shape", p->shape);
    tell_shape(s, "chunks", p->chunkshape);
    tell_shape(s, "blocks", p->blockshape);
    tell(s, "%s typesize %d, codec %d level %d%s, filters %s, split %d, layer %d\n",
         s->fill ? " fill value," : "", (int)p->typesize, (int)p->codec, p->clevel,
         p->dictionary ? " dictionary" : "", s->pipeline->name, (int)p->split, (int)p->layer);
}

// -- items

// Lossy filters keep what they would not change.
static void
clear_low_bits(struct subject *s, uint8_t *bytes, size_t size)
{
    const size_t ts = (size_t)s->params.typesize;

    if (s->pipeline->cut > 0)
        for (size_t i = 0; i < size; i += ts)
            bytes[i] = (uint8_t)(bytes[i] >> s->pipeline->cut << s->pipeline->cut);
}

// Noise, runs, ramps, one item again and again, zeros.
static uint8_t *
draw_items(struct subject *s, size_t size)
{
    const size_t ts = (size_t)s->params.typesize;
    uint8_t *bytes = calloc(size > 0 ? size : 1, 1);

    assert_non_null(bytes);
    switch (below(s, 6)) {
    case 0:
        random_bytes(&s->random, bytes, size);
        break;
    case 1:
        memset(bytes, (int)below(s, 256), size);
        break;
    case 2: {
        const uint64_t step = random_below(&s->random, 1000);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)((i / ts * step) >> (8 * (i % ts % 4)));
        break;
    }
    case 3:
        random_bytes(&s->random, bytes, size < ts ? size : ts);
        for (size_t i = ts; i < size; i++)
            bytes[i] = bytes[i - ts];
        break;
    case 4:
        break;
    default:
        for (size_t i = 0; i < size; i++)
            bytes[i] = i > 0 && !one_in(s, 20) ? bytes[i - 1] : (uint8_t)below(s, 256);
        break;
    }
    clear_low_bits(s, bytes, size);
    return bytes;
}

// -- life of an array

static void
create(struct subject *s)
{
    const tess_params *p = &s->params;
    struct reference *ref = &s->reference;

    reference_init(ref, p->ndim, p->shape, (size_t)p->typesize);
    if (p->fill)
        reference_grow_with(ref, p->fill);
    switch (s->kind) {
    case KIND_UNINIT:
        ok(tess_array_uninit(&s->storage, p, &s->array, err));
        break;
    case KIND_ZEROS:
        ok(tess_array_zeros(&s->storage, p, &s->array, err));
        break;
    case KIND_NAN: {
        static const uint8_t nan4[] = {0, 0, 0xc0, 0x7f};
        static const uint8_t nan8[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
        reference_fill(ref, p->typesize == 4 ? nan4 : nan8);
        reference_grow_with(ref, p->typesize == 4 ? nan4 : nan8);
        ok(tess_array_nan(&s->storage, p, &s->array, err));
        break;
    }
    case KIND_FULL: {
        uint8_t *item = draw_items(s, ref->typesize);
        reference_fill(ref, item);
        reference_grow_with(ref, item);
        ok(tess_array_full(&s->storage, p, item, ref->typesize, &s->array, err));
        free(item);
        break;
    }
    default: {
        const size_t size = reference_size(ref);
        uint8_t *items = draw_items(s, size);
        memcpy(ref->data, items, size);
        ok(tess_array_from(&s->storage, p, items, size, &s->array, err));
        free(items);
        break;
    }
    }
    assert_non_null(s->array);
}

static void
draw_box(struct subject *s, int64_t *start, int64_t *stop)
{
    const struct reference *r = &s->reference;
    const int64_t style = below(s, 4);
    tess_info info;

    tess_array_info(s->array, &info);
    for (int i = 0; i < r->ndim; i++) {
        start[i] = style == 0 ? 0 : below(s, r->shape[i] + 1);
        stop[i] = style == 0 ? r->shape[i] : start[i] + below(s, r->shape[i] - start[i] + 1);
        if (style == 1 && info.chunkshape[i] > 0) { // whole chunks
            start[i] -= start[i] % info.chunkshape[i];
            stop[i] = divide_up(stop[i], info.chunkshape[i]) * info.chunkshape[i];
            stop[i] = stop[i] < r->shape[i] ? stop[i] : r->shape[i];
            stop[i] = stop[i] < start[i] ? start[i] : stop[i];
        }
        if (style == 2 && start[i] < r->shape[i]) // never empty
            stop[i] = start[i] + 1 + below(s, r->shape[i] - start[i]);
    }
}

static void
do_read(struct subject *s)
{
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    draw_box(s, start, stop);
    tell_shape(s, "read from", start);
    tell_shape(s, "to", stop);

    const size_t size = reference_box_size(&s->reference, start, stop);
    uint8_t *want = malloc(size > 0 ? size : 1);
    uint8_t *got = malloc(size > 0 ? size : 1);
    assert_non_null(want);
    assert_non_null(got);
    reference_get(&s->reference, start, stop, want);
    for (int64_t i = 1 + below(s, 3); i > 0; i--) { // from the second time on blocks are kept
        memset(got, 0x5a, size);
        ok(tess_array_read(s->array, start, stop, got, size, err));
        assert_memory_equal(got, want, size);
    }
    free(got);
    free(want);
}

static void
do_write(struct subject *s)
{
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    draw_box(s, start, stop);
    tell_shape(s, "write from", start);
    tell_shape(s, "to", stop);

    const size_t size = reference_box_size(&s->reference, start, stop);
    uint8_t *items = draw_items(s, size);
    reference_set(&s->reference, start, stop, items);
    ok(tess_array_write(s->array, start, stop, items, size, err));
    free(items);
}

// Whether an array of this shape stays small enough for the reference.
static bool
small(struct subject *s, const int64_t *shape)
{
    tess_info info;
    double nitems = 1;
    double nchunks = 1;

    tess_array_info(s->array, &info);
    for (int i = 0; i < info.ndim; i++) {
        nitems *= (double)shape[i];
        if (info.chunkshape[i] > 0)
            nchunks *= (double)divide_up(shape[i], info.chunkshape[i]);
    }
    return nitems <= 2 * ITEMS_MAX && nitems * info.typesize <= 2 * BYTES_MAX &&
           nchunks <= 2 * CHUNKS_MAX;
}

// Chosen chunks of an array without items may be of no size: such axes stay as they are.
static bool
fixed(const tess_info *info, int axis)
{
    return info->chunkshape[axis] == 0;
}

static void
do_resize(struct subject *s)
{
    const struct reference *r = &s->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};
    tess_info info;

    tess_array_info(s->array, &info);
    for (int i = 0; i < r->ndim; i++) {
        shape[i] = r->shape[i];
        if (fixed(&info, i) || one_in(s, 2))
            continue;
        shape[i] = one_in(s, 15) ? 0 : below(s, r->shape[i] + 1) + below(s, 6);
    }
    if (!small(s, shape))
        return;
    tell_shape(s, "resize to", shape);
    ok(tess_array_resize(s->array, shape, err));
    reference_resize(&s->reference, shape);
}

static void
do_append(struct subject *s)
{
    const struct reference *r = &s->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};
    size_t layer = r->typesize;
    tess_info info;

    tess_array_info(s->array, &info);
    if (r->ndim == 0)
        return;
    const int axis = (int)below(s, r->ndim);
    const int64_t count = below(s, 9);
    for (int i = 0; i < r->ndim; i++) {
        shape[i] = r->shape[i] + (i == axis ? count : 0);
        layer *= i == axis ? 1 : (size_t)r->shape[i];
    }
    if (layer == 0 || fixed(&info, axis) || !small(s, shape))
        return;
    tell(s, " append %" PRId64 " to axis %d", count, axis);

    uint8_t *items = draw_items(s, layer * (size_t)count);
    ok(tess_array_append(s->array, axis, count, items, layer * (size_t)count, NULL, err));
    reference_append(&s->reference, axis, count, items);
    free(items);
}

// A position or an amount along an axis, often where chunks begin.
static int64_t
draw_along(struct subject *s, int64_t chunk, int64_t most)
{
    const int64_t n = below(s, most + 1);

    return chunk > 0 && one_in(s, 2) ? n - n % chunk : n;
}

static void
do_insert(struct subject *s)
{
    const struct reference *r = &s->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};
    size_t layer = r->typesize;
    tess_info info;

    tess_array_info(s->array, &info);
    if (r->ndim == 0)
        return;
    const int axis = (int)below(s, r->ndim);
    const int64_t chunk = info.chunkshape[axis];
    const int64_t position = draw_along(s, chunk, r->shape[axis]);
    const int64_t count = draw_along(s, chunk, chunk < 12 ? 3 * chunk : chunk + 3);
    for (int i = 0; i < r->ndim; i++) {
        shape[i] = r->shape[i] + (i == axis ? count : 0);
        layer *= i == axis ? 1 : (size_t)r->shape[i];
    }
    if (layer == 0 || fixed(&info, axis) || !small(s, shape))
        return;
    tell(s, " insert %" PRId64 " into axis %d at %" PRId64, count, axis, position);

    uint8_t *items = draw_items(s, layer * (size_t)count);
    ok(tess_array_insert(s->array, axis, position, count, items, layer * (size_t)count, NULL, err));
    reference_insert(&s->reference, axis, position, count, items);
    free(items);
}

static void
do_delete(struct subject *s)
{
    const struct reference *r = &s->reference;
    tess_info info;

    tess_array_info(s->array, &info);
    if (r->ndim == 0)
        return;
    const int axis = (int)below(s, r->ndim);
    const int64_t chunk = info.chunkshape[axis];
    const int64_t position = draw_along(s, chunk, r->shape[axis]);
    const int64_t count = draw_along(s, chunk, r->shape[axis] - position);
    tell(s, " delete %" PRId64 " from axis %d at %" PRId64, count, axis, position);
    ok(tess_array_delete(s->array, axis, position, position + count, err));
    reference_delete(&s->reference, axis, position, count);
}

static void
do_resize_at(struct subject *s)
{
    struct reference *r = &s->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};
    int64_t start[TESS_MAX_NDIM] = {0};
    tess_info info;

    tess_array_info(s->array, &info);
    for (int i = 0; i < r->ndim; i++) {
        const int64_t n = r->shape[i];
        const int64_t chunk = info.chunkshape[i];
        shape[i] = n;
        if (!fixed(&info, i) && one_in(s, 2))
            shape[i] = one_in(s, 2) ? n - draw_along(s, chunk, n) : n + draw_along(s, chunk, chunk);
        start[i] = one_in(s, 4) ? (shape[i] < n ? shape[i] : n)
                                : draw_along(s, chunk, shape[i] < n ? shape[i] : n);
    }
    if (!small(s, shape))
        return;
    tell_shape(s, "resize to", shape);
    tell_shape(s, "at", start);
    ok(tess_array_resize_at(s->array, shape, start, err));
    for (int i = 0; i < r->ndim; i++)
        if (shape[i] < r->shape[i])
            reference_delete(r, i, start[i], r->shape[i] - shape[i]);
    for (int i = 0; i < r->ndim; i++)
        if (shape[i] > r->shape[i])
            reference_insert(r, i, start[i], shape[i] - r->shape[i], NULL);
}

// A box of the array, as an array of its own with other chunks, behind it; or the array itself.
static void
do_append_array(struct subject *s)
{
    struct reference *r = &s->reference;
    tess_params params = s->params;
    tess_array *other = NULL;
    tess_storage memory;
    int64_t shape[TESS_MAX_NDIM] = {0};
    tess_info info;

    tess_array_info(s->array, &info);
    if (r->ndim == 0)
        return;
    const int axis = (int)below(s, r->ndim);
    const bool itself = one_in(s, 3);
    memcpy(params.shape, r->shape, sizeof params.shape);
    params.shape[axis] = itself ? r->shape[axis] : below(s, 20);
    memcpy(shape, r->shape, sizeof shape);
    shape[axis] += params.shape[axis];
    if (fixed(&info, axis) || !small(s, shape))
        return;
    tell(s, " append %s%" PRId64 " to axis %d", itself ? "itself, " : "an array, ",
         params.shape[axis], axis);

    struct reference added;
    reference_init(&added, r->ndim, params.shape, r->typesize);
    uint8_t *items = draw_items(s, reference_size(&added));
    if (itself)
        memcpy(items, r->data, reference_size(r));
    if (!itself) {
        params.layout = TESS_LAYOUT_CONTIGUOUS;
        memset(params.blockshape, 0, sizeof params.blockshape);
        if (one_in(s, 2))
            memset(params.chunkshape, 0, sizeof params.chunkshape);
        tess_storage_init(&memory);
        ok(tess_array_from(&memory, &params, items, reference_size(&added), &other, err));
    }
    ok(tess_array_append_array(s->array, axis, itself ? s->array : other, err));
    reference_append(r, axis, params.shape[axis], items);
    ok(tess_array_close(other, err));
    reference_finish(&added);
    free(items);
}

// One item for a box, as special chunks or the fill value have it, or any.
static void
do_fill(struct subject *s)
{
    struct reference *r = &s->reference;
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    draw_box(s, start, stop);
    tell_shape(s, "fill from", start);
    tell_shape(s, "to", stop);
    uint8_t *item = draw_items(s, r->typesize);
    if (one_in(s, 3))
        memset(item, 0, r->typesize);
    else if (s->fill && one_in(s, 2))
        memcpy(item, s->fill, r->typesize);
    else if (reference_size(r) > 0 && one_in(s, 2)) // what is there
        memcpy(item, r->data, r->typesize);
    const size_t size = reference_box_size(r, start, stop);
    uint8_t *items = malloc(size > 0 ? size : 1);
    assert_non_null(items);
    for (size_t i = 0; i < size; i += r->typesize)
        memcpy(items + i, item, r->typesize);
    ok(tess_array_fill(s->array, start, stop, NULL, item, r->typesize, err));
    reference_set(r, start, stop, items);
    free(items);
    free(item);
}

// A copy with other chunks, perhaps behind itself, holds the same.
static void
do_copy(struct subject *s)
{
    struct reference *r = &s->reference;
    tess_array *const twice[] = {s->array, s->array};
    tess_params params = s->params;
    struct reference want;
    tess_context context;
    tess_storage memory;
    tess_array *copy = NULL;

    tess_context_init(&context);
    if (one_in(s, 2))
        context.memory = 1 + below(s, 2000);
    tess_storage_init(&memory);
    memory.context = &context;
    params.layout = TESS_LAYOUT_CONTIGUOUS;
    memset(params.blockshape, 0, sizeof params.blockshape);
    double chunk = params.typesize; // bytes
    for (int i = 0; i < r->ndim; i++) {
        params.chunkshape[i] = 1 + below(s, r->shape[i] + 2);
        chunk *= (double)params.chunkshape[i];
    }
    // An array without items may have many dimensions that are not 0.
    if (chunk > BYTES_MAX || chunk_count(&params, r->shape) > CHUNKS_MAX)
        memset(params.chunkshape, 0, sizeof params.chunkshape);
    const int axis = r->ndim > 0 && one_in(s, 2) ? (int)below(s, r->ndim) : -1;
    tell(s, " copy %d", axis);
    reference_copy(&want, r);
    if (axis < 0) {
        ok(tess_array_copy(s->array, &memory, &params, &copy, err));
    } else {
        reference_append(&want, axis, r->shape[axis], r->data);
        ok(tess_array_concatenate(twice, 2, axis, &memory, &params, &copy, err));
    }
    check_array(copy, &want);
    ok(tess_array_close(copy, err));
    reference_finish(&want);
}

static void
reopen_memory(struct subject *s)
{
    tess_storage storage;
    const void *bytes = NULL;
    size_t size = 0;

    ok(tess_array_image(s->array, &bytes, &size, err));
    uint8_t *image = malloc(size);
    assert_non_null(image);
    memcpy(image, bytes, size);
    ok(tess_array_close(s->array, err));
    s->array = NULL;

    tess_storage_init(&storage);
    storage.context = &s->context;
    storage.image = image;
    storage.image_size = size;
    ok(tess_array_open(&storage, &s->array, err));
    check_array(s->array, &s->reference);
    ok(tess_array_close(s->array, err));
    s->array = NULL;
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &s->array, err));
    free(image); // an image to be changed is copied
}

static void
reopen_file(struct subject *s)
{
    tess_storage storage = s->storage;

    ok(tess_array_close(s->array, err));
    s->array = NULL;
    check_file(storage.path, &s->reference);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &s->array, err));
}

static void
do_reopen(struct subject *s)
{
    tell(s, " reopen");
    draw_context(s);
    if (s->storage.path)
        reopen_file(s);
    else
        reopen_memory(s);
}

static void
do_flush(struct subject *s)
{
    tell(s, " flush");
    ok(tess_array_flush(s->array, err));
    if (s->storage.path)
        check_file(s->storage.path, &s->reference);
}

static void (*const operations[])(struct subject *) = {
    do_read,      do_read,      do_write,        do_write,  do_write,  do_append,
    do_resize,    do_resize_at, do_append_array, do_insert, do_delete, do_insert,
    do_resize_at, do_reopen,    do_flush,        do_fill,   do_fill,   do_copy,
};

static void
live(struct subject *s)
{
    draw_params(s);
    tess_storage_init(&s->storage);
    s->storage.mode = TESS_MODE_REPLACE;
    s->storage.durability = TESS_DURABILITY_NONE;
    if (one_in(s, 2))
        s->storage.path = files_path("property.b2nd");
    if (s->storage.path && one_in(s, 2)) {
        s->params.layout = TESS_LAYOUT_SPARSE;
        s->storage.path = files_path("property.b2nd.d");
    }
    tell_params(s);
    draw_context(s);
    s->storage.context = &s->context;

    create(s);
    check_array(s->array, &s->reference);
    for (int64_t n = below(s, OPERATIONS_MAX + 1); n > 0; n--) {
        operations[below(s, (int64_t)(sizeof operations / sizeof *operations))](s);
        tell(s, "\n");
        check_array(s->array, &s->reference);
    }
    do_reopen(s);
    check_array(s->array, &s->reference);
    ok(tess_array_close(s->array, err));
    reference_finish(&s->reference);
    free(s->fill);
}

// After a failure the story is told; after success telling is NULL.
static int
end(void **state)
{
    (void)state;
    files_end();
    if (telling)
        print_error("TESS_TEST_SEED=%" PRIu64 " TESS_TEST_CASES=1 repeats:\n%s\n", telling->seed,
                    telling->story);
    return 0;
}

static void
random_lives(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(CASES_SHORT, CASES_LONG);
    static struct subject s;

    (void)state;
    print_message("%" PRId64 " cases from seed %" PRIu64 "\n", n, seed);
    for (int64_t i = 0; i < n; i++) {
        memset(&s, 0, sizeof s);
        s.seed = seed + (uint64_t)i;
        random_init(&s.random, s.seed);
        telling = &s;
        live(&s);
    }
    telling = NULL;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_lives, files_setup, end),
    };

    (void)setenv("TESS_NUM_THREADS", "4", 0); // also where there are fewer CPUs
    return cmocka_run_group_tests(tests, NULL, NULL);
}
