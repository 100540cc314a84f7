/*
 * meta.c - metalayers of arrays.
 */
#include "caterva/array.h"
#include "caterva/error.h"

#include <string.h>

static int
check(const caterva_ctx_t *ctx, const caterva_array_t *array, const char *name, const void *other)
{
    if (!ctx || !array || !name || !other)
        return CATERVA_ERR_NULL_POINTER;
    if (!array->sc)
        return cat_fail(CATERVA_ERR_INVALID_STORAGE, "arrays in plain memory have no metalayers");
    return CATERVA_SUCCEED;
}

// A metalayer that the program hands over.
static int
check_given(const caterva_ctx_t *ctx, const caterva_array_t *array, const caterva_metalayer_t *m)
{
    if (!m || !m->sdata)
        return CATERVA_ERR_NULL_POINTER;
    if (m->size < 0)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "a metalayer of %d bytes", (int)m->size);
    return check(ctx, array, m->name, m);
}

// Fill m with content, which then belongs to the program.
static int
hand_out(const char *name, uint8_t *content, int32_t size, caterva_metalayer_t *m)
{
    char *const own = strdup(name);

    if (!own) {
        free(content);
        return cat_fail(CATERVA_ERR_BLOSC_FAILED, "no memory for a name");
    }
    *m = (caterva_metalayer_t){own, content, size};
    return CATERVA_SUCCEED;
}

int
caterva_vlmeta_add(caterva_ctx_t *ctx, caterva_array_t *array, caterva_metalayer_t *vlmeta)
{
    const int rc = check_given(ctx, array, vlmeta);

    return rc != CATERVA_SUCCEED ? rc
                                 : cat_blosc_code(blosc2_vlmeta_add(
                                       array->sc, vlmeta->name, vlmeta->sdata, vlmeta->size, NULL));
}

int
caterva_vlmeta_get(caterva_ctx_t *ctx, caterva_array_t *array, const char *name,
                   caterva_metalayer_t *vlmeta)
{
    uint8_t *content = NULL;
    int32_t size = 0;
    int rc = check(ctx, array, name, vlmeta);

    if (rc == CATERVA_SUCCEED)
        rc = cat_blosc_code(blosc2_vlmeta_get(array->sc, name, &content, &size));
    return rc != CATERVA_SUCCEED ? rc : hand_out(name, content, size, vlmeta);
}

int
caterva_vlmeta_exists(caterva_ctx_t *ctx, caterva_array_t *array, const char *name, bool *exists)
{
    const int rc = check(ctx, array, name, exists);

    if (rc == CATERVA_SUCCEED)
        *exists = blosc2_vlmeta_exists(array->sc, name) >= 0;
    return rc;
}

int
caterva_vlmeta_update(caterva_ctx_t *ctx, caterva_array_t *array, caterva_metalayer_t *vlmeta)
{
    const int rc = check_given(ctx, array, vlmeta);

    return rc != CATERVA_SUCCEED ? rc
                                 : cat_blosc_code(blosc2_vlmeta_update(
                                       array->sc, vlmeta->name, vlmeta->sdata, vlmeta->size, NULL));
}

int
caterva_meta_get(caterva_ctx_t *ctx, caterva_array_t *array, const char *name,
                 caterva_metalayer_t *meta)
{
    uint8_t *content = NULL;
    int32_t size = 0;
    int rc = check(ctx, array, name, meta);

    if (rc == CATERVA_SUCCEED)
        rc = cat_blosc_code(blosc2_meta_get(array->sc, name, &content, &size));
    return rc != CATERVA_SUCCEED ? rc : hand_out(name, content, size, meta);
}

int
caterva_meta_exists(caterva_ctx_t *ctx, caterva_array_t *array, const char *name, bool *exists)
{
    const int rc = check(ctx, array, name, exists);

    if (rc == CATERVA_SUCCEED)
        *exists = blosc2_meta_exists(array->sc, name) >= 0;
    return rc;
}

int
caterva_meta_update(caterva_ctx_t *ctx, caterva_array_t *array, caterva_metalayer_t *meta)
{
    const int rc = check_given(ctx, array, meta);

    return rc != CATERVA_SUCCEED
               ? rc
               : cat_blosc_code(blosc2_meta_update(array->sc, meta->name, meta->sdata, meta->size));
}
