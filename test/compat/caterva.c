/*
 * caterva.c - arrays of the last state of Caterva. Items are int32 numbers, beginning with their
 * position in C order.
 */
#include "api/files.h"
#include "compat/nd.h"

#include <caterva.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *(*const text_of)(int) = print_error;

static int
leave(const void *pointer, int rc)
{
    CATERVA_ERROR_NULL(pointer);
    CATERVA_ERROR(rc);
    return -77;
}

#undef print_error // of cmocka again

#define succeeds(call) assert_int_equal((call), CATERVA_SUCCEED)
#define fails(call, code) assert_int_equal((call), (code))

static caterva_ctx_t *ctx;
static int allocated; // blocks of the context's allocator

static void *
count_alloc(size_t size)
{
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
    assert_null(ctx);
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
    caterva_params_t params = {.itemsize = sizeof(int32_t), .ndim = shapes->ndim};

    memcpy(params.shape, shapes->shape, sizeof params.shape);
    return params;
}

static caterva_storage_t
storage_of(const struct nd_shapes *shapes, bool contiguous, const char *path)
{
    caterva_storage_t storage = {.contiguous = contiguous};
    union {
        const char *constant;
        char *text;
    } urlpath = {.constant = path};

    storage.urlpath = urlpath.text;
    memcpy(storage.chunkshape, shapes->chunkshape, sizeof storage.chunkshape);
    memcpy(storage.blockshape, shapes->blockshape, sizeof storage.blockshape);
    return storage;
}

static caterva_array_t *
numbers(const struct nd_shapes *shapes, caterva_storage_t storage)
{
    const int64_t count = nd_count(shapes->shape, shapes->ndim);
    caterva_params_t params = params_of(shapes);
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
    free(have);
}

static void
check_numbers(caterva_array_t *array)
{
    int32_t *const items = nd_items(array->nitems, 0);

    check_items(array, items);
    free(items);
}

// The members are those of shapes.
static void
check_members(const caterva_array_t *a, const struct nd_shapes *shapes)
{
    int64_t nitems = 1, chunks = 1;

    assert_int_equal(a->ndim, shapes->ndim);
    assert_int_equal(a->itemsize, sizeof(int32_t));
    for (int i = 0; i < CATERVA_MAX_DIM; i++) {
        assert_int_equal(a->shape[i], i < a->ndim ? shapes->shape[i] : 1);
        assert_int_equal(a->chunkshape[i], i < a->ndim ? shapes->chunkshape[i] : 1);
        assert_int_equal(a->blockshape[i], i < a->ndim ? shapes->blockshape[i] : 1);
        if (a->shape[i] == 0) {
            assert_int_equal(a->extshape[i], 0);
            assert_int_equal(a->extchunkshape[i], 0);
        } else {
            assert_in_range(a->extshape[i] - a->shape[i], 0, a->chunkshape[i] - 1);
            assert_int_equal(a->extshape[i] % a->chunkshape[i], 0);
            assert_in_range(a->extchunkshape[i] - a->chunkshape[i], 0, a->blockshape[i] - 1);
            assert_int_equal(a->extchunkshape[i] % a->blockshape[i], 0);
            chunks *= a->extshape[i] / a->chunkshape[i];
        }
        nitems *= a->shape[i];
    }
    assert_int_equal(a->nitems, nitems);
    assert_int_equal(a->nchunks, nitems == 0 ? 0 : chunks);
    assert_int_equal(a->nchunks, a->sc->nchunks);
    assert_int_equal(a->chunk_cache.nchunk, -1);
    assert_null(a->chunk_cache.data);
    if (a->ndim > 0)
        assert_int_equal(a->item_array_strides[a->ndim - 1], 1);
    if (a->ndim == 2) {
        assert_int_equal(a->item_array_strides[0], a->shape[1]);
        assert_int_equal(a->item_chunk_strides[0], a->chunkshape[1]);
        assert_int_equal(a->item_extchunk_strides[0], a->extchunkshape[1]);
        assert_int_equal(a->item_block_strides[0], a->blockshape[1]);
        assert_int_equal(a->block_chunk_strides[0], a->extchunkshape[1] / a->blockshape[1]);
        assert_int_equal(a->chunk_array_strides[0], a->extshape[1] / a->chunkshape[1]);
    }
}

// -- tests

static void
contexts_use_the_allocator(void **state)
{
    caterva_config_t cfg = CATERVA_CONFIG_DEFAULTS;
    caterva_ctx_t *c;

    (void)state;
    succeeds(caterva_ctx_new(&cfg, &c));
    assert_memory_equal(c->cfg, &cfg, sizeof cfg);
    assert_ptr_not_equal(c->cfg, &cfg);
    succeeds(caterva_ctx_free(&c));
    fails(caterva_ctx_free(&c), CATERVA_ERR_NULL_POINTER);
    fails(caterva_ctx_free(NULL), CATERVA_ERR_NULL_POINTER);
    fails(caterva_ctx_new(NULL, &c), CATERVA_ERR_NULL_POINTER);
    fails(caterva_ctx_new(&cfg, NULL), CATERVA_ERR_NULL_POINTER);
    cfg.alloc = NULL;
    fails(caterva_ctx_new(&cfg, &c), CATERVA_ERR_NULL_POINTER);
    assert_null(c);
}

static void
arrays_are_created(void **state)
{
    static const struct nd_shapes *const all[] = {&matrix, &thin, &none, &single};

    (void)state;
    for (size_t s = 0; s < COUNT(all); s++) {
        for (int k = 0; k < ND_PLACES; k++) {
            const char *const path = nd_places[k].file ? files_path("array") : NULL;
            caterva_storage_t storage = storage_of(all[s], nd_places[k].contiguous, path);
            caterva_array_t *array = numbers(all[s], storage);
            check_members(array, all[s]);
            check_numbers(array);
            assert_memory_equal(array->cfg, ctx->cfg, sizeof *ctx->cfg);
            succeeds(caterva_free(ctx, &array));
            assert_null(array);
            if (!path)
                continue;
            succeeds(caterva_open(ctx, path, &array));
            check_members(array, all[s]);
            check_numbers(array);
            assert_int_equal(array->cfg->compcodec, BLOSC_ZSTD);
            succeeds(caterva_free(ctx, &array));
            succeeds(caterva_remove(ctx, storage.urlpath));
            assert_false(files_exist(path));
        }
    }
}

static void
arrays_of_one_item_are_created(void **state)
{
    typedef int create(caterva_ctx_t *, caterva_params_t *, caterva_storage_t *,
                       caterva_array_t **);
    static create *const creates[] = {caterva_uninit, caterva_empty, caterva_zeros};
    caterva_params_t params = params_of(&matrix);
    caterva_storage_t storage = storage_of(&matrix, true, NULL);
    caterva_array_t *array;
    int32_t items[140] = {0}, item = 77;

    (void)state;
    for (size_t i = 0; i < COUNT(creates); i++) {
        succeeds(creates[i](ctx, &params, &storage, &array));
        check_members(array, &matrix);
        check_items(array, items);
        succeeds(caterva_free(ctx, &array));
        fails(creates[i](NULL, &params, &storage, &array), CATERVA_ERR_NULL_POINTER);
        fails(creates[i](ctx, NULL, &storage, &array), CATERVA_ERR_NULL_POINTER);
        fails(creates[i](ctx, &params, NULL, &array), CATERVA_ERR_NULL_POINTER);
        fails(creates[i](ctx, &params, &storage, NULL), CATERVA_ERR_NULL_POINTER);
    }
    for (int i = 0; i < 140; i++)
        items[i] = item;
    succeeds(caterva_full(ctx, &params, &storage, &item, &array));
    check_items(array, items);
    succeeds(caterva_free(ctx, &array));
    fails(caterva_full(ctx, &params, &storage, NULL, &array), CATERVA_ERR_NULL_POINTER);
    assert_null(array);
}

static int
no_filter(blosc2_prefilter_params *params)
{
    (void)params;
    return 0;
}

static void
impossible_arrays_are_refused(void **state)
{
    caterva_params_t params = params_of(&matrix);
    caterva_storage_t storage = storage_of(&matrix, true, NULL);
    caterva_array_t *array;
    int32_t items[140] = {0};

    (void)state;
    fails(caterva_from_buffer(ctx, items, sizeof items - 1, &params, &storage, &array),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_from_buffer(ctx, items, -1, &params, &storage, &array),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_from_buffer(ctx, NULL, sizeof items, &params, &storage, &array),
          CATERVA_ERR_NULL_POINTER);
    params.ndim = CATERVA_MAX_DIM + 1;
    fails(caterva_zeros(ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.ndim = -1;
    fails(caterva_zeros(ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.ndim = 2;
    params.itemsize = 0;
    fails(caterva_zeros(ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.itemsize = 4;
    params.shape[0] = -1;
    fails(caterva_zeros(ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.shape[0] = INT64_MAX;
    fails(caterva_from_buffer(ctx, items, sizeof items, &params, &storage, &array),
          CATERVA_ERR_INVALID_ARGUMENT);
    params.shape[0] = 14;
    storage.blockshape[1] = 0;
    fails(caterva_zeros(ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    storage.blockshape[1] = 2;
    storage.nmetalayers = CATERVA_MAX_METALAYERS + 1;
    fails(caterva_zeros(ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    storage.nmetalayers = 1;
    fails(caterva_zeros(ctx, &params, &storage, &array), CATERVA_ERR_NULL_POINTER);
    storage.nmetalayers = 0;
    ctx->cfg->prefilter = no_filter;
    fails(caterva_zeros(ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    ctx->cfg->prefilter = NULL;
    assert_null(array);
    fails(caterva_free(ctx, &array), CATERVA_ERR_NULL_POINTER);
    fails(caterva_free(ctx, NULL), CATERVA_ERR_NULL_POINTER);
}

static void
files_have_the_metalayer_of_caterva(void **state)
{
    const char *const path = files_path("array");
    caterva_array_t *array = numbers(&matrix, storage_of(&matrix, true, path));
    tess_storage storage;
    tess_array *a;
    tess_info info;

    (void)state;
    assert_true(blosc2_meta_exists(array->sc, "caterva") >= 0);
    assert_true(blosc2_meta_exists(array->sc, "b2nd") < 0);
    succeeds(caterva_free(ctx, &array));
    tess_storage_init(&storage);
    storage.path = path;
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &info);
    assert_string_equal(info.layer, "caterva");
    tess_array_close(a, NULL);
}

static void
boxes_are_read_and_written(void **state)
{
    int64_t start[] = {3, 2}, stop[] = {11, 9}, shape[] = {8, 7}, wide[] = {9, 8};
    int32_t items[140], box[56], gaps[72];

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        caterva_array_t *array =
            numbers(&matrix, storage_of(&matrix, nd_places[k].contiguous, path));
        succeeds(caterva_get_slice_buffer(ctx, array, start, stop, box, shape, sizeof box));
        for (int i = 0; i < 56; i++)
            assert_int_equal(box[i], (3 + i / 7) * 10 + 2 + i % 7);
        memset(gaps, 0x11, sizeof gaps); // which stay as they are
        succeeds(caterva_get_slice_buffer(ctx, array, start, stop, gaps, wide, sizeof gaps));
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
        succeeds(caterva_free(ctx, &array));
        files_remove(files_path("array"));
    }
}

static void
boxes_may_reach_beyond_the_end(void **state)
{
    int64_t start[] = {13, 8}, stop[] = {15, 11}, shape[] = {2, 3};
    int32_t box[] = {-1, -2, -3, -4, -5, -6}, ends[] = {138, 139, 0, 0, 0, 0};
    caterva_array_t *array = numbers(&matrix, storage_of(&matrix, true, NULL));

    (void)state;
    succeeds(caterva_get_slice_buffer(ctx, array, start, stop, box, shape, sizeof box));
    assert_memory_equal(box, ends, sizeof box);
    box[2] = box[5] = 77;
    succeeds(caterva_set_slice_buffer(ctx, box, shape, sizeof box, start, stop, array));
    check_numbers(array);
    succeeds(caterva_free(ctx, &array));
}

static void
impossible_boxes_are_refused(void **state)
{
    caterva_array_t *array = numbers(&matrix, storage_of(&matrix, true, NULL));
    int64_t start[] = {3, 2}, stop[] = {11, 9}, shape[] = {8, 7}, small[] = {8, 6};
    int64_t behind[] = {12, 2}, below[] = {-1, 2}, huge[] = {INT64_MAX, INT64_MAX};
    int32_t box[140];

    (void)state;
    fails(caterva_get_slice_buffer(ctx, array, start, stop, box, small, sizeof box),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice_buffer(ctx, array, start, stop, box, shape, 8 * 7 * 4 - 1),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice_buffer(ctx, array, behind, stop, box, shape, sizeof box),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice_buffer(ctx, array, below, stop, box, huge, sizeof box),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice_buffer(ctx, array, start, stop, box, huge, sizeof box),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_set_slice_buffer(ctx, box, small, sizeof box, start, stop, array),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_set_slice_buffer(ctx, box, shape, 8 * 7 * 4 - 1, start, stop, array),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_to_buffer(ctx, array, box, sizeof box - 1), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_to_buffer(ctx, array, NULL, sizeof box), CATERVA_ERR_NULL_POINTER);
    fails(caterva_to_buffer(ctx, NULL, box, sizeof box), CATERVA_ERR_NULL_POINTER);
    fails(caterva_to_buffer(NULL, array, box, sizeof box), CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice_buffer(ctx, array, NULL, stop, box, shape, sizeof box),
          CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice_buffer(ctx, array, start, NULL, box, shape, sizeof box),
          CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice_buffer(ctx, array, start, stop, box, NULL, sizeof box),
          CATERVA_ERR_NULL_POINTER);
    fails(caterva_set_slice_buffer(ctx, NULL, shape, sizeof box, start, stop, array),
          CATERVA_ERR_NULL_POINTER);
    fails(caterva_set_slice_buffer(ctx, box, shape, sizeof box, start, stop, NULL),
          CATERVA_ERR_NULL_POINTER);
    check_numbers(array);
    succeeds(caterva_free(ctx, &array));
}

static void
slices_become_arrays(void **state)
{
    const int64_t start[] = {3, 2}, stop[] = {11, 9}, beyond[] = {15, 9};
    caterva_storage_t storage = storage_of(&other, false, NULL);
    caterva_array_t *array = numbers(&matrix, storage_of(&matrix, true, NULL)), *slice;
    int32_t items[56];

    (void)state;
    for (int i = 0; i < 56; i++)
        items[i] = (3 + i / 7) * 10 + 2 + i % 7;
    succeeds(caterva_get_slice(ctx, array, start, stop, &storage, &slice));
    check_items(slice, items);
    assert_int_equal(slice->chunkshape[1], 7);
    succeeds(caterva_free(ctx, &slice));
    fails(caterva_get_slice(ctx, array, start, beyond, &storage, &slice),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice(ctx, array, stop, start, &storage, &slice),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_get_slice(ctx, NULL, start, stop, &storage, &slice), CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice(ctx, array, NULL, stop, &storage, &slice), CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice(ctx, array, start, stop, NULL, &slice), CATERVA_ERR_NULL_POINTER);
    fails(caterva_get_slice(ctx, array, start, stop, &storage, NULL), CATERVA_ERR_NULL_POINTER);
    succeeds(caterva_free(ctx, &array));
}

static char name_a[] = "a", name_b[] = "b";
static uint8_t content_a[] = {1, 2, 3}, content_b[] = {4, 5};

// The numbers, with metalayer a and vl-metalayer b.
static caterva_array_t *
with_metalayers(const struct nd_shapes *shapes, caterva_storage_t storage)
{
    caterva_metalayer_t b = {name_b, content_b, sizeof content_b};

    storage.nmetalayers = 1;
    storage.metalayers[0] = (caterva_metalayer_t){name_a, content_a, sizeof content_a};
    caterva_array_t *const array = numbers(shapes, storage);
    succeeds(caterva_vlmeta_add(ctx, array, &b));
    return array;
}

static void
check_metalayers(caterva_array_t *array)
{
    caterva_metalayer_t m;

    succeeds(caterva_meta_get(ctx, array, "a", &m));
    assert_string_equal(m.name, "a");
    assert_int_equal(m.size, sizeof content_a);
    assert_memory_equal(m.sdata, content_a, sizeof content_a);
    free(m.name);
    free(m.sdata);
    succeeds(caterva_vlmeta_get(ctx, array, "b", &m));
    assert_string_equal(m.name, "b");
    assert_int_equal(m.size, sizeof content_b);
    assert_memory_equal(m.sdata, content_b, sizeof content_b);
    free(m.name);
    free(m.sdata);
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
        caterva_storage_t storage = storage_of(to, place->contiguous, path);
        caterva_array_t *array = with_metalayers(&matrix, storage_of(&matrix, true, NULL)), *copy;
        succeeds(caterva_copy(ctx, array, &storage, &copy));
        succeeds(caterva_free(ctx, &array));
        check_members(copy, to);
        check_numbers(copy);
        check_metalayers(copy);
        assert_true(blosc2_meta_exists(copy->sc, "caterva") >= 0);
        fails(caterva_copy(ctx, NULL, &storage, &array), CATERVA_ERR_NULL_POINTER);
        fails(caterva_copy(ctx, copy, NULL, &array), CATERVA_ERR_NULL_POINTER);
        fails(caterva_copy(ctx, copy, &storage, NULL), CATERVA_ERR_NULL_POINTER);
        succeeds(caterva_free(ctx, &copy));
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
            with_metalayers(&matrix, storage_of(&matrix, contiguous != 0, NULL));
        succeeds(caterva_save(ctx, array, path));
        fails(caterva_save(ctx, array, NULL), CATERVA_ERR_NULL_POINTER);
        fails(caterva_save(ctx, NULL, path), CATERVA_ERR_NULL_POINTER);
        succeeds(caterva_free(ctx, &array));
        succeeds(caterva_open(ctx, path, &array));
        check_members(array, &matrix);
        check_numbers(array);
        check_metalayers(array);
        succeeds(caterva_free(ctx, &array));
        files_remove(path);
    }
    fails(caterva_open(ctx, path, &(caterva_array_t *){NULL}), CATERVA_ERR_NULL_POINTER);
    fails(caterva_open(ctx, NULL, &(caterva_array_t *){NULL}), CATERVA_ERR_NULL_POINTER);
    fails(caterva_remove(ctx, NULL), CATERVA_ERR_NULL_POINTER);
}

static void
frames_become_arrays(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const bool copied = k % 2 != 0;
        caterva_array_t *array = with_metalayers(&matrix, storage_of(&matrix, k / 2 != 0, NULL));
        caterva_array_t *from = NULL;
        uint8_t *frame;
        int64_t size;
        bool needs_free;
        succeeds(caterva_to_cframe(ctx, array, &frame, &size, &needs_free));
        succeeds(caterva_from_cframe(ctx, frame, size, copied, &from));
        check_members(from, &matrix);
        check_numbers(from);
        check_metalayers(from);
        succeeds(caterva_free(ctx, &from));
        assert_int_not_equal(caterva_from_cframe(ctx, frame, size / 2, copied, &from),
                             CATERVA_SUCCEED);
        assert_null(from);
        fails(caterva_from_cframe(ctx, NULL, size, copied, &from), CATERVA_ERR_NULL_POINTER);
        fails(caterva_to_cframe(ctx, array, NULL, &size, &needs_free), CATERVA_ERR_NULL_POINTER);
        if (needs_free)
            free(frame);
        succeeds(caterva_free(ctx, &array));
    }
}

static void
super_chunks_become_arrays(void **state)
{
    const char *const path = files_path("array");
    caterva_array_t *array = numbers(&matrix, storage_of(&matrix, true, path));

    (void)state;
    succeeds(caterva_free(ctx, &array));
    blosc2_schunk *const sc = blosc2_schunk_open(path);
    fails(caterva_from_schunk(ctx, NULL, &array), CATERVA_ERR_NULL_POINTER);
    fails(caterva_from_schunk(ctx, sc, NULL), CATERVA_ERR_NULL_POINTER);
    succeeds(caterva_from_schunk(ctx, sc, &array));
    assert_ptr_equal(array->sc, sc);
    check_numbers(array);
    succeeds(caterva_free(ctx, &array));
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
    fails(caterva_from_schunk(ctx, sc, &array), CATERVA_ERR_BLOSC_FAILED);
    assert_null(array);
    assert_good(blosc2_schunk_free(sc));
    fails(caterva_open(ctx, path, &array), CATERVA_ERR_BLOSC_FAILED);
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
    fails(caterva_from_schunk(ctx, nd->sc, &array), CATERVA_ERR_BLOSC_FAILED);
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
    succeeds(caterva_open(ctx, path, &array));
    check_members(array, &matrix);
    check_numbers(array);
    succeeds(caterva_free(ctx, &array));
}

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
            with_metalayers(&thin, storage_of(&thin, nd_places[k].contiguous, path));
        fails(caterva_squeeze_index(ctx, array, rows), CATERVA_ERR_INVALID_INDEX);
        check_members(array, &thin);
        succeeds(caterva_squeeze_index(ctx, array, first));
        check_members(array, &partly);
        check_numbers(array);
        succeeds(caterva_squeeze(ctx, array));
        check_members(array, &matrix);
        check_numbers(array);
        check_metalayers(array);
        succeeds(caterva_get_slice_buffer(ctx, array, start, stop, box, shape, sizeof box));
        assert_int_equal(box[0], 32);
        assert_int_equal(box[55], 108);
        succeeds(caterva_free(ctx, &array));
        files_remove(files_path("array"));
    }
    fails(caterva_squeeze(ctx, NULL), CATERVA_ERR_NULL_POINTER);
    fails(caterva_squeeze_index(ctx, NULL, rows), CATERVA_ERR_NULL_POINTER);
}

static void
squeezed_arrays_are_copied_as_they_look(void **state)
{
    caterva_storage_t storage = storage_of(&other, true, NULL);
    caterva_array_t *array = with_metalayers(&thin, storage_of(&thin, true, NULL)), *copy;
    const int64_t start[] = {3, 2}, stop[] = {4, 4};
    int32_t items[] = {32, 33};
    uint8_t *frame;
    int64_t size;
    bool needs_free;
    char path[4096];

    (void)state;
    succeeds(caterva_squeeze(ctx, array));
    succeeds(caterva_copy(ctx, array, &storage, &copy));
    check_members(copy, &other);
    check_numbers(copy);
    check_metalayers(copy);
    succeeds(caterva_free(ctx, &copy));
    succeeds(caterva_get_slice(ctx, array, start, stop, &storage, &copy));
    check_items(copy, items);
    succeeds(caterva_free(ctx, &copy));
    succeeds(caterva_to_cframe(ctx, array, &frame, &size, &needs_free));
    succeeds(caterva_from_cframe(ctx, frame, size, true, &copy));
    check_members(copy, &matrix);
    check_numbers(copy);
    succeeds(caterva_free(ctx, &copy));
    if (needs_free)
        free(frame);
    strcpy(path, files_path("saved"));
    succeeds(caterva_save(ctx, array, path));
    succeeds(caterva_open(ctx, path, &copy));
    check_members(copy, &matrix);
    check_metalayers(copy);
    succeeds(caterva_free(ctx, &copy));
    succeeds(caterva_free(ctx, &array));
}

static void
metalayers_are_added_and_replaced(void **state)
{
    uint8_t next[] = {9, 8, 7};
    caterva_array_t *array = with_metalayers(&matrix, storage_of(&matrix, true, NULL));
    caterva_metalayer_t m = {name_a, next, sizeof next}, got;
    bool exists;

    (void)state;
    check_metalayers(array);
    succeeds(caterva_meta_update(ctx, array, &m));
    succeeds(caterva_meta_get(ctx, array, "a", &got));
    assert_memory_equal(got.sdata, next, sizeof next);
    free(got.name);
    free(got.sdata);
    m.name = name_b;
    succeeds(caterva_vlmeta_update(ctx, array, &m));
    succeeds(caterva_vlmeta_get(ctx, array, "b", &got));
    assert_int_equal(got.size, sizeof next);
    free(got.name);
    free(got.sdata);
    succeeds(caterva_meta_exists(ctx, array, "a", &exists));
    assert_true(exists);
    succeeds(caterva_meta_exists(ctx, array, "b", &exists));
    assert_false(exists);
    succeeds(caterva_vlmeta_exists(ctx, array, "b", &exists));
    assert_true(exists);
    succeeds(caterva_vlmeta_exists(ctx, array, "a", &exists));
    assert_false(exists);
    fails(caterva_meta_get(ctx, array, "none", &got), CATERVA_ERR_BLOSC_FAILED);
    fails(caterva_vlmeta_get(ctx, array, "none", &got), CATERVA_ERR_BLOSC_FAILED);
    fails(caterva_vlmeta_add(ctx, array, &m), CATERVA_ERR_BLOSC_FAILED); // there is one
    m.size = -1;
    fails(caterva_vlmeta_update(ctx, array, &m), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_meta_update(ctx, array, &m), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_vlmeta_add(ctx, array, NULL), CATERVA_ERR_NULL_POINTER);
    fails(caterva_vlmeta_add(ctx, NULL, &m), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_meta_get(ctx, array, NULL, &got), CATERVA_ERR_NULL_POINTER);
    fails(caterva_meta_exists(ctx, array, "a", NULL), CATERVA_ERR_NULL_POINTER);
    fails(caterva_vlmeta_exists(ctx, NULL, "a", &exists), CATERVA_ERR_NULL_POINTER);
    succeeds(caterva_free(ctx, &array));
}

static void
shapes_change(void **state)
{
    int64_t shape[] = {16, 10}, start[] = {8, 0}, back[] = {8, 10};
    caterva_array_t *array = numbers(&matrix, storage_of(&matrix, true, NULL));
    int32_t items[160] = {0}, row[10], column[28];

    (void)state;
    for (int i = 0; i < 140; i++)
        items[i] = i;
    succeeds(caterva_resize(ctx, array, shape, NULL));
    assert_int_equal(array->shape[0], 16);
    assert_int_equal(array->nitems, 160);
    check_items(array, items);
    succeeds(caterva_resize(ctx, array, back, start)); // rows 8 to 15
    check_items(array, items);
    assert_int_equal(array->nchunks, 2);
    for (int i = 0; i < 10; i++)
        row[i] = 80 + i;
    succeeds(caterva_append(ctx, array, row, sizeof row, 0));
    check_numbers(array);
    assert_int_equal(array->shape[0], 9);
    succeeds(caterva_delete(ctx, array, 0, 8, 1));
    assert_int_equal(array->shape[0], 8);
    check_numbers(array);
    for (int i = 0; i < 28; i++)
        column[i] = i;
    succeeds(caterva_insert(ctx, array, column, 8 * 2 * sizeof *column, 1, 10));
    assert_int_equal(array->shape[1], 12);
    fails(caterva_insert(ctx, array, column, 5, 1, 12), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_insert(ctx, array, column, 8 * 4, 1, 1), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_append(ctx, array, column, 8 * 4, 2), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_append(ctx, array, column, 8 * 4, -1), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_delete(ctx, array, 1, 0, 13), CATERVA_ERR_INVALID_ARGUMENT);
    shape[0] = -1;
    fails(caterva_resize(ctx, array, shape, NULL), CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_resize(ctx, array, NULL, NULL), CATERVA_ERR_NULL_POINTER);
    fails(caterva_append(ctx, array, NULL, 0, 0), CATERVA_ERR_NULL_POINTER);
    fails(caterva_insert(ctx, NULL, column, 0, 0, 0), CATERVA_ERR_NULL_POINTER);
    fails(caterva_delete(ctx, NULL, 0, 0, 0), CATERVA_ERR_NULL_POINTER);
    assert_int_equal(array->nitems, 96);
    succeeds(caterva_free(ctx, &array));
}

static void
squeezed_arrays_grow(void **state)
{
    caterva_array_t *array = numbers(&thin, storage_of(&thin, true, NULL));
    int64_t shape[] = {3, 10};
    int32_t row[10];

    (void)state;
    succeeds(caterva_squeeze(ctx, array));
    for (int i = 0; i < 10; i++)
        row[i] = 140 + i;
    succeeds(caterva_append(ctx, array, row, sizeof row, 0));
    assert_int_equal(array->ndim, 2);
    assert_int_equal(array->shape[0], 15);
    check_numbers(array);
    succeeds(caterva_resize(ctx, array, shape, NULL));
    check_numbers(array);
    succeeds(caterva_free(ctx, &array));
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
        caterva_array_t *array = numbers(all[k], storage_of(all[k], true, NULL));
        succeeds(caterva_squeeze(ctx, array));
        succeeds(caterva_get_orthogonal_selection(ctx, array, selection, counts, items, shape,
                                                  sizeof items));
        assert_memory_equal(items, want, sizeof want);
        memset(items, 0, sizeof items);
        succeeds(caterva_set_orthogonal_selection(ctx, array, selection, counts, items, shape,
                                                  sizeof items));
        items[0] = 1;
        succeeds(caterva_get_orthogonal_selection(ctx, array, selection, counts, items, shape,
                                                  sizeof items));
        assert_int_equal(items[0], 0);
        fails(caterva_get_orthogonal_selection(ctx, array, wrong, one, items, shape, 8),
              CATERVA_ERR_INVALID_INDEX);
        fails(caterva_get_orthogonal_selection(ctx, array, selection, counts, items, shape, 100),
              CATERVA_ERR_INVALID_ARGUMENT);
        fails(caterva_set_orthogonal_selection(ctx, array, NULL, counts, items, shape, 24),
              CATERVA_ERR_NULL_POINTER);
        fails(caterva_get_orthogonal_selection(ctx, NULL, selection, counts, items, shape, 24),
              CATERVA_ERR_NULL_POINTER);
        succeeds(caterva_free(ctx, &array));
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
        wrong += caterva_get_slice_buffer(ctx, array, start, stop, box, shape, sizeof box) != 0;
        wrong += box[0] != 32 || box[55] != 108;
    }
    return (void *)wrong;
}

static void
threads_read_one_array(void **state)
{
    caterva_array_t *array = numbers(&matrix, storage_of(&matrix, true, files_path("array")));
    pthread_t threads[2];
    void *wrong;

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, array), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    succeeds(caterva_free(ctx, &array));
}

static void
the_metalayer_is_written_and_read(void **state)
{
    int64_t shape[] = {14, 10}, shape2[CATERVA_MAX_DIM];
    int32_t chunkshape[CATERVA_MAX_DIM], blockshape[CATERVA_MAX_DIM];
    caterva_array_t *array = numbers(&matrix, storage_of(&matrix, true, NULL));
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
    succeeds(caterva_free(ctx, &array));
}

static void
codes_have_texts(void **state)
{
    (void)state;
    assert_string_equal(text_of(CATERVA_ERR_INVALID_STORAGE), "Invalid storage");
    assert_string_equal(text_of(CATERVA_ERR_BLOSC_FAILED), "Blosc failed");
    assert_string_equal(text_of(99), "Unknown error");
    assert_string_equal(text_of(BLOSC2_ERROR_DATA), blosc2_error_string(BLOSC2_ERROR_DATA));
    fails(leave(NULL, 0), CATERVA_ERR_NULL_POINTER);
    fails(leave("", CATERVA_ERR_INVALID_STORAGE), CATERVA_ERR_INVALID_STORAGE);
    fails(leave("", CATERVA_SUCCEED), -77);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(contexts_use_the_allocator, setup, teardown),
        cmocka_unit_test_setup_teardown(arrays_are_created, setup, teardown),
        cmocka_unit_test_setup_teardown(arrays_of_one_item_are_created, setup, teardown),
        cmocka_unit_test_setup_teardown(impossible_arrays_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(files_have_the_metalayer_of_caterva, setup, teardown),
        cmocka_unit_test_setup_teardown(boxes_are_read_and_written, setup, teardown),
        cmocka_unit_test_setup_teardown(boxes_may_reach_beyond_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(impossible_boxes_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(slices_become_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_have_items_and_metalayers, setup, teardown),
        cmocka_unit_test_setup_teardown(arrays_are_saved, setup, teardown),
        cmocka_unit_test_setup_teardown(frames_become_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(super_chunks_become_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(super_chunks_that_are_no_arrays_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(arrays_that_caterva_cannot_have_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(arrays_of_b2nd_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(axes_are_squeezed, setup, teardown),
        cmocka_unit_test_setup_teardown(squeezed_arrays_are_copied_as_they_look, setup, teardown),
        cmocka_unit_test_setup_teardown(metalayers_are_added_and_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(shapes_change, setup, teardown),
        cmocka_unit_test_setup_teardown(squeezed_arrays_grow, setup, teardown),
        cmocka_unit_test_setup_teardown(items_are_selected, setup, teardown),
        cmocka_unit_test_setup_teardown(threads_read_one_array, setup, teardown),
        cmocka_unit_test_setup_teardown(the_metalayer_is_written_and_read, setup, teardown),
        cmocka_unit_test_setup_teardown(codes_have_texts, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
