/*
 * items.c - boxes of an array to and from memory; axes of length 1.
 */
#include "caterva/items.h"

#include "caterva/error.h"

static struct cat_array *
array_of(caterva_array_t *array)
{
    return (struct cat_array *)array;
}

// The box [start, stop) has a place in the buffer; *size becomes the bytes that `shape` makes.
static int
check_box(const caterva_array_t *array, const int64_t *start, const int64_t *stop,
          const int64_t *shape, int64_t *size)
{
    for (int i = 0; i < array->ndim; i++)
        if (start[i] < 0 || stop[i] < start[i] || stop[i] - start[i] > shape[i])
            return cat_fail(CATERVA_ERR_INVALID_ARGUMENT,
                            "axis %d: items %lld to %lld, the buffer has room for %lld", i,
                            (long long)start[i], (long long)stop[i], (long long)shape[i]);
    if (!cat_size(array->itemsize, array->ndim, shape, size))
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "a buffer of 2^63 bytes or more");
    return CATERVA_SUCCEED;
}

static int
check_size(int64_t buffersize, int64_t size)
{
    if (buffersize < size)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "a buffer of %lld bytes, %lld are needed",
                        (long long)buffersize, (long long)size);
    return CATERVA_SUCCEED;
}

int
caterva_get_slice_buffer(caterva_ctx_t *ctx, caterva_array_t *array, int64_t *start, int64_t *stop,
                         void *buffer, int64_t *buffershape, int64_t buffersize)
{
    int64_t size;

    if (!ctx || !array || !start || !stop || !buffer || !buffershape)
        return CATERVA_ERR_NULL_POINTER;
    int rc = check_box(array, start, stop, buffershape, &size);
    if (rc != CATERVA_SUCCEED || array->nitems == 0)
        return rc;
    rc = check_size(buffersize, size);
    if (rc != CATERVA_SUCCEED)
        return rc;
    return array_of(array)->backend->read(array_of(array), start, stop, buffer, buffershape,
                                          buffersize);
}

int
caterva_to_buffer(caterva_ctx_t *ctx, caterva_array_t *array, void *buffer, int64_t buffersize)
{
    int64_t start[CATERVA_MAX_DIM] = {0};

    if (!array)
        return CATERVA_ERR_NULL_POINTER;
    return caterva_get_slice_buffer(ctx, array, start, array->shape, buffer, array->shape,
                                    buffersize);
}

int
caterva_set_slice_buffer(caterva_ctx_t *ctx, void *buffer, int64_t *buffershape, int64_t buffersize,
                         int64_t *start, int64_t *stop, caterva_array_t *array)
{
    int64_t shape[CATERVA_MAX_DIM], size, needed;

    if (!ctx || !buffer || !buffershape || !start || !stop || !array)
        return CATERVA_ERR_NULL_POINTER;
    int rc = check_box(array, start, stop, buffershape, &size);
    if (rc != CATERVA_SUCCEED)
        return rc;
    for (int i = 0; i < array->ndim; i++)
        shape[i] = stop[i] - start[i];
    if (!cat_size(array->itemsize, array->ndim, shape, &needed))
        return CATERVA_ERR_INVALID_ARGUMENT;
    rc = check_size(buffersize, needed);
    if (rc != CATERVA_SUCCEED || array->nitems == 0)
        return rc;
    return array_of(array)->backend->write(array_of(array), start, stop, buffer, buffershape,
                                           buffersize);
}

int
cat_squeeze(const caterva_ctx_t *ctx, caterva_array_t *array, const bool *index)
{
    if (!ctx || !array || !index)
        return CATERVA_ERR_NULL_POINTER;
    for (int i = 0; i < array->ndim; i++)
        if (index[i] && array->shape[i] != 1)
            return cat_fail(CATERVA_ERR_INVALID_INDEX, "axis %d has %lld items, not 1", i,
                            (long long)array->shape[i]);
    array_of(array)->backend->squeeze(array_of(array), index);
    return CATERVA_SUCCEED;
}

int
caterva_squeeze(caterva_ctx_t *ctx, caterva_array_t *array)
{
    bool index[CATERVA_MAX_DIM] = {false};

    if (!array)
        return CATERVA_ERR_NULL_POINTER;
    for (int i = 0; i < array->ndim; i++)
        index[i] = array->shape[i] == 1;
    return cat_squeeze(ctx, array, index);
}
