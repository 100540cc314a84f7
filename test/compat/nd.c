/*
 * nd.c - arrays of b2nd.h for tests.
 */
#include "compat/nd.h"

#include <stdlib.h>
#include <string.h>

const struct nd_place nd_places[ND_PLACES] = {
    {"chunks in memory", false, false},
    {"a frame in memory", true, false},
    {"a file", true, true},
    {"a directory", false, true},
};

int64_t
nd_count(const int64_t *shape, int ndim)
{
    int64_t count = 1;

    for (int i = 0; i < ndim; i++)
        count *= shape[i];
    return count;
}

b2nd_context_t *
nd_context(const struct nd_shapes *shapes, bool contiguous, const char *path)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    union {
        const char *constant;
        char *text;
    } urlpath = {.constant = path};

    cparams.typesize = sizeof(int32_t);
    storage.cparams = &cparams;
    storage.contiguous = contiguous;
    storage.urlpath = urlpath.text;
    b2nd_context_t *const ctx =
        b2nd_create_ctx(&storage, shapes->ndim, shapes->shape, shapes->chunkshape,
                        shapes->blockshape, NULL, 0, NULL, 0);
    assert_non_null(ctx);
    return ctx;
}

int32_t *
nd_items(int64_t count, int32_t first)
{
    int32_t *const items = malloc((size_t)(count > 0 ? count : 1) * sizeof *items);

    assert_non_null(items);
    for (int64_t i = 0; i < count; i++)
        items[i] = first + (int32_t)i;
    return items;
}

b2nd_array_t *
nd_numbers(const struct nd_shapes *shapes, bool contiguous, const char *path)
{
    const int64_t count = nd_count(shapes->shape, shapes->ndim);
    b2nd_context_t *const ctx = nd_context(shapes, contiguous, path);
    int32_t *const items = nd_items(count, 0);
    b2nd_array_t *array = NULL;

    assert_good(b2nd_from_cbuffer(ctx, &array, items, count * (int64_t)sizeof *items));
    assert_non_null(array);
    free(items);
    assert_good(b2nd_free_ctx(ctx));
    return array;
}

int32_t *
nd_all(const b2nd_array_t *array)
{
    int32_t *const items = nd_items(array->nitems, -1);

    assert_good(b2nd_to_cbuffer(array, items, array->nitems * (int64_t)sizeof *items));
    return items;
}

static int64_t
filled_up(int64_t length, int64_t part)
{
    return part > 0 ? (length + part - 1) / part * part : 0;
}

static void
check_lengths(const b2nd_array_t *a)
{
    int64_t nitems = 1, ext = 1, extchunk = 1, chunk = 1, block = 1;

    for (int i = 0; i < a->ndim; i++) {
        assert_int_equal(a->extshape[i], filled_up(a->shape[i], a->chunkshape[i]));
        assert_int_equal(a->extchunkshape[i], filled_up(a->chunkshape[i], a->blockshape[i]));
        nitems *= a->shape[i];
        ext *= a->extshape[i];
        extchunk *= a->extchunkshape[i];
        chunk *= a->chunkshape[i];
        block *= a->blockshape[i];
    }
    for (int i = a->ndim; i < B2ND_MAX_DIM; i++)
        assert_true(a->shape[i] == 1 && a->chunkshape[i] == 1 && a->blockshape[i] == 1);
    assert_int_equal(a->nitems, nitems);
    assert_int_equal(a->extnitems, ext);
    assert_int_equal(a->extchunknitems, extchunk);
    assert_int_equal(a->chunknitems, chunk);
    assert_int_equal(a->blocknitems, block);
}

static void
check_strides(const b2nd_array_t *a)
{
    int64_t item = 1, in_chunk = 1, in_block = 1, block = 1, chunk = 1;

    for (int i = a->ndim - 1; i >= 0 && a->nitems > 0; i--) {
        assert_int_equal(a->item_array_strides[i], item);
        assert_int_equal(a->item_chunk_strides[i], in_chunk);
        assert_int_equal(a->item_block_strides[i], in_block);
        assert_int_equal(a->block_chunk_strides[i], block);
        assert_int_equal(a->chunk_array_strides[i], chunk);
        item *= a->shape[i];
        in_chunk *= a->chunkshape[i];
        in_block *= a->blockshape[i];
        block *= a->extchunkshape[i] / a->blockshape[i];
        chunk *= a->extshape[i] / a->chunkshape[i];
    }
}

// What the metalayer of the super-chunk says is what the members say.
static void
check_layer(const b2nd_array_t *a)
{
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM], blockshape[B2ND_MAX_DIM];
    int8_t ndim, dtype_format;
    char *dtype = NULL;
    uint8_t *content = NULL;
    int32_t size = 0;

    assert_good(blosc2_meta_get(a->sc, "b2nd", &content, &size));
    assert_int_equal(b2nd_deserialize_meta(content, size, &ndim, shape, chunkshape, blockshape,
                                           &dtype, &dtype_format),
                     size);
    assert_int_equal(ndim, a->ndim);
    assert_memory_equal(shape, a->shape, (size_t)ndim * sizeof *shape);
    assert_memory_equal(chunkshape, a->chunkshape, (size_t)ndim * sizeof *chunkshape);
    assert_memory_equal(blockshape, a->blockshape, (size_t)ndim * sizeof *blockshape);
    assert_string_equal(dtype, a->dtype);
    free(dtype);
    free(content);
}

// Without a frame, programs read the chunks where they are.
static void
check_data(blosc2_schunk *s)
{
    for (int64_t n = 0; !s->frame && n < s->nchunks; n++) {
        uint8_t *chunk;
        int32_t cbytes;
        bool needs_free;
        assert_non_null(s->data[n]);
        assert_good(blosc2_cbuffer_sizes(s->data[n], NULL, &cbytes, NULL));
        assert_int_equal(blosc2_schunk_get_chunk(s, n, &chunk, &needs_free), cbytes);
        assert_memory_equal(s->data[n], chunk, (size_t)cbytes);
        if (needs_free)
            free(chunk);
    }
}

static void
check_schunk(const b2nd_array_t *a)
{
    const blosc2_schunk *const s = a->sc;
    const int64_t nchunks = a->nitems > 0 ? a->extnitems / a->chunknitems : 0;

    if (!s->view) {
        assert_int_equal(s->nchunks, nchunks);
        assert_int_equal(s->nbytes, s->nchunks * s->chunksize);
        assert_int_equal(s->chunksize, a->extchunknitems * s->typesize);
    }
    assert_int_equal(s->typesize, s->storage->cparams->typesize);
    assert_int_equal(s->compcode, s->storage->cparams->compcode);
    assert_int_equal(s->clevel, s->storage->cparams->clevel);
    assert_memory_equal(s->filters, s->storage->cparams->filters, sizeof s->filters);
    assert_true(s->cbytes >= 0);
    assert_non_null(s->cctx);
    assert_non_null(s->dctx);
    if (!s->view) // else as its base
        assert_true(!s->frame == (!s->storage->contiguous && !s->storage->urlpath));
    check_data(a->sc);
}

void
nd_check(const b2nd_array_t *array, const int32_t *items)
{
    int32_t *const all = nd_all(array);

    assert_memory_equal(all, items, (size_t)array->nitems * sizeof *items);
    free(all);
    check_lengths(array);
    check_strides(array);
    check_layer(array);
    check_schunk(array);
    assert_null(array->chunk_cache.data);
    assert_int_equal(array->chunk_cache.nchunk, -1);
    assert_int_equal(array->last_tick, array->sc->change_tick);
}

int
nd_set_item(b2nd_array_t *array, int64_t row, int64_t column, int32_t item)
{
    const int64_t start[] = {row, column}, stop[] = {row + 1, column + 1}, length[] = {1, 1};
    return b2nd_set_slice_cbuffer(&item, length, sizeof item, start, stop, array);
}

int32_t
nd_get_item(const b2nd_array_t *array, int64_t row, int64_t column)
{
    const int64_t start[] = {row, column}, stop[] = {row + 1, column + 1}, length[] = {1, 1};
    int32_t item = -1;

    assert_good(b2nd_get_slice_cbuffer(array, start, stop, &item, length, sizeof item));
    return item;
}

void
nd_box(int ndim, const int64_t *shape, const int64_t *start, const int64_t *stop, int32_t *items,
       int32_t *box, bool set)
{
    int64_t index[B2ND_MAX_DIM];
    int64_t count = 1;

    for (int i = 0; i < ndim; i++) {
        index[i] = start[i];
        count *= stop[i] - start[i];
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t at = 0;
        for (int i = 0; i < ndim; i++)
            at = at * shape[i] + index[i];
        if (set)
            items[at] = box[k];
        else
            box[k] = items[at];
        for (int i = ndim - 1; i >= 0 && ++index[i] == stop[i]; i--)
            index[i] = start[i];
    }
}
