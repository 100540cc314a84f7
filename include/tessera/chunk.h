/**
 * @file chunk.h
 * Chunks and blocks as they are stored: their properties, and their bytes.
 *
 * Properties are for tools, and for plain frames whose chunks or blocks differ in size (each of
 * them is then usually one record of the program that wrote it). Stored bytes are for programs that
 * move chunks without decoding them: from array to array, or from a server to its clients.
 *
 * The bytes of a chunk describe themselves (item size, blocks, codec, filters), but not what the
 * items mean, nor the shape of the chunk: they are good for arrays of the same item size,
 * chunkshape and blockshape. In arrays of more than one dimension the content of a chunk is one
 * block after the other, each in C order, with items of padding where the chunk is no whole number
 * of blocks, or reaches beyond the array. Example: test/examples/chunks.c.
 *
 * **Views.** Functions that read one chunk take a view that has all items of its array in their
 * order, without some axes of length 1, or with new ones (tess_array_view_squeeze(),
 * tess_array_view_expand()): its chunks are those of the array. Other views are refused.
 */
#ifndef TESSERA_CHUNK_H
#define TESSERA_CHUNK_H

#include "tessera/array.h"
#include "tessera/context.h"
#include "tessera/params.h"
#include "tessera/plugin.h"

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

/** @name Sets of kinds, for tess_array_next_chunk(): bit 1 << kind for each tess_chunk_kind. */
/**@{*/
/** Chunks whose items may differ from each other. */
#define TESS_KINDS_ITEMS (1u << TESS_CHUNK_BLOCKS | 1u << TESS_CHUNK_PLAIN)
/** Chunks that were written: all but those of tess_array_uninit(). */
#define TESS_KINDS_WRITTEN (TESS_KINDS_ALL & ~(1u << TESS_CHUNK_UNINIT))
/** All chunks. */
#define TESS_KINDS_ALL 63u
/**@}*/

/** A chunk that tess_array_next_chunk() found, and how many like it follow. */
typedef struct tess_chunk_run {
    /** sizeof(tess_chunk_run) of the program; set by tess_chunk_run_init(). */
    size_t struct_size;
    /** Number of the chunk, as in tess_array_chunk(); -1: there is none. */
    int64_t number;
    /**
     * Of a chunk that is not stored: number of the last one of a run. All chunks from `number` to
     * `last` that have items in the box are not stored, and of the same kind. Otherwise, and if
     * there is no chunk, equal to `number`.
     */
    int64_t last;
    /** First index of the chunk in the array, per axis; also of items outside the box. */
    int64_t start[TESS_MAX_NDIM];
    int64_t stop[TESS_MAX_NDIM]; /**< one past its last index in the array, without padding */
    /**
     * All items of a chunk are equal if it is TESS_CHUNK_ZEROS, TESS_CHUNK_NANS, TESS_CHUNK_VALUE,
     * or TESS_CHUNK_UNINIT (Tessera reads zeros).
     */
    tess_chunk_kind kind;
    bool stored; /**< has stored bytes; false: nothing was read to find it */
    int64_t cbytes; /**< stored bytes, header included; 0 if not stored */
    /**
     * Set by the program: memory for one item, which receives the item that all are equal to, in
     * the byte order of the array, if there is one. NULL: not wanted.
     */
    void *item;
    /** Set by the program: bytes at `item`, the typesize at least. */
    size_t item_size;
} tess_chunk_run;

/**
 * Set the defaults: no memory for an item, and a run that ends before chunk 0 (last is -1).
 *
 * @param run          Receives them.
 * @param struct_size  Size of *run in bytes: the macro passes sizeof(tess_chunk_run).
 */
TESS_API void tess_chunk_run_init_sized(tess_chunk_run *run, size_t struct_size);
/** For programs in C and C++: tess_chunk_run_init_sized() with the size of their struct. */
#define tess_chunk_run_init(run) tess_chunk_run_init_sized((run), sizeof(tess_chunk_run))

/**
 * Find the next chunk that has items in a box and is of some kinds, in C order.
 *
 *     tess_chunk_run run;
 *     tess_chunk_run_init(&run);
 *     do
 *         st = tess_array_next_chunk(a, NULL, NULL, run.last + 1, TESS_KINDS_ITEMS, &run, &err);
 *     while (st == TESS_OK && run.number >= 0 && use(&run));
 *
 * Chunks that are not stored are found, or skipped, in the list of chunks in memory; if the whole
 * array is a single run, in one step, however many chunks it has. Of chunks that are stored the
 * header is read.
 *
 * @param a      Open array, not a view; any number of threads may read one array at once.
 * @param start  First index per axis, as in tess_array_read(). NULL, together with stop: all items.
 * @param stop   One past the last index per axis.
 * @param from   Least number of the chunk, >= 0; may be beyond the last one.
 * @param kinds  Which chunks: 1 << kind of each kind that is wanted, joined by |; not 0.
 * @param run    From tess_chunk_run_init(), or a call before. Filled on success.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, also if there is none; TESS_ERR_ARG (box, from, kinds, item_size, a view); else
 *         as tess_array_read(). After a failure the members that the library fills are undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_array_next_chunk(const tess_array *a, const int64_t *start,
                                                          const int64_t *stop, int64_t from,
                                                          unsigned kinds, tess_chunk_run *run,
                                                          tess_error *err);

/**
 * Get a copy of a chunk as it is stored.
 *
 * If the file has a checksum of the chunk, the bytes are compared with it. The first call for an
 * array that is open for reading loads the checksums of all chunks, unless tess_storage.checksums
 * had them loaded. Nothing is decoded. A chunk that is not stored becomes a chunk of 32 bytes that
 * says what it is.
 *
 * @param a      Open array; any number of threads may read one array at once.
 * @param n      Number of the chunk, as in tess_array_chunk().
 * @param chunk  Receives the bytes; free them with tess_free(). NULL on failure.
 * @param chunk_size  Receives their number, 16 at least; 0 on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (n, such a view), TESS_ERR_CORRUPT (the bytes differ from their
 *         checksum; their header contradicts the array); else as tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_array_get_chunk(const tess_array *a, int64_t n,
                                                         void **chunk, size_t *chunk_size,
                                                         tess_error *err);

/**
 * Copy a chunk as it is stored into memory of the program: as tess_array_get_chunk().
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param n         Number of the chunk, as in tess_array_chunk().
 * @param dst       Receives the bytes. May be NULL if dst_size is 0.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param chunk_size  Receives the number of bytes of the chunk, also if dst is too small for them;
 *                  0 after any other failure.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_get_chunk(); also TESS_ERR_ARG if dst is too small. After a failure dst is
 *         undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_array_copy_chunk(const tess_array *a, int64_t n, void *dst,
                                                          size_t dst_size, size_t *chunk_size,
                                                          tess_error *err);

/** Where the bytes of a chunk come from. */
typedef enum tess_chunk_trust {
    /** From anywhere: all blocks are decoded once, as a check, and forgotten. */
    TESS_CHUNK_UNTRUSTED = 0,
    /**
     * From an array of Tessera or another writer that the program trusts: blocks are not decoded.
     * If one is damaged, a later read says so (TESS_ERR_CORRUPT).
     */
    TESS_CHUNK_TRUSTED = 1
} tess_chunk_trust;

/**
 * Replace a chunk by stored bytes, as they are.
 *
 * The bytes are checked first: header, item size, sizes of chunk and blocks against those of the
 * array, codec and filters, table of blocks, dictionary; and all blocks, unless the program trusts
 * them. Codec, level, filters and splitting may be others than those of new chunks of the array. A
 * lossy codec or filter stays one: items are what the bytes decode to.
 *
 * The change is committed with others, as that of tess_array_write(). Small writes to the chunk
 * that still waited in the cache are replaced, too.
 *
 * @param a      Array opened for writing, not a view; any number of threads may write at once. A
 *               super-chunk requires exclusive access: sizes of chunks may change.
 * @param n      Number of the chunk, as in tess_array_chunk().
 * @param chunk  Bytes of one chunk of Blosc2, as tess_array_get_chunk() returns them. Copied. Not
 *               memory that belongs to the array (tess_array_image()).
 * @param chunk_size  Bytes of memory at chunk, which records how many of them it has; more is fine.
 * @param trust  Whether all blocks are decoded as a check.
 * @param err    Filled on failure; may be NULL. The offset counts from the start of the chunk.
 *
 * @return TESS_OK, or TESS_ERR_CORRUPT (the bytes contradict themselves, or cannot be decoded),
 *         TESS_ERR_UNSUPPORTED (a codec or filter that neither this build nor the plugins of the
 *         array have; a feature of chunks that arrays do not have), TESS_ERR_ARG (they are a chunk,
 *         but not one for this array; n, a view, not writable); else as tess_array_write(). After a
 *         failure the array is as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_chunk(tess_array *a, int64_t n,
                                                         const void *chunk, size_t chunk_size,
                                                         tess_chunk_trust trust, tess_error *err);

/**
 * @name One chunk, without an array
 *
 * These functions know nothing but the bytes of the chunk. Codecs and filters of the program
 * (plugin.h) are not known, and what needs the shape of blocks (TESS_FILTER_NDCELL,
 * TESS_FILTER_NDMEAN, TESS_CODEC_NDLZ, ZFP) can be encoded but not decoded or described
 * (TESS_ERR_UNSUPPORTED): tell it with tess_chunk_options and the functions that end in _with, or
 * put such chunks into an array (tess_array_set_chunk()). Any thread may call; a call does its work
 * on the calling thread, unless tess_chunk_options.context says otherwise.
 *
 * Bytes may come from anywhere: what contradicts itself is TESS_ERR_CORRUPT, and err->offset counts
 * from the start of the chunk.
 * @{
 */

/**
 * Memory that is enough for any chunk that tess_chunk_encode() makes.
 *
 * @param src_size  Bytes of its content.
 * @return bytes; SIZE_MAX if they are no number of this type.
 */
TESS_API size_t tess_chunk_bound(size_t src_size);

/**
 * Memory and contexts of codecs that a call leaves for the next one. For programs that encode or
 * decode many small chunks: a context of Zstandard takes longer to make than a chunk of 4 KB.
 */
typedef struct tess_chunk_scratch tess_chunk_scratch;

/**
 * Open an empty scratch.
 *
 * @param scratch  Receives it; close it with tess_chunk_scratch_close(). NULL on failure.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, TESS_ERR_ARG or TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_chunk_scratch_open(tess_chunk_scratch **scratch,
                                                            tess_error *err);
/**
 * Close a scratch, which no call uses.
 *
 * @param scratch  From tess_chunk_scratch_open(); NULL: nothing happens.
 */
TESS_API void tess_chunk_scratch_close(tess_chunk_scratch *scratch);

/** What the bytes of a chunk do not tell, and which threads work on it. */
typedef struct tess_chunk_options {
    /** sizeof(tess_chunk_options) of the program; set by tess_chunk_options_init(). */
    size_t struct_size;
    /** Codecs and filters of the program; used during the call only. Default NULL: none. */
    const tess_plugins *plugins;
    /**
     * Members `threads` and `executor`: which threads work on the call; the others do not count.
     * Default NULL: the calling thread alone.
     */
    const tess_context *context;
    /** When decoding: dimensions of the blocks. Default 0: unknown. */
    int ndim;
    /** When decoding: items of a block along each axis, if ndim > 0. */
    int64_t blockshape[TESS_MAX_NDIM];
    /**
     * When decoding: bytes of one item; not 0 if ndim > 0. Default 0: as the chunk records, 1 for
     * more than 255.
     */
    int32_t typesize;
    /**
     * When encoding: the bytes may end inside an item, unless blocks have more than one dimension.
     * Default false: this is TESS_ERR_ARG.
     */
    bool partial_item;
    /**
     * Used by one call at a time; its memory grows with the largest block. Default NULL: each call
     * has memory of its own.
     */
    tess_chunk_scratch *scratch;
} tess_chunk_options;

/**
 * Set the defaults.
 *
 * @param options      Receives them.
 * @param struct_size  Size of *options in bytes: the macro passes sizeof(tess_chunk_options).
 */
TESS_API void tess_chunk_options_init_sized(tess_chunk_options *options, size_t struct_size);
/** For programs in C and C++: tess_chunk_options_init_sized() with the size of their struct. */
#define tess_chunk_options_init(options) \
    tess_chunk_options_init_sized((options), sizeof(tess_chunk_options))

/**
 * Encode a chunk.
 *
 * Of params these members count: dtype and typesize; ndim and blockshape; codec, codec_meta,
 * clevel, filters, filters_meta, split and dictionary. Blocks have the product of blockshape items;
 * if ndim is 0, or blockshape is all 0, a size that is chosen. In more than one dimension src is
 * one block after the other, each in C order, and holds whole blocks; in one dimension the last
 * block may be shorter.
 *
 * If all items are equal, the chunk holds the item once. TESS_FILTER_BYTEDELTA with meta 0 gets the
 * typesize as its meta, so that the chunk can be decoded alone; if the typesize exceeds 255, its
 * largest divisor up to 255. (In chunks of arrays the meta is 0: to decode a chunk of items of more
 * than 255 bytes, set tess_chunk_options.typesize.)
 *
 * @param params    From tess_params_init().
 * @param src       Items, without gaps. May be NULL if src_size is 0.
 * @param src_size  Their bytes; whole items; less than 2 GiB.
 * @param dst       Receives the chunk. Does not overlap src. May be NULL if dst_size is 0.
 * @param dst_size  Size of dst in bytes. If it is less than tess_chunk_bound(), the chunk is made
 *                  in other memory and copied, if it fits.
 * @param cbytes    Receives the bytes of the chunk, also if dst is too small for them; 0 after any
 *                  other failure.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (params contradict themselves or src_size; dst is too small),
 *         TESS_ERR_LIMIT (2 GiB or more), TESS_ERR_UNSUPPORTED (a codec or filter that this build
 *         cannot write), TESS_ERR_NOMEM. After a failure dst is undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_chunk_encode(const tess_params *params, const void *src,
                                                      size_t src_size, void *dst, size_t dst_size,
                                                      size_t *cbytes, tess_error *err);

/**
 * Encode a chunk: as tess_chunk_encode(), with options.
 *
 * @param params    As for tess_chunk_encode(); codec and filters may be plugins.
 * @param options   From tess_chunk_options_init(); NULL: the defaults.
 * @param src       As for tess_chunk_encode(), as are the following.
 * @param src_size  Bytes of src.
 * @param dst       Receives the chunk.
 * @param dst_size  Size of dst in bytes.
 * @param cbytes    Receives the bytes of the chunk.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_chunk_encode(); also what a function of a plugin returned, and TESS_ERR_ARG for
 *         options that make no sense.
 */
TESS_API TESS_NODISCARD tess_status tess_chunk_encode_with(const tess_params *params,
                                                           const tess_chunk_options *options,
                                                           const void *src, size_t src_size,
                                                           void *dst, size_t dst_size,
                                                           size_t *cbytes, tess_error *err);

/**
 * Encode a chunk whose blocks differ in size, such as records. c-blosc2 reads them since 3.0.
 *
 * Members of params count as for tess_chunk_encode(), but for ndim, blockshape and split: a block
 * is compressed as a whole. Its bytes need not be whole items.
 *
 * @param params    From tess_params_init().
 * @param options   From tess_chunk_options_init(); NULL: the defaults. Threads do not count.
 * @param src       The blocks, one behind the other.
 * @param src_size  Their bytes; less than 2 GiB.
 * @param sizes     Bytes of each block, >= 1; their sum is src_size.
 * @param nblocks   Number of blocks, >= 1.
 * @param dst       Receives the chunk. Does not overlap src. May be NULL if dst_size is 0.
 * @param dst_size  Size of dst in bytes. tess_chunk_bound(src_size) + 8 * nblocks are enough;
 *                  src_size / 20 + 4 more with params->dictionary.
 * @param cbytes    Receives the bytes of the chunk, also if dst is too small for them; 0 after any
 *                  other failure.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_chunk_encode_with(); also TESS_ERR_ARG for blocks that are not those of src, and
 *         TESS_ERR_UNSUPPORTED for codecs and filters that need their shape.
 */
TESS_API TESS_NODISCARD tess_status tess_chunk_encode_blocks(const tess_params *params,
                                                             const tess_chunk_options *options,
                                                             const void *src, size_t src_size,
                                                             const int32_t *sizes, int32_t nblocks,
                                                             void *dst, size_t dst_size,
                                                             size_t *cbytes, tess_error *err);

/**
 * Decode all of a chunk.
 *
 * @param chunk     Bytes of one chunk of Blosc2 or Blosc 1, in memory.
 * @param chunk_size  Bytes of memory at chunk, which records how many of them it has; more is fine.
 * @param dst       Receives its content, tess_chunk_info.nbytes bytes: src of tess_chunk_encode().
 *                  Of a chunk that was never written, zeros. Does not overlap chunk. May be NULL if
 *                  the chunk has no content.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (dst is too small), TESS_ERR_CORRUPT, TESS_ERR_UNSUPPORTED (a
 *         codec, filter or feature that is not known here), TESS_ERR_NOMEM. After a failure dst is
 *         undefined. Memory: three times the largest block.
 */
TESS_API TESS_NODISCARD tess_status tess_chunk_decode(const void *chunk, size_t chunk_size,
                                                      void *dst, size_t dst_size, tess_error *err);

/**
 * Decode all of a chunk: as tess_chunk_decode(), with options.
 *
 * @param chunk     As for tess_chunk_decode().
 * @param chunk_size  As for tess_chunk_decode().
 * @param options   From tess_chunk_options_init(); NULL: the defaults.
 * @param dst       As for tess_chunk_decode().
 * @param dst_size  As for tess_chunk_decode().
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_chunk_decode(); also what a function of a plugin returned, and TESS_ERR_ARG for
 *         options that make no sense. Memory: three times the largest block, for each thread.
 */
TESS_API TESS_NODISCARD tess_status tess_chunk_decode_with(const void *chunk, size_t chunk_size,
                                                           const tess_chunk_options *options,
                                                           void *dst, size_t dst_size,
                                                           tess_error *err);

/**
 * Decode some items of a chunk, and of its blocks only those that hold them.
 *
 * @param chunk     As for tess_chunk_decode().
 * @param chunk_size  As for tess_chunk_decode().
 * @param itemsize  Bytes of an item. 0: as the chunk records; chunks of items of more than 255
 *                  bytes record 1.
 * @param start     First item, counted in the content of the chunk; 0 <= start <= stop.
 * @param stop      One past the last item; at most the number of items in the chunk.
 * @param dst       Receives the items, without gaps. May be NULL if there are none.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_chunk_decode(); also TESS_ERR_ARG if the chunk has no such items, and
 *         TESS_ERR_LIMIT if a block exceeds TESS_MEMORY_DEFAULT (context.h).
 */
TESS_API TESS_NODISCARD tess_status tess_chunk_decode_items(const void *chunk, size_t chunk_size,
                                                            size_t itemsize, int64_t start,
                                                            int64_t stop, void *dst,
                                                            size_t dst_size, tess_error *err);

/**
 * Decode some items of a chunk: as tess_chunk_decode_items(), with options. The calling thread does
 * the work.
 *
 * @param chunk     As for tess_chunk_decode().
 * @param chunk_size  As for tess_chunk_decode().
 * @param options   From tess_chunk_options_init(); NULL: the defaults.
 * @param itemsize  As for tess_chunk_decode_items(), as are the following. 0: options->typesize, if
 *                  that is not 0.
 * @param start     First item.
 * @param stop      One past the last item.
 * @param dst       Receives the items.
 * @param dst_size  Size of dst in bytes.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_chunk_decode_items() and tess_chunk_decode_with().
 */
TESS_API TESS_NODISCARD tess_status tess_chunk_decode_items_with(
    const void *chunk, size_t chunk_size, const tess_chunk_options *options, size_t itemsize,
    int64_t start, int64_t stop, void *dst, size_t dst_size, tess_error *err);

/**
 * Get the properties of a chunk. Header, table and dictionary are checked, but no block is decoded.
 *
 * @param chunk  As for tess_chunk_decode().
 * @param chunk_size  As for tess_chunk_decode().
 * @param info   Filled on success; stored is true, and offset 0.
 * @param info_size  Size of *info in bytes: the macro passes sizeof(tess_chunk_info).
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_chunk_decode(). After a failure *info is undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_chunk_describe_sized(const void *chunk, size_t chunk_size,
                                                              tess_chunk_info *info,
                                                              size_t info_size, tess_error *err);
/** For programs in C and C++: tess_chunk_describe_sized() with the size of their struct. */
#define tess_chunk_describe(chunk, chunk_size, info, err) \
    tess_chunk_describe_sized((chunk), (chunk_size), (info), sizeof(tess_chunk_info), (err))

/** @} */

#ifdef __cplusplus
}
#endif

#endif
