/*
 * plain.c - arrays in plain memory: items in C order, in memory of the program's allocator.
 *
 * There are no chunks: the members say that there is one, of one block, with everything; lengths
 * that exceed 32 bits are cut down to what the members can hold.
 */
#include "caterva/v05/plain.h"

#include "caterva/error.h"

#include <string.h>

static int32_t
cut(int64_t number)
{
    return number < INT32_MAX ? (int32_t)number : INT32_MAX;
}

static void
set_shapes(caterva_array_t *a, int ndim, const int64_t *shape)
{
    int64_t own[CATERVA_MAX_DIM] = {0}; // shape may be that of a
    int32_t ones[CATERVA_MAX_DIM] = {1, 1, 1, 1, 1, 1, 1, 1};

    memcpy(own, shape, (size_t)ndim * sizeof *own);
    cat_shapes_set(a, ndim, own, ones, ones);
    for (int i = 0; i < ndim; i++)
        a->chunkshape[i] = a->blockshape[i] = cut(own[i]);
    memcpy(a->extchunkshape, a->shape, sizeof a->extchunkshape);
    a->extchunknitems = a->nitems;
    a->chunknitems = a->blocknitems = cut(a->nitems);
    a->nchunks = a->nitems > 0;
}

// The items of a new array.
static void
fill(caterva_array_t *a, enum cat_content content, const void *items, int64_t size)
{
    const size_t itemsize = a->itemsize;

    if (content == CAT_ITEM)
        for (int64_t i = 0; i < a->nitems; i++)
            memcpy(a->buf + (size_t)i * itemsize, items, itemsize);
    else if (content == CAT_ITEMS)
        memcpy(a->buf, items, (size_t)size);
    else
        memset(a->buf, 0, (size_t)a->nitems * itemsize);
}

static int
check(const caterva_params_t *params, int64_t *size)
{
    if (params->ndim > CATERVA_MAX_DIM)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "%d dimensions, 0 to %d can be", params->ndim,
                        CATERVA_MAX_DIM);
    if (params->itemsize == 0 || !cat_size(params->itemsize, params->ndim, params->shape, size) ||
        (uint64_t)*size > SIZE_MAX)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "no memory can hold items of this shape");
    return CATERVA_SUCCEED;
}

static int
create(const caterva_ctx_t *ctx, const caterva_params_t *params, const struct cat_storage *storage,
       enum cat_content content, const void *items, int64_t size, struct cat_array **array)
{
    int64_t nbytes;
    const int rc = check(params, &nbytes);

    if (rc != CATERVA_SUCCEED)
        return rc;
    struct cat_array *const a = cat_array_new(ctx->cfg, storage->backend);
    if (!a)
        return cat_fail(CATERVA_ERR_NULL_POINTER, "no memory for an array");
    a->of.storage = CATERVA_STORAGE_PLAINBUFFER;
    a->of.itemsize = params->itemsize;
    set_shapes(&a->of, params->ndim, params->shape);
    a->of.buf = ctx->cfg->alloc(nbytes > 0 ? (size_t)nbytes : 1);
    if (!a->of.buf) {
        cat_array_close(a);
        return cat_fail(CATERVA_ERR_NULL_POINTER, "no memory for %lld bytes", (long long)nbytes);
    }
    fill(&a->of, content, items, size);
    *array = a;
    return CATERVA_SUCCEED;
}

static int
check_box(const struct cat_array *a, const int64_t *stop)
{
    for (int i = 0; i < a->of.ndim; i++)
        if (stop[i] > a->of.shape[i])
            return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "axis %d: items up to %lld of %lld", i,
                            (long long)stop[i], (long long)a->of.shape[i]);
    return CATERVA_SUCCEED;
}

static int
read_box(const struct cat_array *a, const int64_t *start, const int64_t *stop, void *buffer,
         const int64_t *shape, int64_t size)
{
    const int64_t origin[CATERVA_MAX_DIM] = {0};
    const int rc = check_box(a, stop);

    (void)size; // that of the shape
    if (rc != CATERVA_SUCCEED)
        return rc;
    return cat_code(b2nd_copy_buffer2((int8_t)a->of.ndim, a->of.itemsize, a->of.buf, a->of.shape,
                                      start, stop, buffer, shape, origin));
}

// The last item of the box ends inside of the buffer.
static bool
fits(const struct cat_array *a, const int64_t *count, const int64_t *shape, int64_t size)
{
    int64_t stride = a->of.itemsize, end = stride;

    for (int i = a->of.ndim - 1; i >= 0; i--) {
        if (count[i] == 0)
            return true;
        end += (count[i] - 1) * stride;
        stride *= shape[i]; // caterva_set_slice_buffer() saw that this is a number
    }
    return end <= size;
}

static int
write_box(struct cat_array *a, const int64_t *start, const int64_t *stop, const void *buffer,
          const int64_t *shape, int64_t size)
{
    const int64_t origin[CATERVA_MAX_DIM] = {0};
    int64_t count[CATERVA_MAX_DIM] = {0};
    const int rc = check_box(a, stop);

    if (rc != CATERVA_SUCCEED)
        return rc;
    for (int i = 0; i < a->of.ndim; i++)
        count[i] = stop[i] - start[i];
    if (!fits(a, count, shape, size))
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "the box leaves a buffer of %lld bytes",
                        (long long)size);
    return cat_code(b2nd_copy_buffer2((int8_t)a->of.ndim, a->of.itemsize, buffer, shape, origin,
                                      count, a->of.buf, a->of.shape, start));
}

static void
squeeze(struct cat_array *a, const bool *index)
{
    int64_t shape[CATERVA_MAX_DIM];
    int ndim = 0;

    for (int i = 0; i < a->of.ndim; i++)
        if (!index[i])
            shape[ndim++] = a->of.shape[i];
    set_shapes(&a->of, ndim, shape);
}

static int
close_array(struct cat_array *a)
{
    if (a->of.buf)
        a->of.cfg->free(a->of.buf);
    return CATERVA_SUCCEED;
}

const struct cat_backend cat_in_memory = {create, read_box, write_box, squeeze, close_array};
