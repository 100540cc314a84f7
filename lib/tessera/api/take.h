/*
 * take.h - what programs give in structs: completed, and checked as far as every call asks for it.
 *
 * Structs of the program may be those of another release (base/sized.h). The library works on
 * copies of its own, which live as long as the call.
 */
#ifndef API_TAKE_H
#define API_TAKE_H

#include "base/error.h"

#include <tessera/params.h>
#include <tessera/storage.h>

#include <stdbool.h>

struct taken_storage {
    tess_storage storage; // its context and source are those below, or NULL
    tess_context context; // its executor is the one below, or NULL
    tess_executor executor;
    tess_source source; // as the storage has it
};

// given NULL: the defaults. The executor of the context is copied, too.
tess_status take_context(tess_context *own, tess_executor *executor, const tess_context *given,
                         tess_error *err);
// A path of a store is refused.
tess_status take_storage(struct taken_storage *own, const tess_storage *given, tess_error *err);
// For an array that is to be made, also in a store. plain: a super-chunk.
tess_status take_target(struct taken_storage *own, const tess_storage *given, bool plain,
                        tess_error *err);
// For one that is opened: the store of storage is as it was given.
tess_status take_storage_or_store(struct taken_storage *own, const tess_storage *given,
                                  tess_error *err);
tess_status take_params(tess_params *own, const tess_params *given, tess_error *err);

#endif
