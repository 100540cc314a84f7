/**
 * @file params.h
 * Parameters of a new array: item type, shapes, codec, filters, metalayers.
 */
#ifndef TESSERA_PARAMS_H
#define TESSERA_PARAMS_H

#include "tessera/error.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of dimensions. */
#define TESS_MAX_NDIM 16
/** Maximum number of filters in a pipeline. */
#define TESS_MAX_FILTERS 6
/** Maximum number of fixed metalayers, the N-dimensional one included. */
#define TESS_MAX_METALAYERS 16
/** Longest name of a metalayer, in bytes. */
#define TESS_MAX_NAME 31

/** Codecs, by the ids that the format records. */
typedef enum tess_codec {
    TESS_CODEC_BLOSCLZ = 0, /**< fast; readable by every version of Blosc */
    TESS_CODEC_LZ4 = 1, /**< fastest to read */
    TESS_CODEC_LZ4HC = 2, /**< the format of LZ4; slower to write, smaller */
    TESS_CODEC_ZLIB = 4, /**< deflate */
    TESS_CODEC_ZSTD = 5, /**< smallest at a given speed */
    /**
     * Repeated cells of two-dimensional arrays of bytes; codec_meta: side of a cell, 4 or 8. Items
     * of more bytes need TESS_SPLIT_ALWAYS.
     */
    TESS_CODEC_NDLZ = 32,
    /**
     * ZFP, lossy, for floats of 4 or 8 bytes, in blocks of 1 to 4 dimensions with 4 items or more
     * along each axis; no filters that move bytes, no splitting; an optional part of the library.
     * Blocks that contain a NaN or an infinity are stored exactly. Items are taken as little-endian
     * numbers on every machine, whatever the type says. codec_meta t: errors up to 10^t, t signed.
     */
    TESS_CODEC_ZFP_ACCURACY = 33,
    TESS_CODEC_ZFP_PRECISION = 34, /**< lossy; codec_meta: bits of precision, roughly */
    TESS_CODEC_ZFP_RATE = 35, /**< lossy; codec_meta: size in percent, 1 to 100 */
    TESS_CODEC_LAST = 255 /**< largest id, of plugins too; see plugin.h */
} tess_codec;

/**
 * Filters, by the ids that the format records. Applied to each block before the codec. Lossy
 * filters take items as little-endian numbers on every machine, whatever the type says.
 */
typedef enum tess_filter {
    TESS_FILTER_NONE = 0, /**< an empty slot of the pipeline */
    TESS_FILTER_SHUFFLE = 1, /**< groups byte j of all items; meta: width, 0 = item size */
    TESS_FILTER_BITSHUFFLE = 2, /**< groups bit k of all items */
    TESS_FILTER_DELTA = 3, /**< xor with the first block of the chunk */
    /** Lossy, floats of 4 or 8 bytes; meta: bits of mantissa kept (> 0) or cut (< 0). */
    TESS_FILTER_TRUNC_PREC = 4,
    /** Orders items by cell, in arrays of 1 to 8 dimensions; meta: side of a cell, 1 to 127. */
    TESS_FILTER_NDCELL = 32,
    /** Lossy: each float of 4 or 8 bytes becomes the mean of its cell; meta as for ndcell. */
    TESS_FILTER_NDMEAN = 33,
    /** Differences within each byte stream, after shuffle; read by c-blosc2 2.10 and later. */
    TESS_FILTER_BYTEDELTA = 35,
    /**
     * Lossy, integers of 1, 2, 4 or 8 bytes; meta: bits kept (> 0) or cut (< 0); read by c-blosc2
     * 2.13 and later.
     */
    TESS_FILTER_INT_TRUNC = 36
} tess_filter;

/** A codec that the library knows by name. */
typedef struct tess_codec_info {
    int id; /**< as in tess_codec */
    const char *name; /**< "zstd"; static memory */
    /**
     * Whether this build reads and writes the codec. If not, only its name is known, `lossy` is
     * false, and chunks of this codec are TESS_ERR_UNSUPPORTED unless a plugin has its id.
     */
    bool built;
    bool lossy; /**< decoding may give other items */
} tess_codec_info;

/** A filter of the library. Every build contains all filters. */
typedef struct tess_filter_info {
    int id; /**< as in tess_filter */
    const char *name; /**< "shuffle"; static memory */
    bool written; /**< can be used for new arrays; otherwise it is only read */
    bool lossy; /**< decoding may give other items */
} tess_filter_info;

/**
 * The codecs of the library, one by one: those of this build first, then those that the Blosc
 * project registered and this build lacks. Plugins (plugin.h) belong to an array and are not among
 * them. Like the other functions on names: never fails, any thread may call.
 *
 * @param index  0, 1, 2, ...
 * @param info   Filled if the result is true; otherwise unchanged.
 * @param info_size  Size of *info in bytes: the macro passes sizeof(tess_codec_info).
 *
 * @return false if there are no more.
 */
TESS_API bool tess_codec_at_sized(int index, tess_codec_info *info, size_t info_size);
/** For programs in C and C++: tess_codec_at_sized() with the size of their struct. */
#define tess_codec_at(index, info) tess_codec_at_sized((index), (info), sizeof(tess_codec_info))

/**
 * The codec with that name.
 *
 * @param name  NUL-terminated, as in tess_codec_info; NULL: there is none.
 * @param info  Filled if the result is true; otherwise unchanged.
 * @param info_size  Size of *info in bytes: the macro passes sizeof(tess_codec_info).
 *
 * @return whether the library knows it.
 */
TESS_API bool tess_codec_find_sized(const char *name, tess_codec_info *info, size_t info_size);
/** For programs in C and C++: tess_codec_find_sized() with the size of their struct. */
#define tess_codec_find(name, info) tess_codec_find_sized((name), (info), sizeof(tess_codec_info))

/**
 * Find the codec with an id, such as tess_info.codec: to know in advance whether the chunks of an
 * array can be read. Ids of plugins are not found; tess_info.codec_name of an array that was opened
 * with the plugin has its name.
 *
 * @param id    As in tess_codec_info.
 * @param info  As in tess_codec_find().
 * @param info_size  As in tess_codec_find().
 *
 * @return whether the library knows it.
 */
TESS_API bool tess_codec_get_sized(int id, tess_codec_info *info, size_t info_size);
/** For programs in C and C++: tess_codec_get_sized() with the size of their struct. */
#define tess_codec_get(id, info) tess_codec_get_sized((id), (info), sizeof(tess_codec_info))

/**
 * The filters of the library, one by one. TESS_FILTER_NONE is none of them.
 *
 * @param index  0, 1, 2, ...
 * @param info   Filled if the result is true; otherwise unchanged.
 * @param info_size  Size of *info in bytes: the macro passes sizeof(tess_filter_info).
 *
 * @return false if there are no more.
 */
TESS_API bool tess_filter_at_sized(int index, tess_filter_info *info, size_t info_size);
/** For programs in C and C++: tess_filter_at_sized() with the size of their struct. */
#define tess_filter_at(index, info) tess_filter_at_sized((index), (info), sizeof(tess_filter_info))

/**
 * The filter with that name.
 *
 * @param name  NUL-terminated, as in tess_filter_info; NULL: there is none.
 * @param info  As in tess_filter_at().
 * @param info_size  As in tess_filter_at().
 *
 * @return whether the library knows it.
 */
TESS_API bool tess_filter_find_sized(const char *name, tess_filter_info *info, size_t info_size);
/** For programs in C and C++: tess_filter_find_sized() with the size of their struct. */
#define tess_filter_find(name, info) \
    tess_filter_find_sized((name), (info), sizeof(tess_filter_info))

/**
 * Find the filter with an id, such as an element of tess_info.filters. Ids of plugins are not
 * found.
 *
 * @param id    As in tess_filter_info.
 * @param info  As in tess_filter_at().
 * @param info_size  As in tess_filter_at().
 *
 * @return whether the library knows it.
 */
TESS_API bool tess_filter_get_sized(int id, tess_filter_info *info, size_t info_size);
/** For programs in C and C++: tess_filter_get_sized() with the size of their struct. */
#define tess_filter_get(id, info) tess_filter_get_sized((id), (info), sizeof(tess_filter_info))

/** Whether a filtered block is cut into one stream per byte of an item before the codec. */
typedef enum tess_split {
    TESS_SPLIT_ALWAYS = 1, /**< as many streams as an item has bytes */
    TESS_SPLIT_NEVER = 2, /**< one stream per block */
    /**
     * Split for fast codecs with shuffle and items up to 16 bytes, as c-blosc2; also zlib in blocks
     * of 4096 items.
     */
    TESS_SPLIT_AUTO = 3
} tess_split;

/** How an array is stored in a file system. */
typedef enum tess_layout {
    TESS_LAYOUT_CONTIGUOUS = 0, /**< one file */
    TESS_LAYOUT_SPARSE = 1 /**< a directory with one file per chunk */
} tess_layout;

/** Name of the N-dimensional metalayer. */
typedef enum tess_layer {
    TESS_LAYER_B2ND = 0, /**< `b2nd`: c-blosc2 2.7 and later */
    TESS_LAYER_CATERVA = 1 /**< `caterva`: old programs too; the item type is not recorded */
} tess_layer;

/** Named bytes in the header of a frame. The struct owns no memory. */
typedef struct tess_metalayer {
    const char *name; /**< 1 to TESS_MAX_NAME bytes, NUL-terminated */
    const void *content; /**< may be NULL if size is 0 */
    size_t size; /**< bytes */
} tess_metalayer;

/**
 * A description of a new array. Fill it with tess_params_init(), then change what matters.
 * The call that receives it copies what it needs; no pointer is kept afterwards, except by a tuner
 * (layout.h).
 */
typedef struct tess_params {
    /** sizeof(tess_params) of the program; set by tess_params_init(). */
    size_t struct_size;

    /** Item type in NumPy's notation (dtype.h), or NULL: opaque items, `|V<typesize>`. */
    const char *dtype;
    /**
     * Bytes of one item, at most 536,866,816. 0: from dtype. Otherwise equal to the size of dtype,
     * if that is known.
     */
    int32_t typesize;

    /** Number of dimensions, 0 to TESS_MAX_NDIM. 0 dimensions: one item. */
    int ndim;
    /** Items along each axis, slowest axis first; 0 is allowed. */
    int64_t shape[TESS_MAX_NDIM];
    /**
     * Items of a chunk along each axis. All 0: chosen from typesize, shape, codec and level, around
     * the blockshape if only that is given. Only some of them 0: TESS_ERR_ARG, unless the axis has
     * no items. A chunk, filled up to whole blocks, must have less than 2 GiB (TESS_ERR_LIMIT).
     */
    int64_t chunkshape[TESS_MAX_NDIM];
    /** Items of a block along each axis, at most the chunk's. All 0: chosen, inside the chunk. */
    int64_t blockshape[TESS_MAX_NDIM];

    /** Compressor of the blocks: tess_codec, or the number of a plugin (plugin.h). */
    int codec;
    /** Parameter of the codec, as two's complement where it is signed; 0 for most. */
    uint8_t codec_meta;
    /** 0 (store, without filters) to 9 (smallest). */
    int clevel;
    /**
     * Filter ids (tess_filter, or plugins), applied in this order; TESS_FILTER_NONE for an empty
     * slot. Writers of Blosc2 fill the last slots.
     */
    uint8_t filters[TESS_MAX_FILTERS];
    /** One parameter byte per filter, as two's complement where it is signed. */
    uint8_t filters_meta[TESS_MAX_FILTERS];
    /** Whether blocks are cut into streams: tess_split. */
    int split;
    /**
     * Store a dictionary in each chunk for the blocks of the chunk, where that saves space: for
     * many small blocks. TESS_CODEC_ZSTD, TESS_CODEC_LZ4 and TESS_CODEC_LZ4HC only (TESS_ERR_ARG).
     * c-blosc2 reads files with dictionaries since 3.0, and up to 3.3.2 only whole chunks of them;
     * 2.x reads only those of TESS_CODEC_ZSTD, and only in memory.
     */
    bool dictionary;

    /** One file, or a directory; arrays in memory and inside files are contiguous (TESS_ERR_ARG).
     */
    tess_layout layout;
    /** Name of the metalayer that holds the shapes; decides which programs can read the array. */
    tess_layer layer;
    /**
     * The fill value: items added by growth (resize, resize_at) take it. In the byte order of the
     * array; NULL: zeros. It does not set the items that an array is created with;
     * tess_array_full() and tess_array_nan() use the value of their items as fill value, and
     * another fill value here is TESS_ERR_ARG. Stored in a fixed metalayer `tess_fill`, unless all
     * its bytes are zero; then more than 1 MiB is TESS_ERR_LIMIT. Programs other than Tessera
     * ignore it and grow an array with zeros.
     */
    const void *fill;
    /** Bytes at fill: at least the typesize; 0 if fill is NULL. */
    size_t fill_size;
    /**
     * Fixed metalayers besides the N-dimensional one and that of the fill value; all together at
     * most TESS_MAX_METALAYERS. Their sizes can never change (meta.h). May be NULL if
     * nmetalayers is 0.
     */
    const tess_metalayer *metalayers;
    /** Number of metalayers. */
    int nmetalayers;
    /**
     * Notation of dtype. 0 (default): NumPy's. 1 to 127: another one; the type is recorded with
     * this number and means nothing to the library, so typesize must be given. Layer `b2nd` only.
     */
    int dtype_format;
    /**
     * With `dictionary`, chunks that calls of chunk.h encode have one even where that takes more
     * space, unless there is nothing to make one from. Ignored by other calls: a file does not
     * record it.
     */
    bool dictionary_always;
} tess_params;

/**
 * Set the defaults: no shape (ndim 0), opaque items of 1 byte, codec LZ4 level 5, shuffle in the
 * last slot, automatic splitting, no dictionaries, layer `b2nd`, no fill value, no
 * metalayers, types in NumPy's notation.
 *
 * @param params       Receives them.
 * @param struct_size  Size of *params in bytes: the macro passes sizeof(tess_params).
 */
TESS_API void tess_params_init_sized(tess_params *params, size_t struct_size);
/** For programs in C and C++: tess_params_init_sized() with the size of their struct. */
#define tess_params_init(params) tess_params_init_sized((params), sizeof(tess_params))

#ifdef __cplusplus
}
#endif

#endif
