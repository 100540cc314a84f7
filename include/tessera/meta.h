/**
 * @file meta.h
 * Metalayers: named bytes attached to an array.
 *
 * There are two kinds. *Fixed metalayers* are in the header of the frame: they are given when the
 * array is created (tess_params.metalayers), and later their content can only be replaced by one of
 * the same size. *Variable-length metalayers* can be set and deleted at any time and have any size.
 * Changes are committed together with those of the items.
 *
 * Two metalayers belong to the library and are hidden: the fixed one that holds the fill value
 * (`tess_fill`; see tess_info.fill), and the variable-length one that leads to the checksums
 * (`_tess`; storage.h). The functions here treat their names as missing, and cannot set them.
 *
 * The content is up to the program; by convention it is msgpack, for which attr.h has functions.
 *
 * Threads: any number of threads may read metalayers at once, also while others read items. Setting
 * and deleting changes the array and requires exclusive access (array.h). In all functions err is
 * filled on failure and may be NULL. Functions that change an array return TESS_ERR_ARG if the
 * array was opened for reading; after a failure the metalayer is as it was.
 */
#ifndef TESSERA_META_H
#define TESSERA_META_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Get a fixed metalayer by position.
 *
 * @param a      Open array.
 * @param index  0 <= index < tess_info.nmetalayers, in the order of the file.
 * @param layer  Receives name and content. They belong to the array, and are valid until it is
 *               closed or refreshed, or the layer is set.
 * @param err    Filled on failure; may be NULL.
 * @return TESS_OK, or TESS_ERR_ARG if there is no such index.
 */
TESS_API TESS_NODISCARD tess_status tess_meta_at(const tess_array *a, int index,
                                                 tess_metalayer *layer, tess_error *err);

/**
 * Get a fixed metalayer by name.
 *
 * @param a      Open array.
 * @param name   Its name.
 * @param layer  Receives name and content, as in tess_meta_at().
 * @param err    Filled on failure; may be NULL.
 * @return TESS_OK, or TESS_ERR_NOT_FOUND if it does not exist.
 */
TESS_API TESS_NODISCARD tess_status tess_meta_get(const tess_array *a, const char *name,
                                                  tess_metalayer *layer, tess_error *err);

/**
 * Replace the content of a fixed metalayer by one of the same size.
 *
 * @param a        Array opened for writing.
 * @param name     An existing metalayer, except the N-dimensional one and that of the fill value.
 * @param content  The new bytes; copied. May be NULL if there are none.
 * @param content_size  Their number: that of the old content.
 * @param err      Filled on failure; may be NULL.
 * @return TESS_OK, or TESS_ERR_NOT_FOUND, TESS_ERR_ARG, TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_meta_set(tess_array *a, const char *name,
                                                  const void *content, size_t content_size,
                                                  tess_error *err);

/**
 * Get the name of a variable-length metalayer by position. It belongs to the array, and is valid
 * until a variable-length metalayer is added or deleted, or the array is refreshed or closed.
 *
 * @param a      Open array.
 * @param index  0 <= index < tess_info.nvlmetalayers.
 * @return the name; NULL if there is no such index.
 */
TESS_API const char *tess_vlmeta_name(const tess_array *a, int index);

/**
 * Get a copy of the content of a variable-length metalayer.
 *
 * @param a        Open array.
 * @param name     Its name.
 * @param content  Receives the bytes; free them with tess_free(). NULL if there are none, and on
 *                 failure.
 * @param content_size  Receives their number.
 * @param err      Filled on failure; may be NULL.
 * @return TESS_OK, or TESS_ERR_NOT_FOUND (no such name), TESS_ERR_CORRUPT, TESS_ERR_NOMEM,
 *         TESS_ERR_LIMIT (tess_limits.memory).
 */
TESS_API TESS_NODISCARD tess_status tess_vlmeta_get(const tess_array *a, const char *name,
                                                    void **content, size_t *content_size,
                                                    tess_error *err);

/**
 * Add or replace a variable-length metalayer.
 *
 * @param a        Array opened for writing.
 * @param name     1 to TESS_MAX_NAME bytes; not `_tess`, which the library needs for checksums
 *                 (storage.h, tess_checksums).
 * @param content  The bytes; copied. May be NULL if there are none.
 * @param content_size  Their number, below 2^31 - 64.
 * @param err      Filled on failure; may be NULL.
 * @return TESS_OK, or TESS_ERR_ARG, TESS_ERR_NOMEM, TESS_ERR_LIMIT (a 17th one in a file or
 *         directory, which c-blosc2 could no longer change; an 8193rd one in memory).
 */
TESS_API TESS_NODISCARD tess_status tess_vlmeta_set(tess_array *a, const char *name,
                                                    const void *content, size_t content_size,
                                                    tess_error *err);

/**
 * Delete a variable-length metalayer.
 *
 * @param a     Array opened for writing.
 * @param name  Its name.
 * @param err   Filled on failure; may be NULL.
 * @return TESS_OK, or TESS_ERR_NOT_FOUND if it does not exist, TESS_ERR_ARG, TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_vlmeta_delete(tess_array *a, const char *name,
                                                       tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
