/*
 * caterva_create.c - contexts and new arrays of the last state of Caterva.
 */
#include "compat/caterva_arrays.h"
#include "support/files.h"

#include <string.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};
static const struct nd_shapes thin = {4, {1, 14, 1, 10}, {1, 8, 1, 5}, {1, 2, 1, 2}};
static const struct nd_shapes none = {3, {4, 0, 5}, {2, 0, 5}, {1, 0, 5}};
static const struct nd_shapes single = {0, {0}, {0}, {0}};

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
            caterva_storage_t storage = ca_storage(all[s], nd_places[k].contiguous, path);
            caterva_array_t *array = ca_numbers(all[s], storage);
            ca_check_members(array, all[s]);
            ca_check(array);
            assert_memory_equal(array->cfg, ca_ctx->cfg, sizeof *ca_ctx->cfg);
            succeeds(caterva_free(ca_ctx, &array));
            assert_null(array);
            if (!path)
                continue;
            succeeds(caterva_open(ca_ctx, path, &array));
            ca_check_members(array, all[s]);
            ca_check(array);
            assert_int_equal(array->cfg->compcodec, BLOSC_ZSTD);
            succeeds(caterva_free(ca_ctx, &array));
            succeeds(caterva_remove(ca_ctx, storage.urlpath));
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
    caterva_params_t params = ca_params(&matrix);
    caterva_storage_t storage = ca_storage(&matrix, true, NULL);
    caterva_array_t *array;
    int32_t items[140] = {0}, item = 77;

    (void)state;
    for (size_t i = 0; i < COUNT(creates); i++) {
        succeeds(creates[i](ca_ctx, &params, &storage, &array));
        ca_check_members(array, &matrix);
        ca_check_items(array, items);
        succeeds(caterva_free(ca_ctx, &array));
        fails(creates[i](NULL, &params, &storage, &array), CATERVA_ERR_NULL_POINTER);
        fails(creates[i](ca_ctx, NULL, &storage, &array), CATERVA_ERR_NULL_POINTER);
        fails(creates[i](ca_ctx, &params, NULL, &array), CATERVA_ERR_NULL_POINTER);
        fails(creates[i](ca_ctx, &params, &storage, NULL), CATERVA_ERR_NULL_POINTER);
    }
    for (int i = 0; i < 140; i++)
        items[i] = item;
    succeeds(caterva_full(ca_ctx, &params, &storage, &item, &array));
    ca_check_items(array, items);
    succeeds(caterva_free(ca_ctx, &array));
    fails(caterva_full(ca_ctx, &params, &storage, NULL, &array), CATERVA_ERR_NULL_POINTER);
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
    caterva_params_t params = ca_params(&matrix);
    caterva_storage_t storage = ca_storage(&matrix, true, NULL);
    caterva_array_t *array;
    int32_t items[140] = {0};

    (void)state;
    fails(caterva_from_buffer(ca_ctx, items, sizeof items - 1, &params, &storage, &array),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_from_buffer(ca_ctx, items, -1, &params, &storage, &array),
          CATERVA_ERR_INVALID_ARGUMENT);
    fails(caterva_from_buffer(ca_ctx, NULL, sizeof items, &params, &storage, &array),
          CATERVA_ERR_NULL_POINTER);
    params.ndim = CATERVA_MAX_DIM + 1;
    fails(caterva_zeros(ca_ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.ndim = -1;
    fails(caterva_zeros(ca_ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.ndim = 2;
    params.itemsize = 0;
    fails(caterva_zeros(ca_ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.itemsize = 4;
    params.shape[0] = -1;
    fails(caterva_zeros(ca_ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    params.shape[0] = INT64_MAX;
    fails(caterva_from_buffer(ca_ctx, items, sizeof items, &params, &storage, &array),
          CATERVA_ERR_INVALID_ARGUMENT);
    params.shape[0] = 14;
    storage.blockshape[1] = 0;
    fails(caterva_zeros(ca_ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    storage.blockshape[1] = 2;
    storage.nmetalayers = CATERVA_MAX_METALAYERS + 1;
    fails(caterva_zeros(ca_ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    storage.nmetalayers = 1;
    fails(caterva_zeros(ca_ctx, &params, &storage, &array), CATERVA_ERR_NULL_POINTER);
    storage.nmetalayers = 0;
    ca_ctx->cfg->prefilter = no_filter;
    fails(caterva_zeros(ca_ctx, &params, &storage, &array), CATERVA_ERR_INVALID_ARGUMENT);
    ca_ctx->cfg->prefilter = NULL;
    assert_null(array);
    fails(caterva_free(ca_ctx, &array), CATERVA_ERR_NULL_POINTER);
    fails(caterva_free(ca_ctx, NULL), CATERVA_ERR_NULL_POINTER);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(contexts_use_the_allocator),
        WITH_CONTEXT(arrays_are_created),
        WITH_CONTEXT(arrays_of_one_item_are_created),
        WITH_CONTEXT(impossible_arrays_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
