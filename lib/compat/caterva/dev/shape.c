/*
 * shape.c - arrays grow and shrink.
 */
#include "caterva/array.h"
#include "caterva/error.h"

// The axis of the array of b2nd.h; -1: there is none.
static int8_t
axis_of(const struct cat_array *a, int axis)
{
    for (int i = 0, at = 0; i < a->nd->ndim; i++)
        if (!a->squeezed[i] && at++ == axis)
            return (int8_t)i;
    return -1;
}

// The members after a call that returned rc; a code of Caterva.
static int
changed(struct cat_array *a, int rc)
{
    if (rc >= 0)
        cat_array_show(a);
    return cat_code(rc);
}

int
caterva_resize(caterva_ctx_t *ctx, caterva_array_t *array, const int64_t *new_shape,
               const int64_t *start)
{
    int64_t shape[CATERVA_MAX_DIM], places[CATERVA_MAX_DIM];

    if (!ctx || !array || !new_shape)
        return CATERVA_ERR_NULL_POINTER;
    struct cat_array *const a = (struct cat_array *)array;
    for (int i = 0; i < array->ndim; i++)
        if (new_shape[i] < 0)
            return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "axis %d of %lld items", i,
                            (long long)new_shape[i]);
    cat_widen(a, new_shape, 1, shape);
    if (start)
        cat_widen(a, start, 0, places);
    return changed(a, b2nd_resize(a->nd, shape, start ? places : NULL));
}

int
caterva_insert(caterva_ctx_t *ctx, caterva_array_t *array, void *buffer, int64_t buffersize,
               const int8_t axis, int64_t insert_start)
{
    if (!ctx || !array || !buffer)
        return CATERVA_ERR_NULL_POINTER;
    struct cat_array *const a = (struct cat_array *)array;
    return changed(a, b2nd_insert(a->nd, buffer, buffersize, axis_of(a, axis), insert_start));
}

int
caterva_append(caterva_ctx_t *ctx, caterva_array_t *array, void *buffer, int64_t buffersize,
               const int8_t axis)
{
    if (!ctx || !array || !buffer)
        return CATERVA_ERR_NULL_POINTER;
    struct cat_array *const a = (struct cat_array *)array;
    return changed(a, b2nd_append(a->nd, buffer, buffersize, axis_of(a, axis)));
}

int
caterva_delete(caterva_ctx_t *ctx, caterva_array_t *array, const int8_t axis, int64_t delete_start,
               int64_t delete_len)
{
    if (!ctx || !array)
        return CATERVA_ERR_NULL_POINTER;
    struct cat_array *const a = (struct cat_array *)array;
    return changed(a, b2nd_delete(a->nd, axis_of(a, axis), delete_start, delete_len));
}
