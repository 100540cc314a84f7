/*
 * chunks.c - arrays in compressed chunks: those of b2nd.h.
 */
#include "caterva/chunks.h"

#include "caterva/error.h"
#include "caterva/recipe.h"

#include <string.h>

static int
make(b2nd_context_t *ctx, enum cat_content content, const void *items, int64_t size,
     b2nd_array_t **nd)
{
    switch (content) {
    case CAT_UNINIT:
        return b2nd_uninit(ctx, nd);
    case CAT_ITEM:
        return b2nd_full(ctx, nd, items);
    case CAT_ITEMS:
        return b2nd_from_cbuffer(ctx, nd, items, size);
    case CAT_ZEROS:
    default:
        return b2nd_zeros(ctx, nd);
    }
}

static int
create(const caterva_ctx_t *ctx, const caterva_params_t *params, const struct cat_storage *storage,
       enum cat_content content, const void *items, int64_t size, struct cat_array **array)
{
    struct cat_recipe r;
    b2nd_array_t *nd = NULL;
    int rc = cat_recipe_init(&r, ctx, params, storage);

    if (rc != CATERVA_SUCCEED)
        return rc;
    rc = cat_code(make(r.nd, content, items, size, &nd));
    cat_recipe_finish(&r);
    if (rc == CATERVA_SUCCEED)
        rc = cat_wrap(ctx->cfg, nd, array);
    if (rc != CATERVA_SUCCEED && nd)
        b2nd_free(nd);
    return rc;
}

// A box of the array of b2nd.h, and the shape of a buffer.
struct box {
    int64_t start[CATERVA_MAX_DIM], stop[CATERVA_MAX_DIM];
    int64_t length[CATERVA_MAX_DIM], room[CATERVA_MAX_DIM];
    int64_t size; // of the items, in bytes
    bool dense; // items have no gaps in the buffer
};

static int
set_box(const struct cat_array *a, const int64_t *start, const int64_t *stop, const int64_t *shape,
        struct box *box)
{
    cat_widen(a, start, 0, box->start);
    cat_widen(a, stop, 1, box->stop);
    cat_widen(a, shape, 1, box->room);
    box->dense = true;
    for (int i = 0; i < a->nd->ndim; i++) {
        box->length[i] = box->stop[i] - box->start[i];
        box->dense &= i == 0 || box->length[i] == box->room[i];
    }
    if (!cat_size(a->of.itemsize, a->nd->ndim, box->length, &box->size))
        return CATERVA_ERR_INVALID_ARGUMENT;
    return CATERVA_SUCCEED;
}

// b2nd_get_slice_cbuffer() fills gaps of a buffer, Caterva leaves them as they are.
static int
read_with_gaps(const struct cat_array *a, const struct box *box, void *buffer)
{
    const int64_t origin[CATERVA_MAX_DIM] = {0};
    void *const items = malloc(box->size > 0 ? (size_t)box->size : 1);

    if (!items)
        return cat_fail(CATERVA_ERR_BLOSC_FAILED, "no memory for %lld bytes", (long long)box->size);
    int rc = b2nd_get_slice_cbuffer(a->nd, box->start, box->stop, items, box->length, box->size);
    if (rc == 0)
        rc = b2nd_copy_buffer2(a->nd->ndim, a->of.itemsize, items, box->length, origin, box->length,
                               buffer, box->room, origin);
    free(items);
    return cat_code(rc);
}

static int
read_box(const struct cat_array *a, const int64_t *start, const int64_t *stop, void *buffer,
         const int64_t *shape, int64_t size)
{
    struct box box;
    const int rc = set_box(a, start, stop, shape, &box);

    if (rc != CATERVA_SUCCEED || box.size > size)
        return CATERVA_ERR_INVALID_ARGUMENT;
    if (!box.dense)
        return read_with_gaps(a, &box, buffer);
    return cat_code(
        b2nd_get_slice_cbuffer(a->nd, box.start, box.stop, buffer, box.length, box.size));
}

static int
write_box(struct cat_array *a, const int64_t *start, const int64_t *stop, const void *buffer,
          const int64_t *shape, int64_t size)
{
    struct box box;
    const int rc = set_box(a, start, stop, shape, &box);

    if (rc != CATERVA_SUCCEED)
        return rc;
    return cat_code(b2nd_set_slice_cbuffer(buffer, box.room, size, box.start, box.stop, a->nd));
}

static void
squeeze(struct cat_array *a, const bool *index)
{
    int at = 0;

    for (int i = 0; i < a->nd->ndim; i++)
        if (!a->squeezed[i])
            a->squeezed[i] = index[at++];
    cat_array_show(a);
}

static int
close_array(struct cat_array *a)
{
    return cat_code(b2nd_free(a->nd));
}

const struct cat_backend cat_in_chunks = {create, read_box, write_box, squeeze, close_array};

int
cat_wrap(const caterva_config_t *cfg, b2nd_array_t *nd, struct cat_array **array)
{
    *array = NULL;
    if (nd->ndim > CATERVA_MAX_DIM || nd->sc->typesize > UINT8_MAX)
        return cat_fail(CATERVA_ERR_BLOSC_FAILED,
                        "%d dimensions and items of %d bytes, Caterva has at most %d and %d",
                        nd->ndim, (int)nd->sc->typesize, CATERVA_MAX_DIM, UINT8_MAX);
    struct cat_array *const a = cat_array_new(cfg, &cat_in_chunks);
    if (!a)
        return cat_fail(CATERVA_ERR_NULL_POINTER, "no memory for an array");
    a->nd = nd;
    cat_array_show(a);
    *array = a;
    return CATERVA_SUCCEED;
}
