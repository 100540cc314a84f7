/*
 * changes.c - the life of an array that a stranger wrote.
 *
 * What could be read before is held by the slow reference, and what is read after each step must
 * agree. A change that is refused must leave the array as it was.
 */
#include "fuzz/changes.h"

#include "fuzz/look.h"
#include "meta/ndlayer.h"
#include "support/reference.h"

enum {
    CHUNKSIZE_MAX = 1 << 16, // of arrays that are changed
    NCHUNKS_MAX = 1 << 12,
    ARRAY_MAX = 1 << 17, // bytes
    STEPS_MAX = 6,
};

struct subject {
    tess_storage storage;
    struct rd r;
    tess_array *array;
    struct reference want;
    bool known; // all of it could be read: `want` holds it
    bool exact; // and what is written comes back unchanged
    bool given_up; // it cannot be committed, since what was in the file is damaged
};

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
    if (info.plain) // items are bytes as long as a chunk has no whole ones
        must((size_t)(info.shape[0] * info.typesize) == size, "%lld items instead of %zu bytes",
             (long long)info.shape[0], size);
    for (int i = 0; i < info.ndim && !info.plain; i++)
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
    const tess_status st =
        tess_array_append(s->array, axis, count, items, layer * (size_t)count, NULL, NULL);
    must(may_be(s, st), "an append is refused");
    if (st == TESS_OK)
        reference_append(&s->want, axis, count, items);
    settle(s, st);
    free(items);
}

// What JSON says of the first attribute is what it is.
static void
rewrite_attribute(struct subject *s)
{
    const char *const first = tess_vlmeta_name(s->array, 0);
    char *json = NULL;
    char *again = NULL;
    tess_error err = {0};

    if (!first || tess_attr_get_json(s->array, first, &json, NULL) != TESS_OK)
        return;
    char *const name = (char *)exact_copy((const uint8_t *)first, strlen(first) + 1);
    must(tess_attr_set_json(s->array, name, json, &err) == TESS_OK, "%s", err.message);
    must(tess_attr_get_json(s->array, name, &again, &err) == TESS_OK, "%s", err.message);
    must(strcmp(json, again) == 0, "%s became %s", json, again);
    tess_free(again);
    tess_free(json);
    free(name);
}

// Layers of the header but for the N-dimensional one and the fill value.
static void
reverse_fixed_layers(struct subject *s)
{
    tess_metalayer layer;
    tess_info info;
    tess_error err = {0};

    tess_array_info(s->array, &info);
    for (int i = 0; tess_meta_at(s->array, i, &layer, NULL) == TESS_OK; i++) {
        if ((info.layer && strcmp(layer.name, info.layer) == 0) ||
            strcmp(layer.name, FILL_LAYER) == 0)
            continue;
        const size_t size = layer.size;
        uint8_t *const content = exact_copy(layer.content, size);
        for (size_t k = 0; k < size / 2; k++) {
            const uint8_t byte = content[k];
            content[k] = content[size - 1 - k];
            content[size - 1 - k] = byte;
        }
        must(tess_meta_set(s->array, layer.name, content, size, &err) == TESS_OK, "%s",
             err.message);
        must(tess_meta_at(s->array, i, &layer, &err) == TESS_OK && layer.size == size &&
                 (size == 0 || memcmp(layer.content, content, size) == 0),
             "fixed layer %d does not come back", i);
        free(content);
    }
}

// Sets a layer of a name of its own; removes the first one, or changes those that are there.
static void
do_layers(struct subject *s)
{
    const size_t size = (size_t)draw_below(&s->r, 256);
    uint8_t *const content = draw_items(s, size);
    void *got;
    size_t got_size;

    const char *const first = tess_vlmeta_name(s->array, 0);
    if (size % 4 == 0 && first)
        must(tess_vlmeta_delete(s->array, first, NULL) == TESS_OK, "a layer is not removed");
    if (size % 4 == 1)
        rewrite_attribute(s);
    if (size % 4 == 2)
        reverse_fixed_layers(s);
    if (tess_vlmeta_set(s->array, "fuzz", content, size, NULL) == TESS_OK) {
        must(tess_vlmeta_get(s->array, "fuzz", &got, &got_size, NULL) == TESS_OK &&
                 got_size == size && (size == 0 || memcmp(got, content, size) == 0),
             "a layer of %zu bytes does not come back", size);
        tess_free(got);
    }
    free(content);
}

// Chunks and ledger are looked at by the first change that needs them, which may be a commit; what
// is wrong with them is a refusal then, and the array is what it was. So is a chunk of which only a
// part was written, and the rest cannot be decoded.
static bool
refuses_changes(const struct subject *s, tess_status st, const tess_error *err)
{
    return st == TESS_ERR_CORRUPT &&
           (!s->known || strstr(err->message, "the file can only be read") ||
            strstr(err->message, "ledger") || strstr(err->message, "a list of checksums"));
}

// From here on the array is only read: it has what was changed, which cannot be committed.
static void
give_up(struct subject *s)
{
    s->given_up = true;
    s->storage.mode = TESS_MODE_READ;
}

static void
do_reopen(struct subject *s)
{
    const void *image;
    uint8_t *copy = NULL;
    tess_error err = {0};
    const tess_status flushed = tess_array_flush(s->array, &err);

    if (refuses_changes(s, flushed, &err)) {
        give_up(s);
        return;
    }
    must(flushed == TESS_OK, "%s", err.message);
    if (!s->storage.path) {
        must(tess_array_image(s->array, &image, &s->storage.image_size, &err) == TESS_OK, "%s",
             err.message);
        s->storage.image = copy = exact_copy(image, s->storage.image_size);
    }
    must(tess_array_close(s->array, &err) == TESS_OK, "%s", err.message);
    tess_status st = tess_array_open(&s->storage, &s->array, &err);
    if (st == TESS_ERR_UNSUPPORTED && strstr(err.message, "another frame stands behind")) {
        s->storage.mode = TESS_MODE_READ; // plain bytes that were left behind, and hold a frame
        st = tess_array_open(&s->storage, &s->array, &err);
    }
    must(st == TESS_OK, "%s", err.message);
    free(copy);
}

static void
do_flush(struct subject *s)
{
    tess_error err = {0};
    const tess_status st = tess_array_flush(s->array, &err);

    if (refuses_changes(s, st, &err))
        give_up(s);
    else
        must(st == TESS_OK, "%s", err.message);
}

// -- super-chunks, which are written chunk by chunk

// Where a chunk begins, in bytes; -1: not all in front of it can be looked at.
static int64_t
chunk_start(const struct subject *s, int64_t n)
{
    int64_t start = 0;

    for (int64_t i = 0; i < n && start >= 0; i++) {
        tess_chunk_info chunk;
        if (tess_array_chunk(s->array, i, &chunk, NULL) != TESS_OK)
            return -1;
        start += chunk.nbytes;
    }
    return start;
}

// The list was changed: from a byte on, `removed` bytes went and `added` came.
static void
splice(struct subject *s, int64_t at, size_t removed, const uint8_t *bytes, size_t added)
{
    const size_t before = reference_size(&s->want), size = before - removed + added;
    tess_info info;

    must(at >= 0 && (size_t)at + removed <= before, "chunks beyond the end");
    uint8_t *const all = exact_memory(size);
    if (at > 0)
        memcpy(all, s->want.data, (size_t)at);
    if (added > 0)
        memcpy(all + at, bytes, added);
    if ((size_t)at + removed < before)
        memcpy(all + (size_t)at + added, (uint8_t *)s->want.data + (size_t)at + removed,
               before - (size_t)at - removed);
    tess_array_info(s->array, &info);
    must((size_t)(info.shape[0] * info.typesize) == size, "%lld items of %d bytes, not %zu bytes",
         (long long)info.shape[0], (int)info.typesize, size);
    reference_finish(&s->want);
    reference_init(&s->want, 1, info.shape, (size_t)info.typesize);
    if (size > 0)
        memcpy(s->want.data, all, size);
    free(all);
}

static void
insert_chunk(struct subject *s, int64_t n)
{
    const int64_t start = chunk_start(s, n);
    const size_t size = 1 + (size_t)draw_below(&s->r, 600);
    const bool zeros = size % 5 == 0;
    uint8_t *const items = draw_items(s, size);

    if (zeros)
        memset(items, 0, size);
    const tess_status st =
        zeros ? tess_schunk_insert_special(s->array, n, 1, TESS_CHUNK_ZEROS, size, NULL)
              : tess_schunk_insert(s->array, n, items, size, NULL);
    if (st == TESS_OK && s->known)
        splice(s, start, 0, items, size);
    settle(s, st);
    free(items);
}

static void
remove_chunk(struct subject *s, int64_t n)
{
    const int64_t start = chunk_start(s, n), end = chunk_start(s, n + 1);
    const tess_status st = tess_schunk_remove(s->array, n, 1, NULL);

    if (st == TESS_OK && s->known)
        splice(s, start, (size_t)(end - start), NULL, 0);
}

// Whatever is refused leaves the list as it was, which check() sees.
static void
do_list(struct subject *s)
{
    tess_info info;

    tess_array_info(s->array, &info);
    if (!s->known) { // what is there cannot be followed, but it may be changed
        if (tess_schunk_remove(s->array, 0, info.nchunks > 0, NULL) == TESS_OK)
            tess_array_info(s->array, &info);
        reference_finish(&s->want);
        reference_init(&s->want, info.ndim, info.shape, (size_t)info.typesize);
    } else if (info.nchunks > NCHUNKS_MAX / 2 || reference_size(&s->want) > ARRAY_MAX) {
        return;
    } else if (info.nchunks > 0 && draw_below(&s->r, 3) == 0) {
        remove_chunk(s, draw_below(&s->r, info.nchunks));
    } else {
        insert_chunk(s, draw_below(&s->r, info.nchunks + 1));
    }
}

static const struct {
    void (*run)(struct subject *);
    const char *name;
} steps[] = {
    {do_write, "a write"},      {do_flush, "a flush"},    {do_resize, "a new shape"},
    {do_reopen, "a reopening"}, {do_append, "an append"}, {do_layers, "a layer"},
};

static void
learn(struct subject *s)
{
    static const int64_t origin[TESS_MAX_NDIM];
    tess_info info;

    tess_array_info(s->array, &info);
    reference_init(&s->want, info.ndim, info.shape, (size_t)info.typesize);
    if (info.fill)
        reference_grow_with(&s->want, info.fill);
    s->known = tess_array_read(s->array, origin, info.shape, s->want.data, reference_size(&s->want),
                               NULL) == TESS_OK;
    s->exact = is_exact(&info);
}

static bool
is_list(const struct subject *s)
{
    tess_info info;

    tess_array_info(s->array, &info);
    return info.plain;
}

static bool
can_be_changed(const struct subject *s)
{
    tess_info info;

    tess_array_info(s->array, &info);
    return is_small(&info, info.shape) && info.chunksize <= CHUNKSIZE_MAX;
}

tess_status
change_array(const tess_storage *storage, const uint8_t *decisions, size_t size)
{
    struct subject s = {.storage = *storage, .r = rd_init(decisions, size)};
    tess_error err = {0};

    s.storage.mode = TESS_MODE_UPDATE;
    s.storage.limits = (tess_limits){.memory = LOOK_MEMORY, .nchunks = NCHUNKS_MAX};
    const tess_status st = tess_array_open(&s.storage, &s.array, &err);
    if (st != TESS_OK) {
        must(err.status == st && err.message[0], "a failure without a sentence");
        return st;
    }
    if (!can_be_changed(&s)) {
        tess_array_discard(s.array);
        return TESS_OK;
    }
    learn(&s);
    for (int64_t n = 1 + draw_below(&s.r, STEPS_MAX); n > 0 && s.storage.mode == TESS_MODE_UPDATE;
         n--) {
        const size_t i = (size_t)draw_below(&s.r, sizeof steps / sizeof *steps);
        const bool items = i % 2 == 0; // every other step is about them
        (items && is_list(&s) ? do_list : steps[i].run)(&s);
        check(&s, steps[i].name);
    }
    if (!s.given_up)
        do_reopen(&s);
    if (s.given_up) {
        tess_array_discard(s.array);
    } else {
        check(&s, "the last reopening");
        must(tess_array_close(s.array, NULL) == TESS_OK, "the array cannot be closed");
    }
    reference_finish(&s.want);
    return TESS_OK;
}
