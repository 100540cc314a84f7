/**
 * @file meta.h
 * Named bytes attached to an array.
 *
 * Two kinds. *Metalayers* stand in the header of the frame: they are given when the array is
 * created (tess_params.metalayers), and their content can later be replaced by one of the same
 * size. *Variable-length metalayers* can be set and removed at any time and have any size.
 * Changes are committed with those of the array.
 *
 * Two metalayers are the library's, and are not among them: the fixed one that holds the fill value
 * (`tess_fill`; tess_info.fill shows it), and the variable-length one that holds the checksums
 * (`_tess`; storage.h). Asked for by name they are not there; they cannot be set.
 *
 * The content is up to the program; by convention it is msgpack. attr.h has functions for that.
 *
 * Any number of threads may read metalayers at once, while none changes them. In all functions err
 * is filled on failure, and may be NULL. Those that change an array are TESS_ERR_ARG if it was
 * opened for reading only; after a failure the metalayer is as it was.
 */
#ifndef TESSERA_META_H
#define TESSERA_META_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A metalayer, by position.
 *
 * @param a      Open array.
 * @param index  0 <= index < tess_info.nmetalayers, in the order of the file.
 * @param layer  Receives name and content; they belong to the array and stay until it is closed
 *               or refreshed, or the layer is set.
 * @return TESS_OK, or TESS_ERR_ARG if there is no such index.
 */
TESS_API TESS_NODISCARD tess_status tess_meta_at(const tess_array *a, int index,
                                                 tess_metalayer *layer, tess_error *err);

/** A metalayer, by name; TESS_ERR_ARG if there is none. As tess_meta_at() otherwise. */
TESS_API TESS_NODISCARD tess_status tess_meta_get(const tess_array *a, const char *name,
                                                  tess_metalayer *layer, tess_error *err);

/**
 * Replace the content of a metalayer by one of the same size.
 *
 * @param a        Array opened for writing.
 * @param name     A metalayer that exists, not the N-dimensional one or that of the fill value.
 * @param content  The new bytes; copied. May be NULL if size is 0.
 * @param size     Must be the size of the old content.
 * @return TESS_OK, or TESS_ERR_ARG, TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_meta_set(tess_array *a, const char *name,
                                                  const void *content, size_t size,
                                                  tess_error *err);

/**
 * Name of a variable-length metalayer, by position; it belongs to the array, and stays until one
 * is added or deleted, or the array is refreshed.
 *
 * @param index  0 <= index < tess_info.nvlmetalayers.
 * @return NULL if there is no such index.
 */
TESS_API const char *tess_vlmeta_name(const tess_array *a, int index);

/**
 * Content of a variable-length metalayer.
 *
 * @param a        Open array.
 * @param name     Its name.
 * @param content  Receives the bytes, to be freed with tess_free(); NULL when there are none, and
 *                 on failure.
 * @param size     Receives their number.
 * @return TESS_OK, or TESS_ERR_ARG (no such name), TESS_ERR_CORRUPT, TESS_ERR_NOMEM,
 *         TESS_ERR_LIMIT (tess_limits.memory).
 */
TESS_API TESS_NODISCARD tess_status tess_vlmeta_get(const tess_array *a, const char *name,
                                                    void **content, size_t *size, tess_error *err);

/**
 * Add or replace a variable-length metalayer.
 *
 * @param a        Array opened for writing.
 * @param name     1 to TESS_MAX_NAME bytes; not `_tess`, in which the library keeps checksums
 *                 (storage.h, tess_checksums). With 16 others none are written.
 * @param content  The bytes; copied. May be NULL if size is 0.
 * @param size     Their number, below 2^31 - 64.
 * @return TESS_OK, or TESS_ERR_ARG, TESS_ERR_NOMEM, TESS_ERR_LIMIT (a 17th one: c-blosc2 could
 *         no longer change the file).
 */
TESS_API TESS_NODISCARD tess_status tess_vlmeta_set(tess_array *a, const char *name,
                                                    const void *content, size_t size,
                                                    tess_error *err);

/** Remove a variable-length metalayer; TESS_ERR_ARG if there is none of that name. */
TESS_API TESS_NODISCARD tess_status tess_vlmeta_delete(tess_array *a, const char *name,
                                                       tess_error *err);

/** Free memory of which a function here or in attr.h says so. NULL is fine. */
TESS_API void tess_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
