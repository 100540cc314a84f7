/*
 * caterva_shape.c - arrays of the last state of Caterva get another shape.
 */
#include "compat/caterva_arrays.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};
static const struct nd_shapes other = {2, {14, 10}, {5, 7}, {5, 3}};
static const struct nd_shapes thin = {4, {1, 14, 1, 10}, {1, 8, 1, 5}, {1, 2, 1, 2}};

static void
axes_are_squeezed(void **state)
{
    static const struct nd_shapes partly = {3, {14, 1, 10}, {8, 1, 5}, {2, 1, 2}};
    const bool first[] = {true, false, false, false}, rows[] = {false, true, false, false};
    int64_t start[] = {3, 2}, stop[] = {11, 9}, shape[] = {8, 7};
    int32_t box[56];

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        caterva_array_t *array =
            ca_with_metalayers(&thin, ca_storage(&thin, nd_places[k].contiguous, path));
        fails(caterva_squeeze_index(ca_ctx, array, rows), CATERVA_ERR_INVALID_INDEX);
        ca_check_members(array, &thin);
        succeeds(caterva_squeeze_index(ca_ctx, array, first));
        ca_check_members(array, &partly);
        ca_check(array);
        succeeds(caterva_squeeze(ca_ctx, array));
        ca_check_members(array, &matrix);
        ca_check(array);
        ca_check_metalayers(array);
        succeeds(caterva_get_slice_buffer(ca_ctx, array, start, stop, box, shape, sizeof box));
        assert_int_equal(box[0], 32);
        assert_int_equal(box[55], 108);
        succeeds(caterva_free(ca_ctx, &array));
        files_remove(files_path("array"));
    }
    fails(caterva_squeeze(ca_ctx, NULL), CATERVA_ERR_NULL_POINTER);
    fails(caterva_squeeze_index(ca_ctx, NULL, rows), CATERVA_ERR_NULL_POINTER);
}

static void
squeezed_arrays_are_copied_as_they_look(void **state)
{
    caterva_storage_t storage = ca_storage(&other, true, NULL);
    caterva_array_t *array = ca_with_metalayers(&thin, ca_storage(&thin, true, NULL)), *copy;
    const int64_t start[] = {3, 2}, stop[] = {4, 4};
    int32_t items[] = {32, 33};
    uint8_t *frame;
    int64_t size;
    bool needs_free;
    char path[4096];

    (void)state;
    succeeds(caterva_squeeze(ca_ctx, array));
    succeeds(caterva_copy(ca_ctx, array, &storage, &copy));
    ca_check_members(copy, &other);
    ca_check(copy);
    ca_check_metalayers(copy);
    succeeds(caterva_free(ca_ctx, &copy));
    succeeds(caterva_get_slice(ca_ctx, array, start, stop, &storage, &copy));
    ca_check_items(copy, items);
    succeeds(caterva_free(ca_ctx, &copy));
    succeeds(caterva_to_cframe(ca_ctx, array, &frame, &size, &needs_free));
    succeeds(caterva_from_cframe(ca_ctx, frame, size, true, &copy));
    ca_check_members(copy, &matrix);
    ca_check(copy);
    succeeds(caterva_free(ca_ctx, &copy));
    if (needs_free)
        free(frame);
    strcpy(path, files_path("saved"));
    succeeds(caterva_save(ca_ctx, array, path));
    succeeds(caterva_open(ca_ctx, path, &copy));
    ca_check_members(copy, &matrix);
    ca_check_metalayers(copy);
    succeeds(caterva_free(ca_ctx, &copy));
    succeeds(caterva_free(ca_ctx, &array));
}

static void
shapes_change(void **state)
{
    int64_t shape[] = {16, 10}, start[] = {8, 0}, back[] = {8, 10};
    caterva_array_t *array = ca_numbers(&matrix, ca_storage(&matrix, true, NULL));
    int32_t items[160] = {0}, row[10], column[28];

    (void)state;
    for (int i = 0; i < 140; i++)
        items[i] = i;
    succeeds(caterva_resize(ca_ctx, array, shape, NULL));
    assert_int_equal(array->shape[0], 16);
    assert_int_equal(array->nitems, 160);
    ca_check_items(array, items);
    succeeds(caterva_resize(ca_ctx, array, back, start)); // rows 8 to 15
    ca_check_items(array, items);
    assert_int_equal(array->nchunks, 2);
    for (int i = 0; i < 10; i++)
        row[i] = 80 + i;
    succeeds(caterva_append(ca_ctx, array, row, sizeof row, 0));
    ca_check(array);
    assert_int_equal(array->shape[0], 9);
    succeeds(caterva_delete(ca_ctx, array, 0, 8, 1));
    assert_int_equal(array->shape[0], 8);
    ca_check(array);
    for (int i = 0; i < 28; i++)
        column[i] = i;
    succeeds(caterva_insert(ca_ctx, array, column, 8 * 2 * sizeof *column, 1, 10));
    assert_int_equal(array->shape[1], 12);
    fails(caterva_insert(ca_ctx, array, column, 5, 1, 12), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_insert(ca_ctx, array, column, 8 * 4, 1, 1), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_append(ca_ctx, array, column, 8 * 4, 2), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_append(ca_ctx, array, column, 8 * 4, -1), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_delete(ca_ctx, array, 1, 0, 13), CATERVA_ERR_INVALID_ARGUMENT);
    shape[0] = -1;
    fails(caterva_resize(ca_ctx, array, shape, NULL), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_resize(ca_ctx, array, NULL, NULL), CATERVA_ERR_NULL_POINTER);
    fails(caterva_append(ca_ctx, array, NULL, 0, 0), CATERVA_ERR_NULL_POINTER);
    fails(caterva_insert(ca_ctx, NULL, column, 0, 0, 0), CATERVA_ERR_NULL_POINTER);
    fails(caterva_delete(ca_ctx, NULL, 0, 0, 0), CATERVA_ERR_NULL_POINTER);
    assert_int_equal(array->nitems, 96);
    succeeds(caterva_free(ca_ctx, &array));
}

static void
squeezed_arrays_grow(void **state)
{
    caterva_array_t *array = ca_numbers(&thin, ca_storage(&thin, true, NULL));
    int64_t shape[] = {3, 10};
    int32_t row[10];

    (void)state;
    succeeds(caterva_squeeze(ca_ctx, array));
    for (int i = 0; i < 10; i++)
        row[i] = 140 + i;
    succeeds(caterva_append(ca_ctx, array, row, sizeof row, 0));
    assert_int_equal(array->ndim, 2);
    assert_int_equal(array->shape[0], 15);
    ca_check(array);
    succeeds(caterva_resize(ca_ctx, array, shape, NULL));
    ca_check(array);
    succeeds(caterva_free(ca_ctx, &array));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(axes_are_squeezed),
        WITH_CONTEXT(squeezed_arrays_are_copied_as_they_look),
        WITH_CONTEXT(shapes_change),
        WITH_CONTEXT(squeezed_arrays_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
