/**
 * @file copy.h
 * Copying arrays: to another place, to another layout, several into one.
 *
 * The result is an independent array with the attributes and metalayers of the (first) source
 * array; if that is a view, the names of dimensions (dims.h) are those of its axes. Sources may be
 * views (view.h), except for tess_array_save() and tess_array_to_image().
 * Example: test/examples/copy.c.
 */
#ifndef TESSERA_COPY_H
#define TESSERA_COPY_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copy an array, uncommitted changes included, to a new file or directory, or behind other data in
 * a file.
 *
 * Chunks are copied as they are stored, without being decompressed; parameters and all metalayers
 * are copied, too. Unused space between the chunks of the source is not copied.
 *
 * An array that is open for reading may replace the file or directory that it is in. The handle
 * then goes on reading the old file; an old directory is removed, and reading it is TESS_ERR_STALE.
 *
 * @param a        Open array of any kind, with or without uncommitted changes. Cached blocks are
 *                 written back first; writes of other threads wait until the call returns.
 * @param storage  Where: a path, with TESS_MODE_NEW, TESS_MODE_REPLACE or TESS_MODE_APPEND; or a
 *                 source with `write`, with NEW or REPLACE, for TESS_LAYOUT_CONTIGUOUS. Plugins are
 *                 not needed.
 * @param layout   One file, or a directory.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK: the copy is as durable as storage->durability says; or TESS_ERR_ARG (also if
 *         storage is the place of the array itself and that is open for writing, or lies inside the
 *         array's directory), TESS_ERR_CORRUPT (a chunk of the array contradicts itself, or shares
 *         bytes with another), TESS_ERR_UNSUPPORTED (a frame from before c-blosc2 2.0 as a
 *         directory), TESS_ERR_STALE, TESS_ERR_IO, TESS_ERR_LIMIT, TESS_ERR_NOMEM. A failed call
 *         leaves no new file behind, and what existed as it was (but see tess_durability).
 */
TESS_API TESS_NODISCARD tess_status tess_array_save(const tess_array *a,
                                                    const tess_storage *storage, tess_layout layout,
                                                    tess_error *err);

/**
 * Copy an array to memory: a complete frame, identical to the content of a file.
 *
 * For an array in memory, tess_array_image() returns the array's own bytes without a copy.
 *
 * @param a      As for tess_array_save().
 * @param image  Receives the bytes; free them with tess_free(). NULL on failure.
 * @param image_size  Receives their number; 0 on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_array_save().
 */
TESS_API TESS_NODISCARD tess_status tess_array_to_image(const tess_array *a, void **image,
                                                        size_t *image_size, tess_error *err);

/**
 * Get the parameters of an array, to create another one with the same parameters.
 *
 * @param a       Open array, or a view.
 * @param params  Receives shapes, type, fill value, codec, filters, layout and layer; no
 *                metalayers. Of a view: only a codec and filters that work on its blocks, as in
 *                tess_array_copy(). dtype and fill point into the array, and are valid as long as
 *                the pointers of tess_array_info().
 * @param params_size  Size of *params in bytes: the macro passes sizeof(tess_params).
 */
TESS_API void tess_array_params_sized(const tess_array *a, tess_params *params, size_t params_size);
/** For programs in C and C++: tess_array_params_sized() with the size of their struct. */
#define tess_array_params(a, params) tess_array_params_sized((a), (params), sizeof(tess_params))

/**
 * Copy the items of an array to a new array with another layout, codec or byte order.
 *
 * Uses up to tess_context.memory of the new array's context (storage->context) for items in
 * transit; with less memory, more of the source is decoded twice. Chunks that do not change (same
 * shapes, codec, filters, type) are copied as they are stored. Regions of zeros, NaNs or one
 * repeated value that cover whole chunks become such chunks of the new array without being decoded:
 * an array of 2^50 bytes of zeros is copied at once. Items that were never written become zeros.
 *
 * @param a        Open array, or a view.
 * @param storage  Where, as for tess_array_zeros(); not the place of the array itself, if that is
 *                 open for writing.
 * @param params   Parameters of the new array. The shape is always the source's, and ndim may be 0;
 *                 metalayers given here are added to those of the source. dtype NULL: the source's;
 *                 otherwise the same type, in either byte order. params NULL: all parameters of the
 *                 source. Filters and a codec that depend on the shape of blocks may not work on
 *                 the blocks of a view: then the filters are omitted, and the default codec is
 *                 used.
 * @param copy     Receives the new array, open; close it with tess_array_close(). NULL: the new
 *                 array is closed before the call returns, and storage must have a path.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_array_read() of the array and tess_array_zeros(). A failed call
 *         leaves no file behind, and a file that existed as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_array_copy(const tess_array *a,
                                                    const tess_storage *storage,
                                                    const tess_params *params, tess_array **copy,
                                                    tess_error *err);

/**
 * Concatenate arrays along an axis. Attributes are those of the first array; items keep their
 * bytes, whatever the attributes of the others say of them.
 *
 * @param arrays   n open arrays, or views, with the same item type and the same shape in all other
 *                 axes. An array may be listed more than once. They are only read.
 * @param n        Number of arrays, >= 1.
 * @param axis     The axis along which the arrays follow each other.
 * @param storage  Where, as in tess_array_copy().
 * @param params   Parameters of the new array, as in tess_array_copy(). NULL: those of the first
 *                 array, with codec and filters changed if needed, as in tess_array_copy().
 * @param out      Receives the new array, open, or NULL: as in tess_array_copy().
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_copy(); TESS_ERR_ARG if the arrays do not fit together.
 */
TESS_API TESS_NODISCARD tess_status tess_array_concatenate(tess_array *const *arrays, int64_t n,
                                                           int axis, const tess_storage *storage,
                                                           const tess_params *params,
                                                           tess_array **out, tess_error *err);

/**
 * Stack arrays along a new axis.
 *
 * @param arrays   n open arrays, or views, with the same item type and shape. They are only read.
 * @param n        Number of arrays, >= 1: the length of the new axis.
 * @param axis     Position of the new axis, 0 <= axis <= ndim.
 * @param storage  Where, as in tess_array_copy().
 * @param params   Parameters of the new array, as in tess_array_copy(), with one dimension more.
 *                 NULL: those of the first array, with chunks and blocks chosen for the new shape,
 *                 and codec and filters changed if needed, as in tess_array_copy().
 * @param out      Receives the new array, open, or NULL: as in tess_array_copy().
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
