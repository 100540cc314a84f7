/*
 * metalayers.c - metalayers of super-chunks, and the metalayer of arrays.
 */
#include "compat/nd.h"
#include "support/files.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};

static void
check_fixed(blosc2_schunk *schunk, const char *name, int index, const void *bytes, int32_t size)
{
    uint8_t *content = NULL;
    int32_t found = -1;

    assert_int_equal(blosc2_meta_get(schunk, name, &content, &found), index);
    assert_int_equal(found, size);
    if (size > 0)
        assert_memory_equal(content, bytes, (size_t)size);
    assert_string_equal(schunk->metalayers[index]->name, name);
    free(content);
}

static void
check_variable(blosc2_schunk *schunk, const char *name, int index, const void *bytes, int32_t size)
{
    uint8_t *content = NULL, unpacked[4096];
    int32_t found = -1;

    assert_int_equal(blosc2_vlmeta_exists(schunk, name), index);
    assert_int_equal(blosc2_vlmeta_get(schunk, name, &content, &found), index);
    assert_int_equal(found, size);
    if (size > 0)
        assert_memory_equal(content, bytes, (size_t)size);
    free(content);
    // The list has it as a chunk.
    const blosc2_metalayer *const layer = schunk->vlmetalayers[index];
    assert_string_equal(layer->name, name);
    assert_int_equal(
        blosc2_decompress(layer->content, layer->content_len, unpacked, sizeof unpacked), size);
    assert_memory_equal(unpacked, bytes, (size_t)size);
}

static void
fixed_metalayers(void **state)
{
    uint8_t bytes[] = {1, 2, 3, 4};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        int32_t *const items = nd_items(140, 0);

        assert_int_equal(blosc2_meta_add(array->sc, "one", bytes, 4), 1);
        assert_int_equal(blosc2_meta_add(array->sc, "two", NULL, 0), 2);
        assert_int_equal(array->sc->nmetalayers, 3);
        assert_int_equal(blosc2_meta_update(array->sc, "one", (uint8_t[]){9, 8}, 2), 1);
        for (int turn = 0; turn < 2; turn++) {
            check_fixed(array->sc, "one", 1, ((uint8_t[]){9, 8, 3, 4}), 4);
            check_fixed(array->sc, "two", 2, NULL, 0);
            nd_check(array, items);
            if (turn == 0 && path) {
                assert_good(b2nd_free(array));
                assert_good(b2nd_open(path, &array));
            }
        }
        assert_int_equal(blosc2_meta_exists(array->sc, "three"), BLOSC2_ERROR_NOT_FOUND);
        assert_int_equal(blosc2_meta_update(array->sc, "three", bytes, 4), BLOSC2_ERROR_NOT_FOUND);
        assert_int_equal(blosc2_meta_add(array->sc, "one", bytes, 4), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_meta_update(array->sc, "one", (uint8_t[]){1, 2, 3, 4, 5}, 5),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_meta_add(array->sc, "a name of thirty-two characters", bytes, 4),
                         3);
        assert_int_equal(blosc2_meta_add(array->sc, "a name of 32 characters ........", bytes, 4),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_meta_add(array->sc, "tess_fill", bytes, 4),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_meta_add(array->sc, "x", NULL, 4), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_meta_add(array->sc, "x", bytes, -1), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_meta_add(NULL, "x", bytes, 4), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_meta_add(array->sc, NULL, bytes, 4), BLOSC2_ERROR_INVALID_PARAM);
        nd_check(array, items);
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
        free(items);
    }
}

// A super-chunk that is no array: three chunks of items, one of zeros, a metalayer.
static void
make_plain(const char *path, bool contiguous)
{
    int32_t *const items = nd_items(5000, 0);
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.typesize = 4;
    params.layout = contiguous ? TESS_LAYOUT_CONTIGUOUS : TESS_LAYOUT_SPARSE;
    assert_int_equal(tess_schunk_create(&storage, &params, &a, NULL), TESS_OK);
    for (int n = 0; n < 3; n++)
        assert_int_equal(tess_schunk_insert(a, n, items + 1000 * n, 8000, NULL), TESS_OK);
    assert_int_equal(tess_schunk_insert_special(a, 3, 1, TESS_CHUNK_ZEROS, 8000, NULL), TESS_OK);
    assert_int_equal(tess_vlmeta_set(a, "kept", "abc", 3, NULL), TESS_OK);
    assert_int_equal(tess_array_close(a, NULL), TESS_OK);
    free(items);
}

static void
check_plain(const char *path)
{
    tess_storage storage;
    tess_array *a = NULL;
    int32_t *const found = nd_items(8000, -1);

    tess_storage_init(&storage);
    storage.path = path;
    assert_int_equal(tess_array_open(&storage, &a, NULL), TESS_OK);
    const int64_t start = 0, stop = 8000;
    assert_int_equal(tess_array_read(a, &start, &stop, found, 32000, NULL), TESS_OK);
    for (int i = 0; i < 8000; i++)
        assert_int_equal(found[i], i < 6000 ? i / 2000 * 1000 + i % 2000 : 0);
    assert_int_equal(tess_array_close(a, NULL), TESS_OK);
    free(found);
}

static void
fixed_metalayers_without_an_array(void **state)
{
    uint8_t bytes[] = {1, 2, 3};

    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        const char *const path = files_path("plain");
        make_plain(path, turn == 0);
        blosc2_schunk *s = blosc2_schunk_open(path);
        assert_non_null(s);
        assert_int_equal(s->nchunks, 4);
        assert_int_equal(blosc2_meta_add(s, "one", bytes, 3), 0);
        assert_int_equal(blosc2_meta_add(s, "two", bytes, 1), 1);
        assert_int_equal(blosc2_meta_update(s, "two", bytes + 1, 1), 1);
        assert_good(blosc2_schunk_free(s));
        s = blosc2_schunk_open(path);
        assert_non_null(s);
        assert_int_equal(s->nchunks, 4);
        assert_int_equal(s->typesize, 4);
        assert_int_equal(s->nmetalayers, 2);
        check_fixed(s, "one", 0, bytes, 3);
        check_fixed(s, "two", 1, bytes + 1, 1);
        check_variable(s, "kept", 0, "abc", 3);
        b2nd_array_t *array = NULL;
        assert_int_equal(b2nd_from_schunk(s, &array), BLOSC2_ERROR_METALAYER_NOT_FOUND);
        assert_null(array);
        assert_good(blosc2_schunk_free(s));
        check_plain(path);
        files_remove(path);
    }
}

// An array that the program puts together: a layer, and chunks one by one.
static void
an_array_made_by_hand(void **state)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    int32_t *const items = nd_items(140, 0);

    (void)state;
    cparams.typesize = 4;
    for (int k = 0; k < ND_PLACES; k++) {
        char *const path = nd_places[k].file ? strdup(files_path("array")) : NULL;
        b2nd_array_t *const model = nd_numbers(&matrix, false, NULL);
        blosc2_storage storage = {nd_places[k].contiguous, path, &cparams, NULL, NULL};
        blosc2_schunk *const s = blosc2_schunk_new(&storage);
        b2nd_array_t *array = NULL;
        uint8_t *content = NULL, *chunk = NULL;
        int32_t size = 0;
        bool needs_free = false;

        assert_non_null(s);
        assert_good(blosc2_meta_get(model->sc, "b2nd", &content, &size));
        assert_int_equal(blosc2_meta_add(s, "b2nd", content, size), 0);
        assert_int_equal(s->nchunks, 0);
        for (int64_t n = 0; n < 4; n++) {
            assert_good(blosc2_schunk_get_chunk(model->sc, n, &chunk, &needs_free));
            assert_int_equal(blosc2_schunk_append_chunk(s, chunk, true), n + 1);
            free(chunk);
        }
        assert_good(b2nd_from_schunk(s, &array));
        nd_check(array, items);
        assert_good(b2nd_free(array));
        if (path) {
            assert_good(b2nd_open(path, &array));
            nd_check(array, items);
            assert_good(b2nd_free(array));
            files_remove(path);
        }
        assert_good(b2nd_free(model));
        free(content);
        free(path);
    }
    free(items);
}

static void
variable_metalayers(void **state)
{
    uint8_t bytes[3000] = {7};
    char *names[4];

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        blosc2_schunk *s = array->sc;
        const int64_t tick = s->change_tick;

        assert_int_equal(blosc2_vlmeta_add(s, "one", bytes, 10, NULL), 0);
        assert_int_equal(blosc2_vlmeta_add(s, "two", bytes, 3000, s->storage->cparams), 1);
        assert_int_equal(blosc2_vlmeta_add(s, "three", NULL, 0, NULL), 2);
        assert_true(s->change_tick > tick);
        assert_int_equal(s->nvlmetalayers, 3);
        assert_int_equal(blosc2_vlmeta_get_names(s, names), 3);
        assert_string_equal(names[0], "one");
        assert_string_equal(names[1], "two");
        assert_string_equal(names[2], "three");
        assert_int_equal(blosc2_vlmeta_update(s, "one", bytes, 20, NULL), 0);
        assert_int_equal(blosc2_vlmeta_delete(s, "three"), 2);
        for (int turn = 0; turn < 2; turn++) {
            assert_int_equal(s->nvlmetalayers, 2);
            check_variable(s, "one", 0, bytes, 20);
            check_variable(s, "two", 1, bytes, 3000);
            if (turn == 0 && path) {
                assert_good(b2nd_free(array));
                assert_good(b2nd_open(path, &array));
                s = array->sc;
            }
        }
        assert_int_equal(blosc2_vlmeta_exists(s, "three"), BLOSC2_ERROR_NOT_FOUND);
        assert_int_equal(blosc2_vlmeta_delete(s, "three"), BLOSC2_ERROR_NOT_FOUND);
        assert_int_equal(blosc2_vlmeta_update(s, "three", bytes, 1, NULL), BLOSC2_ERROR_NOT_FOUND);
        assert_int_equal(blosc2_vlmeta_add(s, "one", bytes, 1, NULL), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_vlmeta_add(s, "x", bytes, -1, NULL), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_vlmeta_add(s, "x", NULL, 1, NULL), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_vlmeta_add(NULL, "x", bytes, 1, NULL), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_vlmeta_add(s, NULL, bytes, 1, NULL), BLOSC2_ERROR_INVALID_PARAM);
        assert_true(blosc2_vlmeta_add(s, "_tess", bytes, 1, NULL) < 0);
        assert_int_equal(s->nvlmetalayers, 2);
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
    }
}

// In memory there may be as many as the list of the struct has room for; a file has at most those
// that c-blosc2 can write.
static void
many_variable_metalayers(void **state)
{
    enum { MANY = 300, OF_A_FILE = 16 };
    char name[16];

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        const int most = path ? OF_A_FILE : MANY;
        b2nd_array_t *array = nd_numbers(&matrix, nd_places[k].contiguous, path);

        for (int i = 0; i < most; i++) {
            (void)snprintf(name, sizeof name, "name %d", i);
            assert_int_equal(blosc2_vlmeta_add(array->sc, name, (uint8_t *)name, 4, NULL), i);
        }
        if (path)
            assert_true(blosc2_vlmeta_add(array->sc, "one more", NULL, 0, NULL) < 0);
        assert_int_equal(array->sc->nvlmetalayers, most);
        check_variable(array->sc, "name 0", 0, "name", 4);
        check_variable(array->sc, name, most - 1, "name", 4);
        if (!path) { // a frame of them
            uint8_t *frame = NULL;
            bool needs_free = false;
            const int64_t size = blosc2_schunk_to_buffer(array->sc, &frame, &needs_free);
            blosc2_schunk *const other = blosc2_schunk_from_buffer(frame, size, true);
            assert_non_null(other);
            assert_int_equal(other->nvlmetalayers, MANY);
            check_variable(other, name, MANY - 1, "name", 4);
            assert_int_equal(blosc2_vlmeta_delete(other, "name 20"), MANY - 1);
            assert_good(blosc2_schunk_free(other));
            if (needs_free)
                free(frame);
        }
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
    }
}

// -- the metalayer of arrays

static int
parse(const uint8_t *content, int32_t size)
{
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM], blockshape[B2ND_MAX_DIM];
    int8_t ndim, dtype_format;
    char *dtype = NULL;
    const int rc = b2nd_deserialize_meta(content, size, &ndim, shape, chunkshape, blockshape,
                                         &dtype, &dtype_format);
    if (rc < 0)
        assert_null(dtype);
    free(dtype);
    return rc;
}

static void
content_of_the_layer(void **state)
{
    static const uint8_t want[] = {
        0x97, 0, 2, 0x92, 0xd3, 0,    0, 0, 0, 0,    0,    0, 14, 0xd3, 0,   0,    0,    0,
        0,    0, 0, 10,   0x92, 0xd2, 0, 0, 0, 8,    0xd2, 0, 0,  0,    5,   0x92, 0xd2, 0,
        0,    0, 2, 0xd2, 0,    0,    0, 2, 1, 0xdb, 0,    0, 0,  3,    '<', 'i',  '4'};
    uint8_t *content = NULL;
    struct random r;

    (void)state;
    assert_int_equal(b2nd_serialize_meta(2, matrix.shape, matrix.chunkshape, matrix.blockshape,
                                         "<i4", 1, &content),
                     sizeof want);
    assert_memory_equal(content, want, sizeof want);
    assert_int_equal(parse(content, sizeof want), sizeof want);

    // Content that breaks off, but for that of Caterva, which has no type.
    const int32_t without_type = 44;
    for (int32_t size = 0; size < (int32_t)sizeof want; size++) {
        uint8_t *const part = malloc((size_t)size + 1);
        assert_non_null(part);
        uint8_t *const exact = realloc(part, size > 0 ? (size_t)size : 1);
        memcpy(exact, want, (size_t)size);
        if (size == without_type)
            assert_int_equal(parse(exact, size), size);
        else
            assert_true(parse(exact, size) < 0);
        free(exact);
    }
    // Any other content: no crash.
    random_init(&r, random_seed());
    for (int turn = 0; turn < 20000; turn++) {
        uint8_t bad[sizeof want];
        memcpy(bad, want, sizeof bad);
        for (int k = (int)random_below(&r, 4); k >= 0; k--)
            bad[random_below(&r, sizeof bad)] = (uint8_t)random_below(&r, 256);
        (void)parse(bad, sizeof bad);
    }
    free(content);
}

static void
layers_that_are_refused(void **state)
{
    int8_t ndim;
    int64_t shape[B2ND_MAX_DIM] = {0};
    int32_t chunk[B2ND_MAX_DIM] = {0}, block[B2ND_MAX_DIM] = {0};
    uint8_t *content = NULL;

    (void)state;
    assert_true(b2nd_serialize_meta(-1, shape, chunk, block, "x", 0, &content) < 0);
    assert_true(b2nd_serialize_meta(17, shape, chunk, block, "x", 0, &content) < 0);
    assert_true(b2nd_serialize_meta(1, matrix.shape, matrix.chunkshape, matrix.blockshape, "x", -1,
                                    &content) < 0);
    assert_int_equal(b2nd_serialize_meta(1, NULL, chunk, block, "x", 0, &content),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_serialize_meta(0, NULL, NULL, NULL, "x", 0, NULL),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_null(content);
    const int size = b2nd_serialize_meta(0, NULL, NULL, NULL, NULL, 0, &content);
    assert_true(size > 0);
    assert_memory_equal(content + size - 3, "|u1", 3);
    assert_int_equal(b2nd_deserialize_meta(NULL, size, &ndim, shape, chunk, block, NULL, NULL),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_deserialize_meta(content, size, NULL, shape, chunk, block, NULL, NULL),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_good(b2nd_deserialize_meta(content, size, &ndim, shape, chunk, block, NULL, NULL));
    assert_int_equal(ndim, 0);
    free(content);
}

// The super-chunk has that layer and the chunks, and is no array.
static void
check_no_array(blosc2_schunk *schunk, const void *content, int32_t size)
{
    static int32_t chunk[64];
    b2nd_array_t *array = NULL;

    assert_non_null(schunk);
    check_fixed(schunk, "b2nd", 0, content, size);
    assert_int_equal(b2nd_from_schunk(schunk, &array), BLOSC2_ERROR_INVALID_PARAM);
    assert_null(array);
    assert_int_equal(schunk->nchunks, 4);
    assert_int_equal(blosc2_schunk_decompress_chunk(schunk, 3, chunk, sizeof chunk),
                     schunk->chunksize);
    assert_int_equal(chunk[0], 8 * 10 + 5);
}

// A layer that the program replaced, and that does not describe the chunks any more: the frame is a
// super-chunk all the same.
static void
a_layer_that_was_replaced(void **state)
{
    int32_t *const items = nd_items(140, 0);

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *const array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        const int64_t shape[] = {16, 10};
        b2nd_array_t *other = NULL;
        uint8_t *content = NULL, *frame = NULL;
        int64_t frame_size = 0;
        int32_t size = 0;
        bool needs_free = false;

        assert_good(blosc2_vlmeta_add(array->sc, "kept", (uint8_t[]){7}, 1, NULL));
        assert_good(blosc2_meta_get(array->sc, "b2nd", &content, &size));
        content[12] = 17; // rows: three chunks along that axis
        assert_int_equal(blosc2_meta_update(array->sc, "b2nd", content, size), 0);
        check_no_array(array->sc, content, size);
        check_variable(array->sc, "kept", 0, (uint8_t[]){7}, 1);
        assert_int_equal(b2nd_resize(array, shape, NULL), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(b2nd_to_cbuffer(array, items, 140 * sizeof *items),
                         BLOSC2_ERROR_INVALID_PARAM);
        frame_size = blosc2_schunk_to_buffer(array->sc, &frame, &needs_free);
        assert_true(frame_size > 0);
        blosc2_schunk *s = path ? blosc2_schunk_open(path)
                                : blosc2_schunk_from_buffer(frame, frame_size, k % 2 == 0);
        check_no_array(s, content, size);
        assert_good(blosc2_schunk_free(s));
        assert_true(b2nd_from_cframe(frame, frame_size, true, &other) < 0);
        assert_true(path == NULL || b2nd_open(path, &other) < 0);
        assert_null(other);
        if (needs_free)
            free(frame);

        content[12] = 14;
        assert_int_equal(blosc2_meta_update(array->sc, "b2nd", content, size), 0);
        nd_check(array, items);
        check_variable(array->sc, "kept", 0, (uint8_t[]){7}, 1);
        assert_int_equal(b2nd_from_schunk(NULL, &other), BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(b2nd_from_schunk(array->sc, NULL), BLOSC2_ERROR_NULL_POINTER);
        free(content);
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
    }
    free(items);
}

// A layer that a program adds need not describe anything.
static void
layers_of_super_chunks(void **state)
{
    const int64_t huge[] = {INT64_C(1) << 30}, items[] = {16};
    const int32_t huge_chunk[] = {1 << 30}, chunk[] = {8}, block[] = {4};
    int32_t numbers[8] = {0};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("plain") : NULL;
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
        blosc2_storage storage = {nd_places[k].contiguous, path ? strdup(path) : NULL, &cparams,
                                  NULL, NULL};
        b2nd_array_t *array = NULL;
        uint8_t *content = NULL, *fitting = NULL;
        int32_t item;

        cparams.typesize = 4;
        cparams.blocksize = 16;
        blosc2_schunk *s = blosc2_schunk_new(&storage);
        assert_non_null(s);
        const int32_t size = b2nd_serialize_meta(1, huge, huge_chunk, block, "<i4", 0, &content);
        assert_int_equal(blosc2_meta_add(s, "b2nd", content, size), 0);
        assert_int_equal(s->nchunks, 0);
        check_fixed(s, "b2nd", 0, content, size);
        assert_int_equal(blosc2_meta_add(s, "more", content, 5), 1);
        // Its chunks would be too large: it can be looked at.
        if (path) {
            assert_good(blosc2_schunk_free(s));
            assert_good(b2nd_open(path, &array));
        } else {
            assert_good(b2nd_from_schunk(s, &array));
        }
        assert_int_equal(array->shape[0], huge[0]);
        assert_int_equal(array->chunkshape[0], huge_chunk[0]);
        assert_string_equal(array->dtype, "<i4");
        assert_true(b2nd_get_slice_cbuffer(array, (int64_t[]){0}, (int64_t[]){1}, &item,
                                           (int64_t[]){1}, sizeof item) < 0);
        assert_true(b2nd_resize(array, items, NULL) < 0);
        s = array->sc;
        array->sc = NULL;
        assert_good(b2nd_free(array));

        // Two chunks come, and a layer that describes them.
        assert_int_equal(blosc2_schunk_append_buffer(s, numbers, sizeof numbers), 1);
        assert_int_equal(b2nd_from_schunk(s, &array), BLOSC2_ERROR_INVALID_PARAM);
        numbers[7] = 70;
        assert_int_equal(blosc2_schunk_append_buffer(s, numbers, sizeof numbers), 2);
        assert_int_equal(b2nd_serialize_meta(1, items, chunk, block, "<i4", 0, &fitting), size);
        assert_int_equal(blosc2_meta_update(s, "b2nd", fitting, size), 0);
        assert_int_equal(s->nchunks, 2);
        check_fixed(s, "more", 1, content, 5);
        assert_good(b2nd_from_schunk(s, &array));
        assert_good(b2nd_get_slice_cbuffer(array, (int64_t[]){15}, items, &item, (int64_t[]){1},
                                           sizeof item));
        assert_int_equal(item, 70);
        assert_good(b2nd_free(array));
        free(content);
        free(fitting);
        free(storage.urlpath);
        if (path)
            files_remove(path);
    }
}

// Names that were handed out, and entries of the lists, stay while others change other metalayers.
static void
names_that_are_held(void **state)
{
    const char *const path = files_path("array");
    uint8_t bytes[] = {1, 2, 3, 4};
    char *names[2];
    b2nd_array_t *array = NULL;

    (void)state;
    b2nd_array_t *const writer = nd_numbers(&matrix, true, path);
    assert_good(blosc2_vlmeta_add(writer->sc, "one", bytes, 4, NULL));
    assert_good(blosc2_vlmeta_add(writer->sc, "two", bytes, 3, NULL));
    assert_good(b2nd_open(path, &array));
    assert_int_equal(blosc2_vlmeta_get_names(array->sc, names), 2);
    const blosc2_metalayer *const fixed = array->sc->metalayers[0];

    assert_int_equal(blosc2_vlmeta_delete(writer->sc, "one"), 1);
    assert_good(blosc2_vlmeta_update(writer->sc, "two", bytes, 4, NULL));
    assert_good(blosc2_vlmeta_add(writer->sc, "three", bytes, 1, NULL));
    check_variable(array->sc, names[1], 0, bytes, 4);
    check_variable(array->sc, "three", 1, bytes, 1);
    assert_ptr_equal(array->sc->vlmetalayers[0]->name, names[1]);
    assert_ptr_equal(array->sc->metalayers[0], fixed);
    assert_int_equal(blosc2_vlmeta_exists(array->sc, "one"), BLOSC2_ERROR_NOT_FOUND);
    assert_int_equal(array->sc->nvlmetalayers, 2);
    assert_null(array->sc->vlmetalayers[2]);
    assert_good(b2nd_free(array));
    assert_good(b2nd_free(writer));
}

static void
printed(void **state)
{
    static const char want[] = "b2nd metalayer parameters:\n"
                               " Ndim:       2\n"
                               " shape:      14, 10\n"
                               " chunkshape: 8, 5\n"
                               " dtype: |S4\n"
                               " blockshape: 2, 2\n";
    b2nd_array_t *const array = nd_numbers(&matrix, false, NULL);
    const char *const path = files_path("printed");
    const int out = dup(STDOUT_FILENO);

    (void)state;
    fflush(stdout);
    assert_non_null(freopen(path, "w", stdout));
    const int rc = b2nd_print_meta(array);
    fflush(stdout);
    assert_true(dup2(out, STDOUT_FILENO) >= 0);
    close(out);
    assert_good(rc);
    size_t size = 0;
    uint8_t *const found = files_read(path, &size);
    assert_int_equal(size, sizeof want - 1);
    assert_memory_equal(found, want, size);
    free(found);
    assert_int_equal(b2nd_print_meta(NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_good(b2nd_free(array));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(fixed_metalayers),
        IN_A_FOLDER(fixed_metalayers_without_an_array),
        IN_A_FOLDER(an_array_made_by_hand),
        IN_A_FOLDER(variable_metalayers),
        IN_A_FOLDER(many_variable_metalayers),
        cmocka_unit_test(content_of_the_layer),
        cmocka_unit_test(layers_that_are_refused),
        cmocka_unit_test_setup_teardown(a_layer_that_was_replaced, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(layers_of_super_chunks, files_setup, files_teardown),
        IN_A_FOLDER(names_that_are_held),
        IN_A_FOLDER(printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
