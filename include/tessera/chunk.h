/**
 * @file chunk.h
 * Properties of the chunks and blocks of an array, as they are stored.
 *
 * For tools, and for plain frames whose chunks or blocks differ in size (each of them is then
 * usually one record of the program that wrote it).
 */
#ifndef TESSERA_CHUNK_H
#define TESSERA_CHUNK_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the content of a chunk is stored. */
typedef enum tess_chunk_kind {
    TESS_CHUNK_BLOCKS = 0, /**< blocks, filtered and compressed */
    TESS_CHUNK_PLAIN = 1, /**< the bytes, uncompressed and unfiltered */
    TESS_CHUNK_ZEROS = 2, /**< all bytes are zero */
    TESS_CHUNK_NANS = 3, /**< all items are NaN */
    TESS_CHUNK_VALUE = 4, /**< one item, repeated */
    TESS_CHUNK_UNINIT = 5 /**< never written */
} tess_chunk_kind;

/** One chunk. */
typedef struct tess_chunk_info {
    tess_chunk_kind kind; /**< how its content is stored */
    bool stored; /**< has stored bytes; false: its index entry alone describes it */
    /** In plain frames the index of its first item; in arrays 0 (see tess_info.chunkshape). */
    int64_t offset;
    int64_t nbytes; /**< uncompressed, padding included */
    int64_t cbytes; /**< stored bytes, header included; 0 if not stored */
    int32_t nblocks; /**< number of blocks; 0 for all kinds but BLOCKS */
    /** Uncompressed bytes of each block but the last; 0: blocks differ in size, or are missing. */
    int32_t blocksize;
    int codec; /**< id, for BLOCKS only; LZ4HC is recorded as LZ4 */
    uint8_t filters[TESS_MAX_FILTERS]; /**< ids, for BLOCKS only */
    uint8_t filters_meta[TESS_MAX_FILTERS]; /**< one parameter byte per filter */
    /**
     * Blocks are split into one stream per byte of an item, except a shorter last block. False for
     * items of one byte. Also true for some chunks of Blosc 1 whose blocks are not split, because
     * Blosc 1 did not always record it.
     */
    bool split;
    int32_t dictionary_size; /**< bytes of the chunk's dictionary; 0: none */
} tess_chunk_info;

/**
 * Get the properties of a chunk. Reads its header and tables, but no block.
 *
 * @param a      Open array. Cached blocks are written back first.
 * @param n      Number of the chunk, 0 <= n < tess_info.nchunks; in arrays, in C order of the grid.
 * @param info   Filled on success.
 * @param info_size  Size of *info in bytes: the macro passes sizeof(tess_chunk_info).
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, TESS_ERR_ARG, or as tess_array_read(). After a failure *info is undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_array_chunk_sized(const tess_array *a, int64_t n,
                                                           tess_chunk_info *info, size_t info_size,
                                                           tess_error *err);
/** For programs in C and C++: tess_array_chunk_sized() with the size of their struct. */
#define tess_array_chunk(a, n, info, err) \
    tess_array_chunk_sized((a), (n), (info), sizeof(tess_chunk_info), (err))

/**
 * Get the uncompressed sizes of a chunk's blocks, in bytes; their sum is tess_chunk_info.nbytes. No
 * block is decoded.
 *
 * @param a       Open array, as for tess_array_chunk().
 * @param n       Number of the chunk, as in tess_array_chunk().
 * @param sizes   Receives tess_chunk_info.nblocks sizes. May be NULL if that is 0.
 * @param count   Room of sizes, in elements; at least tess_chunk_info.nblocks (TESS_ERR_ARG
 *                otherwise). More than needed is fine.
 * @param err     Filled on failure; may be NULL.
 *
 * @return as tess_array_chunk(). After a failure sizes is undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_array_chunk_blocks(const tess_array *a, int64_t n,
                                                            int32_t *sizes, size_t count,
                                                            tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
