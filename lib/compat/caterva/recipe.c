/*
 * recipe.c - how arrays are created: contexts, parameters and storage of Caterva as a context of
 * b2nd.h.
 */
#include "caterva/recipe.h"

#include "b2nd/context.h"
#include "caterva/error.h"

#include <string.h>

static int
check(const caterva_ctx_t *ctx, const caterva_params_t *params, const struct cat_storage *storage)
{
    const int ndim = params->ndim;

    if (ndim < 0 || ndim > CATERVA_MAX_DIM)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "%d dimensions, 0 to %d can be", ndim,
                        CATERVA_MAX_DIM);
    if (params->itemsize == 0)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "items of 0 bytes");
    if (ctx->cfg->prefilter || ctx->cfg->udbtune)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "arrays have no prefilters and no tuners");
    if (storage->nmetalayers < 0 || storage->nmetalayers > CATERVA_MAX_METALAYERS)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "%d metalayers, 0 to %d can be",
                        (int)storage->nmetalayers, CATERVA_MAX_METALAYERS);
    for (int i = 0; i < storage->nmetalayers; i++) {
        const caterva_metalayer_t *const m = &storage->metalayers[i];
        if (!m->name || (!m->sdata && m->size != 0))
            return cat_fail(CATERVA_ERR_NULL_POINTER, "metalayer %d has no name or content", i);
    }
    return CATERVA_SUCCEED;
}

static void
set_chunks(struct cat_recipe *r, const caterva_config_t *cfg, int itemsize)
{
    r->cparams = BLOSC2_CPARAMS_DEFAULTS;
    r->cparams.typesize = itemsize;
    r->cparams.use_dict = cfg->usedict;
    r->cparams.nthreads = cfg->nthreads;
    r->cparams.clevel = cfg->complevel;
    r->cparams.compcode = cfg->compcodec;
    r->cparams.compcode_meta = cfg->compmeta;
    r->cparams.splitmode = cfg->splitmode;
    memcpy(r->cparams.filters, cfg->filters, sizeof cfg->filters);
    memcpy(r->cparams.filters_meta, cfg->filtersmeta, sizeof cfg->filtersmeta);
    r->dparams = BLOSC2_DPARAMS_DEFAULTS;
    r->dparams.nthreads = cfg->nthreads;
}

int
cat_recipe_init(struct cat_recipe *r, const caterva_ctx_t *ctx, const caterva_params_t *params,
                const struct cat_storage *storage)
{
    blosc2_metalayer metalayers[CATERVA_MAX_METALAYERS];
    const int rc = check(ctx, params, storage);

    if (rc != CATERVA_SUCCEED)
        return rc;
    set_chunks(r, ctx->cfg, params->itemsize);
    r->storage = BLOSC2_STORAGE_DEFAULTS;
    r->storage.cparams = &r->cparams;
    r->storage.dparams = &r->dparams;
    r->storage.contiguous = storage->contiguous;
    r->storage.urlpath = storage->urlpath;
    for (int i = 0; i < storage->nmetalayers; i++) {
        const caterva_metalayer_t *const m = &storage->metalayers[i];
        metalayers[i] = (blosc2_metalayer){m->name, m->sdata, m->size};
    }
    r->nd = b2nd_create_ctx(&r->storage, (int8_t)params->ndim, params->shape, storage->chunkshape,
                            storage->blockshape, NULL, 0, metalayers, storage->nmetalayers);
    if (!r->nd)
        return cat_fail(CATERVA_ERR_INVALID_ARGUMENT, "no array can have these shapes");
    r->nd->layer = TESS_LAYER_CATERVA;
    return CATERVA_SUCCEED;
}

void
cat_recipe_finish(struct cat_recipe *r)
{
    b2nd_free_ctx(r->nd);
}
