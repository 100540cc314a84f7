/*
 * update.c - an array of a stranger that is opened for writing, changed, committed, opened again.
 *
 * The last 48 bytes of the input also decide what is done; a frame may have any bytes behind it.
 * What could be read before is held by the slow reference, and what is read after each step must
 * agree. A change that is refused must leave the array as it was.
 */
#include "fuzz/fuzz.h"
#include "support/reference.h"

#include <tessera.h>

enum {
    MEMORY_LIMIT = 1 << 24,
    NCHUNKS_LIMIT = 1 << 12,
    CHUNKSIZE_MAX = 1 << 16, // of arrays that are changed
    ARRAY_MAX = 1 << 17, // bytes
    DECISIONS = 48,
    STEPS_MAX = 6,
};

struct subject {
    struct rd r;
    tess_array *array;
    struct reference want;
    bool known; // all of it could be read: `want` holds it
    bool exact; // and what is written comes back unchanged
};

static tess_status
open_image(const void *image, size_t size, tess_array **a)
{
    tess_storage storage;

    tess_storage_init(&storage);
    storage.image = image;
    storage.image_size = size;
    storage.mode = TESS_MODE_UPDATE;
    storage.limits = (tess_limits){.memory = MEMORY_LIMIT, .nchunks = NCHUNKS_LIMIT};
    return tess_array_open(&storage, a, NULL);
}

static bool
is_small(const tess_info *info, const int64_t *shape)
{
    double nbytes = info->typesize;
    double nchunks = 1;

    for (int i = 0; i < info->ndim; i++) {
        nbytes *= (double)shape[i];
        if (info->chunkshape[i] > 0)
            nchunks *= (double)(shape[i] / info->chunkshape[i] + 1);
    }
    return nbytes <= ARRAY_MAX && nchunks * info->chunksize <= 64. * ARRAY_MAX;
}

static bool
is_exact(const tess_info *info)
{
    for (int i = 0; i < TESS_MAX_FILTERS; i++)
        if (info->filters[i] == TESS_FILTER_TRUNC_PREC ||
            info->filters[i] == TESS_FILTER_INT_TRUNC || info->filters[i] == 33) // ndmean
            return false;
    return info->codec <= TESS_CODEC_ZSTD;
}

static void
check(const struct subject *s, const char *when)
{
    static const int64_t origin[TESS_MAX_NDIM];
    const size_t size = reference_size(&s->want);
    tess_info info;
    tess_error err = {0};

    tess_array_info(s->array, &info);
    for (int i = 0; i < info.ndim; i++)
        must(info.shape[i] == s->want.shape[i], "axis %d has %lld items instead of %lld after %s",
             i, (long long)info.shape[i], (long long)s->want.shape[i], when);
    if (!s->known)
        return;
    uint8_t *const got = exact_memory(size);
    must(tess_array_read(s->array, origin, info.shape, got, size, &err) == TESS_OK,
         "%s: cannot be read after %s", err.message, when);
    must(memcmp(got, s->want.data, size) == 0, "other items after %s", when);
    free(got);
}

static uint8_t *
draw_items(struct subject *s, size_t size)
{
    uint8_t *const items = exact_memory(size);
    const uint8_t first = rd_u8(&s->r);
    const uint8_t step = rd_u8(&s->r);

    for (size_t i = 0; i < size; i++)
        items[i] = (uint8_t)(first + i * step + (step & 64 ? i * i * 0x9e37 >> 8 : 0));
    return items;
}

static void
settle(struct subject *s, tess_status st)
{
    if (st == TESS_OK && !s->exact)
        s->known = false;
}

// Blocks that hold nothing but padding may be damaged without any item being lost; then what needs
// them is refused.
static bool
may_be(const struct subject *s, tess_status st)
{
    return st == TESS_OK || st == TESS_ERR_CORRUPT || !s->known;
}

static void
do_write(struct subject *s)
{
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < s->want.ndim; i++) {
        start[i] = draw_below(&s->r, s->want.shape[i] < 65536 ? s->want.shape[i] + 1 : 65536);
        const int64_t left = s->want.shape[i] - start[i];
        stop[i] = start[i] + draw_below(&s->r, left < 65536 ? left + 1 : 65536);
    }
    const size_t size = reference_box_size(&s->want, start, stop);
    uint8_t *const items = draw_items(s, size);
    const tess_status st = tess_array_write(s->array, start, stop, items, size, NULL);
    must(may_be(s, st), "a write is refused");
    if (st == TESS_OK)
        reference_set(&s->want, start, stop, items);
    settle(s, st);
    free(items);
}

static void
do_resize(struct subject *s)
{
    int64_t shape[TESS_MAX_NDIM] = {0};
    tess_info info;

    tess_array_info(s->array, &info);
    for (int i = 0; i < info.ndim; i++) {
        shape[i] = info.shape[i];
        if (info.chunkshape[i] > 0)
            shape[i] += draw_below(&s->r, 32) - 16;
        shape[i] = shape[i] < 0 ? 0 : shape[i];
    }
    if (!is_small(&info, shape))
        return;
    const tess_status st = tess_array_resize(s->array, shape, NULL);
    must(may_be(s, st), "a new shape is refused");
    if (st == TESS_OK)
        reference_resize(&s->want, shape);
    settle(s, st);
}

static void
do_append(struct subject *s)
{
    int64_t shape[TESS_MAX_NDIM] = {0};
    size_t layer = s->want.typesize;
    tess_info info;

    tess_array_info(s->array, &info);
    if (info.ndim == 0)
        return;
    const int axis = (int)draw_below(&s->r, info.ndim);
    const int64_t count = 1 + draw_below(&s->r, 8);
    for (int i = 0; i < info.ndim; i++) {
        shape[i] = info.shape[i] + (i == axis ? count : 0);
        layer *= i == axis ? 1 : (size_t)info.shape[i];
    }
    if (layer == 0 || info.chunkshape[axis] == 0 || !is_small(&info, shape))
        return;
    uint8_t *const items = draw_items(s, layer * (size_t)count);
    const tess_status st = tess_array_append(s->array, axis, items, layer * (size_t)count, NULL);
    must(may_be(s, st), "an append is refused");
    if (st == TESS_OK)
        reference_append(&s->want, axis, count, items);
    settle(s, st);
    free(items);
}

// Sets a layer of a name of its own, or removes the first one.
static void
do_vlmeta(struct subject *s)
{
    const size_t size = (size_t)draw_below(&s->r, 256);
    uint8_t *const content = draw_items(s, size);
    void *got;
    size_t got_size;

    const char *const first = tess_vlmeta_name(s->array, 0);
    if (size % 4 == 0 && first)
        must(tess_vlmeta_delete(s->array, first, NULL) == TESS_OK, "a layer is not removed");
    if (tess_vlmeta_set(s->array, "fuzz", content, size, NULL) == TESS_OK) {
        must(tess_vlmeta_get(s->array, "fuzz", &got, &got_size, NULL) == TESS_OK &&
                 got_size == size && (size == 0 || memcmp(got, content, size) == 0),
             "a layer of %zu bytes does not come back", size);
        tess_free(got);
    }
    free(content);
}

static void
do_reopen(struct subject *s)
{
    const void *image;
    size_t size;
    tess_error err = {0};

    must(tess_array_image(s->array, &image, &size, &err) == TESS_OK, "%s", err.message);
    uint8_t *const copy = exact_copy(image, size);
    must(tess_array_close(s->array, &err) == TESS_OK, "%s", err.message);
    must(open_image(copy, size, &s->array) == TESS_OK, "what was committed is not opened");
    free(copy);
}

static void
do_flush(struct subject *s)
{
    tess_error err = {0};

    must(tess_array_flush(s->array, &err) == TESS_OK, "%s", err.message);
}

static const struct {
    void (*run)(struct subject *);
    const char *name;
} steps[] = {
    {do_write, "a write"},      {do_flush, "a flush"},    {do_resize, "a new shape"},
    {do_reopen, "a reopening"}, {do_append, "an append"}, {do_vlmeta, "a layer"},
};

static void
learn(struct subject *s, const tess_info *info)
{
    static const int64_t origin[TESS_MAX_NDIM];
    const int ndim = info->ndim;

    reference_init(&s->want, ndim, info->shape, (size_t)info->typesize);
    s->known = tess_array_read(s->array, origin, info->shape, s->want.data,
                               reference_size(&s->want), NULL) == TESS_OK;
    s->exact = is_exact(info);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct subject s = {0};
    tess_info info;
    const size_t tail = size < DECISIONS ? size : DECISIONS;
    uint8_t *const image = exact_copy(data, size);
    const tess_status st = open_image(image, size, &s.array);

    free(image); // it was copied
    if (st != TESS_OK)
        return 0;
    tess_array_info(s.array, &info);
    if (!is_small(&info, info.shape) || info.chunksize > CHUNKSIZE_MAX) {
        tess_array_discard(s.array);
        return 0;
    }
    s.r = rd_init(data + size - tail, tail);
    learn(&s, &info);
    for (int64_t n = 1 + draw_below(&s.r, STEPS_MAX); n > 0; n--) {
        const size_t i = (size_t)draw_below(&s.r, sizeof steps / sizeof *steps);
        steps[i].run(&s);
        check(&s, steps[i].name);
    }
    do_reopen(&s);
    check(&s, "the last reopening");
    must(tess_array_close(s.array, NULL) == TESS_OK, "the array cannot be closed");
    reference_finish(&s.want);
    return 0;
}
