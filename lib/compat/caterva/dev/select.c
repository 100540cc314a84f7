/*
 * select.c - items by lists of indices.
 */
#include "caterva/array.h"
#include "caterva/error.h"

// A selection of the array of b2nd.h: index 0 of axes that were squeezed.
struct selection {
    int64_t zero;
    int64_t *indices[CATERVA_MAX_DIM];
    int64_t counts[CATERVA_MAX_DIM];
    int64_t shape[CATERVA_MAX_DIM]; // of the buffer
};

static int
set_selection(const caterva_ctx_t *ctx, const struct cat_array *a, int64_t **indices,
              const int64_t *counts, const void *buffer, const int64_t *shape, struct selection *s)
{
    int at = 0;

    if (!ctx || !a || !indices || !counts || !buffer || !shape)
        return CATERVA_ERR_NULL_POINTER;
    s->zero = 0;
    for (int i = 0; i < a->nd->ndim; i++)
        s->indices[i] = a->squeezed[i] ? &s->zero : indices[at++];
    cat_widen(a, counts, 1, s->counts);
    cat_widen(a, shape, 1, s->shape);
    return CATERVA_SUCCEED;
}

int
caterva_get_orthogonal_selection(caterva_ctx_t *ctx, caterva_array_t *array, int64_t **selection,
                                 int64_t *selection_size, void *buffer, int64_t *buffershape,
                                 int64_t buffersize)
{
    const struct cat_array *const a = (struct cat_array *)array;
    struct selection s;
    const int rc = set_selection(ctx, a, selection, selection_size, buffer, buffershape, &s);

    if (rc != CATERVA_SUCCEED)
        return rc;
    return cat_code(
        b2nd_get_orthogonal_selection(a->nd, s.indices, s.counts, buffer, s.shape, buffersize));
}

int
caterva_set_orthogonal_selection(caterva_ctx_t *ctx, caterva_array_t *array, int64_t **selection,
                                 int64_t *selection_size, void *buffer, int64_t *buffershape,
                                 int64_t buffersize)
{
    struct cat_array *const a = (struct cat_array *)array;
    struct selection s;
    const int rc = set_selection(ctx, a, selection, selection_size, buffer, buffershape, &s);

    if (rc != CATERVA_SUCCEED)
        return rc;
    return cat_code(
        b2nd_set_orthogonal_selection(a->nd, s.indices, s.counts, buffer, s.shape, buffersize));
}
