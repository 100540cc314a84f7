/*
 * recipe.h - how arrays are created: contexts, parameters and storage of Caterva as a context of
 * b2nd.h.
 */
#ifndef COMPAT_CATERVA_RECIPE_H
#define COMPAT_CATERVA_RECIPE_H

#include "caterva/array.h"

struct cat_recipe {
    blosc2_cparams cparams;
    blosc2_dparams dparams;
    blosc2_storage storage;
    b2nd_context_t *nd; // refers to the others
};

// Returns a code of Caterva; on success end it by cat_recipe_finish().
int cat_recipe_init(struct cat_recipe *r, const caterva_ctx_t *ctx, const caterva_params_t *params,
                    const struct cat_storage *storage);
void cat_recipe_finish(struct cat_recipe *r);

#endif
