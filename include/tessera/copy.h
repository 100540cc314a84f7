/**
 * @file copy.h
 * Arrays to another place, in another layout, several into one.
 *
 * What is made here is an array of its own, with the attributes and metalayers of the (first) array
 * it comes from. Sources may be views (view.h), but for tess_array_save() and
 * tess_array_to_image(). test/examples/copy.c is a complete program.
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
 *         behind, and what existed as it was (but see tess_durability).
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

/**
 * Describe how an array is made, so that another one can be made like it.
 *
 * @param a       Open array, or a view.
 * @param params  Receives shapes, type, fill value, codec, filters, layout and layer; no
 *                metalayers. dtype and fill point into the array.
 */
TESS_API void tess_array_params(const tess_array *a, tess_params *params);

/**
 * Copy the items of an array to a new one, of another layout, with another codec, in another byte
 * order.
 *
 * Needs tess_context.memory of the new array's context (storage->context) for items on their way,
 * and with less decodes more of the source twice. Chunks that stay as they are (same shapes, codec,
 * filters, type) are copied as they are stored. Zeros, NaNs and one value over whole chunks become
 * such chunks of the new array without being decoded: an array of 2^50 bytes of zeros is copied at
 * once. What was never written becomes zeros.
 *
 * @param a        Open array, or a view. If it is open for writing, the call needs it for itself.
 * @param storage  Where, as for tess_array_zeros(); not the place of the array itself, if that is
 *                 open for writing.
 * @param params   What the new array is like. The shape is the array's; ndim may be 0, and what is
 *                 said of metalayers adds to those of the array. dtype NULL: the array's; else the
 *                 same type, in either byte order. NULL: all as it is.
 * @param copy     Receives the new array, open; end it with tess_array_close(). NULL: only its
 *                 file is wanted.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_array_read() of the array and tess_array_zeros(). A failed call
 *         leaves no file behind, and a file that existed as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_array_copy(tess_array *a, const tess_storage *storage,
                                                    const tess_params *params, tess_array **copy,
                                                    tess_error *err);

/**
 * One array of several, side by side along an axis.
 *
 * @param arrays   n open arrays, or views, with the same items and, in all other axes, the same
 *                 shape. One may stand there more than once.
 * @param n        How many, >= 1.
 * @param axis     The axis along which they follow each other.
 * @param storage  Where, as in tess_array_copy().
 * @param params   What the new array is like, as there. NULL: as the first one.
 * @param out      Receives the new array, open. NULL: only its file is wanted.
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_copy(); TESS_ERR_ARG if the arrays do not fit together.
 */
TESS_API TESS_NODISCARD tess_status tess_array_concatenate(tess_array *const *arrays, int64_t n,
                                                           int axis, const tess_storage *storage,
                                                           const tess_params *params,
                                                           tess_array **out, tess_error *err);

/**
 * One array of several, side by side along a new axis.
 *
 * @param arrays   n open arrays, or views, with the same items and shape.
 * @param n        How many, >= 1: the length of the new axis.
 * @param axis     Where the new axis is, 0 <= axis <= ndim.
 * @param storage  Where, as in tess_array_copy().
 * @param params   What the new array is like, as there, with one dimension more. NULL: as the first
 *                 array, with chunks and blocks chosen for the new shape.
 * @param out      Receives the new array, open. NULL: only its file is wanted.
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_concatenate().
 */
TESS_API TESS_NODISCARD tess_status tess_array_stack(tess_array *const *arrays, int64_t n, int axis,
                                                     const tess_storage *storage,
                                                     const tess_params *params, tess_array **out,
                                                     tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
