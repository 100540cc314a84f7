/*
 * context.c - what calls run with.
 */
#include <caterva.h>

#include "caterva/error.h"

int
caterva_ctx_new(caterva_config_t *cfg, caterva_ctx_t **ctx)
{
    if (ctx)
        *ctx = NULL;
    if (!cfg || !ctx || !cfg->alloc || !cfg->free)
        return CATERVA_ERR_NULL_POINTER;
    caterva_ctx_t *const c = cfg->alloc(sizeof *c);
    if (!c)
        return cat_fail(CATERVA_ERR_NULL_POINTER, "no memory for a context");
    c->cfg = cfg->alloc(sizeof *c->cfg);
    if (!c->cfg) {
        cfg->free(c);
        return cat_fail(CATERVA_ERR_NULL_POINTER, "no memory for a context");
    }
    *c->cfg = *cfg;
    *ctx = c;
    return CATERVA_SUCCEED;
}

int
caterva_ctx_free(caterva_ctx_t **ctx)
{
    if (!ctx || !*ctx)
        return CATERVA_ERR_NULL_POINTER;
    void (*const release)(void *) = (*ctx)->cfg->free;
    release((*ctx)->cfg);
    release(*ctx);
    *ctx = NULL;
    return CATERVA_SUCCEED;
}
