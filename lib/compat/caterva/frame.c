/*
 * frame.c - arrays from super-chunks and frames, and to files.
 */
#include "caterva/frame.h"

#include "caterva/chunks.h"
#include "caterva/error.h"

#include <string.h>

// The configuration of ctx, but chunks are compressed as those of the super-chunk.
static caterva_config_t
config_of(const caterva_ctx_t *ctx, const blosc2_schunk *sc)
{
    const blosc2_cparams *const cparams = sc->storage->cparams;
    caterva_config_t cfg = *ctx->cfg;

    cfg.complevel = cparams->clevel;
    cfg.compcodec = cparams->compcode;
    cfg.compmeta = cparams->compcode_meta;
    cfg.usedict = cparams->use_dict;
    cfg.splitmode = cparams->splitmode;
    memcpy(cfg.filters, cparams->filters, sizeof cfg.filters);
    memcpy(cfg.filtersmeta, cparams->filters_meta, sizeof cfg.filtersmeta);
    return cfg;
}

static int
wrap(const caterva_ctx_t *ctx, b2nd_array_t *nd, caterva_array_t **array)
{
    const caterva_config_t cfg = config_of(ctx, nd->sc);
    struct cat_array *a;
    const int rc = cat_wrap(&cfg, nd, &a);

    if (rc == CATERVA_SUCCEED)
        *array = &a->of;
    return rc;
}

// The array over one of b2nd.h that was opened for it.
static int
wrap_opened(const caterva_ctx_t *ctx, b2nd_array_t *nd, caterva_array_t **array)
{
    const int rc = wrap(ctx, nd, array);

    if (rc != CATERVA_SUCCEED)
        b2nd_free(nd);
    return rc;
}

int
caterva_from_schunk(caterva_ctx_t *ctx, blosc2_schunk *schunk, caterva_array_t **array)
{
    b2nd_array_t *nd;

    if (array)
        *array = NULL;
    if (!ctx || !schunk || !array)
        return CATERVA_ERR_NULL_POINTER;
    int rc = cat_code(b2nd_from_schunk(schunk, &nd));
    if (rc != CATERVA_SUCCEED)
        return rc;
    rc = wrap(ctx, nd, array);
    if (rc != CATERVA_SUCCEED) {
        nd->sc = NULL; // stays the caller's
        b2nd_free(nd);
    }
    return rc;
}

int
cat_from_frame(const caterva_ctx_t *ctx, uint8_t *frame, int64_t size, bool copy,
               caterva_array_t **array)
{
    b2nd_array_t *nd;

    if (array)
        *array = NULL;
    if (!ctx || !frame || !array)
        return CATERVA_ERR_NULL_POINTER;
    const int rc = cat_code(b2nd_from_cframe(frame, size, copy, &nd));
    return rc != CATERVA_SUCCEED ? rc : wrap_opened(ctx, nd, array);
}

int
caterva_open(caterva_ctx_t *ctx, const char *urlpath, caterva_array_t **array)
{
    b2nd_array_t *nd;

    if (array)
        *array = NULL;
    if (!ctx || !urlpath || !array)
        return CATERVA_ERR_NULL_POINTER;
    const int rc = cat_code(b2nd_open(urlpath, &nd));
    return rc != CATERVA_SUCCEED ? rc : wrap_opened(ctx, nd, array);
}

int
caterva_remove(caterva_ctx_t *ctx, char *urlpath)
{
    if (!ctx || !urlpath)
        return CATERVA_ERR_NULL_POINTER;
    if (blosc2_remove_urlpath(urlpath) != 0)
        return cat_fail(CATERVA_ERR_BLOSC_FAILED, "%s cannot be removed", urlpath);
    return CATERVA_SUCCEED;
}
