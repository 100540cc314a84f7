/*
 * compact.h - a file or directory gives back the space that its array does not need; and the header
 * of a state against the copy that its commit kept.
 *
 * To compact, the array is opened for writing, so its lock is held meanwhile. One thread. The copy
 * is read from the ledger on the disk; nothing is kept, and no lock is taken.
 */
#ifndef ARRAY_KEEP_COMPACT_H
#define ARRAY_KEEP_COMPACT_H

#include "array/array.h"
#include "base/error.h"

#include <tessera/storage.h>

#include <stdint.h>

// The array at storage->path. Its stored bytes before and after, which are set if it succeeds.
tess_status array_compact(const tess_storage *storage, int64_t *before, int64_t *after,
                          tess_error *err);

// A sentence with both readings of what differs, of an array whose header was changed since it was
// committed. *err gets it, as TESS_ERR_CORRUPT; other failures are those of reading the ledger.
tess_status sealed_header_compare(const tess_array *a, tess_error *err);

#endif
