/*
 * caterva_items.c - items of arrays of the last state of Caterva: boxes and selections, read and
 * written.
 */
#include "compat/caterva_arrays.h"
#include "support/files.h"

#include <pthread.h>
#include <string.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};
static const struct nd_shapes thin = {4, {1, 14, 1, 10}, {1, 8, 1, 5}, {1, 2, 1, 2}};

static void
boxes_are_read_and_written(void **state)
{
    int64_t start[] = {3, 2}, stop[] = {11, 9}, shape[] = {8, 7}, wide[] = {9, 8};
    int32_t items[140], box[56], gaps[72];

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        caterva_array_t *array =
            ca_numbers(&matrix, ca_storage(&matrix, nd_places[k].contiguous, path));
        succeeds(caterva_get_slice_buffer(ca_ctx, array, start, stop, box, shape, sizeof box));
        for (int i = 0; i < 56; i++)
            assert_int_equal(box[i], (3 + i / 7) * 10 + 2 + i % 7);
        memset(gaps, 0x11, sizeof gaps); // which stay as they are
        succeeds(caterva_get_slice_buffer(ca_ctx, array, start, stop, gaps, wide, sizeof gaps));
        for (int i = 0; i < 72; i++)
            assert_int_equal(gaps[i], i / 8 < 8 && i % 8 < 7 ? box[i / 8 * 7 + i % 8] : 0x11111111);
        for (int i = 0; i < 72; i++)
            gaps[i] = -i;
        succeeds(caterva_set_slice_buffer(ca_ctx, gaps, wide, sizeof gaps, start, stop, array));
        for (int i = 0; i < 140; i++) {
            const int row = i / 10 - 3, column = i % 10 - 2;
            const bool inside = row >= 0 && row < 8 && column >= 0 && column < 7;
            items[i] = inside ? -(row * 8 + column) : i;
        }
        ca_check_items(array, items);
        succeeds(caterva_free(ca_ctx, &array));
        files_remove(files_path("array"));
    }
}

static void
boxes_may_reach_beyond_the_end(void **state)
{
    int64_t start[] = {13, 8}, stop[] = {15, 11}, shape[] = {2, 3};
    int32_t box[] = {-1, -2, -3, -4, -5, -6}, ends[] = {138, 139, 0, 0, 0, 0};
    caterva_array_t *array = ca_numbers(&matrix, ca_storage(&matrix, true, NULL));

    (void)state;
    succeeds(caterva_get_slice_buffer(ca_ctx, array, start, stop, box, shape, sizeof box));
    assert_memory_equal(box, ends, sizeof box);
    box[2] = box[5] = 77;
    succeeds(caterva_set_slice_buffer(ca_ctx, box, shape, sizeof box, start, stop, array));
    ca_check(array);
    succeeds(caterva_free(ca_ctx, &array));
}

static void
impossible_boxes_are_refused(void **state)
{
    caterva_array_t *array = ca_numbers(&matrix, ca_storage(&matrix, true, NULL));
    int64_t start[] = {3, 2}, stop[] = {11, 9}, shape[] = {8, 7}, small[] = {8, 6};
    int64_t behind[] = {12, 2}, below[] = {-1, 2}, huge[] = {INT64_MAX, INT64_MAX};
    int32_t box[140];

    (void)state;
    fails(caterva_get_slice_buffer(ca_ctx, array, start, stop, box, small, sizeof box),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice_buffer(ca_ctx, array, start, stop, box, shape, 8 * 7 * 4 - 1),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice_buffer(ca_ctx, array, behind, stop, box, shape, sizeof box),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice_buffer(ca_ctx, array, below, stop, box, huge, sizeof box),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice_buffer(ca_ctx, array, start, stop, box, huge, sizeof box),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_set_slice_buffer(ca_ctx, box, small, sizeof box, start, stop, array),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_set_slice_buffer(ca_ctx, box, shape, 8 * 7 * 4 - 1, start, stop, array),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_to_buffer(ca_ctx, array, box, sizeof box - 1), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_to_buffer(ca_ctx, array, NULL, sizeof box), CATERVA_ERR_NULL_POINTER);
    fails(caterva_to_buffer(ca_ctx, NULL, box, sizeof box), CATERVA_ERR_NULL_POINTER);
    fails(caterva_to_buffer(NULL, array, box, sizeof box), CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice_buffer(ca_ctx, array, NULL, stop, box, shape, sizeof box),
          CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice_buffer(ca_ctx, array, start, NULL, box, shape, sizeof box),
          CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice_buffer(ca_ctx, array, start, stop, box, NULL, sizeof box),
          CATERVA_ERR_NULL_POINTER);
    fails(caterva_set_slice_buffer(ca_ctx, NULL, shape, sizeof box, start, stop, array),
          CATERVA_ERR_NULL_POINTER);
    fails(caterva_set_slice_buffer(ca_ctx, box, shape, sizeof box, start, stop, NULL),
          CATERVA_ERR_NULL_POINTER);
    ca_check(array);
    succeeds(caterva_free(ca_ctx, &array));
}

static void
items_are_selected(void **state)
{
    static const struct nd_shapes *const all[] = {&matrix, &thin};
    int64_t rows[] = {13, 0, 8}, columns[] = {9, 2}, out[] = {14};
    int64_t *selection[] = {rows, columns}, *wrong[] = {out, columns};
    int64_t counts[] = {3, 2}, one[] = {1, 2}, shape[] = {3, 2};
    const int32_t want[] = {139, 132, 9, 2, 89, 82};
    int32_t items[6];

    (void)state;
    for (size_t k = 0; k < COUNT(all); k++) {
        caterva_array_t *array = ca_numbers(all[k], ca_storage(all[k], true, NULL));
        succeeds(caterva_squeeze(ca_ctx, array));
        succeeds(caterva_get_orthogonal_selection(ca_ctx, array, selection, counts, items, shape,
                                                  sizeof items));
        assert_memory_equal(items, want, sizeof want);
        memset(items, 0, sizeof items);
        succeeds(caterva_set_orthogonal_selection(ca_ctx, array, selection, counts, items, shape,
                                                  sizeof items));
        items[0] = 1;
        succeeds(caterva_get_orthogonal_selection(ca_ctx, array, selection, counts, items, shape,
                                                  sizeof items));
        assert_int_equal(items[0], 0);
        fails(caterva_get_orthogonal_selection(ca_ctx, array, wrong, one, items, shape, 8),
              CATERVA_ERR_INVALID_INDEX);
        fails(caterva_get_orthogonal_selection(ca_ctx, array, selection, counts, items, shape, 100),
              CATERVA_ERR_INVALID_ARGUMENT);
        fails(caterva_set_orthogonal_selection(ca_ctx, array, NULL, counts, items, shape, 24),
              CATERVA_ERR_NULL_POINTER);
        fails(caterva_get_orthogonal_selection(ca_ctx, NULL, selection, counts, items, shape, 24),
              CATERVA_ERR_NULL_POINTER);
        succeeds(caterva_free(ca_ctx, &array));
    }
}

static void *
read_often(void *array)
{
    int64_t start[] = {3, 2}, stop[] = {11, 9}, shape[] = {8, 7};
    int32_t box[56];
    intptr_t wrong = 0;

    for (int k = 0; k < 200; k++) {
        memset(box, 0, sizeof box);
        wrong += caterva_get_slice_buffer(ca_ctx, array, start, stop, box, shape, sizeof box) != 0;
        wrong += box[0] != 32 || box[55] != 108;
    }
    return (void *)wrong;
}

static void
threads_read_one_array(void **state)
{
    caterva_array_t *array = ca_numbers(&matrix, ca_storage(&matrix, true, files_path("array")));
    pthread_t threads[2];
    void *wrong;

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, array), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    succeeds(caterva_free(ca_ctx, &array));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(boxes_are_read_and_written),   WITH_CONTEXT(boxes_may_reach_beyond_the_end),
        WITH_CONTEXT(impossible_boxes_are_refused), WITH_CONTEXT(items_are_selected),
        WITH_CONTEXT(threads_read_one_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
