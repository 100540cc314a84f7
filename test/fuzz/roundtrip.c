/*
 * roundtrip.c - arrays whose parameters, items and life are decided by the input.
 *
 * Whatever is accepted when the array is created must work from then on: each write, change of
 * shape and reopening succeeds, and the items are those of the slow reference. Parameters may be
 * nonsense; then they are refused.
 */
#include "fuzz/fuzz.h"
#include "support/reference.h"

#include <tessera.h>

enum {
    ARRAY_MAX = 1 << 15, // bytes
    CHUNK_MAX = 1 << 16, // bytes, padding included
    NCHUNKS_MAX = 256,
    STEPS_MAX = 10,
};

struct subject {
    struct rd r;
    tess_params params;
    tess_array *array;
    struct reference want;
    bool lossy;
};

// -- what an array looks like

static bool
is_lossy(int filter)
{
    return filter == TESS_FILTER_TRUNC_PREC || filter == TESS_FILTER_INT_TRUNC;
}

// Ids that exist, mostly. A lossy filter only comes first: what it does to bytes that another one
// has moved is nobody's business.
static bool
draw_filters(struct subject *s)
{
    static const uint8_t ids[] = {0, 1, 2, 3, 35, 4, 36, 34, 32};
    tess_params *const p = &s->params;
    const int kept = (int)draw_below(&s->r, TESS_MAX_FILTERS + 1);
    bool moved = false;

    for (int i = 0; i < TESS_MAX_FILTERS; i++) {
        p->filters[i] = i < kept ? ids[draw_below(&s->r, sizeof ids)] : 0;
        p->filters_meta[i] = i < kept && draw_below(&s->r, 3) == 0 ? rd_u8(&s->r) : 0;
        s->lossy |= is_lossy(p->filters[i]);
        if (is_lossy(p->filters[i]) && moved)
            return false;
        moved |= p->filters[i] != 0 && !is_lossy(p->filters[i]);
    }
    return true;
}

static bool
is_small(const tess_params *p, const int64_t *shape)
{
    double nbytes = p->typesize;
    double chunk = p->typesize;
    double nchunks = 1;

    for (int i = 0; i < p->ndim; i++) {
        const int64_t c = p->chunkshape[i];
        const int64_t b = p->blockshape[i];
        nbytes *= (double)shape[i];
        chunk *= b > 0 ? (double)((c + b - 1) / b * b) : (double)c;
        nchunks *= c > 0 ? (double)((shape[i] + c - 1) / c) : 1;
    }
    return nbytes <= ARRAY_MAX && chunk <= CHUNK_MAX && nchunks <= NCHUNKS_MAX;
}

static bool
draw_params(struct subject *s)
{
    static const int codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4,  TESS_CODEC_LZ4HC,
                                 TESS_CODEC_ZLIB,    TESS_CODEC_ZSTD, TESS_CODEC_NDLZ};
    struct rd *const r = &s->r;
    tess_params *const p = &s->params;
    const unsigned style = rd_u8(r);

    tess_params_init(p);
    p->typesize = style & 1 ? 1 + (int32_t)draw_below(r, 300) : 1 << draw_below(r, 5);
    p->ndim = (int)draw_below(r, style & 2 ? TESS_MAX_NDIM + 1 : 5);
    for (int i = 0; i < p->ndim; i++) {
        p->shape[i] = draw_below(r, p->ndim > 4 ? 4 : 100);
        if (style & 4) // the library chooses
            continue;
        p->chunkshape[i] = 1 + draw_below(r, p->ndim > 4 ? 4 : 50);
        p->blockshape[i] = style & 8 ? 0 : 1 + draw_below(r, p->chunkshape[i]);
    }
    p->codec = (tess_codec)codecs[draw_below(r, sizeof codecs / sizeof *codecs)];
    p->codec_meta = p->codec != TESS_CODEC_NDLZ ? 0 : style & 128 ? 8 : 4;
    p->clevel = (int)draw_below(r, 10);
    p->split = (tess_split)(1 + draw_below(r, 3));
    p->layer = style & 16 ? TESS_LAYER_CATERVA : TESS_LAYER_B2ND;
    return draw_filters(s) && is_small(p, p->shape);
}

// -- items

// Runs, ramps, noise, one item again and again. Lossy filters get items they do not change: the
// top bit alone is set, or none.
static uint8_t *
draw_items(struct subject *s, size_t size)
{
    const size_t ts = (size_t)s->params.typesize;
    const unsigned style = rd_u8(&s->r) & 3;
    const uint8_t *const bytes = s->r.at;
    const size_t n = s->r.left;
    uint32_t noise = rd_u16be(&s->r) + 1u;
    uint8_t *const items = exact_memory(size);

    for (size_t i = 0; i < size; i++) {
        noise = noise * 1664525u + 1013904223u;
        items[i] = (uint8_t)(style == 0   ? noise >> 24
                             : style == 1 ? i / ts * (noise >> 31)
                             : style == 2 ? i % ts
                             : n > 0      ? bytes[i / 3 % n]
                                          : 0);
        if (s->lossy)
            items[i] = (uint8_t)(i % ts == ts - 1 ? items[i] & 0x80 : 0);
    }
    return items;
}

// -- life of an array

#define good(call)                                                           \
    do {                                                                     \
        tess_error err_ = {0};                                               \
        tess_error *const err = &err_;                                       \
        const tess_status st_ = (call);                                      \
        must(st_ == TESS_OK, "%s: %s", tess_status_name(st_), err->message); \
    } while (0)

static void
check(const struct subject *s)
{
    static const int64_t origin[TESS_MAX_NDIM];
    const size_t size = reference_size(&s->want);
    uint8_t *const got = exact_memory(size);
    tess_info info;

    tess_array_info(s->array, &info);
    must(memcmp(info.shape, s->want.shape, (size_t)info.ndim * sizeof *info.shape) == 0,
         "the shape differs");
    good(tess_array_read(s->array, origin, s->want.shape, got, size, err));
    must(memcmp(got, s->want.data, size) == 0, "the items differ");
    free(got);
}

static void
draw_box(struct subject *s, int64_t *start, int64_t *stop)
{
    for (int i = 0; i < s->want.ndim; i++) {
        start[i] = draw_below(&s->r, s->want.shape[i] + 1);
        stop[i] = start[i] + draw_below(&s->r, s->want.shape[i] - start[i] + 1);
    }
}

static void
do_read(struct subject *s)
{
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    draw_box(s, start, stop);
    const size_t size = reference_box_size(&s->want, start, stop);
    uint8_t *const want = exact_memory(size);
    uint8_t *const got = exact_memory(size);
    reference_get(&s->want, start, stop, want);
    good(tess_array_read(s->array, start, stop, got, size, err));
    must(memcmp(got, want, size) == 0, "the items of a box differ");
    free(got);
    free(want);
}

static void
do_write(struct subject *s)
{
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    draw_box(s, start, stop);
    const size_t size = reference_box_size(&s->want, start, stop);
    uint8_t *const items = draw_items(s, size);
    reference_set(&s->want, start, stop, items);
    good(tess_array_write(s->array, start, stop, items, size, err));
    free(items);
}

// Chosen chunks of an array without items may be of no size: such axes stay as they are.
static bool
draw_shape(struct subject *s, int only, int64_t *shape)
{
    tess_info info;

    tess_array_info(s->array, &info);
    for (int i = 0; i < info.ndim; i++) {
        shape[i] = info.shape[i];
        if (info.chunkshape[i] == 0 || (only >= 0 && only != i))
            continue;
        shape[i] = only == i ? shape[i] + 1 + draw_below(&s->r, 8)
                             : draw_below(&s->r, shape[i] + 1) + draw_below(&s->r, 6);
    }
    memcpy(s->params.chunkshape, info.chunkshape, sizeof info.chunkshape);
    memcpy(s->params.blockshape, info.blockshape, sizeof info.blockshape);
    return is_small(&s->params, shape);
}

static void
do_resize(struct subject *s)
{
    int64_t shape[TESS_MAX_NDIM] = {0};

    if (!draw_shape(s, -1, shape))
        return;
    good(tess_array_resize(s->array, shape, err));
    reference_resize(&s->want, shape);
}

static void
do_append(struct subject *s)
{
    int64_t shape[TESS_MAX_NDIM] = {0};
    int64_t start[TESS_MAX_NDIM] = {0};

    if (s->want.ndim == 0)
        return;
    const int axis = (int)draw_below(&s->r, s->want.ndim);
    const int64_t before = s->want.shape[axis];
    if (!draw_shape(s, axis, shape))
        return;
    start[axis] = before;
    const size_t size = reference_box_size(&s->want, start, shape);
    if (size == 0)
        return;
    uint8_t *const items = draw_items(s, size);
    good(tess_array_append(s->array, axis, shape[axis] - before, items, size, NULL, err));
    reference_append(&s->want, axis, shape[axis] - before, items);
    free(items);
}

static void
do_vlmeta(struct subject *s)
{
    const char name[] = {(char)('a' + draw_below(&s->r, 3)), '\0'};
    const size_t size = (size_t)draw_below(&s->r, 1000);
    uint8_t *const content = draw_items(s, size);
    void *got;
    size_t got_size;

    good(tess_vlmeta_set(s->array, name, content, size, err));
    good(tess_vlmeta_get(s->array, name, &got, &got_size, err));
    must(got_size == size && (size == 0 || memcmp(got, content, size) == 0), "a layer differs");
    tess_free(got);
    free(content);
}

static void
do_flush(struct subject *s)
{
    good(tess_array_flush(s->array, err));
}

static void
do_reopen(struct subject *s)
{
    tess_storage storage;
    const void *image;
    size_t size;

    good(tess_array_image(s->array, &image, &size, err));
    uint8_t *const copy = exact_copy(image, size);
    good(tess_array_close(s->array, err));
    tess_storage_init(&storage);
    storage.image = copy;
    storage.image_size = size;
    storage.mode = TESS_MODE_UPDATE;
    good(tess_array_open(&storage, &s->array, err));
    free(copy);
}

static void (*const steps[])(struct subject *) = {
    do_read, do_write, do_write, do_resize, do_append, do_vlmeta, do_flush, do_reopen,
};

// False: the parameters were refused.
static bool
create(struct subject *s)
{
    const tess_params *const p = &s->params;
    const size_t ts = (size_t)p->typesize;
    const int64_t kind = draw_below(&s->r, 4);
    tess_error err = {0};
    tess_storage storage;
    tess_status st;

    tess_storage_init(&storage);
    reference_init(&s->want, p->ndim, p->shape, ts);
    const size_t size = reference_size(&s->want);
    uint8_t *const items = draw_items(s, size > ts ? size : ts);
    if (kind == 0) {
        st = tess_array_zeros(&storage, p, &s->array, &err);
    } else if (kind == 1) {
        st = tess_array_uninit(&storage, p, &s->array, &err);
    } else if (kind == 2) {
        reference_fill(&s->want, items);
        reference_grow_with(&s->want, items);
        st = tess_array_full(&storage, p, items, ts, &s->array, &err);
    } else {
        memcpy(s->want.data, items, size);
        st = tess_array_from(&storage, p, items, size, &s->array, &err);
    }
    must(st == TESS_OK || st == TESS_ERR_ARG || st == TESS_ERR_UNSUPPORTED, "%s", err.message);
    free(items);
    return st == TESS_OK;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct subject s = {.r = rd_init(data, size)};

    if (!draw_params(&s))
        return 0;
    if (create(&s)) {
        check(&s);
        for (int64_t n = draw_below(&s.r, STEPS_MAX + 1); n > 0; n--) {
            steps[draw_below(&s.r, sizeof steps / sizeof *steps)](&s);
            check(&s);
        }
        do_reopen(&s);
        check(&s);
        good(tess_array_close(s.array, err));
    }
    reference_finish(&s.want);
    return 0;
}
