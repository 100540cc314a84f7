/*
 * create.h - new arrays: as a context describes them.
 */
#ifndef COMPAT_B2ND_CREATE_H
#define COMPAT_B2ND_CREATE_H

#include "b2nd/context.h"
#include "schunk/access.h"

#include <tessera/array.h>

// Make the array of the library; items and size are those of nd_create().
typedef tess_status nd_make_fn(const tess_storage *storage, const tess_params *params,
                               const void *items, size_t size, tess_array **a, tess_error *err);

// Create an array; *array becomes NULL on failure. Returns a code.
int nd_create(const b2nd_context_t *ctx, nd_make_fn *make, const void *items, int64_t size,
              b2nd_array_t **array);

// The array over a new one of the library, which then belongs to it, as does the caller's part of
// access; after a failure both are closed, and its file is removed. Returns a code.
int nd_wrap_new(tess_array *a, struct b2_access *access, const b2nd_context_t *ctx,
                b2nd_array_t **array);

#endif
