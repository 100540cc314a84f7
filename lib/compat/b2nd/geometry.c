/*
 * geometry.c - the members of an array that follow from its shapes.
 *
 * Shapes may come from a file: sums and products are checked. Axes from ndim on have length 1.
 */
#include "b2nd/geometry.h"

#include "blosc2/error.h"

#include <inttypes.h>

bool
nd_multiply(int64_t a, int64_t b, int64_t most, int64_t *product)
{
    if (a < 0 || b < 0 || (a != 0 && b > most / a))
        return false;
    *product = a * b;
    return true;
}

int
nd_geometry_check(int ndim, const int64_t *shape, const int32_t *chunkshape,
                  const int32_t *blockshape)
{
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0 || chunkshape[i] < 0 || blockshape[i] < 0)
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                           "axis %d: shape %" PRId64 ", chunk %" PRId32 " or block %" PRId32
                           " is negative",
                           i, shape[i], chunkshape[i], blockshape[i]);
        if (blockshape[i] == 0 && chunkshape[i] != 0)
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                           "axis %d: blocks of 0 items in chunks of %" PRId32, i, chunkshape[i]);
    }
    return BLOSC2_ERROR_SUCCESS;
}

// The length, filled up to whole parts; false if there is no such number.
static bool
fill_up(int64_t length, int64_t part, int64_t *filled)
{
    const int64_t rest = part > 0 ? length % part : length;

    *filled = part > 0 ? length : 0;
    if (part == 0 || rest == 0)
        return true;
    if (length > INT64_MAX - part)
        return false;
    *filled = length + part - rest;
    return true;
}

static bool
set_counts(b2nd_array_t *a)
{
    int64_t chunknitems = 1, blocknitems = 1;

    a->nitems = a->extnitems = a->extchunknitems = 1;
    for (int i = 0; i < a->ndim; i++)
        if (!nd_multiply(a->nitems, a->shape[i], INT64_MAX, &a->nitems) ||
            !nd_multiply(a->extnitems, a->extshape[i], INT64_MAX, &a->extnitems) ||
            !nd_multiply(a->extchunknitems, a->extchunkshape[i], INT64_MAX, &a->extchunknitems) ||
            !nd_multiply(chunknitems, a->chunkshape[i], INT32_MAX, &chunknitems) ||
            !nd_multiply(blocknitems, a->blockshape[i], INT32_MAX, &blocknitems))
            return false;
    a->chunknitems = (int32_t)chunknitems;
    a->blocknitems = (int32_t)blocknitems;
    return true;
}

// The stride of an axis: as many as the axis behind it has, all 0 in front of an axis without
// items.
static int64_t
stride(const b2nd_array_t *a, int i, int64_t behind, int64_t length)
{
    return a->shape[i + 1] != 0 && a->chunkshape[i + 1] != 0 ? behind * length : 0;
}

static void
set_strides(b2nd_array_t *a)
{
    for (int i = a->ndim - 1; i >= 0; i--) {
        if (i == a->ndim - 1) {
            a->item_array_strides[i] = a->item_chunk_strides[i] = a->item_extchunk_strides[i] =
                a->item_block_strides[i] = a->block_chunk_strides[i] = a->chunk_array_strides[i] =
                    1;
            continue;
        }
        const int64_t blocks =
            a->blockshape[i + 1] > 0 ? a->extchunkshape[i + 1] / a->blockshape[i + 1] : 0;
        const int64_t chunks =
            a->chunkshape[i + 1] > 0 ? a->extshape[i + 1] / a->chunkshape[i + 1] : 0;
        a->item_array_strides[i] = stride(a, i, a->item_array_strides[i + 1], a->shape[i + 1]);
        a->item_chunk_strides[i] = stride(a, i, a->item_chunk_strides[i + 1], a->chunkshape[i + 1]);
        a->item_extchunk_strides[i] =
            stride(a, i, a->item_extchunk_strides[i + 1], a->extchunkshape[i + 1]);
        a->item_block_strides[i] = stride(a, i, a->item_block_strides[i + 1], a->blockshape[i + 1]);
        a->block_chunk_strides[i] = stride(a, i, a->block_chunk_strides[i + 1], blocks);
        a->chunk_array_strides[i] = stride(a, i, a->chunk_array_strides[i + 1], chunks);
    }
}

int
nd_geometry_set(b2nd_array_t *array, int ndim, const int64_t *shape, const int32_t *chunkshape,
                const int32_t *blockshape)
{
    const int rc = nd_geometry_check(ndim, shape, chunkshape, blockshape);

    if (rc < 0)
        return rc;
    array->ndim = (int8_t)ndim;
    for (int i = 0; i < B2ND_MAX_DIM; i++) {
        array->shape[i] = i < ndim ? shape[i] : 1;
        array->chunkshape[i] = i < ndim ? chunkshape[i] : 1;
        array->blockshape[i] = i < ndim ? blockshape[i] : 1;
        array->extshape[i] = array->extchunkshape[i] = 1;
        if (i >= ndim)
            continue;
        if (!fill_up(array->shape[i], array->chunkshape[i], &array->extshape[i]) ||
            !fill_up(array->chunkshape[i], array->blockshape[i], &array->extchunkshape[i]))
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                           "axis %d: %" PRId64 " items, filled up to chunks of %" PRId32
                           ", exceed 2^63",
                           i, array->shape[i], array->chunkshape[i]);
    }
    if (!set_counts(array))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "the shape has 2^63 items or more, or a chunk or block 2^31");
    set_strides(array);
    return BLOSC2_ERROR_SUCCESS;
}
