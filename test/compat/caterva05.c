/*
 * caterva05.c - arrays of Caterva 0.5, in chunks and in plain memory. Items are int32 numbers,
 * beginning with their position in C order. What both states of Caterva do in chunks is in
 * caterva_*.c.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <caterva.h>
#include <stdlib.h>
#include <string.h>

#undef print_error // of cmocka again

#define succeeds(call) assert_int_equal((call), CATERVA_SUCCEED)
#define fails(call, code) assert_int_equal((call), (code))

enum { PLAIN = ND_PLACES, BACKENDS }; // the places of nd.h, and plain memory

static caterva_ctx_t *ctx;
static int allocated; // blocks of the context's allocator
static bool out_of_memory; // for more than 1000 bytes

static void *
count_alloc(size_t size)
{
    if (out_of_memory && size > 1000)
        return NULL;
    allocated++;
    return malloc(size);
}

static void
count_free(void *p)
{
    allocated -= p != NULL;
    free(p);
}

static int
setup(void **state)
{
    caterva_config_t cfg = CATERVA_CONFIG_DEFAULTS;

    cfg.alloc = count_alloc;
    cfg.free = count_free;
    succeeds(caterva_ctx_new(&cfg, &ctx));
    return files_setup(state);
}

static int
teardown(void **state)
{
    succeeds(caterva_ctx_free(&ctx));
    assert_int_equal(allocated, 0);
    return files_teardown(state);
}

// -- arrays for tests

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};
static const struct nd_shapes other = {2, {14, 10}, {5, 7}, {5, 3}};
static const struct nd_shapes thin = {4, {1, 14, 1, 10}, {1, 8, 1, 5}, {1, 2, 1, 2}};
static const struct nd_shapes none = {3, {4, 0, 5}, {2, 0, 5}, {1, 0, 5}};
static const struct nd_shapes single = {0, {0}, {0}, {0}};

static caterva_params_t
params_of(const struct nd_shapes *shapes)
{
    caterva_params_t params = {.itemsize = sizeof(int32_t), .ndim = (uint8_t)shapes->ndim};

    memcpy(params.shape, shapes->shape, sizeof params.shape);
    return params;
}

static caterva_storage_t
storage_of(const struct nd_shapes *shapes, int backend, const char *name)
{
    caterva_storage_t storage = {.backend = CATERVA_STORAGE_PLAINBUFFER};
    caterva_storage_properties_blosc_t *const p = &storage.properties.blosc;
    union {
        const char *constant;
        char *text;
    } urlpath = {NULL};

    if (backend == PLAIN)
        return storage;
    if (nd_places[backend].file)
        urlpath.constant = files_path(name);
    storage.backend = CATERVA_STORAGE_BLOSC;
    p->sequencial = nd_places[backend].contiguous;
    p->urlpath = urlpath.text;
    memcpy(p->chunkshape, shapes->chunkshape, sizeof p->chunkshape);
    memcpy(p->blockshape, shapes->blockshape, sizeof p->blockshape);
    return storage;
}

static caterva_array_t *
numbers(const struct nd_shapes *shapes, int backend)
{
    const int64_t count = nd_count(shapes->shape, shapes->ndim);
    caterva_params_t params = params_of(shapes);
    caterva_storage_t storage = storage_of(shapes, backend, "array");
    int32_t *const items = nd_items(count, 0);
    caterva_array_t *array = NULL;

    succeeds(
        caterva_from_buffer(ctx, items, count * (int64_t)sizeof *items, &params, &storage, &array));
    free(items);
    return array;
}

static void
check_items(caterva_array_t *array, const int32_t *items)
{
    const int64_t size = array->nitems * (int64_t)sizeof *items;
    int32_t *const have = nd_items(array->nitems, -1);

    succeeds(caterva_to_buffer(ctx, array, have, size));
    assert_memory_equal(have, items, (size_t)size);
    if (array->buf)
        assert_memory_equal(array->buf, items, (size_t)size);
    free(have);
}

static void
check_numbers(caterva_array_t *array)
{
    int32_t *const items = nd_items(array->nitems, 0);

    check_items(array, items);
    free(items);
}

static void
check_members(const caterva_array_t *a, const struct nd_shapes *shapes, int backend)
{
    assert_int_equal(a->storage,
                     backend == PLAIN ? CATERVA_STORAGE_PLAINBUFFER : CATERVA_STORAGE_BLOSC);
    assert_int_equal(a->ndim, shapes->ndim);
    assert_int_equal(a->itemsize, sizeof(int32_t));
    assert_int_equal(a->nitems, nd_count(shapes->shape, shapes->ndim));
    assert_int_equal(a->chunk_cache.nchunk, -1);
    for (int i = 0; i < CATERVA_MAX_DIM; i++) {
        const bool seen = i < a->ndim;
        assert_int_equal(a->shape[i], seen ? shapes->shape[i] : 1);
        if (backend == PLAIN) {
            assert_int_equal(a->chunkshape[i], a->shape[i]);
            assert_int_equal(a->extshape[i], a->shape[i]);
        } else {
            assert_int_equal(a->chunkshape[i], seen ? shapes->chunkshape[i] : 1);
            assert_int_equal(a->blockshape[i], seen ? shapes->blockshape[i] : 1);
        }
    }
    if (backend == PLAIN) {
        assert_null(a->sc);
        assert_non_null(a->buf);
        assert_int_equal(a->extnitems, a->nitems);
        assert_int_equal(a->chunknitems, a->nitems);
    } else {
        assert_non_null(a->sc);
        assert_null(a->buf);
        assert_int_equal(a->nchunks, a->sc->nchunks);
    }
}

// -- tests

static void
arrays_are_created(void **state)
{
    static const struct nd_shapes *const all[] = {&matrix, &thin, &none, &single};

    (void)state;
    for (size_t s = 0; s < COUNT(all); s++) {
        for (int backend = 0; backend < BACKENDS; backend++) {
            caterva_array_t *array = numbers(all[s], backend);
            check_members(array, all[s], backend);
            check_numbers(array);
            succeeds(caterva_free(ctx, &array));
            if (backend < PLAIN && nd_places[backend].file) {
                succeeds(caterva_open(ctx, files_path("array"), &array));
                check_members(array, all[s], backend);
                check_numbers(array);
                succeeds(caterva_free(ctx, &array));
            }
            files_remove(files_path("array"));
        }
    }
}

static void
arrays_of_one_item_are_created(void **state)
{
    caterva_params_t params = params_of(&matrix);
    caterva_array_t *array;
    int32_t zeros[140] = {0}, items[140], item = 77;

    (void)state;
    for (int i = 0; i < 140; i++)
        items[i] = item;
    for (int backend = 0; backend < BACKENDS; backend++) {
        caterva_storage_t storage = storage_of(&matrix, backend, "array");
        succeeds(caterva_zeros(ctx, &params, &storage, &array));
        check_items(array, zeros);
        succeeds(caterva_free(ctx, &array));
        files_remove(files_path("array"));
        succeeds(caterva_empty(ctx, &params, &storage, &array));
        check_members(array, &matrix, backend);
        succeeds(caterva_free(ctx, &array));
        files_remove(files_path("array"));
        succeeds(caterva_full(ctx, &params, &storage, &item, &array));
        check_items(array, items);
        succeeds(caterva_free(ctx, &array));
        fails(caterva_full(ctx, &params, &storage, NULL, &array), CATERVA_ERR_NULL_POINTER);
        files_remove(files_path("array"));
    }
}

static void
impossible_arrays_are_refused(void **state)
{
    caterva_params_t params = params_of(&matrix);
    caterva_storage_t plain = {.backend = CATERVA_STORAGE_PLAINBUFFER}, unknown = {0};
    caterva_array_t *array;
    int32_t items[140] = {0};
    const int number = 7;

    (void)state;
    fails(caterva_from_buffer(ctx, items, sizeof items - 1, &params, &plain, &array),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_zeros(ctx, NULL, &plain, &array), CATERVA_ERR_NULL_POINTER);
    fails(caterva_zeros(ctx, &params, NULL, &array), CATERVA_ERR_NULL_POINTER);
    fails(caterva_zeros(ctx, &params, &plain, NULL), CATERVA_ERR_NULL_POINTER);
    memcpy(&unknown.backend, &number, sizeof unknown.backend);
    fails(caterva_zeros(ctx, &params, &unknown, &array), CATERVA_ERR_INVALID_STORAGE);
    params.ndim = CATERVA_MAX_DIM + 1;
    fails(caterva_zeros(ctx, &params, &plain, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.ndim = 2;
    params.itemsize = 0;
    fails(caterva_zeros(ctx, &params, &plain, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.itemsize = 4;
    params.shape[1] = INT64_MAX / 8;
    fails(caterva_zeros(ctx, &params, &plain, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.shape[1] = -1;
    fails(caterva_zeros(ctx, &params, &plain, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.shape[1] = 1000;
    out_of_memory = true;
    fails(caterva_zeros(ctx, &params, &plain, &array), CATERVA_ERR_NULL_POINTER);
    out_of_memory = false;
    assert_null(array);
}

static void
boxes_are_read_and_written(void **state)
{
    int64_t start[] = {3, 2}, stop[] = {11, 9}, shape[] = {8, 7}, wide[] = {9, 8};
    int64_t small[] = {8, 6}, beyond[] = {15, 9};
    int32_t items[140], box[56], gaps[72];

    (void)state;
    for (int backend = 0; backend < BACKENDS; backend++) {
        caterva_array_t *array = numbers(&matrix, backend);
        succeeds(caterva_get_slice_buffer(ctx, array, start, stop, box, shape, sizeof box));
        memset(gaps, 0x11, sizeof gaps); // which stay as they are
        succeeds(caterva_get_slice_buffer(ctx, array, start, stop, gaps, wide, sizeof gaps));
        for (int i = 0; i < 56; i++)
            assert_int_equal(box[i], (3 + i / 7) * 10 + 2 + i % 7);
        for (int i = 0; i < 72; i++)
            assert_int_equal(gaps[i], i / 8 < 8 && i % 8 < 7 ? box[i / 8 * 7 + i % 8] : 0x11111111);
        for (int i = 0; i < 72; i++)
            gaps[i] = -i;
        succeeds(caterva_set_slice_buffer(ctx, gaps, wide, sizeof gaps, start, stop, array));
        for (int i = 0; i < 140; i++) {
            const int row = i / 10 - 3, column = i % 10 - 2;
            const bool inside = row >= 0 && row < 8 && column >= 0 && column < 7;
            items[i] = inside ? -(row * 8 + column) : i;
        }
        check_items(array, items);
        fails(caterva_get_slice_buffer(ctx, array, start, stop, box, small, sizeof box),
              CATERVA_ERR_INVALID_ARGUMENT);
        fails(caterva_get_slice_buffer(ctx, array, start, stop, box, shape, sizeof box - 1),
              CATERVA_ERR_INVALID_ARGUMENT);
        fails(caterva_set_slice_buffer(ctx, gaps, wide, 8 * 8 * 4 - 5, start, stop, array),
              CATERVA_ERR_INVALID_ARGUMENT);
        fails(caterva_set_slice_buffer(ctx, NULL, wide, sizeof gaps, start, stop, array),
              CATERVA_ERR_NULL_POINTER);
        if (backend == PLAIN) {
            int64_t tall[] = {12, 7};
            int32_t more[84];
            fails(caterva_get_slice_buffer(ctx, array, start, beyond, more, tall, sizeof more),
                  CATERVA_ERR_INVALID_ARGUMENT);
            memset(more, 0, sizeof more);
            fails(caterva_set_slice_buffer(ctx, more, tall, sizeof more, start, beyond, array),
                  CATERVA_ERR_INVALID_ARGUMENT);
        }
        check_items(array, items);
        succeeds(caterva_free(ctx, &array));
        files_remove(files_path("array"));
    }
}

static void
copies_go_from_each_backend_to_each(void **state)
{
    int64_t start[] = {3, 2}, stop[] = {11, 9};
    int32_t items[56];

    (void)state;
    for (int i = 0; i < 56; i++)
        items[i] = (3 + i / 7) * 10 + 2 + i % 7;
    for (int k = 0; k < BACKENDS * BACKENDS; k++) {
        const int to = k % BACKENDS;
        caterva_storage_t storage = storage_of(&other, to, "copy");
        caterva_array_t *array = numbers(&matrix, k / BACKENDS), *copy;
        succeeds(caterva_copy(ctx, array, &storage, &copy));
        check_members(copy, &other, to);
        check_numbers(copy);
        succeeds(caterva_free(ctx, &copy));
        files_remove(files_path("copy"));
        succeeds(caterva_get_slice(ctx, array, start, stop, &storage, &copy));
        check_items(copy, items);
        succeeds(caterva_free(ctx, &copy));
        fails(caterva_get_slice(ctx, array, stop, start, &storage, &copy),
              CATERVA_ERR_INVALID_ARGUMENT);
        succeeds(caterva_free(ctx, &array));
        files_remove(files_path("copy"));
        files_remove(files_path("array"));
    }
}

static void
axes_are_squeezed(void **state)
{
    static const struct nd_shapes partly = {3, {14, 1, 10}, {8, 1, 5}, {2, 1, 2}};
    bool first[] = {true, false, false, false}, rows[] = {false, true, false, false};

    (void)state;
    for (int backend = 0; backend < BACKENDS; backend++) {
        caterva_array_t *array = numbers(&thin, backend);
        fails(caterva_squeeze_index(ctx, array, rows), CATERVA_ERR_INVALID_INDEX);
        fails(caterva_squeeze_index(ctx, array, NULL), CATERVA_ERR_NULL_POINTER);
        succeeds(caterva_squeeze_index(ctx, array, first));
        check_members(array, &partly, backend);
        check_numbers(array);
        succeeds(caterva_squeeze(ctx, array));
        check_members(array, &matrix, backend);
        check_numbers(array);
        succeeds(caterva_free(ctx, &array));
        files_remove(files_path("array"));
    }
}

static void
plain_memory_has_no_metalayers_and_no_file(void **state)
{
    char name[] = "a", path[] = "file";
    uint8_t content[] = {1};
    caterva_array_t *array = numbers(&matrix, PLAIN);
    caterva_metalayer_t m = {name, content, sizeof content};
    bool exists;

    (void)state;
    fails(caterva_vlmeta_add(ctx, array, &m), CATERVA_ERR_INVALID_STORAGE);
    fails(caterva_vlmeta_get(ctx, array, "a", &m), CATERVA_ERR_INVALID_STORAGE);
    fails(caterva_vlmeta_exists(ctx, array, "a", &exists), CATERVA_ERR_INVALID_STORAGE);
    fails(caterva_vlmeta_update(ctx, array, &m), CATERVA_ERR_INVALID_STORAGE);
    fails(caterva_meta_get(ctx, array, "a", &m), CATERVA_ERR_INVALID_STORAGE);
    fails(caterva_meta_exists(ctx, array, "a", &exists), CATERVA_ERR_INVALID_STORAGE);
    fails(caterva_meta_update(ctx, array, &m), CATERVA_ERR_INVALID_STORAGE);
    fails(caterva_save(ctx, array, path), CATERVA_ERR_INVALID_STORAGE);
    succeeds(caterva_free(ctx, &array));
}

static void
metalayers_and_frames_keep_what_they_hold(void **state)
{
    char name_a[] = "a", name_b[] = "b";
    uint8_t content[] = {1, 2, 3}, next[] = {4, 5, 6};
    caterva_params_t params = params_of(&matrix);
    caterva_storage_t storage = storage_of(&matrix, 1, NULL);
    caterva_metalayer_t m = {name_b, content, sizeof content};
    caterva_array_t *array, *from;
    uint8_t *frame;
    bool needs_free, exists;

    (void)state;
    storage.properties.blosc.nmetalayers = 1;
    storage.properties.blosc.metalayers[0] = (caterva_metalayer_t){name_a, content, sizeof content};
    succeeds(caterva_zeros(ctx, &params, &storage, &array));
    succeeds(caterva_vlmeta_add(ctx, array, &m));
    m.sdata = next;
    succeeds(caterva_vlmeta_update(ctx, array, &m));
    m.name = name_a;
    succeeds(caterva_meta_update(ctx, array, &m));
    const int64_t size = blosc2_schunk_to_buffer(array->sc, &frame, &needs_free);
    fails(caterva_from_serial_schunk(ctx, NULL, size, &from), CATERVA_ERR_NULL_POINTER);
    assert_null(from);
    succeeds(caterva_from_serial_schunk(ctx, frame, size, &from));
    if (needs_free)
        free(frame);
    succeeds(caterva_free(ctx, &array));
    check_members(from, &matrix, 1);
    succeeds(caterva_meta_exists(ctx, from, "a", &exists));
    assert_true(exists);
    succeeds(caterva_vlmeta_exists(ctx, from, "b", &exists));
    assert_true(exists);
    succeeds(caterva_vlmeta_get(ctx, from, "b", &m));
    assert_memory_equal(m.sdata, next, sizeof next);
    free(m.name);
    free(m.sdata);
    succeeds(caterva_meta_get(ctx, from, "a", &m));
    assert_memory_equal(m.sdata, next, sizeof next);
    free(m.name);
    free(m.sdata);
    succeeds(caterva_free(ctx, &from));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arrays_are_created, setup, teardown),
        cmocka_unit_test_setup_teardown(arrays_of_one_item_are_created, setup, teardown),
        cmocka_unit_test_setup_teardown(impossible_arrays_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(boxes_are_read_and_written, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_go_from_each_backend_to_each, setup, teardown),
        cmocka_unit_test_setup_teardown(axes_are_squeezed, setup, teardown),
        cmocka_unit_test_setup_teardown(plain_memory_has_no_metalayers_and_no_file, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(metalayers_and_frames_keep_what_they_hold, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
