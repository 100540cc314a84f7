/**
 * @file chunk.h
 * What an array is made of: its chunks and their blocks, as they are stored.
 *
 * For tools, and for plain frames whose chunks or blocks have sizes of their own (each of them then
 * usually is one record of the program that wrote them).
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
    TESS_CHUNK_PLAIN = 1, /**< the bytes as they are */
    TESS_CHUNK_ZEROS = 2, /**< nothing but zeros */
    TESS_CHUNK_NANS = 3, /**< nothing but NaNs */
    TESS_CHUNK_VALUE = 4, /**< one item, repeated */
    TESS_CHUNK_UNINIT = 5 /**< never written */
} tess_chunk_kind;

/** One chunk. */
typedef struct tess_chunk_info {
    tess_chunk_kind kind; /**< how its content is stored */
    bool stored; /**< has bytes of its own; false: an entry of the index says it all */
    /** Its first item, in plain frames; 0 in arrays, where tess_info.chunkshape says it. */
    int64_t offset;
    int64_t nbytes; /**< uncompressed, padding included */
    int64_t cbytes; /**< as stored, its header included; 0 if it is not */
    int32_t nblocks; /**< 0 where there are none: all kinds but BLOCKS */
    /** Uncompressed bytes of all blocks but the last; 0: they differ, or there are none. */
    int32_t blocksize;
    int codec; /**< id; of blocks only. That of LZ4 also stands for LZ4HC. */
    uint8_t filters[TESS_MAX_FILTERS]; /**< of blocks only */
    uint8_t filters_meta[TESS_MAX_FILTERS]; /**< one parameter byte per filter */
    /**
     * Blocks are cut into one stream per byte of an item, save a shorter last one. False for items
     * of one byte; true for some blocks of Blosc 1 that are not cut: it did not always record it.
     */
    bool split;
    int32_t dictionary_size; /**< bytes of the dictionary of its blocks; 0: none */
} tess_chunk_info;

/**
 * Describe a chunk. Reads what stands in front of its blocks, and none of them.
 *
 * @param a      Open array; any number of threads at once if it is open for reading only. Else
 *                 the call needs it for itself: blocks that wait in its cache (tess_context.cache)
 *                 are encoded first.
 * @param n      Number of the chunk, 0 <= n < tess_info.nchunks; in arrays, in C order of the grid.
 * @param info   Filled on success.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, TESS_ERR_ARG, or as tess_array_read(). After a failure *info holds anything.
 */
TESS_API TESS_NODISCARD tess_status tess_array_chunk(tess_array *a, int64_t n,
                                                     tess_chunk_info *info, tess_error *err);

/**
 * The uncompressed sizes of a chunk's blocks, in bytes; their sum is tess_chunk_info.nbytes.
 * Decodes none of them.
 *
 * @param a       Open array; any number of threads at once if it is open for reading only. Else
 *                 the call needs it for itself: blocks that wait in its cache (tess_context.cache)
 *                 are encoded first.
 * @param n       Number of the chunk, as in tess_array_chunk().
 * @param sizes   Receives tess_chunk_info.nblocks sizes. May be NULL if that is 0.
 * @param count   Places in sizes; at least that many (TESS_ERR_ARG otherwise).
 * @param err     Filled on failure; may be NULL.
 *
 * @return as tess_array_chunk(). After a failure sizes holds anything.
 */
TESS_API TESS_NODISCARD tess_status tess_array_chunk_blocks(tess_array *a, int64_t n,
                                                            int32_t *sizes, size_t count,
                                                            tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
