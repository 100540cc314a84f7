/**
 * @file array.h
 * N-dimensional compressed arrays: create, open, read, write, resize, append, close.
 *
 * An array is a grid of chunks, each compressed on its own; a chunk is a grid of blocks, and a
 * block is the smallest unit that is decoded. Shapes and positions are counted in items, one value
 * per axis, slowest axis first (C order).
 *
 * A program fills in a tess_storage (where the array is) and, for a new array, a tess_params (what
 * it is), and calls a function that creates or opens the array. tess_array_read() and
 * tess_array_write() copy boxes of items to and from memory. tess_array_flush() commits: it makes
 * the changes so far the state of the file. tess_array_close() commits and closes;
 * tess_array_discard() closes without a commit.
 *
 * Unless a comment says otherwise, no pointer may be NULL; a missing one is TESS_ERR_ARG.
 *
 * Failures. A call that fails leaves the array, in memory and on disk, as it was before the call.
 * errors.rst lists the three exceptions. The most important one: if a write, resize or append
 * succeeds and only the automatic commit after it fails, the call returns the failure, but the
 * change stays in the array, and tess_array_flush() tries to commit again. The status does not
 * distinguish this case: before repeating an append, insert or delete, compare tess_info.shape.
 * Repeating tess_array_write() or a `set` function does no harm; tess_array_add_points() could add
 * twice.
 *
 * Threads. Functions that take a `const tess_array *` may be called by any number of threads at
 * once, beside each other and beside writes; any number of threads may also write to one array. A
 * read sees each chunk wholly before or wholly after a write; a read that starts after a write has
 * returned sees all of it. Calls that change the shape, refresh, image, close, discard,
 * tess_array_set_context(), tess_array_change() (iterate.h), and setting and deleting metalayers
 * (meta.h) require *exclusive access*: no other thread may be in a call on that array, or on a view
 * of it. Different arrays are independent of each other, two handles of one file included.
 * Functions that take no open array may be called by any thread at any time, except
 * tess_allocator_set() (hooks.h). Functions of the program that a call runs must not leave by
 * longjmp() or an exception, must not fork and return in the child, and must not use the arrays of
 * the call unless their own comment allows it. threads.rst lists the writes, and has the rest: the
 * pool, executors, cancellation, signals, fork(), the end of the process.
 *
 * Commits. In long series of writes the library also commits on its own (automatic commits;
 * tess_storage.explicit_commits: none). Each call is in one commit as a whole. A commit never
 * overwrites bytes that the previous commit needs: after a crash of the program the file opens with
 * the last commit, whole. files.rst says what automatic commits contain, how much space overwritten
 * items take, and what happens when the file is renamed or removed while it is open.
 *
 * Write-back. Small writes to parts of chunks stay in memory as decoded blocks
 * (tess_context.cache), so that writing row after row encodes each block once. These blocks are
 * encoded (written back) by a later call that changes the array and needs their memory, and at the
 * latest by flush or close. If the write-back fails, the call that needed it returns the error; the
 * blocks stay in the cache, and committed data is not touched. With a cache of 0 bytes every write
 * is encoded by the call itself.
 *
 * lifetimes.rst says how long pointers are valid, and what a reader sees while others write.
 */
#ifndef TESSERA_ARRAY_H
#define TESSERA_ARRAY_H

#include "tessera/error.h"
#include "tessera/params.h"
#include "tessera/storage.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open array. */
typedef struct tess_array tess_array;

/**
 * @name Create
 * Create an array and open it for reading and writing.
 *
 * When the call returns, the array is committed and the path leads to it. The exception is
 * TESS_MODE_REPLACE together with items that are still to be written (uninit, zeros, nan, full):
 * that array stays in a temporary place beside the path, and the old one stays unchanged, until the
 * first tess_array_flush() or tess_array_close(), which replaces the old array.
 *
 * @param storage  Where to create the array; for files, mode TESS_MODE_NEW, TESS_MODE_REPLACE or
 *                 TESS_MODE_APPEND. Arrays in memory accept any mode.
 * @param params   Type, shapes, codec, filters and metalayers of the array.
 * @param a        Receives the array, or NULL on failure. Close it with tess_array_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (params contradict themselves, each other, or storage),
 *         TESS_ERR_LIMIT (a chunk of 2 GiB and more, too many items), TESS_ERR_UNSUPPORTED (a codec
 *         or filter that this build cannot write), TESS_ERR_IO (err->sys EEXIST: the file exists;
 *         EWOULDBLOCK: the file is open for writing elsewhere), TESS_ERR_NOMEM. A failed call
 *         leaves no new file behind, and an existing file as it was (one exception: see
 *         tess_durability).
 * @{
 */

/** Items have no value yet: until they are written, Tessera reads zeros, other readers anything. */
TESS_API TESS_NODISCARD tess_status tess_array_uninit(const tess_storage *storage,
                                                      const tess_params *params, tess_array **a,
                                                      tess_error *err);

/**
 * All items are zero. The array takes no space until something is written. Items added by growth
 * take tess_params.fill.
 */
TESS_API TESS_NODISCARD tess_status tess_array_zeros(const tess_storage *storage,
                                                     const tess_params *params, tess_array **a,
                                                     tess_error *err);

/**
 * All items are NaN, including items added by growth. For floats of 2, 4 and 8 bytes and complex
 * numbers of these (with imaginary part 0), in either byte order. Items of 4 or 8 bytes of any
 * other type are set to the bytes of a little-endian NaN, which is what the format has for a chunk
 * of NaNs; other item sizes are TESS_ERR_ARG.
 */
TESS_API TESS_NODISCARD tess_status tess_array_nan(const tess_storage *storage,
                                                   const tess_params *params, tess_array **a,
                                                   tess_error *err);

/**
 * All items equal one value, including items added by growth. A value of more than 1 MiB whose
 * bytes are not all zero is TESS_ERR_LIMIT; create an array of zeros and write the value instead.
 *
 * @param item       The value, in the byte order of the array.
 * @param item_size  Size of item in bytes; at least the typesize.
 */
TESS_API TESS_NODISCARD tess_status tess_array_full(const tess_storage *storage,
                                                    const tess_params *params, const void *item,
                                                    size_t item_size, tess_array **a,
                                                    tess_error *err);

/**
 * All items are copied from memory.
 *
 * @param src       prod(shape) items in C order. May be NULL if that is 0.
 * @param src_size  Size of src in bytes; at least prod(shape) * typesize.
 */
TESS_API TESS_NODISCARD tess_status tess_array_from(const tess_storage *storage,
                                                    const tess_params *params, const void *src,
                                                    size_t src_size, tess_array **a,
                                                    tess_error *err);

/** @} */

/**
 * Open an existing array.
 *
 * Opens what c-blosc2 2.x and 3.x and Caterva wrote: contiguous frames (files) and sparse frames
 * (directories), with a `b2nd` or `caterva` metalayer in any of their versions. Read-only are the
 * arrays of Caterva 0.1 to 0.4, and frames without such a metalayer, which appear as arrays of one
 * dimension (see tess_info.plain).
 *
 * TESS_MODE_READ works even if a codec or filter is missing; reading chunks that need it is
 * TESS_ERR_UNSUPPORTED.
 *
 * Any number of handles may read a file, and one may write it. A second one with TESS_MODE_UPDATE
 * is refused (TESS_ERR_IO, err->sys EWOULDBLOCK), or waits until the first is closed
 * (tess_storage.wait). After another handle or program has committed, reads through this handle
 * return TESS_ERR_STALE, never wrong data, until tess_array_refresh() moves it to the newest state;
 * tess_array_info(), metalayers and attributes still show the state that was opened. If the file
 * was replaced as a whole (TESS_MODE_REPLACE, tess_compact()), this handle goes on reading the old
 * file; the old directory of a sparse array is gone, and reading it is TESS_ERR_STALE.
 *
 * @param storage  Where; mode TESS_MODE_READ or TESS_MODE_UPDATE.
 * @param a        Receives the array, or NULL on failure. Close it with tess_array_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_NOT_FOUND (the path leads to nothing), TESS_ERR_FORMAT (not a
 *         frame), TESS_ERR_CORRUPT (damaged; err->offset says where), TESS_ERR_UNSUPPORTED (the
 *         array cannot be changed, or this build cannot read it), TESS_ERR_LIMIT (tess_limits),
 *         TESS_ERR_STALE (another program commits continuously; try again), TESS_ERR_IO,
 *         TESS_ERR_NOMEM, TESS_ERR_ARG.
 */
TESS_API TESS_NODISCARD tess_status tess_array_open(const tess_storage *storage, tess_array **a,
                                                    tess_error *err);

/**
 * Move an array that is open for reading to the newest state of its file.
 *
 * The result is the same as opening the array again: items, shape, type, fill value, metalayers and
 * attributes are those of the last commit of any program. The path is looked up again, so a file
 * that replaced the old one is found. The new state may differ in everything, including the number
 * of dimensions: call tess_array_info() again. Pointers into the array (tess_info, metalayers)
 * become invalid if *changed is true.
 *
 * If nothing changed, the cache is kept and hardly anything is read. If the state changed, all
 * decoded blocks are dropped and the cache counters of tess_info restart at 0. If another program
 * wrote the last state, that program could have replaced a chunk without changing anything that
 * describes the state; therefore *changed is true at each refresh of such a file.
 *
 * Views (view.h) show the new items if type, fill value, chunk shape and block shape are the same
 * and no axis became shorter; otherwise using such a view is TESS_ERR_STALE. If another program
 * moved items to other indices without changing the shape, a view shows what is there now.
 *
 * Arrays in memory, and arrays open for writing, are never refreshed: the call changes nothing. Of
 * an array open for writing it tells whether the file still is in its state.
 *
 * @param a        Open array, not a view; exclusive access required, also to its views.
 * @param changed  Receives whether there was a newer state; false on failure. May be NULL.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_array_open(). For an array open for writing, TESS_ERR_STALE: another
 *         program changed the file, or the path leads to another file, so the array cannot be
 *         committed. After a failure the array is as it was, and the call may be repeated.
 */
TESS_API TESS_NODISCARD tess_status tess_array_refresh(tess_array *a, bool *changed,
                                                       tess_error *err);

/**
 * Acquire the lock file (tess_storage.lock_file) now, and hold it until the next tess_array_flush()
 * that succeeds, or tess_array_close(). Programs that use the lock file see the changes until then
 * as one, automatic commits included: they wait, and read what was flushed. Without a lock file
 * nothing happens.
 *
 * @param a    Array opened for writing, not a view. May run beside reads and writes.
 * @param err  Filled on failure; may be NULL.
 *
 * @return TESS_OK, also if the lock is held already; TESS_ERR_IO (err->sys EWOULDBLOCK: others hold
 *         it), TESS_ERR_STALE (another program changed the file), TESS_ERR_ARG. After a failure
 *         nothing is held that was not held before.
 */
TESS_API TESS_NODISCARD tess_status tess_array_lock(tess_array *a, tess_error *err);

/**
 * Commit all changes. For an array created with TESS_MODE_REPLACE, the first flush also replaces
 * the old array.
 *
 * @param a    Open array; for an array open for reading, nothing happens.
 * @param err  Filled on failure; may be NULL.
 *
 * @return TESS_OK, also when there is nothing to commit, or TESS_ERR_IO, TESS_ERR_NOMEM,
 *         TESS_ERR_STALE (another program changed the file, or the path no longer leads to it).
 *         After a failure the file holds the previous commit, or an automatic one made by this
 *         call; if only the last sync failed (TESS_DURABILITY_FSYNC), it may show the new commit
 *         already. The changes are still in the array, and flush may be repeated. Replacing the old
 *         array fails with TESS_ERR_IO if the path now leads to something that cannot be replaced,
 *         or that is open for writing elsewhere (err->sys EWOULDBLOCK); the path then still leads
 *         to it.
 */
TESS_API TESS_NODISCARD tess_status tess_array_flush(tess_array *a, tess_error *err);

/**
 * Commit all changes and close the array. The array is closed even if the commit fails.
 *
 * To know whether the data arrived, check the status of this call, or call tess_array_flush() first
 * and ignore the status of this call.
 *
 * @param a    May be NULL. Invalid afterwards, also after a failure.
 * @param err  Filled on failure; may be NULL.
 *
 * @return as tess_array_flush(); changes that could not be committed are lost. An array created
 *         with TESS_MODE_REPLACE that could not replace the old array is lost as a whole, and the
 *         old array is as it was (one exception: see tess_durability).
 */
TESS_API tess_status tess_array_close(tess_array *a, tess_error *err);

/**
 * Close the array without committing: the file keeps its last commit, which may be an automatic
 * one. An array created with TESS_MODE_REPLACE that has not replaced the old array yet is removed,
 * and the old one stays.
 *
 * @param a  May be NULL. Invalid afterwards.
 */
TESS_API void tess_array_discard(tess_array *a);

/**
 * Properties of an array. Pointers are valid until the handle that was asked is closed, or a
 * refresh finds a newer state (*changed is true).
 */
typedef struct tess_info {
    int ndim; /**< number of dimensions, 0 to TESS_MAX_NDIM; length of the lists below */
    int64_t shape[TESS_MAX_NDIM]; /**< items along each axis, slowest axis first */
    int64_t chunkshape[TESS_MAX_NDIM]; /**< items of a chunk along each axis */
    int64_t blockshape[TESS_MAX_NDIM]; /**< items of a block along each axis */

    const char *dtype; /**< type string, verbatim; NULL if the file has none */
    int dtype_format; /**< 0: NumPy */
    int32_t typesize; /**< bytes of one item */
    const void *fill; /**< value of items added by growth; NULL: zeros */

    /** Id (tess_codec) of the codec of new chunks. All members from here to `split` describe new
        chunks; tess_array_chunk() describes existing ones. */
    int codec;
    const char *codec_name; /**< "lz4", the name of a plugin, or "unknown" */
    int codec_meta; /**< parameter of the codec, 0 to 255; see tess_params.codec_meta */
    int clevel; /**< 0 (stored) to 9 */
    uint8_t filters[TESS_MAX_FILTERS]; /**< ids (tess_filter), in the order of tess_params */
    uint8_t filters_meta[TESS_MAX_FILTERS]; /**< one parameter byte per filter */
    /** New chunks get a dictionary where it saves space. Files older than c-blosc2 3.0 do not
        record this. */
    bool dictionary;
    int split; /**< tess_split, or 4: forward-compatible, treated as AUTO */

    int64_t nitems; /**< prod(shape) */
    int64_t nchunks; /**< chunks of the grid, those without bytes of their own included */
    int64_t nbytes; /**< uncompressed bytes of the chunks, their padding included */
    int64_t cbytes; /**< bytes of the chunks as stored, holes included, at the last commit */
    /** Bytes of the frame at the last commit; of a sparse array: of its index file and its chunks.
       The file itself may be longer: bytes of earlier commits may follow the frame. */
    int64_t file_size;
    int32_t chunksize; /**< uncompressed bytes of a chunk; 0: they differ */
    int32_t blocksize; /**< uncompressed bytes of a block; 0: they differ */

    const char *layer; /**< "b2nd", "caterva", or NULL: a plain frame */
    /** A view of another array (view.h). chunkshape, blockshape and nchunks then approximate the
        base's chunks seen through the view; sizes in bytes are the base's. */
    bool view;
    bool plain; /**< a frame without N-dimensional metalayer, shown as one dimension */
    bool contiguous; /**< one file, or memory; false: a directory with one file per chunk */
    bool writable; /**< calls that change the array are allowed */
    bool vlblocks; /**< blocks of different sizes (plain frames only) */
    /** The array is open for writing and locked against other writers. false: it is open for
        reading, or in memory, or its file system has no locks (tess_storage.require_lock). */
    bool locked;
    int frame_version; /**< 2 and 3 today; 1 and 0 in frames before c-blosc2 2.0 */
    int64_t offset; /**< byte of its file where the frame starts */

    /** Bytes of decoded blocks in the cache (tess_context.cache). The counters below start when the
        array is opened, and again when tess_array_refresh() finds a newer state. */
    int64_t cache_used;
    int64_t cache_dirty; /**< of these, bytes of blocks not written back; cbytes excludes them */
    int64_t cache_hits; /**< partial reads of a block that found it in the cache */
    int64_t cache_misses; /**< partial reads of a block that did not */
    int64_t cache_evictions; /**< blocks removed to make room for others */

    int nmetalayers; /**< fixed metalayers, `layer` included, `tess_fill` not; see meta.h */
    int nvlmetalayers; /**< variable-length ones, attributes (attr.h) among them */

    /** Chunks that have stored bytes. nstored + nspecial + nmissing = nchunks. */
    int64_t nstored;
    int64_t nspecial; /**< chunks that are not stored: all their items are zeros, or all NaNs */
    int64_t nmissing; /**< chunks that were never written, see tess_array_uninit() */
    /** Stored bytes of the nstored chunks, without holes. -1: unknown; see tess_array_measure(). */
    int64_t live;
    /** Unused bytes between chunks: later writes fill them, tess_compact() removes them. 0 for a
        directory. -1: unknown, as above. */
    int64_t holes;
    /** Bytes of all items, without padding, divided by live; 0: nothing is stored; -1: unknown. */
    double ratio;
} tess_info;

/**
 * Get the properties of an open array. Fills all of *info; neither pointer may be NULL. Cannot
 * fail.
 *
 * Nothing is read from the file. Therefore live, holes and ratio are -1 unless they are known: they
 * are for an array that this handle created, and after one call of tess_array_measure().
 *
 * @param a          Open array, or a view; any number of threads may call at once.
 * @param info       Filled.
 * @param info_size  Size of *info in bytes: the macro passes sizeof(tess_info).
 */
TESS_API void tess_array_info_sized(const tess_array *a, tess_info *info, size_t info_size);
/** For programs in C and C++: tess_array_info_sized() with the size of their struct. */
#define tess_array_info(a, info) tess_array_info_sized((a), (info), sizeof(tess_info))

/**
 * Get the properties of an open array, including the space it takes.
 *
 * As tess_array_info(), but live, holes and ratio are always known: the header of each stored chunk
 * is read, unless the sizes are known already. Later calls of tess_array_info() return them, too.
 *
 * @param a     Open array; any number of threads may call at once. For a view, the numbers of
 *              chunks and bytes are those of its base.
 * @param info  Filled on success.
 * @param info_size  Size of *info in bytes: the macro passes sizeof(tess_info).
 * @param err   Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_CORRUPT (a chunk is not where the index says, or has a size that it
 *         cannot have), TESS_ERR_STALE (another program changed the file since it was opened or
 *         refreshed), TESS_ERR_IO, TESS_ERR_NOMEM, TESS_ERR_ARG.
 */
TESS_API TESS_NODISCARD tess_status tess_array_measure_sized(const tess_array *a, tess_info *info,
                                                             size_t info_size, tess_error *err);
/** For programs in C and C++: tess_array_measure_sized() with the size of their struct. */
#define tess_array_measure(a, info, err) \
    tess_array_measure_sized((a), (info), sizeof(tess_info), (err))

/**
 * Copy a box of an array into memory.
 *
 * The box is [start, stop) along each axis, in items. It is written to dst in C order (last axis
 * contiguous), without gaps, in the byte order of the array.
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param start     First index per axis: ndim values, 0 <= start[i] <= stop[i]. May be NULL if
 *                  ndim is 0.
 * @param stop      One past the last index per axis, stop[i] <= shape[i]. May be NULL if ndim is 0.
 * @param dst       Receives prod(stop - start) items. May be NULL if that is 0.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_ARG if the box leaves the array or dst is too small;
 *         TESS_ERR_CORRUPT if a chunk contradicts itself (err->offset says where);
 *         TESS_ERR_STALE if another program changed the file since it was opened or refreshed;
 *         TESS_ERR_UNSUPPORTED if a chunk needs a codec or filter that is missing;
 *         TESS_ERR_LIMIT if a block exceeds tess_limits.memory;
 *         TESS_ERR_CANCELLED if tess_context.progress ends the call;
 *         TESS_ERR_IO, TESS_ERR_NOMEM, and any status that a plugin returns.
 *         After a failure the content of dst is undefined, and the array is as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_array_read(const tess_array *a, const int64_t *start,
                                                    const int64_t *stop, void *dst, size_t dst_size,
                                                    tess_error *err);

/**
 * Copy memory into a box of an array.
 *
 * @param a         Array opened for writing.
 * @param start     First index per axis, as in tess_array_read().
 * @param stop      One past the last index per axis.
 * @param src       prod(stop - start) items in C order. May be NULL if that is 0.
 * @param src_size  Size of src in bytes; at least prod(stop - start) * typesize.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (box, size, or not opened for writing), TESS_ERR_CORRUPT (a
 *         chunk of which items must be kept is damaged), TESS_ERR_UNSUPPORTED (such a chunk needs a
 *         codec or filter that is missing), TESS_ERR_IO, TESS_ERR_NOMEM, TESS_ERR_LIMIT (a block
 *         exceeds tess_limits.memory), TESS_ERR_STALE (from a commit), TESS_ERR_CANCELLED (by
 *         tess_context.progress), and any status that a plugin returns. After a failure the array
 *         is as it was, except after a failed automatic commit (see "Failures" at the top).
 */
TESS_API TESS_NODISCARD tess_status tess_array_write(tess_array *a, const int64_t *start,
                                                     const int64_t *stop, const void *src,
                                                     size_t src_size, tess_error *err);

/**
 * Change the resources of an array, for all later calls: threads, executor, cache, memory, and the
 * progress function.
 *
 * If context->cache differs from the present one, dirty blocks are written back, and the cache is
 * empty afterwards. The pool of threads and other arrays are not affected.
 *
 * A view has memory and progress of its own, initially those of its base: for a view, this call
 * changes only these two, for calls on that view alone. Threads, executor and cache are those of
 * the base, for all of its views; for a view, these members of *context are ignored.
 *
 * @param a        Open array or view; exclusive access required.
 * @param context  Copied; NULL: the defaults. To change a single member, begin with
 *                 tess_array_get_context().
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (a negative number, an executor without submit and run_all);
 *         TESS_ERR_UNSUPPORTED (members that this version does not know); TESS_ERR_NOMEM; or, from
 *         the write-back, as tess_array_write(). After a failure the context is as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_context(tess_array *a,
                                                           const tess_context *context,
                                                           tess_error *err);

/**
 * Get the resources of an array; of a view, threads and cache are those of its base.
 *
 * @param a             Open array or view; any number of threads at once.
 * @param context       Receives them, ready for tess_array_set_context().
 * @param context_size  Size of *context in bytes: the macro passes sizeof(tess_context).
 */
TESS_API void tess_array_get_context_sized(const tess_array *a, tess_context *context,
                                           size_t context_size);
/** For programs in C and C++: tess_array_get_context_sized() with the size of their struct. */
#define tess_array_get_context(a, context) \
    tess_array_get_context_sized((a), (context), sizeof(tess_context))

/**
 * Get one item.
 *
 * As tess_array_read() of a box of one item: a block that is read repeatedly is cached.
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param index     Per axis: ndim values, 0 <= index[i] < shape[i]. NULL if ndim is 0.
 * @param dst       Receives the item, typesize bytes in the byte order of the array.
 * @param dst_size  Size of dst in bytes; more than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_array_get_item(const tess_array *a, const int64_t *index,
                                                        void *dst, size_t dst_size,
                                                        tess_error *err);

/**
 * Set one item.
 *
 * As tess_array_write() of a box of one item: its block usually waits in the cache for more writes.
 *
 * @param a         Array opened for writing; any number of threads may write at once.
 * @param index     Per axis: ndim values, 0 <= index[i] < shape[i]. NULL if ndim is 0.
 * @param src       The item.
 * @param src_size  Size of src in bytes; more than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_item(tess_array *a, const int64_t *index,
                                                        const void *src, size_t src_size,
                                                        tess_error *err);

/**
 * Change the shape: axes grow or shrink at their ends.
 *
 * New items take the fill value of the array (tess_params.fill), or zero, even where an earlier,
 * larger shape had other items. Chunk and block shapes stay.
 *
 * Items outside the new shape are removed. In chunks that stay, they become zeros, for which blocks
 * at the border are encoded again. (With a lossy codec or filter, encoding again would change the
 * items that stay; blocks that keep some items are then left as they are. In a file, the bytes of
 * old chunks stay until they are overwritten; tess_compact() removes them.)
 *
 * @param a      Array opened for writing.
 * @param shape  ndim values, >= 0, in items.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_resize(tess_array *a, const int64_t *shape,
                                                      tess_error *err);

/**
 * Grow one axis and fill the new part from memory.
 *
 * @param a         Array opened for writing, with one dimension at least.
 * @param axis      The axis that grows, 0 <= axis < ndim.
 * @param count     Number of layers, >= 0: the growth of the axis, in items.
 * @param src       The layers: items in C order, of the array's shape in all other axes. May be
 *                  NULL if there are none.
 * @param src_size  Size of src in bytes; at least typesize * count * prod(shape[i], i != axis), or
 *                  as far as positive strides lead.
 * @param strides   Bytes from one item to the next in memory, per axis: ndim values, of any sign; 0
 *                  repeats one item along the axis. The first item is at src; see
 *                  tess_array_set_slice() (slice.h). NULL: C order without gaps.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_append(tess_array *a, int axis, int64_t count,
                                                      const void *src, size_t src_size,
                                                      const int64_t *strides, tess_error *err);

/**
 * Change the shape, and write a box of the new one: both or nothing, in one commit.
 *
 * For programs whose data arrives box by box and in any order: a read, also by another program,
 * never sees a shape without the items that it grew for. Items that are new and not in the box take
 * the fill value, as by tess_array_resize().
 *
 * @param a         Array opened for writing.
 * @param shape     ndim values, >= 0, in items. May be the shape that the array has.
 * @param start     First index of the box per axis: ndim values, 0 <= start[i] <= stop[i].
 * @param stop      One past its last index per axis, stop[i] <= shape[i].
 * @param src       The items of the box. May be NULL if it has none.
 * @param src_size  Size of src in bytes, as in tess_array_append().
 * @param strides   Of the memory, as in tess_array_append(). NULL: C order without gaps.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_resize_write(tess_array *a, const int64_t *shape,
                                                            const int64_t *start,
                                                            const int64_t *stop, const void *src,
                                                            size_t src_size, const int64_t *strides,
                                                            tess_error *err);

/**
 * Change the shape at any place: along each axis, the difference between the old and the new length
 * is inserted or removed at one index.
 *
 * Inserted items take the fill value, or zero. Cost, per axis: if index and difference are
 * multiples of the chunk length, chunks are renumbered and nothing is decoded. If only the
 * difference is such a multiple, only the chunks that contain the index are decoded. Otherwise all
 * items behind the index are decoded and encoded once, using memory for 64 MiB of items, or for one
 * chunk if that is larger; until the next commit the old chunks take space, too. Chunks that are
 * all zeros, all NaNs or one repeated value move without being decoded, whatever their size. Axes
 * that shrink are changed before axes that grow.
 *
 * @param a      Array opened for writing.
 * @param shape  ndim values, >= 0, in items.
 * @param position  ndim values: the index of the first item that is inserted or removed. An axis
 *               that grows: 0 to its old length. An axis that shrinks: 0 to its new length
 *               shape[i]; the items position[i] up to position[i] + old length - shape[i] are
 *               removed. NULL: at the ends, as tess_array_resize().
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_array_write(); TESS_ERR_LIMIT also if a chunk exceeds tess_limits.memory.
 */
TESS_API TESS_NODISCARD tess_status tess_array_resize_at(tess_array *a, const int64_t *shape,
                                                         const int64_t *position, tess_error *err);

/**
 * Insert layers across one axis; items at `position` and behind move towards the end.
 *
 * Cost: see tess_array_resize_at().
 *
 * @param a         Array opened for writing, with one dimension at least.
 * @param axis      The axis that grows, 0 <= axis < ndim.
 * @param position  0 <= position <= items along the axis. At the end: as tess_array_append().
 * @param count     Number of layers, >= 0: the growth of the axis, in items.
 * @param src       The layers, as in tess_array_append().
 * @param src_size  Size of src in bytes, as in tess_array_append().
 * @param strides   Of the memory, as in tess_array_append(). NULL: C order without gaps.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_resize_at().
 */
TESS_API TESS_NODISCARD tess_status tess_array_insert(tess_array *a, int axis, int64_t position,
                                                      int64_t count, const void *src,
                                                      size_t src_size, const int64_t *strides,
                                                      tess_error *err);

/**
 * Delete layers across one axis; items behind them move towards the start.
 *
 * Cost: see tess_array_resize_at().
 *
 * @param a         Array opened for writing, with one dimension at least.
 * @param axis      The axis that shrinks, 0 <= axis < ndim.
 * @param start     The first layer to delete, 0 <= start <= stop.
 * @param stop      One past the last one, stop <= items along the axis.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_resize_at().
 */
TESS_API TESS_NODISCARD tess_status tess_array_delete(tess_array *a, int axis, int64_t start,
                                                      int64_t stop, tess_error *err);

/**
 * Grow one axis by the items of another array.
 *
 * The items are copied as by tess_array_copy() (copy.h): if the axis ends with a whole chunk,
 * chunks that both arrays store in the same way are copied as they are stored. Blocks of the other
 * array that wait in its cache prevent that; call tess_array_flush() on the other array first.
 * Items keep their bytes, whatever attributes of the two arrays say: where _FillValue or
 * scale_factor differ, tess_array_read_as() and tess_array_write_as() (convert.h) carry them over.
 *
 * @param a      Array opened for writing, with one dimension at least.
 * @param axis   The axis that grows, 0 <= axis < ndim.
 * @param other  Open array with the same type, byte order included, and the same shape in all other
 *               axes; layout, chunks and codec may differ. May be `a`, and may be a view. If one of
 *               the arrays records no type, only the typesizes must be equal.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_array_resize_at(), and as tess_array_read() of the other array.
 */
TESS_API TESS_NODISCARD tess_status tess_array_append_array(tess_array *a, int axis,
                                                            const tess_array *other,
                                                            tess_error *err);

/**
 * Get the bytes of an array in memory: a complete frame, identical to the content of a file.
 *
 * Commits first. The bytes belong to the array and stay valid until the next call on it that
 * requires exclusive access. For a copy, and for arrays in files, see tess_array_to_image() in
 * copy.h.
 *
 * @param a      Array in memory (storage without path); TESS_ERR_ARG otherwise.
 * @param image  Receives the address; NULL on failure.
 * @param image_size  Receives the number of bytes; 0 on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG, or as tess_array_flush().
 */
TESS_API TESS_NODISCARD tess_status tess_array_image(tess_array *a, const void **image,
                                                     size_t *image_size, tess_error *err);

/**
 * Free memory that the library allocated for the program: whatever a function returned with the
 * words "free it with tess_free()". Arrays, views and tuners are closed instead.
 *
 * @param memory  What was returned. NULL is allowed.
 */
TESS_API void tess_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
