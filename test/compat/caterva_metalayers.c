/*
 * caterva_metalayers.c - metalayers of the program, and that of Caterva with the shapes.
 */
#include "compat/caterva_arrays.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};

static void
files_have_the_metalayer_of_caterva(void **state)
{
    const char *const path = files_path("array");
    caterva_array_t *array = ca_numbers(&matrix, ca_storage(&matrix, true, path));
    tess_storage storage;
    tess_array *a;
    tess_info info;

    (void)state;
    assert_true(blosc2_meta_exists(array->sc, "caterva") >= 0);
    assert_true(blosc2_meta_exists(array->sc, "b2nd") < 0);
    succeeds(caterva_free(ca_ctx, &array));
    tess_storage_init(&storage);
    storage.path = path;
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &info);
    assert_string_equal(info.layer, "caterva");
    tess_array_close(a, NULL);
}

static void
metalayers_are_added_and_replaced(void **state)
{
    uint8_t next[] = {9, 8, 7};
    caterva_array_t *array = ca_with_metalayers(&matrix, ca_storage(&matrix, true, NULL));
    caterva_metalayer_t m = {(char[]){"a"}, next, sizeof next}, got;
    bool exists;

    (void)state;
    ca_check_metalayers(array);
    succeeds(caterva_meta_update(ca_ctx, array, &m));
    succeeds(caterva_meta_get(ca_ctx, array, "a", &got));
    assert_memory_equal(got.sdata, next, sizeof next);
    free(got.name);
    free(got.sdata);
    m.name = (char[]){"b"};
    succeeds(caterva_vlmeta_update(ca_ctx, array, &m));
    succeeds(caterva_vlmeta_get(ca_ctx, array, "b", &got));
    assert_int_equal(got.size, sizeof next);
    free(got.name);
    free(got.sdata);
    succeeds(caterva_meta_exists(ca_ctx, array, "a", &exists));
    assert_true(exists);
    succeeds(caterva_meta_exists(ca_ctx, array, "b", &exists));
    assert_false(exists);
    succeeds(caterva_vlmeta_exists(ca_ctx, array, "b", &exists));
    assert_true(exists);
    succeeds(caterva_vlmeta_exists(ca_ctx, array, "a", &exists));
    assert_false(exists);
    fails(caterva_meta_get(ca_ctx, array, "none", &got), CATERVA_ERR_BLOSC_FAILED);
    fails(caterva_vlmeta_get(ca_ctx, array, "none", &got), CATERVA_ERR_BLOSC_FAILED);
    fails(caterva_vlmeta_add(ca_ctx, array, &m), CATERVA_ERR_BLOSC_FAILED); // there is one
    m.size = -1;
    fails(caterva_vlmeta_update(ca_ctx, array, &m), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_meta_update(ca_ctx, array, &m), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_vlmeta_add(ca_ctx, array, NULL), CATERVA_ERR_NULL_POINTER);
    fails(caterva_vlmeta_add(ca_ctx, NULL, &m), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_meta_get(ca_ctx, array, NULL, &got), CATERVA_ERR_NULL_POINTER);
    fails(caterva_meta_exists(ca_ctx, array, "a", NULL), CATERVA_ERR_NULL_POINTER);
    fails(caterva_vlmeta_exists(ca_ctx, NULL, "a", &exists), CATERVA_ERR_NULL_POINTER);
    succeeds(caterva_free(ca_ctx, &array));
}

static void
the_metalayer_is_written_and_read(void **state)
{
    int64_t shape[] = {14, 10}, shape2[CATERVA_MAX_DIM];
    int32_t chunkshape[CATERVA_MAX_DIM], blockshape[CATERVA_MAX_DIM];
    caterva_array_t *array = ca_numbers(&matrix, ca_storage(&matrix, true, NULL));
    uint8_t *content, *stored;
    int32_t size;
    int8_t ndim;

    (void)state;
    const int32_t length =
        caterva_serialize_meta(2, shape, matrix.chunkshape, matrix.blockshape, &content);
    assert_int_equal(length, 3 + 1 + 2 * 9 + 2 * (1 + 2 * 5));
    assert_good(blosc2_meta_get(array->sc, "caterva", &stored, &size));
    assert_int_equal(size, length);
    assert_memory_equal(content, stored, (size_t)size);
    assert_int_equal(
        caterva_deserialize_meta(content, length, &ndim, shape2, chunkshape, blockshape), length);
    assert_int_equal(ndim, 2);
    assert_memory_equal(shape2, shape, sizeof shape);
    assert_memory_equal(chunkshape, matrix.chunkshape, 2 * sizeof *chunkshape);
    assert_memory_equal(blockshape, matrix.blockshape, 2 * sizeof *blockshape);
    for (int32_t i = 0; i < length; i++)
        assert_true(caterva_deserialize_meta(content, i, &ndim, shape2, chunkshape, blockshape) <
                    0);
    content[2] = CATERVA_MAX_DIM + 1;
    assert_true(caterva_deserialize_meta(content, length, &ndim, shape2, chunkshape, blockshape) <
                0);
    assert_true(caterva_deserialize_meta(NULL, 1, &ndim, shape2, chunkshape, blockshape) < 0);
    free(content);
    free(stored);
    assert_true(caterva_serialize_meta(2, NULL, chunkshape, blockshape, &content) < 0);
    assert_null(content);
    assert_true(caterva_serialize_meta(CATERVA_MAX_DIM + 1, array->shape, array->chunkshape,
                                       array->blockshape, &content) < 0);
    succeeds(caterva_print_meta(array));
    fails(caterva_print_meta(NULL), CATERVA_ERR_NULL_POINTER);
    succeeds(caterva_free(ca_ctx, &array));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(files_have_the_metalayer_of_caterva),
        WITH_CONTEXT(metalayers_are_added_and_replaced),
        WITH_CONTEXT(the_metalayer_is_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
