/*
 * caterva_arrays.c - arrays of the last state of Caterva for tests.
 */
#include "compat/caterva_arrays.h"

#include "support/files.h"

#include <stdlib.h>
#include <string.h>

caterva_ctx_t *ca_ctx;
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

int
ca_setup(void **state)
{
    caterva_config_t cfg = CATERVA_CONFIG_DEFAULTS;

    cfg.alloc = count_alloc;
    cfg.free = count_free;
    succeeds(caterva_ctx_new(&cfg, &ca_ctx));
    return files_setup(state);
}

int
ca_teardown(void **state)
{
    succeeds(caterva_ctx_free(&ca_ctx));
    assert_null(ca_ctx);
    assert_int_equal(allocated, 0);
    return files_teardown(state);
}

caterva_params_t
ca_params(const struct nd_shapes *shapes)
{
    caterva_params_t params = {.itemsize = sizeof(int32_t), .ndim = shapes->ndim};

    memcpy(params.shape, shapes->shape, sizeof params.shape);
    return params;
}

caterva_storage_t
ca_storage(const struct nd_shapes *shapes, bool contiguous, const char *path)
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

caterva_array_t *
ca_numbers(const struct nd_shapes *shapes, caterva_storage_t storage)
{
    const int64_t count = nd_count(shapes->shape, shapes->ndim);
    caterva_params_t params = ca_params(shapes);
    int32_t *const items = nd_items(count, 0);
    caterva_array_t *array = NULL;

    succeeds(caterva_from_buffer(ca_ctx, items, count * (int64_t)sizeof *items, &params, &storage,
                                 &array));
    free(items);
    return array;
}

void
ca_check_items(caterva_array_t *array, const int32_t *items)
{
    const int64_t size = array->nitems * (int64_t)sizeof *items;
    int32_t *const have = nd_items(array->nitems, -1);

    succeeds(caterva_to_buffer(ca_ctx, array, have, size));
    assert_memory_equal(have, items, (size_t)size);
    free(have);
}

void
ca_check(caterva_array_t *array)
{
    int32_t *const items = nd_items(array->nitems, 0);

    ca_check_items(array, items);
    free(items);
}

void
ca_check_members(const caterva_array_t *a, const struct nd_shapes *shapes)
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

static char name_a[] = "a", name_b[] = "b";
static uint8_t content_a[] = {1, 2, 3}, content_b[] = {4, 5};

caterva_array_t *
ca_with_metalayers(const struct nd_shapes *shapes, caterva_storage_t storage)
{
    caterva_metalayer_t b = {name_b, content_b, sizeof content_b};

    storage.nmetalayers = 1;
    storage.metalayers[0] = (caterva_metalayer_t){name_a, content_a, sizeof content_a};
    caterva_array_t *const array = ca_numbers(shapes, storage);
    succeeds(caterva_vlmeta_add(ca_ctx, array, &b));
    return array;
}

void
ca_check_metalayers(caterva_array_t *array)
{
    caterva_metalayer_t m;

    succeeds(caterva_meta_get(ca_ctx, array, "a", &m));
    assert_string_equal(m.name, "a");
    assert_int_equal(m.size, sizeof content_a);
    assert_memory_equal(m.sdata, content_a, sizeof content_a);
    free(m.name);
    free(m.sdata);
    succeeds(caterva_vlmeta_get(ca_ctx, array, "b", &m));
    assert_string_equal(m.name, "b");
    assert_int_equal(m.size, sizeof content_b);
    assert_memory_equal(m.sdata, content_b, sizeof content_b);
    free(m.name);
    free(m.sdata);
}
