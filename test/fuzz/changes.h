/*
 * changes.h - the life of an array that a stranger wrote: opened for writing, changed, committed,
 * opened again.
 */
#ifndef FUZZ_CHANGES_H
#define FUZZ_CHANGES_H

#include "fuzz/fuzz.h"

#include <tessera.h>

// The decisions, `size` bytes, say what is done. Returns what the first opening did.
tess_status change_array(const tess_storage *storage, const uint8_t *decisions, size_t size);

#endif
