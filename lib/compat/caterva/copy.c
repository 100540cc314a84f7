/*
 * copy.c - new arrays from arrays.
 *
 * b2nd.h copies what it has as the program sees it. Otherwise (plain memory, squeezed axes) items
 * are copied chunk by chunk of the new array.
 */
#include "caterva/copy.h"

#include "caterva/chunks.h"
#include "caterva/error.h"
#include "caterva/recipe.h"

#include <string.h>

static bool
is_whole(const struct cat_array *a)
{
    return a->nd && a->nd->ndim == a->of.ndim;
}

static void
set_params(const caterva_array_t *src, const int64_t *start, const int64_t *stop,
           caterva_params_t *params)
{
    memset(params, 0, sizeof *params);
    params->itemsize = src->itemsize;
    params->ndim = src->ndim;
    for (int i = 0; i < src->ndim; i++)
        params->shape[i] = stop[i] - start[i];
}

// -- items, chunk by chunk

// The next chunk in C order; false behind the last one.
static bool
next_chunk(const caterva_array_t *a, int64_t *at)
{
    for (int i = a->ndim - 1; i >= 0; i--) {
        at[i] += a->chunkshape[i];
        if (at[i] < a->shape[i])
            return true;
        at[i] = 0;
    }
    return false;
}

// The shape of the chunk that begins at `at`, without padding.
static void
chunk_shape(const caterva_array_t *a, const int64_t *at, int64_t *shape)
{
    for (int i = 0; i < a->ndim; i++) {
        const int64_t left = a->shape[i] - at[i];
        shape[i] = left < a->chunkshape[i] ? left : a->chunkshape[i];
    }
}

// The chunk of dst that begins at `at`, from a place of src; items has room for it.
static int
copy_chunk(const struct cat_array *src, const int64_t *start, struct cat_array *dst,
           const int64_t *at, void *items)
{
    int64_t from[CATERVA_MAX_DIM], from_stop[CATERVA_MAX_DIM];
    int64_t stop[CATERVA_MAX_DIM], shape[CATERVA_MAX_DIM], size;

    chunk_shape(&dst->of, at, shape);
    for (int i = 0; i < dst->of.ndim; i++) {
        stop[i] = at[i] + shape[i];
        from[i] = start[i] + at[i];
        from_stop[i] = from[i] + shape[i];
    }
    if (!cat_size(dst->of.itemsize, dst->of.ndim, shape, &size))
        return CATERVA_ERR_INVALID_ARGUMENT;
    const int rc = src->backend->read(src, from, from_stop, items, shape, size);
    return rc != CATERVA_SUCCEED ? rc : dst->backend->write(dst, at, stop, items, shape, size);
}

static int
copy_items(const struct cat_array *src, const int64_t *start, struct cat_array *dst)
{
    int64_t at[CATERVA_MAX_DIM] = {0}, shape[CATERVA_MAX_DIM], size;
    int rc;

    if (dst->of.nitems == 0)
        return CATERVA_SUCCEED;
    chunk_shape(&dst->of, at, shape); // the first is the largest
    if (!cat_size(dst->of.itemsize, dst->of.ndim, shape, &size))
        return CATERVA_ERR_INVALID_ARGUMENT;
    void *const items = malloc((size_t)size);
    if (!items)
        return cat_fail(CATERVA_ERR_BLOSC_FAILED, "no memory for a chunk");
    do
        rc = copy_chunk(src, start, dst, at, items);
    while (rc == CATERVA_SUCCEED && next_chunk(&dst->of, at));
    free(items);
    return rc;
}

static int
copy_box(const caterva_ctx_t *ctx, const struct cat_array *src, const int64_t *start,
         const int64_t *stop, const struct cat_storage *storage, struct cat_array **array)
{
    caterva_params_t params;

    set_params(&src->of, start, stop, &params);
    int rc = storage->backend->create(ctx, &params, storage, CAT_ZEROS, NULL, 0, array);
    if (rc != CATERVA_SUCCEED)
        return rc;
    rc = copy_items(src, start, *array);
    if (rc != CATERVA_SUCCEED) {
        cat_array_close(*array);
        *array = NULL;
    }
    return rc;
}

// -- both arrays are those of b2nd.h: a box, or all (start NULL)

static int
copy_nd(const caterva_ctx_t *ctx, const struct cat_array *src, const int64_t *start,
        const int64_t *stop, const struct cat_storage *storage, struct cat_array **array)
{
    const int64_t origin[CATERVA_MAX_DIM] = {0};
    struct cat_recipe r;
    caterva_params_t params;
    b2nd_array_t *nd = NULL;

    set_params(&src->of, start ? start : origin, stop, &params);
    int rc = cat_recipe_init(&r, ctx, &params, storage);
    if (rc != CATERVA_SUCCEED)
        return rc;
    rc = cat_code(start ? b2nd_get_slice(r.nd, &nd, src->nd, start, stop)
                        : b2nd_copy(r.nd, src->nd, &nd));
    cat_recipe_finish(&r);
    if (rc == CATERVA_SUCCEED)
        rc = cat_wrap(ctx->cfg, nd, array);
    if (rc != CATERVA_SUCCEED && nd)
        b2nd_free(nd);
    return rc;
}

int
cat_get_slice(caterva_ctx_t *ctx, caterva_array_t *src, const int64_t *start, const int64_t *stop,
              const caterva_storage_t *storage, caterva_array_t **array)
{
    struct cat_storage how;
    struct cat_array *a = NULL;

    if (array)
        *array = NULL;
    if (!ctx || !src || !start || !stop || !storage || !array)
        return CATERVA_ERR_NULL_POINTER;
    for (int i = 0; i < src->ndim; i++)
        if (start[i] < 0 || stop[i] < start[i] || stop[i] > src->shape[i])
            return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "axis %d: items %lld to %lld of %lld", i,
                            (long long)start[i], (long long)stop[i], (long long)src->shape[i]);
    int rc = cat_storage_get(storage, &how);
    if (rc != CATERVA_SUCCEED)
        return rc;
    const struct cat_array *const from = (struct cat_array *)src;
    const bool nd = is_whole(from) && how.backend == &cat_in_chunks;
    rc = (nd ? copy_nd : copy_box)(ctx, from, start, stop, &how, &a);
    if (rc == CATERVA_SUCCEED)
        *array = &a->of;
    return rc;
}

// -- with metalayers

// Metalayers of the program; their number.
static int
list_metalayers(const blosc2_schunk *sc, caterva_metalayer_t *list)
{
    int count = 0;

    for (int i = 0; i < sc->nmetalayers && count < CATERVA_MAX_METALAYERS; i++) {
        const blosc2_metalayer *const m = sc->metalayers[i];
        if (strcmp(m->name, "caterva") != 0 && strcmp(m->name, "b2nd") != 0)
            list[count++] = (caterva_metalayer_t){m->name, m->content, m->content_len};
    }
    return count;
}

static int
copy_vlmetalayers(blosc2_schunk *from, blosc2_schunk *to)
{
    for (int i = 0; i < from->nvlmetalayers; i++) {
        const char *const name = from->vlmetalayers[i]->name;
        uint8_t *content = NULL;
        int32_t size = 0;
        int rc = blosc2_vlmeta_get(from, name, &content, &size);
        if (rc >= 0)
            rc = blosc2_vlmeta_add(to, name, content, size, NULL);
        free(content);
        if (rc < 0)
            return cat_blosc_code(rc);
    }
    return CATERVA_SUCCEED;
}

static int
copy_all(const caterva_ctx_t *ctx, const struct cat_array *src, const struct cat_storage *storage,
         struct cat_array **array)
{
    const int64_t start[CATERVA_MAX_DIM] = {0};
    caterva_metalayer_t metalayers[CATERVA_MAX_METALAYERS];
    struct cat_storage how = *storage;

    if (src->of.sc) {
        how.nmetalayers = list_metalayers(src->of.sc, metalayers);
        how.metalayers = metalayers;
    }
    int rc = copy_box(ctx, src, start, src->of.shape, &how, array);
    if (rc == CATERVA_SUCCEED && src->of.sc && (*array)->of.sc)
        rc = copy_vlmetalayers(src->of.sc, (*array)->of.sc);
    if (rc != CATERVA_SUCCEED) {
        cat_array_close(*array);
        *array = NULL;
    }
    return rc;
}

static int
copy_array(const caterva_ctx_t *ctx, const struct cat_array *src, const struct cat_storage *storage,
           struct cat_array **array)
{
    struct cat_storage how = *storage;

    if (!is_whole(src) || how.backend != &cat_in_chunks)
        return copy_all(ctx, src, &how, array);
    how.nmetalayers = 0; // those of src count
    return copy_nd(ctx, src, NULL, src->of.shape, &how, array);
}

int
caterva_copy(caterva_ctx_t *ctx, caterva_array_t *src, caterva_storage_t *storage,
             caterva_array_t **array)
{
    struct cat_storage how;
    struct cat_array *a = NULL;

    if (array)
        *array = NULL;
    if (!ctx || !src || !storage || !array)
        return CATERVA_ERR_NULL_POINTER;
    int rc = cat_storage_get(storage, &how);
    if (rc == CATERVA_SUCCEED)
        rc = copy_array(ctx, (struct cat_array *)src, &how, &a);
    if (rc == CATERVA_SUCCEED)
        *array = &a->of;
    return rc;
}

int
caterva_save(caterva_ctx_t *ctx, caterva_array_t *array, char *urlpath)
{
    struct cat_array *copy = NULL;

    if (!ctx || !array || !urlpath)
        return CATERVA_ERR_NULL_POINTER;
    if (!array->sc)
        return cat_fail(CATERVA_ERR_INVALID_STORAGE, "arrays in plain memory cannot be saved");
    const struct cat_storage storage = {
        .backend = &cat_in_chunks,
        .chunkshape = array->chunkshape,
        .blockshape = array->blockshape,
        .contiguous = array->sc->storage->contiguous,
        .urlpath = urlpath,
    };
    const int rc = copy_array(ctx, (struct cat_array *)array, &storage, &copy);
    return rc != CATERVA_SUCCEED ? rc : cat_array_close(copy);
}
