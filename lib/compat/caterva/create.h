/*
 * create.h - new arrays.
 */
#ifndef COMPAT_CATERVA_CREATE_H
#define COMPAT_CATERVA_CREATE_H

#include "caterva/array.h"

// Create an array; items and size are those of cat_backend.create. *array becomes NULL on failure.
// Returns a code of Caterva.
int cat_create(const caterva_ctx_t *ctx, const caterva_params_t *params,
               const caterva_storage_t *storage, enum cat_content content, const void *items,
               int64_t size, caterva_array_t **array);

#endif
