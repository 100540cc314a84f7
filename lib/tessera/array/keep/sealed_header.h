/*
 * sealed_header.h - the header of a state against the copy that its commit kept, in words.
 *
 * Reads the ledger from the disk, on the calling thread; nothing is kept, and no lock is taken.
 */
#ifndef ARRAY_KEEP_SEALED_HEADER_H
#define ARRAY_KEEP_SEALED_HEADER_H

#include "array/array.h"

// A sentence with both readings of what differs, of an array whose header was changed since it was
// committed. *err gets it, as TESS_ERR_CORRUPT; other failures are those of reading the ledger.
tess_status sealed_header_compare(const tess_array *a, tess_error *err);

#endif
