/*
 * storage.h - what any call asks of a storage and a context, before it uses them.
 */
#ifndef API_STORAGE_H
#define API_STORAGE_H

#include "base/error.h"

#include <tessera/storage.h>

tess_status check_context(const tess_context *context, tess_error *err);

// Of the context in it, too.
tess_status check_storage(const tess_storage *storage, tess_error *err);

#endif
