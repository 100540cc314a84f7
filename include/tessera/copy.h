/**
 * @file copy.h
 * Arrays to another place.
 */
#ifndef TESSERA_COPY_H
#define TESSERA_COPY_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write an array, as it reads now, to a new file or directory, or behind other data in a file.
 *
 * Chunks are copied as they are stored, nothing is decompressed; parameters and all metalayers go
 * with them. What others left unused between the chunks does not.
 *
 * An array that is open for reading may replace the file or directory it is in. From a file it goes
 * on reading what stood there; its directory is gone, and reading it is TESS_ERR_STALE.
 *
 * @param a        Open array, of any kind that can be opened, with changes that are not committed
 *                 yet or not. If it is open for writing, the call needs it for itself: blocks that
 *                 wait in its cache (tess_context.cache) are encoded first.
 * @param storage  Where: a path, with TESS_MODE_NEW, TESS_MODE_REPLACE or TESS_MODE_APPEND. Plugins
 *                 are not needed.
 * @param layout   One file, or a directory.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK: the copy is as durable as storage->durability says; or TESS_ERR_ARG (also for
 *         the place of the array itself, if that is open for writing, and for files inside its
 *         directory), TESS_ERR_CORRUPT (a chunk of the array contradicts itself, or shares bytes
 *         with another), TESS_ERR_UNSUPPORTED (a frame from before c-blosc2 2.0 as a directory),
 *         TESS_ERR_STALE, TESS_ERR_IO, TESS_ERR_LIMIT, TESS_ERR_NOMEM. A failed call leaves nothing
 *         behind, and what existed as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_array_save(tess_array *a, const tess_storage *storage,
                                                    tess_layout layout, tess_error *err);

/**
 * The same into memory: a complete frame, as it would stand in a file.
 *
 * For an array in memory, tess_array_image() gives its own bytes without a copy.
 *
 * @param a      As for tess_array_save().
 * @param image  Receives the bytes; end them with tess_image_free(). NULL on failure.
 * @param size   Receives their number; 0 on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_array_save().
 */
TESS_API TESS_NODISCARD tess_status tess_array_to_image(tess_array *a, void **image, size_t *size,
                                                        tess_error *err);

/** End the bytes of tess_array_to_image(). NULL is fine. */
TESS_API void tess_image_free(void *image);

#ifdef __cplusplus
}
#endif

#endif
