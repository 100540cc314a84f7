/*
 * schunk.c - super-chunks against a list of byte strings: any sizes, any order of changes, in
 * memory and in files, also after they are opened again; and what is refused.
 */
#include "support/draw.h"
#include "support/files.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CHUNKS_MOST = 40,
    SIZE_MOST = 5000,
    EDITS = 40,
    CASES_SHORT = 60,
    CASES_LONG = 5000,
};

// What a super-chunk should hold.
struct model {
    uint8_t bytes[CHUNKS_MOST][SIZE_MOST];
    size_t sizes[CHUNKS_MOST];
    int n;
};

static struct model model, before;

static void
model_splice(int at, int removed, int added)
{
    const int tail = model.n - at - removed;
    memmove(model.bytes[at + added], model.bytes[at + removed], (size_t)tail * SIZE_MOST);
    memmove(&model.sizes[at + added], &model.sizes[at + removed], (size_t)tail * sizeof(size_t));
    model.n += added - removed;
}

static void
check_decoded(const tess_array *a)
{
    static uint8_t got[SIZE_MOST];
    for (int n = 0; n < model.n; n++) {
        tess_chunk_info info;
        ok(tess_array_chunk(a, n, &info, err));
        assert_int_equal(info.nbytes, model.sizes[n]);
        memset(got, 0xa5, sizeof got);
        ok(tess_schunk_decode(a, n, got, model.sizes[n], err));
        assert_memory_equal(got, model.bytes[n], model.sizes[n]);
        if (model.sizes[n] > 0)
            assert_int_equal(tess_schunk_decode(a, n, got, model.sizes[n] - 1, NULL), TESS_ERR_ARG);
    }
    assert_int_equal(tess_schunk_decode(a, model.n, got, sizeof got, NULL), TESS_ERR_ARG);
}

// All chunks, one by one, and one behind the other as items.
static void
check_model(const tess_array *a)
{
    static uint8_t all[CHUNKS_MOST * SIZE_MOST], want[CHUNKS_MOST * SIZE_MOST];
    tess_info info;
    size_t total = 0;
    for (int n = 0; n < model.n; n++) {
        memcpy(want + total, model.bytes[n], model.sizes[n]);
        total += model.sizes[n];
    }
    tess_array_info(a, &info);
    assert_true(info.plain);
    assert_int_equal(info.nchunks, model.n);
    assert_int_equal(info.shape[0] * info.typesize, total);
    const int64_t start = 0;
    ok(tess_array_read(a, &start, info.shape, all, sizeof all, err));
    assert_memory_equal(all, want, total);
    check_decoded(a);
}

static size_t
draw_size(struct random *r, size_t usual, size_t typesize)
{
    const size_t most = SIZE_MOST / typesize;
    switch (random_below(r, 8)) {
    case 0:
        return (1 + random_below(r, most)) * typesize;
    case 1:
        return 1 + random_below(r, SIZE_MOST); // perhaps no whole items
    case 2:
        return usual / 2 > 0 ? usual / 2 : 1;
    default:
        return usual;
    }
}

// Content that can be compressed, or not, or is one item again and again.
static void
draw_content(struct random *r, int n, size_t size)
{
    const uint64_t kind = random_below(r, 4);
    const unsigned bits = kind == 0 ? 8 : 3;
    const uint8_t same = (uint8_t)random_next(r);
    model.sizes[n] = size;
    for (size_t i = 0; i < size; i++)
        model.bytes[n][i] = kind == 1   ? 0
                            : kind == 2 ? same
                                        : (uint8_t)(random_next(r) >> (64 - bits));
}

// A chunk that another super-chunk of the same type has made.
static void *
encode_elsewhere(const tess_params *params, const uint8_t *items, size_t size, size_t *chunk_size)
{
    tess_storage storage;
    tess_array *a;
    void *chunk;
    tess_params own = *params;
    own.layout = TESS_LAYOUT_CONTIGUOUS;
    tess_storage_init(&storage);
    ok(tess_schunk_create(&storage, &own, &a, err));
    ok(tess_schunk_insert(a, 0, items, size, err));
    ok(tess_array_get_chunk(a, 0, &chunk, chunk_size, err));
    ok(tess_array_close(a, err));
    return chunk;
}

static void
put_chunk(tess_array *a, const tess_params *params, int n, bool insert, struct random *r)
{
    size_t chunk_size;
    void *const chunk = encode_elsewhere(params, model.bytes[n], model.sizes[n], &chunk_size);
    const tess_chunk_trust trust = random_below(r, 2) ? TESS_CHUNK_TRUSTED : TESS_CHUNK_UNTRUSTED;
    if (insert)
        ok(tess_schunk_insert_chunk(a, n, chunk, chunk_size, trust, err));
    else
        ok(tess_array_set_chunk(a, n, chunk, chunk_size, trust, err));
    tess_free(chunk);
}

static void
insert_special(tess_array *a, struct random *r, int at, size_t size)
{
    const int count = 1 + (int)random_below(r, 3);
    model_splice(at, 0, count);
    for (int i = at; i < at + count; i++) {
        model.sizes[i] = size;
        memset(model.bytes[i], 0, size);
    }
    ok(tess_schunk_insert_special(
        a, at, count, random_below(r, 2) ? TESS_CHUNK_ZEROS : TESS_CHUNK_UNINIT, size, err));
}

static void
reorder(tess_array *a, struct random *r)
{
    int64_t order[CHUNKS_MOST];
    before = model;
    for (int i = 0; i < model.n; i++) {
        const int k = (int)random_below(r, (uint64_t)i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < model.n; i++) {
        memcpy(model.bytes[i], before.bytes[order[i]], SIZE_MOST);
        model.sizes[i] = before.sizes[order[i]];
    }
    ok(tess_schunk_reorder(a, order, model.n, err));
}

static void
edit(tess_array *a, const tess_params *params, struct random *r, size_t usual)
{
    const size_t size = draw_size(r, usual, (size_t)params->typesize);
    const bool room = model.n < CHUNKS_MOST - 4, encoded = random_below(r, 3) == 0;
    const bool any = model.n > 0;
    const int at = random_below(r, 2) ? model.n : (int)random_below(r, (uint64_t)model.n + 1);
    const int there = any ? (int)random_below(r, (uint64_t)model.n) : 0;
    const uint64_t what = random_below(r, 10);
    if (what < 5 && room) {
        model_splice(at, 0, 1);
        draw_content(r, at, size);
        if (encoded)
            put_chunk(a, params, at, true, r);
        else
            ok(tess_schunk_insert(a, at, model.bytes[at], size, err));
    } else if (what == 5 && room) {
        insert_special(a, r, at, size);
    } else if (what == 6 && any) {
        const int count = 1 + (int)random_below(r, 2) <= model.n - there ? 1 : model.n - there;
        model_splice(there, count, 0);
        ok(tess_schunk_remove(a, there, count, err));
    } else if (what == 7) {
        reorder(a, r);
    } else if (any) {
        draw_content(r, there, size);
        if (encoded)
            put_chunk(a, params, there, false, r);
        else
            ok(tess_schunk_update(a, there, model.bytes[there], size, err));
    }
}

static void
edits_like_a_list(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t left = random_cases(CASES_SHORT, CASES_LONG); left > 0; left--) {
        const char *const path = random_below(&r, 3) ? files_path("schunk") : NULL;
        tess_storage storage;
        tess_params params;
        tess_array *a;
        draw_chunk_params(&r, 300, &params);
        if (one_in(&r, 100))
            params.blockshape[0] = 0;
        if (path && one_in(&r, 2))
            params.layout = TESS_LAYOUT_SPARSE;
        tess_storage_init(&storage);
        storage.path = path;
        storage.mode = TESS_MODE_NEW;
        storage.checksums = random_below(&r, 2) ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE;
        const size_t most = SIZE_MOST / (size_t)params.typesize;
        const size_t usual = (1 + random_below(&r, most)) * (size_t)params.typesize;
        model.n = 0;
        ok(tess_schunk_create(&storage, &params, &a, err));
        for (int i = 0; i < EDITS; i++) {
            edit(a, &params, &r, usual);
            if (random_below(&r, 8) == 0)
                check_model(a);
            if (random_below(&r, 8) == 0)
                ok(tess_array_flush(a, err));
            if (path && random_below(&r, 8) == 0) {
                ok(tess_array_close(a, err));
                storage.mode = random_below(&r, 3) ? TESS_MODE_UPDATE : TESS_MODE_READ;
                ok(tess_array_open(&storage, &a, err));
                if (storage.mode == TESS_MODE_READ) {
                    check_model(a);
                    ok(tess_array_close(a, err));
                    storage.mode = TESS_MODE_UPDATE;
                    ok(tess_array_open(&storage, &a, err));
                }
            }
        }
        check_model(a);
        ok(tess_array_close(a, err));
        if (path)
            files_remove(path);
    }
}

// Chunks of NaNs; a long list of chunks that need no bytes, which another size makes bytes.
static void
special_chunks(void **state)
{
    enum { MANY = 100000, CHUNK = 4000, LATER = 1000 };
    tess_storage storage;
    tess_params params;
    tess_info info;
    tess_array *a;
    float got[CHUNK / 4];
    (void)state;
    tess_params_init(&params);
    params.typesize = 4;
    tess_storage_init(&storage);
    storage.path = files_path("schunk");
    storage.mode = TESS_MODE_NEW;
    ok(tess_schunk_create(&storage, &params, &a, err));
    ok(tess_schunk_insert_special(a, 0, MANY, TESS_CHUNK_NANS, CHUNK, err));
    ok(tess_schunk_decode(a, MANY - 1, got, sizeof got, err));
    for (int i = 0; i < CHUNK / 4; i++)
        assert_true(got[i] != got[i]);
    tess_array_info(a, &info);
    assert_int_equal(info.nchunks, MANY);
    assert_int_equal(info.nstored, 0);
    ok(tess_schunk_remove(a, LATER, MANY - LATER, err));
    memset(got, 0, sizeof got);
    ok(tess_schunk_insert(a, 3, got, 400, err));
    ok(tess_array_close(a, err));
    storage.mode = TESS_MODE_READ;
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &info);
    assert_int_equal(info.nchunks, LATER + 1);
    assert_int_equal(info.nstored, LATER + 1);
    ok(tess_schunk_decode(a, LATER, got, sizeof got, err));
    assert_true(got[7] != got[7]);
    ok(tess_schunk_decode(a, 3, got, sizeof got, err));
    assert_true(got[7] == 0);
    ok(tess_array_close(a, err));
    files_remove(storage.path);
}

static void
check_refused(tess_status status, tess_status want, const tess_error *err, const char *word)
{
    assert_int_equal(status, want);
    if (!strstr(err->message, word))
        fail_msg("\"%s\" has no \"%s\"", err->message, word);
}

// Nothing changes, and the sentence says why.
static void
refusals(void **state)
{
    const int64_t shape[] = {3}, start[] = {0}, stop[] = {1}, twice[] = {0, 0}, far[] = {0, 5};
    tess_storage storage;
    tess_params params;
    tess_array *a, *array;
    tess_error why;
    uint8_t items[64] = {1, 2, 3}, junk[64] = {5, 1, 0, 1};
    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.ndim = 2;
    check_refused(tess_schunk_create(&storage, &params, &a, &why), TESS_ERR_ARG, &why,
                  "dimensions");
    assert_null(a);
    params.ndim = 0;
    params.fill = items;
    params.fill_size = 1;
    check_refused(tess_schunk_create(&storage, &params, &a, &why), TESS_ERR_ARG, &why,
                  "fill value");
    params.fill = NULL;
    params.fill_size = 0;
    ok(tess_schunk_create(&storage, &params, &a, err));
    check_refused(tess_schunk_insert(a, 1, items, 8, &why), TESS_ERR_ARG, &why, "place 1");
    check_refused(tess_schunk_insert(a, -1, items, 8, &why), TESS_ERR_ARG, &why, "place -1");
    check_refused(tess_schunk_insert(a, 0, items, 0, &why), TESS_ERR_ARG, &why, "without content");
    check_refused(tess_schunk_insert(a, 0, items, (size_t)1 << 31, &why), TESS_ERR_LIMIT, &why,
                  "bytes");
    check_refused(tess_schunk_update(a, 0, items, 8, &why), TESS_ERR_ARG, &why, "place 0");
    check_refused(tess_schunk_insert_special(a, 0, 1, TESS_CHUNK_VALUE, 8, &why), TESS_ERR_ARG,
                  &why, "kind");
    check_refused(tess_schunk_insert_special(a, 0, 1, TESS_CHUNK_NANS, 8, &why), TESS_ERR_ARG, &why,
                  "NaN");
    check_refused(tess_schunk_insert_special(a, 0, INT64_MAX, TESS_CHUNK_ZEROS, 8, &why),
                  TESS_ERR_LIMIT, &why, "chunks");
    check_refused(tess_schunk_insert_chunk(a, 0, junk, sizeof junk, TESS_CHUNK_UNTRUSTED, &why),
                  TESS_ERR_CORRUPT, &why, "");
    check_refused(tess_schunk_remove(a, 0, 1, &why), TESS_ERR_ARG, &why, "chunks");
    ok(tess_schunk_insert(a, 0, items, 64, err));
    ok(tess_schunk_insert(a, 1, items, 64, err));
    check_refused(tess_schunk_reorder(a, twice, 2, &why), TESS_ERR_ARG, &why, "two places");
    check_refused(tess_schunk_reorder(a, far, 2, &why), TESS_ERR_ARG, &why, "chunk 5");
    check_refused(tess_schunk_reorder(a, twice, 1, &why), TESS_ERR_ARG, &why, "order");
    check_refused(tess_array_write(a, start, stop, items, 1, &why), TESS_ERR_UNSUPPORTED, &why,
                  "super-chunk");
    check_refused(tess_array_resize(a, shape, &why), TESS_ERR_UNSUPPORTED, &why, "super-chunk");
    model.n = 2;
    for (int n = 0; n < 2; n++) {
        memcpy(model.bytes[n], items, 64);
        model.sizes[n] = 64;
    }
    check_model(a);
    ok(tess_array_close(a, err));

    params.ndim = 1;
    params.shape[0] = 3;
    ok(tess_array_zeros(&storage, &params, &array, err));
    check_refused(tess_schunk_insert(array, 0, items, 3, &why), TESS_ERR_ARG, &why, "grid");
    ok(tess_array_close(array, err));
}

// A super-chunk has metalayers as an array has; none of them belongs to the library.
static void
metalayers(void **state)
{
    static const tess_metalayer layer = {"layer", "abc", 3};
    tess_metalayer found;
    tess_storage storage;
    tess_params params;
    tess_array *a;

    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.metalayers = &layer;
    params.nmetalayers = 1;
    ok(tess_schunk_create(&storage, &params, &a, err));
    ok(tess_meta_set(a, "layer", "xyz", 3, err));
    ok(tess_meta_get(a, "layer", &found, err));
    assert_memory_equal(found.content, "xyz", 3);
    refused(TESS_ERR_ARG, tess_meta_set(a, "layer", "wxyz", 4, err));
    refused(TESS_ERR_NOT_FOUND, tess_meta_set(a, "b2nd", "xyz", 3, err));
    ok(tess_array_close(a, err));
}

// Chunks of other item sizes, which c-blosc2 appends without a look.
static void
chunks_of_other_items(void **state)
{
    uint8_t items[1200], got[1200];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    (void)state;
    for (size_t i = 0; i < sizeof items; i++)
        items[i] = (uint8_t)(i / 7);
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.typesize = 8;
    ok(tess_schunk_create(&storage, &params, &a, err));
    for (int n = 0; n < 4; n++) {
        static const int typesizes[] = {2, 4, 3, 300};
        tess_params others = params;
        size_t size;
        others.typesize = typesizes[n];
        void *const chunk = encode_elsewhere(&others, items, sizeof items, &size);
        ok(tess_schunk_insert_chunk(a, n, chunk, size, TESS_CHUNK_UNTRUSTED, err));
        tess_free(chunk);
        ok(tess_schunk_decode(a, n, got, sizeof got, err));
        assert_memory_equal(got, items, sizeof items);
    }
    ok(tess_array_close(a, err));
}

static void
check_copies(tess_array *a)
{
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    tess_storage storage;
    void *image;
    size_t size;
    tess_array *b;
    for (int i = 0; i < 2; i++) {
        tess_storage_init(&storage);
        storage.path = files_path("copy");
        storage.mode = TESS_MODE_NEW;
        ok(tess_array_save(a, &storage, layouts[i], err));
        storage.mode = TESS_MODE_READ;
        ok(tess_array_open(&storage, &b, err));
        check_model(b);
        ok(tess_array_close(b, err));
        files_remove(storage.path);
    }
    ok(tess_array_to_image(a, &image, &size, err));
    tess_storage_init(&storage);
    storage.image = image;
    storage.image_size = size;
    storage.mode = TESS_MODE_READ;
    ok(tess_array_open(&storage, &b, err));
    check_model(b);
    ok(tess_array_close(b, err));
    tess_free(image);
}

// A list of one chunk, stored or not, is one that others may be made of, however it came about.
static void
lists_of_one_chunk(void **state)
{
    enum { SIZE = 600 };
    enum { REORDERED, OTHERS_REMOVED, PUT_BEFORE_OTHERS, REPLACED, WAYS };
    (void)state;
    for (int way = 0; way < WAYS; way++)
        for (int kind = 0; kind < 6; kind++) { // stored or not; in memory, a file, a directory
            const bool zeros = kind % 2;
            tess_storage storage;
            tess_params params;
            tess_array *a;
            tess_storage_init(&storage);
            tess_params_init(&params);
            params.typesize = 4;
            if (kind >= 2) {
                storage.path = files_path("one");
                storage.mode = TESS_MODE_NEW;
                params.layout = kind >= 4 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
            }
            model.n = 1;
            model.sizes[0] = SIZE;
            for (int i = 0; i < SIZE; i++)
                model.bytes[0][i] = zeros ? 0 : (uint8_t)(i * i);
            ok(tess_schunk_create(&storage, &params, &a, err));
            if (way == PUT_BEFORE_OTHERS)
                ok(tess_schunk_insert_special(a, 0, 3, TESS_CHUNK_ZEROS, SIZE, err));
            if (way == REPLACED)
                ok(tess_schunk_insert_special(a, 0, 1, TESS_CHUNK_UNINIT, SIZE, err));
            if (way < REPLACED)
                ok(tess_schunk_insert(a, 0, model.bytes[0], SIZE, err));
            if (way == REORDERED)
                ok(tess_schunk_reorder(a, (const int64_t[]){0}, 1, err));
            if (way == OTHERS_REMOVED) {
                ok(tess_schunk_insert_special(a, 0, 2, TESS_CHUNK_UNINIT, SIZE, err));
                ok(tess_schunk_remove(a, 0, 2, err));
            }
            if (way == PUT_BEFORE_OTHERS)
                ok(tess_schunk_remove(a, 1, 3, err));
            if (way == REPLACED)
                ok(tess_schunk_update(a, 0, model.bytes[0], SIZE, err));
            check_copies(a);
            if (way == REORDERED) { // once more, when it is committed
                ok(tess_array_flush(a, err));
                ok(tess_schunk_reorder(a, (const int64_t[]){0}, 1, err));
                check_copies(a);
            }
            check_model(a);
            ok(tess_array_close(a, err));
            if (kind < 2)
                continue;
            storage.path = files_path("one"); // which may have been overwritten
            storage.mode = TESS_MODE_READ;
            ok(tess_array_open(&storage, &a, err));
            check_model(a);
            ok(tess_array_close(a, err));
            files_remove(storage.path);
        }
}

static void
check_sizes(const tess_array *a, int32_t chunksize, int64_t nchunks, int64_t nbytes)
{
    tess_info info;
    tess_array_info(a, &info);
    assert_int_equal(info.chunksize, chunksize);
    assert_int_equal(info.nchunks, nchunks);
    assert_int_equal(info.nbytes, nbytes);
}

// Of a super-chunk without chunks, the size is what was set, also in the file; the last chunk may
// be shorter, and get longer.
static void
size_in_advance(void **state)
{
    static uint8_t items[5000];
    enum { CHUNK = 4096 };
    const int32_t chunk = CHUNK;
    (void)state;
    for (int kind = 0; kind < 3; kind++) { // memory, file, directory
        for (int way = 0; way < 4; way++) {
            tess_storage storage;
            tess_params params;
            tess_array *a;
            tess_error why = {0};
            tess_storage_init(&storage);
            tess_params_init(&params);
            params.typesize = 4;
            if (kind > 0) {
                storage.path = files_path("advance");
                storage.mode = TESS_MODE_NEW;
                params.layout = kind > 1 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
            }
            ok(tess_schunk_create(&storage, &params, &a, err));
            check_refused(tess_schunk_set_chunksize(a, 0, &why), TESS_ERR_ARG, &why, "0 bytes");
            check_refused(tess_schunk_set_chunksize(a, INT32_MAX, &why), TESS_ERR_LIMIT, &why,
                          "bytes");
            ok(tess_schunk_set_chunksize(a, 8, err));
            ok(tess_schunk_set_chunksize(a, chunk, err)); // again, as long as there is no chunk
            check_sizes(a, chunk, 0, 0);
            if (kind > 0 && way > 1) { // what was set is in the file
                ok(tess_array_close(a, err));
                storage.mode = TESS_MODE_UPDATE;
                ok(tess_array_open(&storage, &a, err));
                check_sizes(a, chunk, 0, 0);
            }
            if (way % 2 == 0) {
                ok(tess_schunk_insert(a, 0, items, 300, err));
                check_sizes(a, chunk, 1, 300);
                ok(tess_schunk_update(a, 0, items, 700, err));
                check_sizes(a, chunk, 1, 700);
                ok(tess_schunk_update(a, 0, items, CHUNK, err));
                ok(tess_schunk_insert(a, 1, items, 300, err));
                check_sizes(a, chunk, 2, CHUNK + 300);
                ok(tess_schunk_insert(a, 2, items, CHUNK, err)); // behind a shorter one
                check_sizes(a, 0, 3, 2 * CHUNK + 300);
            } else {
                ok(tess_schunk_insert(a, 0, items, CHUNK + 4, err));
                check_sizes(a, 0, 1, CHUNK + 4);
            }
            check_refused(tess_schunk_set_chunksize(a, chunk, &why), TESS_ERR_ARG, &why, "chunks");
            ok(tess_array_close(a, err));
            if (kind > 0) {
                storage.mode = TESS_MODE_READ;
                ok(tess_array_open(&storage, &a, err));
                check_sizes(a, 0, way % 2 == 0 ? 3 : 1, way % 2 == 0 ? 2 * CHUNK + 300 : CHUNK + 4);
                check_refused(tess_schunk_set_chunksize(a, chunk, &why), TESS_ERR_ARG, &why, "");
                ok(tess_array_close(a, err));
                files_remove(storage.path);
            }
        }
    }
}

// In a frame of large items, block sizes of chunks of bytes are read as multiples of these.
static void
blocks_of_other_items(void **state)
{
    enum { LARGE = 300, SIZE = 6000 };
    static const int sizes[] = {1000, 900, 299, 301, 6000, 4000};
    uint8_t items[SIZE], got[SIZE];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    int64_t taken = 0;
    (void)state;
    for (size_t i = 0; i < sizeof items; i++)
        items[i] = (uint8_t)(i / 7);
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.typesize = LARGE;
    ok(tess_schunk_create(&storage, &params, &a, err));
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
        const bool whole = sizes[k / 2] < LARGE || sizes[k / 2] % LARGE == 0;
        tess_params others;
        tess_error why;
        size_t size;
        tess_params_init(&others);
        others.typesize = 1;
        others.ndim = 1;
        others.blockshape[0] = sizes[k / 2];
        void *const chunk = encode_elsewhere(&others, items, sizeof items, &size);
        const tess_status st = tess_schunk_insert_chunk(
            a, taken, chunk, size, k % 2 ? TESS_CHUNK_TRUSTED : TESS_CHUNK_UNTRUSTED, &why);
        if (whole) {
            assert_int_equal(st, TESS_OK);
            ok(tess_schunk_decode(a, taken++, got, sizeof got, err));
            assert_memory_equal(got, items, sizeof items);
        } else {
            check_refused(st, TESS_ERR_ARG, &why, "whole items");
        }
        uint8_t *const bytes = chunk; // damage stays damage
        bytes[40] ^= 0xff;
        assert_int_equal(
            tess_schunk_insert_chunk(a, taken, chunk, size, TESS_CHUNK_UNTRUSTED, NULL),
            TESS_ERR_CORRUPT);
        tess_free(chunk);
    }
    ok(tess_array_close(a, err));
}

// Bytedelta with meta 0 is as wide as an item of the frame: another one in another frame.
static void
widths_of_other_items(void **state)
{
    uint8_t items[1200], got[1200];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    (void)state;
    for (size_t i = 0; i < sizeof items; i++)
        items[i] = (uint8_t)(i / 7);
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.typesize = 8;
    params.filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_BYTEDELTA;
    ok(tess_schunk_create(&storage, &params, &a, err));
    for (int typesize = 4; typesize <= 8; typesize += 4) {
        tess_error why;
        size_t size;
        tess_params others = params;
        others.typesize = typesize;
        void *const chunk = encode_elsewhere(&others, items, sizeof items, &size);
        const tess_status st =
            tess_schunk_insert_chunk(a, 0, chunk, size, TESS_CHUNK_UNTRUSTED, &why);
        tess_free(chunk);
        if (typesize == 4) {
            check_refused(st, TESS_ERR_ARG, &why, "filter 35");
            continue;
        }
        assert_int_equal(st, TESS_OK);
        ok(tess_schunk_decode(a, 0, got, sizeof got, err));
        assert_memory_equal(got, items, sizeof items);
    }
    ok(tess_array_close(a, err));
}

// A chunk alone records how wide bytedelta is, also for items wider than the byte can say.
static void
bytedelta_of_chunks_alone(void **state)
{
    static const int typesizes[] = {1, 4, 255, 256, 257, 300, 1000};
    static uint8_t items[12000], chunk[16000], got[12000];
    (void)state;
    for (size_t k = 0; k < sizeof typesizes / sizeof typesizes[0]; k++) {
        const size_t all = sizeof items - sizeof items % (size_t)typesizes[k];
        tess_params params;
        size_t size;
        tess_params_init(&params);
        params.typesize = typesizes[k];
        memset(params.filters, 0, sizeof params.filters);
        params.filters[0] = TESS_FILTER_SHUFFLE;
        params.filters[1] = TESS_FILTER_BYTEDELTA;
        for (size_t i = 0; i < all; i++)
            items[i] = (uint8_t)(i / 7 + i % 3);
        ok(tess_chunk_encode(&params, items, all, chunk, sizeof chunk, &size, err));
        ok(tess_chunk_decode(chunk, size, got, sizeof got, err));
        assert_memory_equal(got, items, all);
    }
}

// Blocks of different sizes are those of all chunks of a file, or of none.
static void
blocks_of_different_sizes(void **state)
{
    static const int32_t sizes[] = {100, 3, 897};
    uint8_t items[1000], got[1000], chunk[2000];
    tess_storage storage;
    tess_params params;
    tess_error why;
    tess_info info;
    tess_array *a;
    size_t cbytes;
    (void)state;
    for (size_t i = 0; i < sizeof items; i++)
        items[i] = (uint8_t)(i / 9);
    tess_storage_init(&storage);
    storage.path = files_path("schunk");
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.typesize = 1;
    ok(tess_chunk_encode_blocks(&params, NULL, items, sizeof items, sizes, 3, chunk, sizeof chunk,
                                &cbytes, err));
    ok(tess_schunk_create(&storage, &params, &a, err));
    ok(tess_schunk_insert(a, 0, items, sizeof items, err));
    check_refused(tess_schunk_insert_chunk(a, 0, chunk, cbytes, TESS_CHUNK_UNTRUSTED, &why),
                  TESS_ERR_ARG, &why, "do not differ");
    ok(tess_array_set_chunk(a, 0, chunk, cbytes, TESS_CHUNK_UNTRUSTED, err));
    ok(tess_schunk_insert_chunk(a, 1, chunk, cbytes, TESS_CHUNK_TRUSTED, err));
    check_refused(tess_schunk_insert(a, 0, items, 5, &why), TESS_ERR_ARG, &why, "differ");
    ok(tess_array_close(a, err));
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &info);
    assert_true(info.vlblocks);
    assert_int_equal(info.frame_version, 3);
    for (int n = 0; n < 2; n++) {
        ok(tess_schunk_decode(a, n, got, sizeof got, err));
        assert_memory_equal(got, items, sizeof items);
    }
    ok(tess_schunk_remove(a, 0, 2, err));
    ok(tess_schunk_insert(a, 0, items, 5, err));
    ok(tess_array_close(a, err));
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &info);
    assert_false(info.vlblocks);
    ok(tess_array_close(a, err));
    files_remove(storage.path);
}

// The content of a chunk of an array: its blocks, with padding.
static void
chunks_of_arrays(void **state)
{
    const int64_t shape[] = {3, 5};
    const uint8_t want[] = {0, 1, 5, 6, 2, 3, 7, 8, 10, 11, 0, 0, 12, 13, 0, 0};
    uint8_t items[15], got[16];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    (void)state;
    for (int i = 0; i < 15; i++)
        items[i] = (uint8_t)i;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.ndim = 2;
    memcpy(params.shape, shape, sizeof shape);
    params.chunkshape[0] = params.chunkshape[1] = 4;
    params.blockshape[0] = params.blockshape[1] = 2;
    ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
    ok(tess_schunk_decode(a, 0, got, sizeof got, err));
    assert_memory_equal(got, want, sizeof want);
    ok(tess_array_close(a, err));
}

// The N-dimensional layer is a metalayer like others; one that describes nothing can be opened in
// no other way.
static void
opened_as_super_chunk(void **state)
{
    uint8_t items[] = {1, 2, 3, 4}, got[4], broken[100];
    tess_storage storage;
    tess_params params;
    tess_metalayer layer;
    tess_error why;
    tess_info info;
    tess_array *a;
    (void)state;
    tess_storage_init(&storage);
    storage.path = files_path("schunk");
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = 8;
    params.chunkshape[0] = params.blockshape[0] = 4;
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(tess_array_close(a, err));

    storage.mode = TESS_MODE_UPDATE;
    storage.plain = true;
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &info);
    assert_true(info.plain);
    assert_int_equal(info.nchunks, 2);
    ok(tess_schunk_update(a, 1, items, sizeof items, err));
    ok(tess_meta_get(a, "b2nd", &layer, err));
    assert_true(layer.size < sizeof broken);
    memcpy(broken, layer.content, layer.size);
    broken[0] = 0;
    params.metalayers = &(tess_metalayer){"b2nd", broken, layer.size};
    params.nmetalayers = 1;
    ok(tess_meta_set(a, "b2nd", broken, layer.size, err));
    ok(tess_array_close(a, err));

    storage.mode = TESS_MODE_READ;
    storage.plain = false;
    check_refused(tess_array_open(&storage, &a, &why), TESS_ERR_CORRUPT, &why, "metalayer b2nd");
    storage.plain = true;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_refresh(a, &(bool){false}, err));
    ok(tess_schunk_decode(a, 1, got, sizeof got, err));
    assert_memory_equal(got, items, sizeof items);
    ok(tess_array_close(a, err));

    // Metalayers of that name are for super-chunks that say so.
    storage.mode = TESS_MODE_REPLACE;
    check_refused(tess_array_zeros(&storage, &params, &a, &why), TESS_ERR_ARG, &why, "b2nd");
    ok(tess_schunk_create(&storage, &params, &a, err));
    ok(tess_array_close(a, err));
    storage.plain = false;
    check_refused(tess_schunk_create(&storage, &params, &a, &why), TESS_ERR_ARG, &why, "b2nd");
    files_remove(storage.path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(edits_like_a_list, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(special_chunks, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(blocks_of_different_sizes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(lists_of_one_chunk, files_setup, files_teardown),
        cmocka_unit_test(chunks_of_other_items),
        cmocka_unit_test_setup_teardown(size_in_advance, files_setup, files_teardown),
        cmocka_unit_test(blocks_of_other_items),
        cmocka_unit_test(widths_of_other_items),
        cmocka_unit_test(bytedelta_of_chunks_alone),
        cmocka_unit_test(refusals),
        cmocka_unit_test(metalayers),
        cmocka_unit_test(chunks_of_arrays),
        cmocka_unit_test_setup_teardown(opened_as_super_chunk, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
