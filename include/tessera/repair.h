/**
 * @file repair.h
 * Giving back space that an array does not need.
 */
#ifndef TESSERA_REPAIR_H
#define TESSERA_REPAIR_H

#include "tessera/storage.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Make a file or directory as small as its last commit is.
 *
 * Overwriting leaves holes, which later writes fill; what is left is at most a quarter of the live
 * data. This gives it back, and what programs left that died, or that know no holes. Chunks stay as
 * they are stored, nothing is decompressed.
 *
 * Of a file, the last commit is written to a new one beside it, side by side in the order of the
 * chunks, which takes its name and permissions when all of it is on the disk; before that the old
 * one is untouched, so there must be room for both. Other names of the old file (hard links) keep
 * it. If the new one would not be smaller, the old one stays. In a directory, files that the last
 * commit does not need are removed, and chunks in files longer than they are move to new ones.
 *
 * While it runs no other program can open the array for writing. Who has a file open for reading
 * goes on reading what stood there, until tess_array_refresh(); of a directory too, or is told
 * TESS_ERR_STALE.
 *
 * @param storage  path, durability, checksums, limits and context count: TESS_DURABILITY_NONE
 *                 trusts the machine not to crash. A path, no image, no offset and no mmap. The
 *                 progress that context->progress hears is in bytes of items; it may cancel.
 * @param before   Receives the size of the file, or of all files of the directory, in bytes. NULL:
 *                 not wanted.
 * @param after    Receives the size now. NULL: not wanted.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_array_open() with TESS_MODE_UPDATE; TESS_ERR_CORRUPT if chunks are
 * not what their checksums say, or share bytes; TESS_ERR_UNSUPPORTED if another frame stands behind
 * this one in the file; TESS_ERR_STALE if another program that knows no locks changed it meanwhile;
 * TESS_ERR_IO, TESS_ERR_CANCELLED. After a failure, as after a crash at any moment, the array is
 * what it was, and can be opened.
 */
TESS_API TESS_NODISCARD tess_status tess_compact(const tess_storage *storage, int64_t *before,
                                                 int64_t *after, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
