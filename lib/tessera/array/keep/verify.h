/*
 * verify.h - all stored chunks of an array, compared with their checksums and decoded.
 *
 * A chunk is a grain. Workers open, compare and decode it with a scratch of their own, without a
 * lock; they write to their grain only. In the job, fn and the verdict are touched in finish, by
 * one thread at a time and in the order of the chunks; before and after it, by the calling thread.
 */
#ifndef ARRAY_KEEP_VERIFY_H
#define ARRAY_KEEP_VERIFY_H

#include "array/array.h"

#include <tessera/verify.h>

// Nothing waits in the cache, and a is no view.
tess_status array_verify(const tess_array *a, tess_damage_fn *fn, void *user, tess_verdict *verdict,
                         struct watch *watch, tess_error *err);

#endif
