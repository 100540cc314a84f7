/**
 * @file plugin.h
 * Codecs and filters of your own.
 *
 * A program passes them to the call that creates or opens an array (tess_storage.plugins); the
 * library never loads plugins. Chunks name codecs and filters by number: the numbers from
 * TESS_PLUGIN_PRIVATE to TESS_PLUGIN_LAST are free for any program, those below belong to the
 * registry of the Blosc project. A number that the library implements itself, or that is given
 * twice, is TESS_ERR_ARG.
 *
 * Threads: the functions run on several threads at once, including threads of the library, even
 * during a single call on the array, unless tess_context.threads is 1. They must not call the
 * library on that array.
 *
 * Safety: the bytes that decompress() and backward() read may be damaged or malicious. Whatever the
 * functions read, they must never write more bytes than requested. A returned value that is no
 * tess_status counts as TESS_ERR_CORRUPT.
 *
 * Example: test/examples/plugin.c.
 */
#ifndef TESSERA_PLUGIN_H
#define TESSERA_PLUGIN_H

#include "tessera/error.h"
#include "tessera/params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** First number of a plugin: for codecs and filters of the registry that the library lacks. */
#define TESS_PLUGIN_FIRST 32
/** First number that is free for any program. */
#define TESS_PLUGIN_PRIVATE 160
/** Last number. */
#define TESS_PLUGIN_LAST 255

/** Description of the block that a plugin works on. */
typedef struct tess_block {
    void *user; /**< tess_user_codec.user or tess_user_filter.user */
    uint8_t meta; /**< parameter: tess_params.codec_meta, or the filter's of filters_meta */
    int clevel; /**< 1 to 9 when compressing; 0 when decompressing */
    /** Bytes of one item. If ndim is -1: as the chunk records it, which is 1 for more than 255. */
    int32_t typesize;
    /**
     * Dimensions of the block; -1 if its shape is unknown: in plain frames, and in chunks whose
     * blocks have another size than the array's.
     */
    int ndim;
    /** Items along each axis, padding beyond the edge of the array included. */
    int32_t shape[TESS_MAX_NDIM];
} tess_block;

/**
 * A codec. It compresses streams: a stream is a whole block, or, if blocks are split (tess_split),
 * one of as many equal parts as an item has bytes. Streams are not aligned in memory.
 */
typedef struct tess_user_codec {
    size_t struct_size; /**< sizeof(tess_user_codec) of the program */
    uint8_t id; /**< TESS_PLUGIN_FIRST to TESS_PLUGIN_LAST */
    const char *name; /**< for messages and tess_info.codec_name */
    /**
     * The codec interprets items of whole blocks. Arrays with it then have no splitting, and no
     * filters but trunc_prec, int_trunc, ndcell and ndmean (TESS_ERR_ARG). Chunks of other writers
     * that are split are not read.
     */
    bool needs_items;
    /**
     * decompress() does not restore the exact bytes given to compress(). A lossy codec cannot be
     * combined with delta, which needs the exact first block of a chunk (TESS_ERR_ARG).
     */
    bool lossy;
    void *user; /**< passed to the functions as tess_block.user */

    /**
     * Compress src_size bytes, at least 1, into at most dst_size bytes. *made receives the number
     * of bytes written. 0: the bytes do not get smaller, or the result does not fit; more than
     * dst_size: TESS_ERR_ARG. compress NULL: the codec only reads; an array that needs it cannot be
     * created (TESS_ERR_ARG) or opened with TESS_MODE_UPDATE (TESS_ERR_UNSUPPORTED).
     *
     * @return TESS_OK, or the status with which the call on the array fails.
     */
    tess_status (*compress)(const tess_block *block, const void *src, size_t src_size, void *dst,
                            size_t dst_size, size_t *made);
    /**
     * Decompress src into exactly dst_size bytes, at least 1.
     *
     * @return TESS_OK; TESS_ERR_CORRUPT if src is damaged; or another status.
     */
    tess_status (*decompress)(const tess_block *block, const void *src, size_t src_size, void *dst,
                              size_t dst_size);
} tess_user_codec;

/** A filter: transforms a block without changing its size. Blocks are aligned for all types. */
typedef struct tess_user_filter {
    size_t struct_size; /**< sizeof(tess_user_filter) of the program */
    uint8_t id; /**< TESS_PLUGIN_FIRST to TESS_PLUGIN_LAST */
    const char *name; /**< for messages */
    /** backward() does not restore the exact bytes given to forward(). Not allowed before delta. */
    bool lossy;
    void *user; /**< passed to the functions as tess_block.user */

    /**
     * Applied before the codec: `size` bytes from src to dst, which do not overlap. NULL: the
     * filter only reads; arrays that need it are refused as for a codec without compress().
     *
     * @return TESS_OK, or the status with which the call on the array fails.
     */
    tess_status (*forward)(const tess_block *block, const void *src, void *dst, size_t size);
    /** Reverses forward() after the codec: from src to dst. Status as for decompress(). */
    tess_status (*backward)(const tess_block *block, const void *src, void *dst, size_t size);
} tess_user_filter;

/**
 * The plugins of an array. The lists are copied; this struct never changes. Names, functions and
 * what `user` points to must
 * stay valid until the array, and every view of it, is closed.
 */
typedef struct tess_plugins {
    const tess_user_codec *codecs; /**< may be NULL if ncodecs is 0 */
    int ncodecs; /**< number of codecs, >= 0 */
    const tess_user_filter *filters; /**< may be NULL if nfilters is 0 */
    int nfilters; /**< number of filters, >= 0 */
} tess_plugins;

/**
 * @name Set the size of a struct, and everything else to zero.
 * For static ones: `.struct_size = sizeof(tess_user_codec)`. Elements of a list follow each other
 * at that distance.
 */
/**@{*/
/**
 * Of a codec.
 * @param codec        Receives them.
 * @param struct_size  Size of *codec in bytes: the macro passes sizeof(tess_user_codec).
 */
TESS_API void tess_user_codec_init_sized(tess_user_codec *codec, size_t struct_size);
/** For programs in C and C++: tess_user_codec_init_sized() with the size of their struct. */
#define tess_user_codec_init(codec) tess_user_codec_init_sized((codec), sizeof(tess_user_codec))
/**
 * Of a filter.
 * @param filter       Receives them.
 * @param struct_size  Size of *filter in bytes: the macro passes sizeof(tess_user_filter).
 */
TESS_API void tess_user_filter_init_sized(tess_user_filter *filter, size_t struct_size);
/** For programs in C and C++: tess_user_filter_init_sized() with the size of their struct. */
#define tess_user_filter_init(filter) \
    tess_user_filter_init_sized((filter), sizeof(tess_user_filter))
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
