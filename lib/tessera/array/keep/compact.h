/*
 * compact.h - a file or directory gives back the space that its array does not need.
 *
 * The array is opened for writing, so its lock is held meanwhile. One thread.
 */
#ifndef ARRAY_KEEP_COMPACT_H
#define ARRAY_KEEP_COMPACT_H

#include "base/error.h"

#include <tessera/storage.h>

#include <stdint.h>

// The array at storage->path. Its stored bytes before and after, which are set if it succeeds.
tess_status array_compact(const tess_storage *storage, int64_t *before, int64_t *after,
                          tess_error *err);

#endif
