/*
 * copy.c - arrays copied to another layout, concatenated and stacked, against the slow reference.
 *
 * Random arrays: case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the number that
 * a failure prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more. And the files
 * of other writers, where reading all says what the items are.
 */
#include "support/draw.h"
#include "support/files.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum {
    CASES_SHORT = 250,
    CASES_LONG = 30000,
    ITEMS_MAX = 1500, // of an array
    PARTS_MAX = 4,
    DTYPE_MAX = 16,
    JUNK = 100, // bytes in front of an array in a file
};

static uint64_t running; // the seed of the case
static const int64_t origin[TESS_MAX_NDIM];
static const uint8_t junk[JUNK] = {1, 2, 3};

// -- what comes out of the calls

// What is asked for.
struct wanted {
    tess_storage storage;
    tess_context context;
    char path[600];
    tess_params params;
    bool given; // params
    char dtype[DTYPE_MAX];
    size_t word; // bytes that change order; 0: none
    tess_metalayer layers[2];
};

// Where the new array is: in memory, a file, a directory, behind other data.
static void
draw_target(struct random *r, struct wanted *w)
{
    const int64_t place = below(r, 5);

    tess_storage_init(&w->storage);
    w->storage.mode = below(r, 2) ? TESS_MODE_NEW : TESS_MODE_REPLACE;
    w->storage.durability = TESS_DURABILITY_NONE;
    w->storage.context = &w->context;
    snprintf(w->path, sizeof w->path, "%s", files_path("target"));
    files_remove(w->path);
    if (place == 0)
        return;
    w->storage.path = w->path;
    if (place == 1 && w->given)
        w->params.layout = TESS_LAYOUT_SPARSE;
    if (place == 2 && w->given) {
        files_write(w->path, junk, sizeof junk);
        w->storage.mode = TESS_MODE_APPEND;
    }
}

static void
draw_wanted(struct random *r, const struct draw_type *type, const char *dtype, int ndim,
            const int64_t *shape, struct wanted *w)
{
    memset(w, 0, sizeof *w);
    draw_context(r, &w->context);
    draw_memory(r, type->size, &w->context);
    tess_params_init(&w->params);
    w->given = below(r, 5);
    w->params.ndim = ndim;
    draw_layout(r, shape, &w->params);
    if (below(r, 2))
        w->params.ndim = 0; // "may be 0"
    if (w->given && dtype && type->ordered && below(r, 2)) {
        snprintf(w->dtype, sizeof w->dtype, "%s", dtype);
        if (below(r, 3)) {
            w->dtype[0] = dtype[0] == '<' ? '>' : '<';
            w->word = type->word;
        }
        w->params.dtype = w->dtype;
    }
    if (w->given && below(r, 3) == 0) {
        w->layers[0] = (tess_metalayer){"mine", "new", 3};
        w->layers[1] = (tess_metalayer){"only", "", 0};
        w->params.metalayers = w->layers;
        w->params.nmetalayers = 1 + (int)below(r, 2);
    }
    draw_target(r, w);
}

static void
swap(struct reference *ref, size_t word)
{
    const size_t size = reference_size(ref);

    for (size_t k = 0; word > 0 && k < size; k += word)
        for (size_t i = 0; i < word / 2; i++) {
            const uint8_t byte = ref->data[k + i];
            ref->data[k + i] = ref->data[k + word - 1 - i];
            ref->data[k + word - 1 - i] = byte;
        }
}

// The new array is whole in its place when the call returns, for others too.
static void
check_place(const struct wanted *w, const tess_info *info, const struct reference *want)
{
    tess_storage storage;
    tess_array *a;

    if (!w->storage.path)
        return;
    tess_storage_init(&storage);
    storage.path = w->path;
    storage.offset = info->offset;
    ok(tess_array_open(&storage, &a, err));
    check_array(a, want);
    ok(tess_array_close(a, err));
    if (w->storage.mode == TESS_MODE_APPEND) {
        size_t size;
        uint8_t *const bytes = files_read(w->path, &size);
        assert_int_equal(info->offset, JUNK);
        assert_memory_equal(bytes, junk, JUNK);
        free(bytes);
    }
}

static void
check_layout(const struct wanted *w, const tess_info *info)
{
    bool chosen = true;

    for (int i = 0; i < info->ndim; i++)
        chosen &= w->params.chunkshape[i] == 0;
    for (int i = 0; i < info->ndim && !chosen; i++) {
        assert_int_equal(info->chunkshape[i], w->params.chunkshape[i]);
        assert_int_equal(info->blockshape[i], w->params.blockshape[i]);
    }
    assert_int_equal(info->codec, w->params.codec);
    assert_int_equal(info->clevel, w->params.clevel);
    assert_int_equal(info->split, w->params.split);
    assert_int_equal(info->dictionary, w->params.dictionary);
    assert_memory_equal(info->filters, w->params.filters, TESS_MAX_FILTERS);
    if (w->params.dtype)
        assert_string_equal(info->dtype, w->params.dtype);
    if (w->storage.path)
        assert_int_equal(info->contiguous, w->params.layout == TESS_LAYOUT_CONTIGUOUS);
}

static void
check_layer(const tess_array *a, const char *name, const char *content, size_t size)
{
    tess_metalayer layer;

    ok(tess_meta_get(a, name, &layer, err));
    assert_int_equal(layer.size, size);
    if (size > 0)
        assert_memory_equal(layer.content, content, size);
}

static void
check_attributes(const tess_array *from, const tess_array *to)
{
    tess_info x, y;

    tess_array_info(from, &x);
    tess_array_info(to, &y);
    assert_int_equal(x.nvlmetalayers, y.nvlmetalayers);
    for (int i = 0; i < x.nvlmetalayers; i++) {
        const char *const name = tess_vlmeta_name(from, i);
        void *p, *q;
        size_t p_size, q_size;
        ok(tess_vlmeta_get(from, name, &p, &p_size, err));
        ok(tess_vlmeta_get(to, name, &q, &q_size, err));
        assert_int_equal(p_size, q_size);
        if (p_size > 0)
            assert_memory_equal(p, q, p_size);
        tess_free(p);
        tess_free(q);
    }
}

// Metalayers: the params' and, where these have none of the name, those of the first array.
static void
check_metalayers(const struct wanted *w, const tess_array *from, const tess_array *to)
{
    tess_info info, made;

    for (int i = 0; w->given && i < w->params.nmetalayers; i++)
        check_layer(to, w->layers[i].name, w->layers[i].content, w->layers[i].size);
    tess_array_info(from, &info);
    tess_array_info(to, &made);
    assert_true(!info.fill == !made.fill);
    for (int i = 0; i < info.nmetalayers; i++) {
        tess_metalayer layer;
        bool mine = false;
        ok(tess_meta_at(from, i, &layer, err));
        for (int k = 0; w->given && k < w->params.nmetalayers; k++)
            mine |= strcmp(layer.name, w->layers[k].name) == 0;
        if (!mine && strcmp(layer.name, "b2nd") != 0 && strcmp(layer.name, "caterva") != 0)
            check_layer(to, layer.name, layer.content, layer.size);
    }
    check_attributes(from, to);
}

// `out` NULL: only the file was wanted. Ends the array.
static void
check_made(const struct wanted *w, tess_array *out, const tess_array *first, struct reference *want)
{
    tess_info info = {.offset = w->storage.mode == TESS_MODE_APPEND ? JUNK : 0};

    if (w->given)
        swap(want, w->word);
    if (out) {
        tess_array_info(out, &info);
        if (w->given)
            check_layout(w, &info);
        check_array(out, want);
        check_metalayers(w, first, out);
    }
    check_place(w, &info, want);
    if (out)
        ok(tess_array_close(out, err));
    check_place(w, &info, want);
}

static void
add_metadata(struct random *r, struct drawn *d)
{
    if (!d->writable)
        return;
    for (int64_t n = below(r, 3); n > 0; n--)
        ok(tess_vlmeta_set(d->a, n == 1 ? "one" : "two", "content", (size_t)below(r, 8), err));
}

static const char *
dtype_of(const tess_array *a)
{
    tess_info info;
    tess_array_info(a, &info);
    return info.dtype;
}

// -- random arrays

static void
check_sources(const struct drawn *sources, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        check_array(sources[i].a, &sources[i].ref);
}

// Case: an array is copied.
static void
copy_once(struct random *r)
{
    const struct draw_type *const type = &draw_types[below(r, DRAW_TYPES)];
    const int ndim = (int)below(r, 5);
    int64_t shape[TESS_MAX_NDIM] = {0};
    struct reference want;
    struct wanted w;
    struct drawn d;
    tess_array *out = NULL;

    draw_empty_shape(r, ndim, ITEMS_MAX, shape);
    draw_array(r, "source", type, ndim, shape, false, &d);
    add_metadata(r, &d);
    draw_wanted(r, type, dtype_of(d.a), ndim, shape, &w);
    reference_copy(&want, &d.ref);
    const bool kept = !w.storage.path || below(r, 4);
    ok(tess_array_copy(d.a, &w.storage, w.given ? &w.params : NULL, kept ? &out : NULL, err));
    check_made(&w, out, d.a, &want);
    check_sources(&d, 1);
    reference_finish(&want);
    draw_finish(&d);
}

// Item by item along a new axis, or one that is there.
static void
put(struct reference *want, int axis, int64_t at, const struct reference *part, bool stacked)
{
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM];

    for (int i = 0; i < want->ndim; i++)
        stop[i] = want->shape[i];
    start[axis] = at;
    stop[axis] = at + (stacked ? 1 : part->shape[axis]);
    reference_set(want, start, stop, part->data);
}

static int64_t
draw_length(struct random *r, int64_t length)
{
    return below(r, 3) ? length : below(r, 4) ? 1 + below(r, 20) : 0;
}

// Case: arrays side by side; one of them twice.
static void
combine_once(struct random *r, bool stacked)
{
    const struct draw_type *const type = &draw_types[below(r, DRAW_TYPES)];
    const int ndim = (int)below(r, stacked ? 4 : 3) + (stacked ? 0 : 1);
    const int axis = (int)below(r, ndim + (stacked ? 1 : 0));
    const int64_t n = 1 + below(r, PARTS_MAX);
    int64_t shape[TESS_MAX_NDIM] = {0}, all[TESS_MAX_NDIM] = {0}, at = 0;
    static const char *const names[] = {"s0", "s1", "s2", "s3"};
    struct drawn d[PARTS_MAX];
    tess_array *arrays[PARTS_MAX + 1], *out = NULL;
    int64_t which[PARTS_MAX + 1];
    struct reference want;
    struct wanted w;

    draw_empty_shape(r, ndim, ITEMS_MAX / 4, shape);
    for (int64_t i = 0; i < n; i++) {
        if (!stacked)
            shape[axis] = draw_length(r, shape[axis]);
        draw_array(r, names[i], type, ndim, shape, false, &d[i]);
        arrays[i] = d[i].a;
        which[i] = i;
    }
    which[n] = below(r, n);
    arrays[n] = d[which[n]].a;
    const int64_t count = n + (n > 1 && below(r, 3) == 0);
    for (int i = 0, k = 0; i < ndim + stacked; i++)
        all[i] = stacked && i == axis ? count : shape[k++];
    for (int64_t i = 0; i < count && !stacked; i++)
        at += d[which[i]].ref.shape[axis];
    if (!stacked)
        all[axis] = at;
    reference_init(&want, ndim + stacked, all, type->size);
    at = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct reference *const ref = &d[which[i]].ref;
        put(&want, axis, at, ref, stacked);
        at += stacked ? 1 : ref->shape[axis];
    }
    add_metadata(r, &d[0]);
    draw_wanted(r, type, dtype_of(d[0].a), ndim + stacked, all, &w);
    const bool kept = !w.storage.path || below(r, 4);
    ok((stacked ? tess_array_stack : tess_array_concatenate)(
        arrays, count, axis, &w.storage, w.given ? &w.params : NULL, kept ? &out : NULL, err));
    check_made(&w, out, d[0].a, &want);
    check_sources(d, n);
    reference_finish(&want);
    for (int64_t i = 0; i < n; i++)
        draw_finish(&d[i]);
}

static int
end_random(void **state)
{
    fprintf(stderr, "last case: TESS_TEST_SEED=%" PRIu64 "\n", running);
    return files_teardown(state);
}

static void
random_arrays(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(CASES_SHORT, CASES_LONG);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        struct random r;
        running = seed + (uint64_t)i;
        random_init(&r, running);
        const int64_t kind = below(&r, 4);
        if (kind < 2)
            copy_once(&r);
        else
            combine_once(&r, kind == 3);
    }
}

// -- files of other writers

// What the library says of each chunk is the same.
static void
check_same_chunks(tess_array *a, int64_t first, tess_array *b, int64_t second, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        tess_chunk_info x, y;
        ok(tess_array_chunk(a, first + i, &x, err));
        ok(tess_array_chunk(b, second + i, &y, err));
        assert_int_equal(x.kind, y.kind);
        assert_int_equal(x.stored, y.stored);
        assert_int_equal(x.cbytes, y.cbytes);
        assert_int_equal(x.codec, y.codec);
        assert_int_equal(x.dictionary_size, y.dictionary_size);
        assert_memory_equal(x.filters, y.filters, TESS_MAX_FILTERS);
    }
}

static bool
same_layout(const tess_info *x, const tess_info *y)
{
    return !x->plain && x->frame_version >= 2 && x->split == y->split &&
           x->dictionary == y->dictionary;
}

static void
check_golden_copy(tess_array *a, const struct reference *ref, const tess_params *p)
{
    tess_storage storage;
    tess_array *copy;
    tess_info x, y;

    tess_storage_init(&storage);
    tess_error error = {0};
    const tess_status st = tess_array_copy(a, &storage, p, &copy, &error);
    if (st == TESS_ERR_UNSUPPORTED || (st == TESS_ERR_ARG && !p)) { // read, but not written today
        assert_null(p);
        return;
    }
    if (st != TESS_OK)
        fail_msg("%s", error.message);
    tess_array_info(a, &x);
    tess_array_info(copy, &y);
    check_array(copy, ref);
    check_attributes(a, copy);
    if (!p && same_layout(&x, &y))
        check_same_chunks(a, 0, copy, 0, x.nchunks);
    if (x.dtype && strcmp(x.dtype, y.dtype) != 0)
        fail_msg("type %s became %s", x.dtype, y.dtype);
    assert_int_equal(x.dtype_format, y.dtype_format);
    ok(tess_array_close(copy, err));
}

// Twice, side by side.
static void
check_golden_pair(tess_array *a, const struct reference *ref, int axis, bool stacked)
{
    int64_t shape[TESS_MAX_NDIM];
    tess_array *const pair[] = {a, a};
    struct reference want;
    tess_storage storage;
    tess_params p;
    tess_array *out;

    for (int i = 0, k = 0; i < ref->ndim + stacked; i++)
        shape[i] = stacked && i == axis ? 2 : ref->shape[k++];
    if (!stacked)
        shape[axis] *= 2;
    reference_init(&want, ref->ndim + stacked, shape, ref->typesize);
    put(&want, axis, 0, ref, stacked);
    put(&want, axis, stacked ? 1 : ref->shape[axis], ref, stacked);
    tess_storage_init(&storage);
    tess_params_init(&p);
    ok((stacked ? tess_array_stack : tess_array_concatenate)(pair, 2, axis, &storage, &p, &out,
                                                             err));
    check_array(out, &want);
    ok(tess_array_close(out, err));
    reference_finish(&want);
}

static void
check_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    struct random *const r = user;
    tess_params p;

    print_message("%s\n", name);
    check_golden_copy(a, ref, NULL);
    tess_params_init(&p);
    p.ndim = ref->ndim;
    draw_layout(r, ref->shape, &p);
    check_golden_copy(a, ref, &p);
    if (ref->ndim < TESS_MAX_NDIM)
        check_golden_pair(a, ref, (int)below(r, ref->ndim + 1), true);
    if (ref->ndim > 0)
        check_golden_pair(a, ref, (int)below(r, ref->ndim), false);
}

static void
golden_files(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    check_golden_files(check_golden, &r);
}

// -- chunks as they are stored

enum { ROWS = 24, COLUMNS = 20, CHUNK_ROWS = 8, CHUNK_COLUMNS = 10 };

// A matrix of noise, in 3 x 2 chunks; damage in the codec is noticed.
static void
matrix_params(tess_params *p)
{
    tess_params_init(p);
    p->dtype = "<i8";
    p->ndim = 2;
    p->shape[0] = ROWS;
    p->shape[1] = COLUMNS;
    p->chunkshape[0] = CHUNK_ROWS;
    p->chunkshape[1] = CHUNK_COLUMNS;
    p->blockshape[0] = 4;
    p->blockshape[1] = 5;
    p->codec = TESS_CODEC_ZLIB;
    p->split = TESS_SPLIT_NEVER;
}

static tess_array *
matrix(const char *path, struct reference *ref)
{
    tess_storage storage;
    tess_params p;
    struct random r;
    tess_array *a;

    matrix_params(&p);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    storage.checksums = TESS_CHECKSUMS_NONE; // damage is to go unnoticed
    random_init(&r, 7);
    reference_init(ref, 2, p.shape, 8);
    for (size_t k = 0; k < reference_size(ref); k++)
        ref->data[k] = (uint8_t)below(&r, k % 8 < 2 ? 256 : 3);
    ok(tess_array_from(&storage, &p, ref->data, reference_size(ref), &a, err));
    return a;
}

// A matrix of which no block can be decoded, though all that is told of it can be read.
static tess_array *
damaged_matrix(const char *path, tess_mode mode, struct reference *ref)
{
    tess_storage storage;
    tess_info info;
    tess_array *a = matrix(path, ref);
    size_t size;

    tess_array_info(a, &info);
    ok(tess_array_close(a, err));
    uint8_t *const bytes = files_read(path, &size);
    for (size_t k = 0; k + 8 < size; k++) // the start of every zlib stream
        if (bytes[k] == 0x78 && (bytes[k] * 256 + bytes[k + 1]) % 31 == 0)
            bytes[k] = 0xff;
    files_write(path, bytes, size);
    free(bytes);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    ok(tess_array_open(&storage, &a, err));
    refused(TESS_ERR_CORRUPT,
            tess_array_read(a, origin, info.shape, ref->data, reference_size(ref), err));
    return a;
}

static tess_storage
place_for(const char *name)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.mode = TESS_MODE_NEW;
    storage.durability = TESS_DURABILITY_NONE;
    storage.path = name ? files_path(name) : NULL;
    return storage;
}

static void
raw_chunks(void **state)
{
    const tess_storage memory = place_for(NULL);
    struct reference ref;
    tess_array *const a = damaged_matrix(files_path("a"), TESS_MODE_READ, &ref);
    tess_array *const three[] = {a, a, a};
    tess_array *out;
    tess_params p;

    (void)state;
    ok(tess_array_copy(a, &memory, NULL, &out, err)); // nothing is decoded
    check_same_chunks(a, 0, out, 0, 6);
    ok(tess_array_close(out, err));
    tess_array_params(a, &p);
    ok(tess_array_copy(a, &memory, &p, &out, err));
    check_same_chunks(a, 0, out, 0, 6);
    ok(tess_array_close(out, err));

    ok(tess_array_concatenate(three, 3, 0, &memory, NULL, &out, err));
    for (int64_t i = 0; i < 3; i++)
        check_same_chunks(a, 0, out, 6 * i, 6);
    ok(tess_array_close(out, err));
    ok(tess_array_concatenate(three, 3, 1, &memory, NULL, &out, err));
    for (int64_t row = 0; row < 3; row++)
        for (int64_t i = 0; i < 3; i++)
            check_same_chunks(a, 2 * row, out, 6 * row + 2 * i, 2);
    ok(tess_array_close(out, err));
    ok(tess_array_close(a, err));
    reference_finish(&ref);
}

// An array copied whole is the same frame, byte for byte.
static void
same_frame(void **state)
{
    const tess_storage storage = place_for("b");
    struct reference ref;
    tess_array *const a = matrix(files_path("a"), &ref);
    uint8_t *x, *y;
    size_t x_size, y_size;

    (void)state;
    ok(tess_vlmeta_set(a, "title", "waves", 5, err));
    ok(tess_array_copy(a, &storage, NULL, NULL, err));
    ok(tess_array_close(a, err));
    tess_storage made = storage;
    made.mode = TESS_MODE_READ;
    tess_array *b;
    ok(tess_array_open(&made, &b, err));
    ok(tess_array_to_image(b, (void **)&x, &x_size, err));
    ok(tess_array_close(b, err));
    made.path = files_path("a");
    ok(tess_array_open(&made, &b, err));
    ok(tess_array_to_image(b, (void **)&y, &y_size, err));
    ok(tess_array_close(b, err));
    assert_int_equal(x_size, y_size);
    assert_memory_equal(x, y, x_size);
    tess_free(x);
    tess_free(y);
    reference_finish(&ref);
}

// Chunks at other places of the target, or of other sizes there, are made anew.
static void
unaligned(void **state)
{
    const tess_storage memory = place_for(NULL);
    struct reference ref, want;
    tess_array *const a = matrix(files_path("a"), &ref);
    tess_array *head, *out;

    (void)state;
    for (int64_t rows = 1; rows <= ROWS; rows++) {
        ok(tess_array_view_slice(a, origin, (const int64_t[]){rows, COLUMNS}, NULL, &head, err));
        tess_array *const parts[] = {head, a, head, a};
        reference_init(&want, 2, (const int64_t[]){2 * (rows + ROWS), COLUMNS}, 8);
        for (int64_t i = 0; i < 2; i++) {
            const int64_t at = i * (rows + ROWS);
            reference_set(&want, (const int64_t[]){at, 0}, (const int64_t[]){at + rows, COLUMNS},
                          ref.data);
            put(&want, 0, at + rows, &ref, false);
        }
        tess_params p;
        tess_array_params(a, &p);
        ok(tess_array_concatenate(parts, 4, 0, &memory, &p, &out, err));
        check_array(out, &want);
        ok(tess_array_close(out, err));
        ok(tess_array_close(head, err));
        reference_finish(&want);
    }
    ok(tess_array_close(a, err));
    reference_finish(&ref);
}

// -- what goes along

static void
metalayers(void **state)
{
    static const tess_metalayer own[] = {{"kept", "one", 3}, {"replaced", "two", 3}};
    static const tess_metalayer given[] = {{"replaced", "three", 5}, {"new", "", 0}};
    tess_storage storage = place_for(NULL);
    tess_params p;
    tess_array *a, *out;
    tess_info info;

    (void)state;
    matrix_params(&p);
    p.metalayers = own;
    p.nmetalayers = 2;
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_vlmeta_set(a, "title", "waves", 5, err));
    for (int stacked = 0; stacked < 2; stacked++) {
        tess_params_init(&p);
        p.metalayers = given;
        p.nmetalayers = 2;
        if (stacked)
            ok(tess_array_stack(&a, 1, 1, &storage, &p, &out, err));
        else
            ok(tess_array_copy(a, &storage, &p, &out, err));
        tess_array_info(out, &info);
        assert_int_equal(info.nmetalayers, 4); // with that of the shape
        check_layer(out, "kept", "one", 3);
        check_layer(out, "replaced", "three", 5);
        check_layer(out, "new", "", 0);
        check_attributes(a, out);
        ok(tess_array_close(out, err));
    }
    p.nmetalayers = 0;
    ok(tess_array_copy(a, &storage, &p, &out, err));
    check_layer(out, "replaced", "two", 3);
    ok(tess_array_close(out, err));
    ok(tess_array_close(a, err));
}

// An array of zero items, made there or not.
static tess_array *
zeros(const char *dtype, int ndim, int64_t rows, int64_t columns)
{
    const tess_storage storage = place_for(NULL);
    tess_params p;
    tess_array *a;

    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = ndim;
    for (int i = 0; i < ndim; i++)
        p.shape[i] = i == 0 ? rows : columns;
    ok(tess_array_zeros(&storage, &p, &a, err));
    return a;
}

// -- refusals

// Nothing was made, and what was there is as it was.
#define check_refused(want, sentence, call)                                   \
    do {                                                                      \
        static const uint8_t there[] = {9, 8, 7};                             \
        storage.path = files_path("new");                                     \
        storage.mode = TESS_MODE_NEW;                                         \
        {                                                                     \
            tess_error error_ = {0};                                          \
            tess_error *const err = &error_;                                  \
            out = (tess_array *)&out;                                         \
            assert_int_equal((call), (want));                                 \
            if (!strstr(error_.message, (sentence)))                          \
                fail_msg("%s: \"%s\"", #call, error_.message);                \
        }                                                                     \
        assert_null(out);                                                     \
        assert_int_equal(files_count(), 0);                                   \
        files_write(files_path("old"), there, sizeof there);                  \
        for (int mode_ = 0; mode_ < 2; mode_++) {                             \
            storage.path = files_path("old");                                 \
            storage.mode = mode_ == 0 ? TESS_MODE_REPLACE : TESS_MODE_APPEND; \
            out = (tess_array *)&out;                                         \
            refused(want, call);                                              \
            assert_null(out);                                                 \
            size_t size_;                                                     \
            uint8_t *const bytes_ = files_read(files_path("old"), &size_);    \
            assert_int_equal(size_, sizeof there);                            \
            assert_memory_equal(bytes_, there, size_);                        \
            free(bytes_);                                                     \
        }                                                                     \
        files_remove(files_path("old"));                                      \
    } while (0)

static void
refusals(void **state)
{
    tess_array *const a = zeros("<i4", 2, 4, 5), *const longer = zeros("<i4", 2, 6, 5);
    tess_array *const wide = zeros("<i4", 2, 4, 7), *const line = zeros("<i4", 1, 4, 0);
    tess_array *const big = zeros(">i4", 2, 4, 5), *const real = zeros("<f4", 2, 4, 5);
    tess_array *const eight = zeros("<i8", 2, 4, 5), *const deep = zeros("|u1", 16, 1, 1);
    tess_array *const us = zeros("<M8[us]", 2, 4, 5), *const ns = zeros("<M8[ns]", 2, 4, 5);
    tess_array *const two[] = {a, longer}, *const broad[] = {a, wide}, *const flat[] = {a, line};
    tess_array *const orders[] = {a, big}, *const kinds[] = {a, real}, *const sizes[] = {a, eight};
    tess_array *const same[] = {a, a}, *const hole[] = {a, NULL}, *const units[] = {us, ns};
    tess_storage storage = place_for("new");
    tess_params p;
    tess_array *out;

    (void)state;
#define CONCATENATE(list, axis) tess_array_concatenate(list, 2, axis, &storage, NULL, &out, err)
#define STACK(list, axis) tess_array_stack(list, 2, axis, &storage, NULL, &out, err)
    check_refused(TESS_ERR_ARG, "5 and 7 items along axis 1", CONCATENATE(broad, 0));
    check_refused(TESS_ERR_ARG, "2 and 1 dimensions", CONCATENATE(flat, 0));
    check_refused(TESS_ERR_ARG, "byte orders", CONCATENATE(orders, 0));
    check_refused(TESS_ERR_ARG, "\"<f4\"", CONCATENATE(kinds, 0));
    check_refused(TESS_ERR_ARG, "4 and of 8 bytes", CONCATENATE(sizes, 0));
    check_refused(TESS_ERR_ARG, "\"<M8[ns]\"", CONCATENATE(units, 0));
    check_refused(TESS_ERR_ARG, "array 1 is not given", CONCATENATE(hole, 0));
    check_refused(TESS_ERR_ARG, "axis 2 of arrays with 2", CONCATENATE(two, 2));
    check_refused(TESS_ERR_ARG, "axis -1 of arrays with 2", CONCATENATE(two, -1));
    check_refused(TESS_ERR_ARG, "4 and 6 items along axis 0", STACK(two, 0));
    check_refused(TESS_ERR_ARG, "byte orders", STACK(orders, 0));
    check_refused(TESS_ERR_ARG, "array 1 is not given", STACK(hole, 0));
    check_refused(TESS_ERR_ARG, "a new axis 3", STACK(same, 3));
    check_refused(TESS_ERR_ARG, "no arrays",
                  tess_array_concatenate(two, 0, 0, &storage, NULL, &out, err));
    check_refused(TESS_ERR_ARG, "no arrays",
                  tess_array_stack(NULL, 2, 0, &storage, NULL, &out, err));
    check_refused(TESS_ERR_ARG, "16 dimensions already",
                  tess_array_stack(&deep, 1, 0, &storage, NULL, &out, err));
    check_refused(TESS_ERR_ARG, "", tess_array_copy(NULL, &storage, NULL, &out, err));
    check_refused(TESS_ERR_ARG, "", tess_array_copy(a, NULL, NULL, &out, err));

    tess_params_init(&p);
#define COPY tess_array_copy(a, &storage, &p, &out, err)
    p.ndim = 3;
    check_refused(TESS_ERR_ARG, "params for 3 dimensions", COPY);
    p.ndim = 2;
    p.dtype = "<f4";
    check_refused(TESS_ERR_ARG, "\"<f4\"", COPY);
    p.dtype = "<i2";
    check_refused(TESS_ERR_ARG, "\"<i2\"", COPY);
    p.dtype = NULL;
    p.typesize = 8;
    check_refused(TESS_ERR_ARG, "8 bytes", COPY);
    p.typesize = 0;
    p.chunkshape[0] = 3;
    check_refused(TESS_ERR_ARG, "", COPY);
    p.chunkshape[1] = 3;
    p.blockshape[0] = p.blockshape[1] = 4;
    check_refused(TESS_ERR_ARG, "", COPY);
    tess_params_init(&p);
    p.codec = (tess_codec)77;
    check_refused(TESS_ERR_UNSUPPORTED, "", COPY);
    tess_params_init(&p);
    p.nmetalayers = 1;
    check_refused(TESS_ERR_ARG, "metalayers", COPY);
    p.struct_size = 3;
    check_refused(TESS_ERR_ARG, "tess_params_init", COPY);
    tess_params_init(&p);
    p.dtype = "<M8[ns]";
    check_refused(TESS_ERR_ARG, "\"<M8[ns]\"", tess_array_copy(us, &storage, &p, &out, err));
    storage.path = NULL;
    refused(TESS_ERR_ARG, tess_array_copy(a, &storage, NULL, NULL, err));

    tess_array *const all[] = {a, longer, wide, line, big, real, eight, deep, us, ns};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ok(tess_array_close(all[i], err));
}

// Not to where a source is written; what is read may be replaced.
static void
own_place(void **state)
{
    struct reference ref;
    tess_array *a = matrix(files_path("a"), &ref), *out;
    tess_storage storage = place_for("a");

    (void)state;
    storage.mode = TESS_MODE_REPLACE;
    refused(TESS_ERR_ARG, tess_array_copy(a, &storage, NULL, &out, err));
    assert_null(out);
    refused(TESS_ERR_ARG, tess_array_concatenate(&a, 1, 0, &storage, NULL, &out, err));
    refused(TESS_ERR_ARG, tess_array_stack(&a, 1, 0, &storage, NULL, &out, err));
    tess_array *view;
    ok(tess_array_view_permute(a, NULL, &view, err));
    refused(TESS_ERR_ARG, tess_array_copy(view, &storage, NULL, &out, err));
    ok(tess_array_close(view, err));
    storage.mode = TESS_MODE_NEW;
    refused(TESS_ERR_ARG, tess_array_copy(a, &storage, NULL, NULL, err));
    ok(tess_array_close(a, err));
    check_file(files_path("a"), &ref);
    ok(tess_array_open(&(tess_storage){.struct_size = sizeof storage, .path = files_path("a")}, &a,
                       err));
    tess_error error;
    assert_int_equal(tess_array_copy(a, &storage, NULL, &out, &error), TESS_ERR_IO);
    assert_null(out);
    storage.mode = TESS_MODE_REPLACE;
    ok(tess_array_copy(a, &storage, NULL, &out, err));
    check_array(out, &ref);
    check_array(a, &ref); // goes on reading what stood there
    ok(tess_array_close(a, err));
    ok(tess_array_close(out, err));
    check_file(files_path("a"), &ref);
    assert_int_equal(files_count(), 1);
    reference_finish(&ref);
}

static void
damaged_source(void **state)
{
    struct reference ref;
    tess_array *const a = damaged_matrix(files_path("a"), TESS_MODE_READ, &ref);
    tess_array *out;
    tess_storage storage = place_for("new");
    struct reference other;
    tess_params p;

    (void)state;
    tess_array *const good = matrix(NULL, &other);
    tess_array *const pair[] = {good, a};
    files_remove(files_path("a"));
    for (int sparse = 0; sparse < 2; sparse++) {
        tess_array_params(a, &p);
        p.layout = sparse ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
        p.chunkshape[0]--;
        p.blockshape[0]--;
        refused(TESS_ERR_CORRUPT, tess_array_copy(a, &storage, &p, &out, err));
        assert_null(out);
        refused(TESS_ERR_CORRUPT, tess_array_copy(a, &storage, &p, NULL, err));
        refused(TESS_ERR_CORRUPT, tess_array_concatenate(pair, 2, 0, &storage, &p, &out, err));
        assert_null(out);
        refused(TESS_ERR_CORRUPT, tess_array_stack(pair, 2, 0, &storage, NULL, &out, err));
        assert_null(out);
        assert_int_equal(files_count(), 0);
    }
    ok(tess_array_close(a, err));
    ok(tess_array_close(good, err));
    reference_finish(&ref);
    reference_finish(&other);
}

// Whatever size of file the system refuses, nothing is left.
static void
no_space(void **state)
{
    struct reference ref;
    tess_array *const a = matrix(NULL, &ref);
    tess_array *out;
    tess_storage storage = place_for("new");
    struct rlimit all;
    tess_params p;

    (void)state;
    void (*const old)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    tess_array_params(a, &p);
    p.chunkshape[0] = 5;
    p.blockshape[0] = 3;
    for (rlim_t size = 0; size < 2000; size += 150)
        for (int raw = 0; raw < 2; raw++) {
            const struct rlimit few = {size, all.rlim_max};
            tess_error error;
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
            const tess_status st = tess_array_copy(a, &storage, raw ? NULL : &p, &out, &error);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
            assert_int_equal(st, TESS_ERR_IO);
            assert_null(out);
            assert_int_equal(files_count(), 0);
        }
    (void)signal(SIGXFSZ, old);
    ok(tess_array_close(a, err));
    reference_finish(&ref);
}

// -- codecs and filters that work on blocks of some shapes only

static const struct coding {
    const char *name;
    int typesize, ndim;
    tess_codec codec;
    uint8_t codec_meta;
    tess_split split;
    uint8_t filters[TESS_MAX_FILTERS], metas[TESS_MAX_FILTERS];
} codings[] = {
    {"ndcell", 4, 2, TESS_CODEC_LZ4, 0, TESS_SPLIT_AUTO, {TESS_FILTER_NDCELL}, {4}},
    {"ndcell, shuffle",
     8,
     3,
     TESS_CODEC_ZSTD,
     0,
     TESS_SPLIT_AUTO,
     {TESS_FILTER_NDCELL, TESS_FILTER_SHUFFLE},
     {3}},
    {"ndlz 4", 1, 2, TESS_CODEC_NDLZ, 4, TESS_SPLIT_NEVER, {0}, {0}},
    {"ndlz 8, shuffle", 4, 2, TESS_CODEC_NDLZ, 8, TESS_SPLIT_ALWAYS, {TESS_FILTER_SHUFFLE}, {0}},
    {"ndcell, ndlz", 1, 2, TESS_CODEC_NDLZ, 4, TESS_SPLIT_NEVER, {TESS_FILTER_NDCELL}, {8}},
};

static void
create_coded(const struct coding *c, int64_t side, tess_array **a)
{
    static uint8_t items[8 * 24 * 24 * 24];
    int64_t nitems = 1;
    tess_storage storage;
    tess_params p;
    tess_storage_init(&storage);
    tess_params_init(&p);
    p.typesize = c->typesize;
    p.ndim = c->ndim;
    for (int i = 0; i < c->ndim; i++) {
        p.shape[i] = side;
        p.chunkshape[i] = 16;
        p.blockshape[i] = 8;
        nitems *= side;
    }
    p.codec = c->codec;
    p.codec_meta = c->codec_meta;
    p.split = c->split;
    memcpy(p.filters, c->filters, sizeof p.filters);
    memcpy(p.filters_meta, c->metas, sizeof p.filters_meta);
    for (int64_t i = 0; i < nitems * c->typesize; i++)
        items[i] = (uint8_t)(i / 3 + i % 7);
    ok(tess_array_from(&storage, &p, items, (size_t)(nitems * c->typesize), a, err));
}

static uint8_t *
all_items(const tess_array *a, size_t *size)
{
    tess_info info;
    tess_array_info(a, &info);
    *size = (size_t)(info.nitems * info.typesize);
    uint8_t *const items = malloc(*size + 1);
    assert_non_null(items);
    ok(tess_array_read(a, origin, info.shape, items, *size, err));
    return items;
}

// A copy without params, and one with those that the array tells, hold the items.
static void
check_copied(tess_array *a, const char *name)
{
    size_t size, copied;
    uint8_t *const items = all_items(a, &size);
    tess_storage storage;
    tess_params p;
    tess_storage_init(&storage);
    tess_array_params(a, &p);
    for (int i = 0; i < 2; i++) {
        tess_array *copy;
        tess_error error;
        if (tess_array_copy(a, &storage, i ? &p : NULL, &copy, &error) != TESS_OK)
            fail_msg("%s, %s: %s", name, i ? "its params" : "NULL", error.message);
        uint8_t *const now = all_items(copy, &copied);
        assert_int_equal(copied, size);
        assert_memory_equal(now, items, size);
        free(now);
        ok(tess_array_close(copy, err));
    }
    free(items);
}

static void
check_views(tess_array *a, const struct coding *c)
{
    static const int64_t starts[] = {0, 1, 5}, counts[] = {1, 2, 3, 9, 0}, step = 2;
    tess_array *view;
    for (size_t k = 0; k < 15; k++) {
        int64_t start[3], count[3], steps[3];
        for (int i = 0; i < c->ndim; i++) {
            start[i] = starts[k % 3];
            count[i] = i == 0 ? counts[k / 3] : counts[(k / 3 + k) % 4];
            steps[i] = k % 2 ? step : 1;
        }
        ok(tess_array_view_slice(a, start, count, steps, &view, err));
        check_copied(view, c->name);
        ok(tess_array_close(view, err));
    }
    for (int axis = 0; axis <= c->ndim; axis++) {
        ok(tess_array_view_expand(a, axis, &view, err));
        check_copied(view, c->name);
        ok(tess_array_close(view, err));
    }
    ok(tess_array_view_permute(a, (const int[]){c->ndim - 1, 0, 1}, &view, err));
    check_copied(view, c->name);
    ok(tess_array_close(view, err));
}

static void
parameters_that_fit(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof codings / sizeof codings[0]; k++) {
        const struct coding *const c = &codings[k];
        tess_array *a, *out;
        tess_storage storage;
        tess_info info;
        tess_storage_init(&storage);
        for (int64_t side = 24; side >= 1; side = side / 5 * 2 - 1) { // 24, 7, 1
            create_coded(c, side, &a);
            check_copied(a, c->name);
            if (side == 24)
                check_views(a, c);
            for (int axis = 0; axis <= c->ndim; axis++) {
                tess_array *const both[] = {a, a};
                size_t size, twice;
                uint8_t *const items = all_items(a, &size);
                ok(tess_array_stack(both, 2, axis, &storage, NULL, &out, err));
                uint8_t *const stacked = all_items(out, &twice);
                assert_int_equal(twice, 2 * size);
                if (axis == 0) {
                    assert_memory_equal(stacked, items, size);
                    assert_memory_equal(stacked + size, items, size);
                }
                free(items);
                free(stacked);
                ok(tess_array_close(out, err));
                if (axis == c->ndim)
                    continue;
                ok(tess_array_concatenate(both, 2, axis, &storage, NULL, &out, err));
                ok(tess_array_close(out, err));
            }
            if (side == 24) { // what fits stays
                ok(tess_array_copy(a, &storage, NULL, &out, err));
                tess_array_info(out, &info);
                assert_int_equal(info.codec, c->codec);
                assert_memory_equal(info.filters, c->filters, sizeof c->filters);
                ok(tess_array_close(out, err));
            }
            ok(tess_array_close(a, err));
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_arrays, files_setup, end_random),
        cmocka_unit_test(golden_files),
        cmocka_unit_test_setup_teardown(raw_chunks, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(same_frame, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(unaligned, files_setup, files_teardown),
        cmocka_unit_test(metalayers),
        cmocka_unit_test(parameters_that_fit),
        cmocka_unit_test_setup_teardown(refusals, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(own_place, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(damaged_source, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(no_space, files_setup, files_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
