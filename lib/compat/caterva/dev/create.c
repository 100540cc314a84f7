/*
 * create.c - new arrays, as only the last state of Caterva makes them or takes their arguments.
 */
#include "caterva/create.h"

#include "caterva/copy.h"
#include "caterva/error.h"
#include "caterva/frame.h"
#include "caterva/items.h"

#include <string.h>

int
caterva_uninit(caterva_ctx_t *ctx, caterva_params_t *params, caterva_storage_t *storage,
               caterva_array_t **array)
{
    return cat_create(ctx, params, storage, CAT_UNINIT, NULL, 0, array);
}

int
caterva_get_slice(caterva_ctx_t *ctx, caterva_array_t *src, const int64_t *start,
                  const int64_t *stop, caterva_storage_t *storage, caterva_array_t **array)
{
    return cat_get_slice(ctx, src, start, stop, storage, array);
}

int
caterva_squeeze_index(caterva_ctx_t *ctx, caterva_array_t *array, const bool *index)
{
    return cat_squeeze(ctx, array, index);
}

int
caterva_from_cframe(caterva_ctx_t *ctx, uint8_t *cframe, int64_t cframe_len, bool copy,
                    caterva_array_t **array)
{
    return cat_from_frame(ctx, cframe, cframe_len, copy, array);
}

static int
frame_of(const b2nd_array_t *nd, uint8_t **frame, int64_t *size, bool *needs_free)
{
    return cat_code(b2nd_to_cframe(nd, frame, size, needs_free));
}

// A frame of a copy, which does not have the axes that were squeezed.
static int
squeezed_frame(caterva_ctx_t *ctx, caterva_array_t *array, uint8_t **frame, int64_t *size,
               bool *needs_free)
{
    caterva_storage_t storage = {.contiguous = true};
    caterva_array_t *copy;

    memcpy(storage.chunkshape, array->chunkshape, sizeof storage.chunkshape);
    memcpy(storage.blockshape, array->blockshape, sizeof storage.blockshape);
    int rc = caterva_copy(ctx, array, &storage, &copy);
    if (rc != CATERVA_SUCCEED)
        return rc;
    rc = frame_of(((struct cat_array *)copy)->nd, frame, size, needs_free);
    if (rc == CATERVA_SUCCEED && !*needs_free) {
        uint8_t *const own = malloc((size_t)*size);
        if (own)
            memcpy(own, *frame, (size_t)*size);
        else
            rc = cat_fail(CATERVA_ERR_BLOSC_FAILED, "no memory for a frame");
        *frame = own;
        *needs_free = true;
    }
    caterva_free(ctx, &copy);
    return rc;
}

int
caterva_to_cframe(caterva_ctx_t *ctx, caterva_array_t *array, uint8_t **cframe, int64_t *cframe_len,
                  bool *needs_free)
{
    if (!ctx || !array || !cframe || !cframe_len || !needs_free)
        return CATERVA_ERR_NULL_POINTER;
    const struct cat_array *const a = (struct cat_array *)array;
    if (a->nd->ndim != array->ndim)
        return squeezed_frame(ctx, array, cframe, cframe_len, needs_free);
    return frame_of(a->nd, cframe, cframe_len, needs_free);
}
