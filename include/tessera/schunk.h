/**
 * @file schunk.h
 * Super-chunks: lists of compressed chunks, without an N-dimensional layer.
 *
 * A super-chunk is what Blosc2 calls a frame that has chunks of bytes and nothing that says where
 * they belong: logs, records, columns. Each chunk is encoded by itself, and can be added, replaced,
 * moved or removed. A tess_array handle stands for it: storage, metalayers, attributes, commits,
 * checksums, checks and copies are those of arrays.
 *
 *     tess_schunk_create(&storage, &params, &a, &err);
 *     tess_schunk_insert(a, nchunks, items, size, &err);       at the end: append
 *     tess_array_close(a, &err);
 *
 * **Reading.** The content of all chunks, one behind the other, is an array of one dimension
 * (tess_array_read() and the like); tess_info.plain is true. tess_schunk_decode() reads one chunk,
 * also of an array. Sizes of chunks: tess_array_chunk(). A super-chunk opened with mode
 * TESS_MODE_UPDATE can be changed by the functions here, and by tess_array_set_chunk(); functions
 * that write items, or change a shape, return TESS_ERR_UNSUPPORTED.
 *
 * **Sizes.** The first chunk decides the size of all. Chunks of other sizes are possible anywhere:
 * as long as only the last is shorter, older readers can read the file; with others, c-blosc2
 * before 3.0 cannot. Blocks of different sizes (tess_chunk_encode_blocks()) are those of all chunks
 * or of none. If a chunk holds no whole items, the items of the handle are bytes
 * (tess_info.typesize is 1).
 *
 * **Threads.** As for arrays (array.h): any number of threads may read; functions that change the
 * list of chunks require exclusive access. One chunk is encoded and decoded by as many threads as
 * tess_context.threads allows.
 *
 * In all functions here err is filled on failure and may be NULL, and a failed call leaves the
 * super-chunk as it was. Changes are committed as those of arrays.
 */
#ifndef TESSERA_SCHUNK_H
#define TESSERA_SCHUNK_H

#include "tessera/array.h"
#include "tessera/chunk.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Create a super-chunk without chunks, and open it for reading and writing.
 *
 * @param storage  As for tess_array_zeros(). With TESS_MODE_REPLACE, what is at the path stays
 * until the first tess_array_flush() or tess_array_close().
 * @param params   typesize or the size of dtype (the name of the type is not stored), codec,
 *                 codec_meta, clevel, filters, filters_meta, split, dictionary, metalayers and
 *                 layout. ndim is 0; or 1, and blockshape[0] is the number of items of a block: 0
 *                 has one chosen for each chunk. Shapes do not count.
 * @param a        Receives the super-chunk, or NULL on failure. Close it with tess_array_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_zeros().
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_create(const tess_storage *storage,
                                                       const tess_params *params, tess_array **a,
                                                       tess_error *err);

/**
 * Encode a chunk, and insert it.
 *
 * @param a      Super-chunk opened for writing.
 * @param n      Its place, 0 <= n <= tess_info.nchunks; those from there on move by one. At the end
 *               the costs do not depend on how many chunks there are; elsewhere the list is copied.
 * @param items  Its content.
 * @param items_size  Bytes of it; at least 1, less than 2 GiB.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (n, items_size, not writable, a view, an array), TESS_ERR_LIMIT
 * (too large, too many chunks), TESS_ERR_UNSUPPORTED (a codec or filter that this build cannot
 *         write); else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_insert(tess_array *a, int64_t n, const void *items,
                                                       size_t items_size, tess_error *err);

/**
 * Encode a chunk, and replace another by it. Their sizes may differ.
 *
 * @param a      Super-chunk opened for writing.
 * @param n      The place, 0 <= n < tess_info.nchunks.
 * @param items  Its content.
 * @param items_size  Bytes of it; at least 1, less than 2 GiB.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_schunk_insert().
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_update(tess_array *a, int64_t n, const void *items,
                                                       size_t items_size, tess_error *err);

/**
 * Insert a chunk that is encoded. To replace one by it: tess_array_set_chunk().
 *
 * @param a      Super-chunk opened for writing.
 * @param n      Its place, as in tess_schunk_insert().
 * @param chunk  Bytes of one chunk of Blosc2, of any size, item size and coding. Copied, and
 * checked first as by tess_array_set_chunk().
 * @param chunk_size  Bytes of memory at chunk, which records how many of them it has; more is fine.
 * @param trust  Whether all blocks are decoded as a check.
 * @param err    Filled on failure; may be NULL. The offset counts from the start of the chunk.
 *
 * @return as tess_array_set_chunk(); TESS_ERR_LIMIT (too many chunks).
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_insert_chunk(tess_array *a, int64_t n,
                                                             const void *chunk, size_t chunk_size,
                                                             tess_chunk_trust trust,
                                                             tess_error *err);

/**
 * Insert chunks that are zeros, NaNs, or were never written, and take no space while sizes do not
 * differ.
 *
 * @param a      Super-chunk opened for writing.
 * @param n      Place of the first, as in tess_schunk_insert().
 * @param count  How many, >= 0; at the end of a list of such chunks, any number costs the same.
 * @param kind   TESS_CHUNK_ZEROS, TESS_CHUNK_NANS (items of 4 or 8 bytes) or TESS_CHUNK_UNINIT.
 * @param size   Bytes of each; at least 1, less than 2 GiB.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_schunk_insert(); also TESS_ERR_ARG for another kind.
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_insert_special(tess_array *a, int64_t n,
                                                               int64_t count, tess_chunk_kind kind,
                                                               size_t size, tess_error *err);

/**
 * Remove chunks.
 *
 * @param a      Super-chunk opened for writing.
 * @param n      The first, 0 <= n <= tess_info.nchunks.
 * @param count  How many, 0 <= count <= tess_info.nchunks - n.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_schunk_insert().
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_remove(tess_array *a, int64_t n, int64_t count,
                                                       tess_error *err);

/**
 * Put the chunks into another order. No chunk is read or written.
 *
 * @param a      Super-chunk opened for writing.
 * @param order  Place i gets the chunk that was in place order[i]; each of them once.
 * @param count  Elements of order: tess_info.nchunks.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_schunk_insert(); TESS_ERR_ARG also if order is none.
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_reorder(tess_array *a, const int64_t *order,
                                                        int64_t count, tess_error *err);

/**
 * Decode a chunk of a super-chunk, or of an array.
 *
 * @param a     Open super-chunk or array, not a view; any number of threads may read at once.
 *              Cached blocks of an array are written back first.
 * @param n     Number of the chunk, 0 <= n < tess_info.nchunks.
 * @param dst   Receives its content; of an array, one block after the other with padding (chunk.h).
 *              Zeros, if it was never written.
 * @param dst_size  Size of dst in bytes, tess_chunk_info.nbytes at least. More is fine.
 * @param err   Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (n, a view, dst is too small); else as tess_array_read(). After
 * a failure dst is undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_decode(const tess_array *a, int64_t n, void *dst,
                                                       size_t dst_size, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
