/*
 * caterva_copies.c - copies of arrays of the last state of Caterva, in files and frames, and arrays
 * of files, frames and super-chunks.
 */
#include "compat/caterva_arrays.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};
static const struct nd_shapes other = {2, {14, 10}, {5, 7}, {5, 3}};

static void
slices_become_arrays(void **state)
{
    const int64_t start[] = {3, 2}, stop[] = {11, 9}, beyond[] = {15, 9};
    caterva_storage_t storage = ca_storage(&other, false, NULL);
    caterva_array_t *array = ca_numbers(&matrix, ca_storage(&matrix, true, NULL)), *slice;
    int32_t items[56];

    (void)state;
    for (int i = 0; i < 56; i++)
        items[i] = (3 + i / 7) * 10 + 2 + i % 7;
    succeeds(caterva_get_slice(ca_ctx, array, start, stop, &storage, &slice));
    ca_check_items(slice, items);
    assert_int_equal(slice->chunkshape[1], 7);
    succeeds(caterva_free(ca_ctx, &slice));
    fails(caterva_get_slice(ca_ctx, array, start, beyond, &storage, &slice),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice(ca_ctx, array, stop, start, &storage, &slice),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice(ca_ctx, NULL, start, stop, &storage, &slice), CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice(ca_ctx, array, NULL, stop, &storage, &slice), CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice(ca_ctx, array, start, stop, NULL, &slice), CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice(ca_ctx, array, start, stop, &storage, NULL), CATERVA_ERR_NULL_POINTER);
    succeeds(caterva_free(ca_ctx, &array));
}

static void
copies_have_items_and_metalayers(void **state)
{
    static const struct nd_shapes *const shapes[] = {&matrix, &other};

    (void)state;
    for (int k = 0; k < ND_PLACES * 2; k++) {
        const struct nd_place *const place = &nd_places[k / 2];
        const struct nd_shapes *const to = shapes[k % 2];
        const char *const path = place->file ? files_path("copy") : NULL;
        caterva_storage_t storage = ca_storage(to, place->contiguous, path);
        caterva_array_t *array = ca_with_metalayers(&matrix, ca_storage(&matrix, true, NULL)),
                        *copy;
        succeeds(caterva_copy(ca_ctx, array, &storage, &copy));
        succeeds(caterva_free(ca_ctx, &array));
        ca_check_members(copy, to);
        ca_check(copy);
        ca_check_metalayers(copy);
        assert_true(blosc2_meta_exists(copy->sc, "caterva") >= 0);
        fails(caterva_copy(ca_ctx, NULL, &storage, &array), CATERVA_ERR_NULL_POINTER);
        fails(caterva_copy(ca_ctx, copy, NULL, &array), CATERVA_ERR_NULL_POINTER);
        fails(caterva_copy(ca_ctx, copy, &storage, NULL), CATERVA_ERR_NULL_POINTER);
        succeeds(caterva_free(ca_ctx, &copy));
        files_remove(files_path("copy"));
    }
}

static void
arrays_are_saved(void **state)
{
    char path[4096];

    (void)state;
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        strcpy(path, files_path("saved"));
        caterva_array_t *array =
            ca_with_metalayers(&matrix, ca_storage(&matrix, contiguous != 0, NULL));
        succeeds(caterva_save(ca_ctx, array, path));
        fails(caterva_save(ca_ctx, array, NULL), CATERVA_ERR_NULL_POINTER);
        fails(caterva_save(ca_ctx, NULL, path), CATERVA_ERR_NULL_POINTER);
        succeeds(caterva_free(ca_ctx, &array));
        succeeds(caterva_open(ca_ctx, path, &array));
        ca_check_members(array, &matrix);
        ca_check(array);
        ca_check_metalayers(array);
        succeeds(caterva_free(ca_ctx, &array));
        files_remove(path);
    }
    fails(caterva_open(ca_ctx, path, &(caterva_array_t *){NULL}), CATERVA_ERR_NULL_POINTER);
    fails(caterva_open(ca_ctx, NULL, &(caterva_array_t *){NULL}), CATERVA_ERR_NULL_POINTER);
    fails(caterva_remove(ca_ctx, NULL), CATERVA_ERR_NULL_POINTER);
}

static void
frames_become_arrays(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const bool copied = k % 2 != 0;
        caterva_array_t *array = ca_with_metalayers(&matrix, ca_storage(&matrix, k / 2 != 0, NULL));
        caterva_array_t *from = NULL;
        uint8_t *frame;
        int64_t size;
        bool needs_free;
        succeeds(caterva_to_cframe(ca_ctx, array, &frame, &size, &needs_free));
        succeeds(caterva_from_cframe(ca_ctx, frame, size, copied, &from));
        ca_check_members(from, &matrix);
        ca_check(from);
        ca_check_metalayers(from);
        succeeds(caterva_free(ca_ctx, &from));
        assert_int_not_equal(caterva_from_cframe(ca_ctx, frame, size / 2, copied, &from),
                             CATERVA_SUCCEED);
        assert_null(from);
        fails(caterva_from_cframe(ca_ctx, NULL, size, copied, &from), CATERVA_ERR_NULL_POINTER);
        fails(caterva_to_cframe(ca_ctx, array, NULL, &size, &needs_free), CATERVA_ERR_NULL_POINTER);
        if (needs_free)
            free(frame);
        succeeds(caterva_free(ca_ctx, &array));
    }
}

static void
super_chunks_become_arrays(void **state)
{
    const char *const path = files_path("array");
    caterva_array_t *array = ca_numbers(&matrix, ca_storage(&matrix, true, path));

    (void)state;
    succeeds(caterva_free(ca_ctx, &array));
    blosc2_schunk *const sc = blosc2_schunk_open(path);
    fails(caterva_from_schunk(ca_ctx, NULL, &array), CATERVA_ERR_NULL_POINTER);
    fails(caterva_from_schunk(ca_ctx, sc, NULL), CATERVA_ERR_NULL_POINTER);
    succeeds(caterva_from_schunk(ca_ctx, sc, &array));
    assert_ptr_equal(array->sc, sc);
    ca_check(array);
    succeeds(caterva_free(ca_ctx, &array));
}

static void
super_chunks_that_are_no_arrays_are_refused(void **state)
{
    const char *const path = files_path("plain");
    tess_storage storage;
    tess_params params;
    tess_array *plain;
    caterva_array_t *array;

    (void)state;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.typesize = 4;
    ok(tess_schunk_create(&storage, &params, &plain, err));
    ok(tess_array_close(plain, err));
    blosc2_schunk *const sc = blosc2_schunk_open(path);
    assert_non_null(sc);
    fails(caterva_from_schunk(ca_ctx, sc, &array), CATERVA_ERR_BLOSC_FAILED);
    assert_null(array);
    assert_good(blosc2_schunk_free(sc));
    fails(caterva_open(ca_ctx, path, &array), CATERVA_ERR_BLOSC_FAILED);
}

static void
arrays_that_caterva_cannot_have_are_refused(void **state)
{
    struct nd_shapes shapes = {CATERVA_MAX_DIM + 1, {0}, {0}, {0}};
    caterva_array_t *array;

    (void)state;
    for (int i = 0; i < shapes.ndim; i++)
        shapes.shape[i] = shapes.chunkshape[i] = shapes.blockshape[i] = 1;
    b2nd_array_t *const nd = nd_numbers(&shapes, true, NULL);
    fails(caterva_from_schunk(ca_ctx, nd->sc, &array), CATERVA_ERR_BLOSC_FAILED);
    assert_null(array);
    assert_good(b2nd_free(nd)); // it stayed ours
}

static void
arrays_of_b2nd_are_read(void **state)
{
    const char *const path = files_path("array");
    caterva_array_t *array;

    (void)state;
    assert_good(b2nd_free(nd_numbers(&matrix, true, path)));
    succeeds(caterva_open(ca_ctx, path, &array));
    ca_check_members(array, &matrix);
    ca_check(array);
    succeeds(caterva_free(ca_ctx, &array));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(slices_become_arrays),
        WITH_CONTEXT(copies_have_items_and_metalayers),
        WITH_CONTEXT(arrays_are_saved),
        WITH_CONTEXT(frames_become_arrays),
        WITH_CONTEXT(super_chunks_become_arrays),
        WITH_CONTEXT(super_chunks_that_are_no_arrays_are_refused),
        WITH_CONTEXT(arrays_that_caterva_cannot_have_are_refused),
        WITH_CONTEXT(arrays_of_b2nd_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
