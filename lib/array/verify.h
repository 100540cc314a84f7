/*
 * verify.h - all stored chunks of an array, compared with their checksums and decoded.
 */
#ifndef ARRAY_VERIFY_H
#define ARRAY_VERIFY_H

#include "array/array.h"

#include <tessera/verify.h>

// Nothing waits in the cache, and a is no view.
tess_status array_verify(const tess_array *a, tess_damage_fn *fn, void *user, tess_verdict *verdict,
                         struct watch *watch, tess_error *err);

#endif
