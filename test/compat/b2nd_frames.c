/*
 * b2nd_frames.c - arrays in frames in memory and in files: saved, copied, and how large they are.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};

// -- frames in memory

static void
frames_in_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * ND_PLACES; k++) {
        const struct nd_place *const place = &nd_places[k / 2];
        const bool copy = k % 2 == 0;
        const char *const path = place->file ? files_path("array") : NULL;
        b2nd_array_t *const array = nd_numbers(&matrix, place->contiguous, path);
        int32_t *const items = nd_items(140, 0);
        uint8_t *frame = NULL, *again = NULL;
        int64_t size = 0, size_again = 0;
        bool needs_free = false;
        b2nd_array_t *other = NULL;

        assert_good(b2nd_to_cframe(array, &frame, &size, &needs_free));
        assert_int_equal(needs_free, place->file || !place->contiguous);
        assert_good(b2nd_from_cframe(frame, size, copy, &other));
        assert_int_equal(other->sc->storage->contiguous, !copy);
        nd_check(other, items);
        if (!copy) { // the frame itself, until the array is changed
            assert_good(b2nd_to_cframe(other, &again, &size_again, &(bool){false}));
            assert_ptr_equal(again, frame);
            assert_int_equal(size_again, size);
        }
        assert_good(nd_set_item(other, 13, 9, 5));
        items[139] = 5;
        nd_check(other, items);
        assert_int_equal(nd_get_item(array, 13, 9), 139);
        assert_good(b2nd_free(other));
        if (needs_free)
            free(frame);
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
        free(items);
    }
}

// A frame that was lent outlives the super-chunk, if the program says so.
static void
a_frame_that_is_kept(void **state)
{
    b2nd_array_t *const array = nd_numbers(&matrix, true, NULL);
    int32_t *const items = nd_items(140, 0);
    uint8_t *frame = NULL;
    bool needs_free = true;
    b2nd_array_t *other = NULL;

    (void)state;
    const int64_t size = blosc2_schunk_to_buffer(array->sc, &frame, &needs_free);
    assert_good(size);
    assert_false(needs_free);
    assert_int_equal(size, blosc2_schunk_frame_len(array->sc));
    blosc2_schunk_avoid_cframe_free(array->sc, true);
    assert_good(b2nd_free(array));
    blosc2_schunk *const schunk = blosc2_schunk_from_buffer(frame, size, false);
    assert_non_null(schunk);
    blosc2_schunk_avoid_cframe_free(schunk, false); // freed with it
    assert_good(b2nd_from_schunk(schunk, &other));
    nd_check(other, items);
    assert_good(b2nd_free(other));
    free(items);
}

static void
frames_that_are_refused(void **state)
{
    b2nd_array_t *const array = nd_numbers(&matrix, true, NULL);
    uint8_t *frame = NULL;
    int64_t size = 0;
    bool needs_free = false;
    b2nd_array_t *other = NULL;

    (void)state;
    assert_int_equal(b2nd_to_cframe(NULL, &frame, &size, &needs_free), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_to_cframe(array, NULL, &size, &needs_free), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_to_cframe(array, &frame, NULL, &needs_free), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_to_cframe(array, &frame, &size, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_good(b2nd_to_cframe(array, &frame, &size, &needs_free));
    assert_int_equal(b2nd_from_cframe(NULL, size, true, &other), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_from_cframe(frame, size, true, NULL), BLOSC2_ERROR_NULL_POINTER);
    for (int64_t part = 0; part < size; part += 1 + size / 50) {
        uint8_t *const bytes = malloc((size_t)part + 1);
        assert_non_null(bytes);
        memcpy(bytes, frame, (size_t)part);
        assert_true(b2nd_from_cframe(bytes, part, part % 2 == 0, &other) < 0);
        assert_null(other);
        free(bytes);
    }
    assert_int_equal(b2nd_open(NULL, &other), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_open("no such file", NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_true(b2nd_open("no such file", &other) < 0);
    assert_int_equal(b2nd_save(array, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_save(NULL, (char[]){"x"}), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_save_append(NULL, "x"), BLOSC2_ERROR_NULL_POINTER);
    assert_true(b2nd_save_append(array, NULL) < 0);
    assert_null(blosc2_schunk_open(NULL));
    assert_int_equal(blosc2_schunk_free(NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_good(b2nd_free(array));
}

// -- files

static void
saved_arrays(void **state)
{
    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        char *const path = nd_places[k].file ? strdup(files_path("array")) : NULL;
        char *const saved = strdup(files_path("saved"));
        b2nd_array_t *const array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        int32_t *const items = nd_items(140, 0);
        b2nd_array_t *other = NULL;

        assert_good(b2nd_save(array, saved));
        assert_true(b2nd_save(array, saved) < 0); // it exists
        assert_good(b2nd_open(saved, &other));
        assert_int_equal(other->sc->storage->contiguous, nd_places[k].contiguous);
        nd_check(other, items);
        assert_good(b2nd_free(other));
        files_remove(saved);

        const int64_t size = blosc2_schunk_to_file(array->sc, saved);
        assert_true(size > 0);
        size_t bytes = 0;
        free(files_read(saved, &bytes));
        assert_int_equal(bytes, size);
        assert_int_equal(b2nd_save_append(array, saved), size);
        assert_good(b2nd_open_offset(saved, &other, size));
        nd_check(other, items);
        assert_good(b2nd_free(other));
        assert_good(b2nd_free(array));
        files_remove(saved);
        if (path)
            files_remove(path);
        free(items);
        free(saved);
        free(path);
    }
}

static void
copies_of_super_chunks(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * ND_PLACES; k++) {
        const struct nd_place *const place = &nd_places[k / 2];
        char *const path = place->file ? strdup(files_path("copy")) : NULL;
        b2nd_array_t *const array = nd_numbers(&matrix, true, NULL);
        int32_t *const items = nd_items(140, 0);
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
        blosc2_storage storage = {place->contiguous, path, k % 2 ? &cparams : NULL, NULL, NULL};
        b2nd_array_t *other = NULL;

        cparams.compcode = BLOSC_ZSTD;
        cparams.clevel = 1;
        assert_good(blosc2_vlmeta_add(array->sc, "x", (uint8_t[]){1}, 1, NULL));
        blosc2_schunk *const copy = blosc2_schunk_copy(array->sc, &storage);
        assert_non_null(copy);
        assert_int_equal(copy->compcode, k % 2 ? BLOSC_ZSTD : BLOSC_BLOSCLZ);
        assert_int_equal(copy->storage->contiguous, place->contiguous);
        assert_int_equal(copy->nvlmetalayers, 1);
        assert_good(b2nd_from_schunk(copy, &other));
        nd_check(other, items);
        assert_good(b2nd_free(other));
        if (path)
            assert_null(blosc2_schunk_copy(array->sc, &storage)); // it exists
        assert_null(blosc2_schunk_copy(NULL, &storage));
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
        free(items);
        free(path);
    }
}

// Many small changes do not leave a file much larger than one change.
static void
small_files_have_no_holes(void **state)
{
    static const struct nd_shapes none = {1, {0}, {16384}, {256}};
    static const struct nd_shapes all = {1, {100000}, {16384}, {256}};
    const char *const grown = files_path("grown"), *const written = files_path("written");
    b2nd_context_t *const ctx = nd_context(&none, true, grown);
    int32_t *const items = nd_items(100000, 0);
    const int64_t length[] = {1000};
    b2nd_array_t *array = NULL;
    size_t sizes[2] = {0, 0};

    (void)state;
    assert_good(b2nd_empty(ctx, &array));
    for (int64_t i = 0; i < 100000; i += 1000) {
        const int64_t stop = i + 1000;
        assert_good(b2nd_resize(array, &stop, NULL));
        assert_good(b2nd_set_slice_cbuffer(items + i, length, 4000, &i, &stop, array));
    }
    assert_good(b2nd_free(array));
    assert_good(b2nd_free_ctx(ctx));
    assert_good(b2nd_free(nd_numbers(&all, true, written)));
    free(files_read(grown, &sizes[0]));
    free(files_read(written, &sizes[1]));
    assert_true(sizes[0] <= sizes[1] + 4096);
    assert_good(b2nd_open(grown, &array));
    nd_check(array, items);
    assert_good(b2nd_free(array));
    free(items);
}

static bool
file_mentions(const char *path, const char *word)
{
    size_t size = 0;
    uint8_t *const bytes = files_read(path, &size);
    const bool found = memmem(bytes, size, word, strlen(word)) != NULL;

    free(bytes);
    return found;
}

static void
checksums_can_be_left_out(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        const char *const path = files_path("array");
        if (turn == 1)
            setenv("TESS_B2ND_CHECKSUMS", "0", 1);
        b2nd_array_t *const array = nd_numbers(&matrix, true, path);
        assert_int_equal(array->sc->nvlmetalayers, 0);
        assert_good(b2nd_free(array));
        assert_int_equal(file_mentions(path, "_tess"), turn == 0);
        unsetenv("TESS_B2ND_CHECKSUMS");
        files_remove(path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(frames_in_memory),
        cmocka_unit_test(a_frame_that_is_kept),
        cmocka_unit_test(frames_that_are_refused),
        IN_A_FOLDER(saved_arrays),
        IN_A_FOLDER(copies_of_super_chunks),
        IN_A_FOLDER(small_files_have_no_holes),
        IN_A_FOLDER(checksums_can_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
