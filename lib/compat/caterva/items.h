/*
 * items.h - axes without items to choose from.
 */
#ifndef COMPAT_CATERVA_ITEMS_H
#define COMPAT_CATERVA_ITEMS_H

#include "caterva/array.h"

// caterva_squeeze_index(), whose signature differs between the states of Caterva.
int cat_squeeze(const caterva_ctx_t *ctx, caterva_array_t *array, const bool *index);

#endif
