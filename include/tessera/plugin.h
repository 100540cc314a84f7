/**
 * @file plugin.h
 * Codecs and filters of your own.
 *
 * A program hands them over when it creates or opens an array (tess_storage.plugins); nothing is
 * ever loaded by itself. Chunks name codecs and filters by number: those from TESS_PLUGIN_PRIVATE
 * to TESS_PLUGIN_LAST are free for anybody, those below belong to the registry of the Blosc
 * project. A number that the library serves itself cannot be taken, nor one twice (TESS_ERR_ARG).
 *
 * Functions are called by several threads at once, the library's own among them: one call on the
 * array is enough for that, unless tess_context.threads is 1. They must not call the library on
 * that array. What they read while decompressing may be damaged or made by an enemy: they must
 * never write more than they are asked for, whatever they read. An answer that is no status counts
 * as TESS_ERR_CORRUPT.
 *
 * test/examples/plugin.c is an example that works.
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

/** First number that a plugin can have: what the Blosc project has registered, but not we. */
#define TESS_PLUGIN_FIRST 32
/** First number that is free for anybody. */
#define TESS_PLUGIN_PRIVATE 160
/** Last number. */
#define TESS_PLUGIN_LAST 255

/** What surrounds the bytes that a plugin works on. */
typedef struct tess_block {
    void *user; /**< of the plugin */
    uint8_t meta; /**< parameter: tess_params.codec_meta, or the filter's of filters_meta */
    int clevel; /**< 1 to 9 when compressing; 0 when decompressing */
    /** Bytes of one item. If ndim is -1, as the chunk records it: 1 for items above 255. */
    int32_t typesize;
    /**
     * Dimensions of the block; -1 where its shape is not known: in plain frames, and in chunks with
     * blocks of another size than the array's.
     */
    int ndim;
    /** Items along each axis, those behind the edge of the array included: blocks are whole. */
    int32_t shape[TESS_MAX_NDIM];
} tess_block;

/**
 * A compressor of streams: a block, or if it is split (tess_split) one of as many equal parts as an
 * item has bytes. Their memory has no alignment.
 */
typedef struct tess_user_codec {
    uint8_t id; /**< TESS_PLUGIN_FIRST to TESS_PLUGIN_LAST */
    const char *name; /**< for messages and tess_info.codec_name */
    /**
     * Works on the items of whole blocks: no splitting, and no filters but trunc_prec, int_trunc,
     * ndcell and ndmean (TESS_ERR_ARG). Chunks that are split all the same are not read.
     */
    bool needs_items;
    /**
     * decompress() does not bring back all that compress() was given. Such a codec cannot stand
     * behind delta, whose reference is the first block of a chunk as it was (TESS_ERR_ARG).
     */
    bool lossy;
    void *user; /**< given to the functions */

    /**
     * Compress `size` bytes, at least 1, into at most dst_size bytes. *made receives how many; 0:
     * they do not get smaller, or the result does not fit; more than dst_size: TESS_ERR_ARG.
     * NULL: the codec only reads; an array that needs it cannot be created (TESS_ERR_ARG) or
     * opened with TESS_MODE_UPDATE (TESS_ERR_UNSUPPORTED).
     *
     * @return TESS_OK, or a status that the call on the array is to fail with.
     */
    tess_status (*compress)(const tess_block *block, const void *src, size_t size, void *dst,
                            size_t dst_size, size_t *made);
    /**
     * Decompress src into exactly dst_size bytes, at least 1.
     *
     * @return TESS_OK; TESS_ERR_CORRUPT if src is damaged; or another status.
     */
    tess_status (*decompress)(const tess_block *block, const void *src, size_t size, void *dst,
                              size_t dst_size);
} tess_user_codec;

/** A transformation of blocks that keeps their size; they are aligned for all types. */
typedef struct tess_user_filter {
    uint8_t id; /**< TESS_PLUGIN_FIRST to TESS_PLUGIN_LAST */
    const char *name; /**< for messages */
    /** backward() does not bring back all that forward() was given: not before delta. */
    bool lossy;
    void *user; /**< given to the functions */

    /**
     * Before the codec: `size` bytes from src to dst, which do not overlap. NULL: the filter is
     * only undone; arrays that need it are refused as with a codec that only reads.
     *
     * @return TESS_OK, or a status that the call on the array is to fail with.
     */
    tess_status (*forward)(const tess_block *block, const void *src, void *dst, size_t size);
    /** After the codec, the same way round: from src to dst. Status as of decompress(). */
    tess_status (*backward)(const tess_block *block, const void *src, void *dst, size_t size);
} tess_user_filter;

/**
 * The plugins of an array. The lists are copied; names, functions and what `user` points to must
 * stay until the array is closed.
 */
typedef struct tess_plugins {
    const tess_user_codec *codecs; /**< may be NULL if ncodecs is 0 */
    int ncodecs; /**< how many codecs, >= 0 */
    const tess_user_filter *filters; /**< may be NULL if nfilters is 0 */
    int nfilters; /**< how many filters, >= 0 */
} tess_plugins;

#ifdef __cplusplus
}
#endif

#endif
