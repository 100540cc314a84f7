/**
 * @file schunk.h
 * Super-chunks: lists of compressed chunks, without an N-dimensional layer.
 *
 * A super-chunk is Blosc2's name for a list of chunks of bytes without an N-dimensional metalayer:
 * logs, records, columns. Each chunk is encoded by itself, and can be added, replaced, moved or
 * removed. A super-chunk is opened as a tess_array: storage, metalayers, attributes, commits,
 * checksums, checks and copies are those of arrays.
 *
 *     tess_schunk_create(&storage, &params, &a, &err);
 *     tess_schunk_insert(a, nchunks, items, size, &err);       at the end: append
 *     tess_array_close(a, &err);
 *
 * **Reading.** The contents of all chunks, concatenated, are read as an array of one dimension
 * (tess_array_read() and the like); tess_info.plain is true. tess_schunk_decode() reads one chunk,
 * also of an array. tess_array_chunk() gets the size of a chunk. A super-chunk opened with mode
 * TESS_MODE_UPDATE can be changed by the functions here, and by tess_array_set_chunk(); functions
 * that write items, or change a shape, return TESS_ERR_UNSUPPORTED.
 *
 * **Sizes.** Chunks may have any sizes. As long as all have the size of the first one, or that of
 * tess_schunk_set_chunksize(), save a last one that is shorter, c-blosc2 before 3.0 can read the
 * file. The first change that ends this ends
 * it for good, also if that chunk is removed later. Either all chunks of a super-chunk have blocks
 * of different sizes (tess_chunk_encode_blocks()), or none has. If the size of some chunk is not a
 * multiple of the typesize, the items of the handle are bytes (tess_info.typesize is 1).
 *
 * **Threads.** As for arrays (array.h): any number of threads may read; functions that change the
 * list of chunks, tess_array_set_chunk() among them, require exclusive access. One chunk is encoded
 * and decoded by as many threads as tess_context.threads allows.
 *
 * **Commits and failures.** As for arrays (array.h): a failed call leaves the super-chunk as it
 * was, unless only the automatic commit after the change failed. Before a call that failed is
 * repeated, compare tess_info.nchunks.
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
 *                 until the first tess_array_flush() or tess_array_close().
 * @param params   typesize or the size of dtype (the name of the type is not stored), codec,
 *                 codec_meta, clevel, filters, filters_meta, split, dictionary, metalayers and
 *                 layout. ndim is 0, or 1 to set the size of blocks: blockshape[0] items; 0 lets
 *                 the library choose for each chunk. shape and chunkshape are ignored.
 * @param a        Receives the super-chunk, or NULL on failure. Close it with tess_array_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_zeros().
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_create(const tess_storage *storage,
                                                       const tess_params *params, tess_array **a,
                                                       tess_error *err);

/**
 * Set the size that all chunks are to have, save a shorter last one, in place of that of the first
 * chunk: then the first may be the shorter last one, and be replaced by a longer one later. The
 * file records the size. A larger chunk makes it a super-chunk of chunks of different sizes.
 *
 * @param a    Super-chunk opened for writing, without chunks.
 * @param chunksize  Bytes, 1 to 2^31 - 33.
 * @param err  Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (chunksize below 1; it has chunks; not writable; a view; an
 *         array), TESS_ERR_LIMIT (chunksize is too large); else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_set_chunksize(tess_array *a, int64_t chunksize,
                                                              tess_error *err);

/**
 * Encode a chunk, and insert it.
 *
 * @param a      Super-chunk opened for writing.
 * @param n      Number that it gets, 0 <= n <= tess_info.nchunks; the chunks from n on move by one.
 *               At the end the cost does not depend on the number of chunks; elsewhere the list of
 *               chunks is copied.
 * @param items  Its content; the call encodes it, and keeps no pointer.
 * @param items_size  Size of items in bytes: 1 to 2^31 - 33.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (n is out of range; items_size is 0; not writable; a view; an
 *         array; blocks of the other chunks differ in size), TESS_ERR_LIMIT (items_size is too
 *         large, too many chunks), TESS_ERR_UNSUPPORTED (a codec or filter that this build cannot
 *         write); else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_insert(tess_array *a, int64_t n, const void *items,
                                                       size_t items_size, tess_error *err);

/**
 * Encode a chunk, and replace another by it. Their sizes may differ.
 *
 * @param a      Super-chunk opened for writing.
 * @param n      Number of the chunk that is replaced, 0 <= n < tess_info.nchunks.
 * @param items  Its new content, as in tess_schunk_insert().
 * @param items_size  Size of items in bytes: 1 to 2^31 - 33.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_schunk_insert().
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_update(tess_array *a, int64_t n, const void *items,
                                                       size_t items_size, tess_error *err);

/**
 * Insert a chunk that is encoded already. (tess_array_set_chunk() replaces one.)
 *
 * @param a      Super-chunk opened for writing.
 * @param n      Number that it gets, as in tess_schunk_insert().
 * @param chunk  Bytes of one chunk of Blosc2, of any size, typesize, codec and filters; copied.
 *               They are checked first as by tess_array_set_chunk(). Refused with TESS_ERR_ARG, in
 *               a super-chunk whose typesize exceeds 255: chunks of typesize 1 whose block size is
 *               larger than an item but no multiple of one, because readers round such block sizes
 *               to whole items. Also refused: TESS_FILTER_BYTEDELTA with meta 0, which means the
 *               typesize of the super-chunk, in a chunk of another typesize.
 * @param chunk_size  Size of the memory at chunk, in bytes. The header of the chunk records how
 *               many of them belong to it; more is fine.
 * @param trust  TESS_CHUNK_UNTRUSTED: all blocks are decoded as a check.
 * @param err    Filled on failure; may be NULL. The offset counts from the start of the chunk.
 *
 * @return as tess_array_set_chunk(); TESS_ERR_LIMIT (too many chunks).
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_insert_chunk(tess_array *a, int64_t n,
                                                             const void *chunk, size_t chunk_size,
                                                             tess_chunk_trust trust,
                                                             tess_error *err);

/**
 * Insert chunks that are zeros, NaNs, or were never written.
 *
 * They have no stored bytes, unless chunks of the super-chunk differ in size (other than a shorter
 * last one), or size is not a multiple of the typesize.
 *
 * @param a      Super-chunk opened for writing.
 * @param n      Number that the first one gets, as in tess_schunk_insert().
 * @param count  How many, >= 0; at the end of a list of such chunks, any number costs the same.
 * @param kind   TESS_CHUNK_ZEROS, TESS_CHUNK_NANS (whole items of 4 or 8 bytes) or
 *               TESS_CHUNK_UNINIT.
 * @param size   Uncompressed bytes of each chunk: 1 to 2^31 - 33.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_schunk_insert(); also TESS_ERR_ARG for another kind, and for NaNs of other items.
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_insert_special(tess_array *a, int64_t n,
                                                               int64_t count, tess_chunk_kind kind,
                                                               size_t size, tess_error *err);

/**
 * Remove chunks. The numbers of the chunks behind them go down by count.
 *
 * @param a      Super-chunk opened for writing.
 * @param n      Number of the first one, 0 <= n <= tess_info.nchunks.
 * @param count  How many, 0 <= count <= tess_info.nchunks - n.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_schunk_insert().
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_remove(tess_array *a, int64_t n, int64_t count,
                                                       tess_error *err);

/**
 * Put the chunks into another order. No stored bytes are read or written, unless a shorter last
 * chunk moves: then zeros, NaNs and chunks that were never written get stored bytes.
 *
 * @param a      Super-chunk opened for writing.
 * @param order  A permutation of 0 to count - 1: chunk order[i] becomes chunk i. May be NULL if
 *               count is 0.
 * @param count  Elements of order: tess_info.nchunks.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_schunk_insert(); TESS_ERR_ARG also if order is not a permutation.
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_reorder(tess_array *a, const int64_t *order,
                                                        int64_t count, tess_error *err);

/**
 * Decode a chunk of a super-chunk, or of an array.
 *
 * @param a     Open super-chunk or array; any number of threads may read at once.
 *              Cached blocks of an array are written back first.
 * @param n     Number of the chunk, 0 <= n < tess_info.nchunks.
 * @param dst   Receives its content; of an array, one block after the other with padding (chunk.h).
 *              Zeros, if it was never written.
 * @param dst_size  Size of dst in bytes, tess_chunk_info.nbytes at least. More is fine.
 * @param err   Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (n, a view as in chunk.h, dst is too small); else as
 *         tess_array_read(). After a failure dst is undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_schunk_decode(const tess_array *a, int64_t n, void *dst,
                                                       size_t dst_size, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
