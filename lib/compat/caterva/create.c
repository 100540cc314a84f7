/*
 * create.c - new arrays, and the end of arrays.
 */
#include "caterva/create.h"

#include "caterva/error.h"

int
cat_create(const caterva_ctx_t *ctx, const caterva_params_t *params,
           const caterva_storage_t *storage, enum cat_content content, const void *items,
           int64_t size, caterva_array_t **array)
{
    struct cat_storage how;
    struct cat_array *a = NULL;

    if (array)
        *array = NULL;
    if (!ctx || !params || !storage || !array)
        return CATERVA_ERR_NULL_POINTER;
    int rc = cat_storage_get(storage, &how);
    if (rc == CATERVA_SUCCEED)
        rc = how.backend->create(ctx, params, &how, content, items, size, &a);
    if (rc == CATERVA_SUCCEED)
        *array = &a->of;
    return rc;
}

int
caterva_empty(caterva_ctx_t *ctx, caterva_params_t *params, caterva_storage_t *storage,
              caterva_array_t **array)
{
    return cat_create(ctx, params, storage, CAT_ZEROS, NULL, 0, array);
}

int
caterva_zeros(caterva_ctx_t *ctx, caterva_params_t *params, caterva_storage_t *storage,
              caterva_array_t **array)
{
    return cat_create(ctx, params, storage, CAT_ZEROS, NULL, 0, array);
}

int
caterva_full(caterva_ctx_t *ctx, caterva_params_t *params, caterva_storage_t *storage,
             void *fill_value, caterva_array_t **array)
{
    if (array)
        *array = NULL;
    if (!fill_value)
        return CATERVA_ERR_NULL_POINTER;
    return cat_create(ctx, params, storage, CAT_ITEM, fill_value, 0, array);
}

int
caterva_from_buffer(caterva_ctx_t *ctx, void *buffer, int64_t buffersize, caterva_params_t *params,
                    caterva_storage_t *storage, caterva_array_t **array)
{
    int64_t size;

    if (array)
        *array = NULL;
    if (!buffer || !params)
        return CATERVA_ERR_NULL_POINTER;
    const int ndim = params->ndim;
    if (ndim < 0 || ndim > CATERVA_MAX_DIM ||
        !cat_size(params->itemsize, ndim, params->shape, &size) || buffersize < size)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT,
                        "a buffer of %lld bytes is too small for the array, or no array is so",
                        (long long)buffersize);
    return cat_create(ctx, params, storage, CAT_ITEMS, buffer, size, array);
}

int
caterva_free(caterva_ctx_t *ctx, caterva_array_t **array)
{
    if (!ctx || !array || !*array)
        return CATERVA_ERR_NULL_POINTER;
    struct cat_array *const a = (struct cat_array *)*array;
    *array = NULL;
    return cat_array_close(a);
}
