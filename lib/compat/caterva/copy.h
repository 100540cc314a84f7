/*
 * copy.h - new arrays from arrays.
 */
#ifndef COMPAT_CATERVA_COPY_H
#define COMPAT_CATERVA_COPY_H

#include "caterva/array.h"

// caterva_get_slice(), whose signature differs between the states of Caterva.
int cat_get_slice(caterva_ctx_t *ctx, caterva_array_t *src, const int64_t *start,
                  const int64_t *stop, const caterva_storage_t *storage, caterva_array_t **array);

#endif
