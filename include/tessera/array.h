/**
 * @file array.h
 * N-dimensional compressed arrays: create, open, read, write, resize, append, close.
 *
 * An array is a grid of chunks, each compressed on its own; a chunk is a grid of blocks, the
 * smallest unit that is decoded. Shapes and positions are counted in items, one value per axis,
 * slowest axis first (C order).
 *
 * Threads: any number of threads may read one array at once. A call that changes an array (write,
 * resize, append, flush, image, refresh, close, and those of meta.h and attr.h that set or delete)
 * needs it for itself, and so do those of copy.h and chunk.h if it is open for writing. Different
 * arrays have nothing in common.
 *
 * A thread that is in a call is cancelled (pthread_cancel()) when the call has returned, at its
 * next cancellation point; functions of the program that the call calls are not cancelled either.
 * So a call that waits (tess_storage.wait) is ended by tess_context.progress. Threads of the
 * library cannot be cancelled. PTHREAD_CANCEL_ASYNCHRONOUS must not be set in a call.
 *
 * After a fork(), the child may use the arrays that no other thread was in a call on at that
 * moment. An array in a file that was open for writing is changed only by the process that opened
 * it: in the child, calls that change it, and flush, are TESS_ERR_ARG, tess_info.writable is false,
 * and closing it commits nothing, leaves the file as it is, and is TESS_OK. The child may read it
 * until its parent commits again, which is TESS_ERR_STALE; where changes were stored but not
 * committed at the moment of the fork, it is from the start. When the parent closes the array the
 * lock of the file ends, whatever children there are; if the parent ends without that, the lock
 * stays until its children have ended, or closed the array. Of an array in memory each process has
 * its own copy, to do with as it likes.
 *
 * Persistence: changes reach the file in commits. tess_array_flush() commits, closing commits, and
 * long series of writes are committed now and then, with those blocks that do not wait (below). So
 * what was overwritten takes about a quarter of the array's size in the file; a call that
 * overwrites more than that at once needs the space of both, at most twice the array's size (and
 * 4 MiB). Flush and close may make several commits for that. Closing moves chunks from the end of
 * the file into holes, where that is worth it, and cuts the file: it has at most 2.1 times the
 * array's size then, and 1 MiB. A commit never touches what the previous one needs: a program that
 * dies finds the last commit, whole. Where that was to replace another array and has not yet, it
 * finds the other one; what the program left beside it (`NAME.tess-N.tmp`) is removed by the next
 * one that creates, compacts, or opens for writing what has the name, if nobody has the lock of it;
 * on a file system without locks it stays. A call that fails leaves the array, in memory and on
 * disk, as it was before the call. With one exception: if all that fails is a commit which a write,
 * resize or append makes on the way, then what the call did stays in the array, and
 * tess_array_flush() tries again.
 *
 * A commit goes to the file or directory that was opened or made, as long as the path leads to it.
 * If that was renamed, replaced or removed by other means, or a directory on the way was, all calls
 * that commit return TESS_ERR_STALE, and so does tess_array_refresh(). The changes stay in the
 * array until it is closed: flush commits them once the path leads to the file again, and
 * tess_array_save() (copy.h) saves them elsewhere. A file that is moved when all is committed stays
 * as it is and is no failure; one that is removed then is: flush and close return TESS_ERR_STALE. A
 * relative path starts in the directory that was the working directory when it was given, wherever
 * the program goes. A path that the process may not look up any more (EACCES) is not compared.
 *
 * Small writes wait in memory as decoded blocks (tess_context.cache), so that writing row after row
 * encodes each block once. They are encoded when that memory is needed, by a later call that
 * changes the array, at the latest by flush or close. What goes wrong then is told by that call;
 * the blocks go on waiting, and what was committed before is not touched. With a cache of 0 bytes
 * every write is encoded by the call that makes it.
 *
 * All pointers must be given, if nothing else is said; what is missing is TESS_ERR_ARG.
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
 * Make a new array and open it for reading and writing. It is in its place, committed, when the
 * call returns. But with TESS_MODE_REPLACE, and the items still to come (uninit, zeros, nan, full),
 * it is in a temporary place beside it, and what it replaces is as it was, until the first
 * tess_array_flush() or tess_array_close(): see there.
 *
 * @param storage  Where; mode TESS_MODE_NEW, TESS_MODE_REPLACE or TESS_MODE_APPEND for files, any
 *                 for memory.
 * @param params   What.
 * @param a        Receives the array, or NULL on failure. End it with tess_array_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (params contradict themselves, each other, or storage),
 *         TESS_ERR_LIMIT (a chunk of 2 GiB and more, too many items), TESS_ERR_UNSUPPORTED (a codec
 *         or filter that this build cannot write), TESS_ERR_IO (err->sys EEXIST: the file exists;
 *         EWOULDBLOCK: somebody has it open for writing), TESS_ERR_NOMEM. A failed call leaves no
 * file behind, and a file that existed as it was.
 * @{
 */

/** Items are not set: before they are written, Tessera reads zeros, others may read anything. */
TESS_API TESS_NODISCARD tess_status tess_array_uninit(const tess_storage *storage,
                                                      const tess_params *params, tess_array **a,
                                                      tess_error *err);

/**
 * All items are zero. Takes no space until something is written. Growth shows tess_params.fill, as
 * of all arrays but full ones and those of NaNs.
 */
TESS_API TESS_NODISCARD tess_status tess_array_zeros(const tess_storage *storage,
                                                     const tess_params *params, tess_array **a,
                                                     tess_error *err);

/**
 * All items are NaN, also those that growth shows: for floats of 2, 4 and 8 bytes, and for complex
 * numbers of these, whose imaginary part is 0, in either byte order. Items of 4 or 8 bytes of any
 * other type are set to the bytes of a little-endian NaN; those of other sizes are TESS_ERR_ARG.
 */
TESS_API TESS_NODISCARD tess_status tess_array_nan(const tess_storage *storage,
                                                   const tess_params *params, tess_array **a,
                                                   tess_error *err);

/**
 * All items equal one value, also those that growth shows. One of more than 1 MiB that is not all
 * zeros is TESS_ERR_LIMIT; write it to an array of zeros instead.
 *
 * @param item       The value, in the byte order of the array.
 * @param item_size  Its size in bytes; must be the typesize.
 */
TESS_API TESS_NODISCARD tess_status tess_array_full(const tess_storage *storage,
                                                    const tess_params *params, const void *item,
                                                    size_t item_size, tess_array **a,
                                                    tess_error *err);

/**
 * The items come from memory.
 *
 * @param src       prod(shape) items in C order. May be NULL if that is 0.
 * @param src_size  Size of src in bytes; must be prod(shape) * typesize.
 */
TESS_API TESS_NODISCARD tess_status tess_array_from(const tess_storage *storage,
                                                    const tess_params *params, const void *src,
                                                    size_t src_size, tess_array **a,
                                                    tess_error *err);

/** @} */

/**
 * Open an array that exists.
 *
 * Opens what c-blosc2 2.x and 3.x and Caterva wrote: contiguous frames, and sparse ones
 * (directories), with a `b2nd` or `caterva` metalayer in any of their layouts. Some can only be
 * read: the arrays of Caterva 0.1 to 0.4; and frames without such a metalayer, which are shown as
 * one dimension (see tess_info.plain).
 *
 * A codec or filter that is missing does not prevent TESS_MODE_READ; reading chunks that need it
 * is TESS_ERR_UNSUPPORTED.
 *
 * Any number of handles may read a file. One may write it: a second one with TESS_MODE_UPDATE is
 * refused (TESS_ERR_IO, err->sys EWOULDBLOCK) until the first is closed, or waits for that, as
 * tess_storage.wait says. A handle that was opened before somebody else committed gets
 * TESS_ERR_STALE from reads, never wrong data; tess_array_refresh() moves it on.
 *
 * @param storage  Where; mode TESS_MODE_READ or TESS_MODE_UPDATE.
 * @param a        Receives the array, or NULL on failure. End it with tess_array_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_FORMAT (not a frame), TESS_ERR_CORRUPT (damaged; err->offset says
 *         where), TESS_ERR_UNSUPPORTED (cannot be changed, or not read by this build),
 *         TESS_ERR_LIMIT (tess_limits), TESS_ERR_STALE (another program commits without a pause;
 *         try again), TESS_ERR_IO, TESS_ERR_NOMEM, TESS_ERR_ARG.
 */
TESS_API TESS_NODISCARD tess_status tess_array_open(const tess_storage *storage, tess_array **a,
                                                    tess_error *err);

/**
 * Move an array that is open for reading to the newest state of its file.
 *
 * Afterwards it is what opening it again would give: items, shape, type, fill value, metalayers and
 * attributes are those of the last commit, of whichever program. The path it was opened with is
 * looked up again, as it was given, so a file that was replaced is followed. Whatever was replaced
 * may differ in everything, also in the number of dimensions: ask tess_array_info() again. Pointers
 * that the array gave out end, if something changed.
 *
 * If nothing changed, nothing is forgotten and hardly anything is read. Else all decoded blocks are
 * forgotten, and counting them begins anew. Where another program wrote the last state, it may have
 * replaced a chunk without a trace in what describes the state: such a file counts as changed each
 * time.
 *
 * Views (view.h) show the new items, if the array has the type, fill value, chunks and blocks that
 * it had, and no axis is shorter; else using them is TESS_ERR_STALE. That items were moved to other
 * indices within the same shape cannot be noticed.
 *
 * An array in memory has no other state, and one that is open for writing makes the states itself:
 * nothing happens to them.
 *
 * @param a        Open array, no view; no other thread uses it, or a view of it, at this time.
 * @param changed  Receives whether there was a newer state; false on failure. May be NULL.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_array_open(). TESS_ERR_STALE of an array that is open for writing:
 *         another program changed the file, or the path leads to another one, so that it cannot be
 *         committed. After a failure the array is as it was, and refreshing it may be tried again.
 */
TESS_API TESS_NODISCARD tess_status tess_array_refresh(tess_array *a, bool *changed,
                                                       tess_error *err);

/**
 * Commit all changes. A new array that replaces another one (TESS_MODE_REPLACE) takes its place
 * with the first flush.
 *
 * @param a    Open array; nothing happens if it is only read.
 * @param err  Filled on failure; may be NULL.
 *
 * @return TESS_OK, also when there is nothing to do, or TESS_ERR_IO, TESS_ERR_NOMEM,
 *         TESS_ERR_STALE (another program changed the file, or it is not where its path leads to).
 *         After a failure the file holds the previous commit; the changes are still in the array
 *         and flush may be tried again. Taking the place of another array fails with TESS_ERR_IO if
 *         something is there by now that cannot be replaced, or that somebody has open for writing
 *         (err->sys EWOULDBLOCK): the path leads to that still.
 */
TESS_API TESS_NODISCARD tess_status tess_array_flush(tess_array *a, tess_error *err);

/**
 * Commit all changes and end the array, in any case.
 *
 * A program that must know whether its data arrived can rely on the status here, or call
 * tess_array_flush() first and ignore it.
 *
 * @param a    May be NULL. Invalid afterwards, also on failure.
 * @param err  Filled on failure; may be NULL.
 *
 * @return as tess_array_flush(); what could not be committed is lost. An array that could not take
 *         the place of another one is lost altogether, and the other one is as it was.
 */
TESS_API tess_status tess_array_close(tess_array *a, tess_error *err);

/**
 * End the array without committing: the file keeps its last commit. One that has not taken the
 * place of another one yet disappears, and the other one stays. NULL is fine.
 */
TESS_API void tess_array_discard(tess_array *a);

/** What an array is. Pointers live as long as the array and until its next change or refresh. */
typedef struct tess_info {
    int ndim; /**< number of dimensions, 0 to TESS_MAX_NDIM; of the lists below so many count */
    int64_t shape[TESS_MAX_NDIM]; /**< items along each axis, slowest axis first */
    int64_t chunkshape[TESS_MAX_NDIM]; /**< items of a chunk along each axis */
    int64_t blockshape[TESS_MAX_NDIM]; /**< items of a block along each axis */

    const char *dtype; /**< type string, verbatim; NULL if the file has none */
    int dtype_format; /**< 0: NumPy */
    int32_t typesize; /**< bytes of one item */
    const void *fill; /**< the item that growth shows; NULL: zeros */

    /** Id (tess_codec) of the codec of new chunks, as all up to split; see chunk.h for others. */
    int codec;
    const char *codec_name; /**< "lz4", the name of a plugin, or "unknown" */
    int codec_meta; /**< parameter of the codec, 0 to 255; see tess_params.codec_meta */
    int clevel; /**< 0 (stored) to 9 */
    uint8_t filters[TESS_MAX_FILTERS]; /**< ids (tess_filter), in the order of tess_params */
    uint8_t filters_meta[TESS_MAX_FILTERS]; /**< one parameter byte per filter */
    /** Where that pays, they get a dictionary. Files from before c-blosc2 3.0 do not say so. */
    bool dictionary;
    int split; /**< tess_split, or 4: forward-compatible, as AUTO here */

    int64_t nitems; /**< prod(shape) */
    int64_t nchunks; /**< chunks of the grid, those without bytes of their own included */
    int64_t nbytes; /**< uncompressed bytes of the chunks, their padding included */
    int64_t cbytes; /**< of the last commit: bytes of the chunks as stored, holes included */
    int64_t file_size; /**< bytes of the frame; of a sparse one, of its index file alone */
    int32_t chunksize; /**< uncompressed bytes of a chunk; 0: they differ */
    int32_t blocksize; /**< uncompressed bytes of a block; 0: they differ */

    const char *layer; /**< "b2nd", "caterva", or NULL: a plain frame */
    bool view; /**< of another array (view.h). Then chunkshape, blockshape and nchunks tell what
                    its chunks are through the view, about; sizes in bytes are the array's. */
    bool plain; /**< a frame without N-dimensional metalayer, shown as one dimension */
    bool contiguous; /**< one file, or memory; false: a directory with one file per chunk */
    bool writable; /**< calls that change the array are allowed */
    bool vlblocks; /**< blocks of different sizes (plain frames only) */
    /** It is open for writing, and no other writer can open it. false: it is read, or in memory; or
        its file system has no locks (see tess_storage.require_lock). */
    bool locked;
    int frame_version; /**< 2 and 3 today; 1 and 0 in frames before c-blosc2 2.0 */
    int64_t offset; /**< byte of its file where the frame starts */

    /** Decoded blocks that the array keeps (tess_context.cache), in bytes; since it was opened, or
        changed by tess_array_refresh(). */
    int64_t cache_used;
    int64_t cache_dirty; /**< of these, written and not encoded yet: cbytes does not know of them */
    int64_t cache_hits; /**< blocks that were read in part and came from there */
    int64_t cache_misses; /**< and those that did not */
    int64_t cache_evictions; /**< blocks that had to leave for others */

    int nmetalayers; /**< fixed ones, `layer` included, not the one of `fill`; see meta.h */
    int nvlmetalayers; /**< variable-length ones, attributes (attr.h) among them */

    /** Chunks that have bytes of their own. With the next two: all chunks of the array. */
    int64_t nstored;
    int64_t nspecial; /**< chunks that are not stored: all their items are zeros, or all NaNs */
    int64_t nmissing; /**< chunks that were never written, see tess_array_uninit() */
    /** Stored bytes of the nstored chunks, holes not included. -1: tess_array_measure() tells. */
    int64_t live;
    /** Bytes between them that no chunk needs: later writes use them, tess_compact() gives them
        back. Of a directory 0. -1: as above. */
    int64_t holes;
    /** Bytes of all items, without padding, divided by live; 0: nothing is stored; -1: as above. */
    double ratio;
} tess_info;

/**
 * Describe an open array. Fills all of *info; neither may be NULL; cannot fail.
 *
 * Nothing is read for it. So live, holes and ratio may be -1: what an array takes is known of one
 * that was created, of any other when tess_array_measure() was called once.
 */
TESS_API void tess_array_info(const tess_array *a, tess_info *info);

/**
 * Describe an open array, with all that it takes.
 *
 * As tess_array_info(), and live, holes and ratio are there: the header of each stored chunk is
 * read, unless their sizes are known. From then on tess_array_info() tells them, too.
 *
 * @param a     Open array; any number of threads may ask at once. Of a view, the numbers of chunks
 *              and bytes are those of its array.
 * @param info  Filled on success.
 * @param err   Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_CORRUPT (a chunk is not where the index says, or has a size that it
 *         cannot have), TESS_ERR_STALE if another program changed the file since it was opened, or
 *         refreshed; TESS_ERR_IO, TESS_ERR_NOMEM, TESS_ERR_ARG.
 */
TESS_API TESS_NODISCARD tess_status tess_array_measure(const tess_array *a, tess_info *info,
                                                       tess_error *err);

/**
 * Copy a box of an array into memory.
 *
 * The box is [start, stop) along each axis, in items. It arrives in dst in C order (last axis
 * contiguous), without gaps, in the byte order of the array.
 *
 * @param a         Open array; any number of threads may read one array at once.
 * @param start     First index per axis: ndim values, 0 <= start[i] <= stop[i]. May be NULL if
 *                  ndim is 0.
 * @param stop      One past the last index per axis, stop[i] <= shape[i]. Likewise.
 * @param dst       Receives prod(stop - start) items. May be NULL if that is 0.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_ARG if the box leaves the array or dst is too small;
 *         TESS_ERR_CORRUPT if a chunk contradicts itself (err->offset says where);
 *         TESS_ERR_STALE if another program changed the file since it was opened, or refreshed;
 *         TESS_ERR_UNSUPPORTED if a chunk needs a codec or filter that is not there;
 *         TESS_ERR_LIMIT if a block exceeds tess_limits.memory;
 *         TESS_ERR_IO, TESS_ERR_NOMEM, and what plugins answer.
 *         After a failure dst holds anything, and the array is as it was.
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
 * @param src_size  Size of src in bytes; at least what is needed.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (box, size, or not opened for writing), TESS_ERR_CORRUPT (a
 *         chunk that must be kept in part is damaged), TESS_ERR_IO, TESS_ERR_NOMEM,
 *         TESS_ERR_LIMIT (a block exceeds tess_limits.memory), TESS_ERR_UNSUPPORTED (such a chunk
 *         needs a codec or filter that is not there), TESS_ERR_STALE (from a commit), and what
 *         plugins answer. After a failure the array is as it was, but for a commit that fails; see
 *         above.
 */
TESS_API TESS_NODISCARD tess_status tess_array_write(tess_array *a, const int64_t *start,
                                                     const int64_t *stop, const void *src,
                                                     size_t src_size, tess_error *err);

/**
 * Have calls on an array tell how far they are, from now on; see tess_context.progress.
 *
 * @param a         Open array; no other call uses it at this time. Views of it have their own.
 * @param progress  NULL: nobody is told.
 * @param user      Given to it; any value.
 */
TESS_API void tess_array_set_progress(tess_array *a, tess_progress_fn *progress, void *user);

/**
 * Change the shape: axes grow or shrink at their ends.
 *
 * New items are the fill value that the array was created with (tess_params.fill), or zero, also
 * where an earlier, larger shape had left others. Items outside the new shape are gone, from chunks
 * that stay too: what these hold of them becomes zeros, for which blocks at the border are encoded
 * once more. (With a lossy codec or filter that would change the items that stay, blocks that keep
 * some are left as they are. Of a file, the old chunks' bytes stay until something is written over
 * them; tess_compact() removes them.) Chunk and block shapes stay.
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
 * @param src       Items in C order, of the array's shape in all other axes.
 * @param src_size  Size of src in bytes: a multiple of one layer,
 *                  typesize * prod(shape[i], i != axis); their number is the growth.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_write(); TESS_ERR_ARG if a layer has no items.
 */
TESS_API TESS_NODISCARD tess_status tess_array_append(tess_array *a, int axis, const void *src,
                                                      size_t src_size, tess_error *err);

/**
 * Change the shape anywhere: along each axis, what the shapes differ by is inserted or removed at
 * one place.
 *
 * Inserted items are the fill value, or zero. Where both place and difference are multiples of the
 * chunk, chunks are renumbered and nothing is decoded. Where the difference is one, that is so for
 * all but the chunks that hold the place. Otherwise all items behind the place are decoded and
 * encoded once, in memory for 64 MiB of them, or one chunk if that is larger; and until the next
 * commit their old chunks take their space, too. What is zeros, NaNs or one value over whole chunks
 * moves without that, whatever its size. Axes that shrink come before those that grow.
 *
 * @param a      Array opened for writing.
 * @param shape  ndim values, >= 0, in items.
 * @param start  ndim values: the index of the first item that is inserted or removed,
 *               0 <= start[i] <= shape of the array; and if the axis shrinks, start[i] <= shape[i].
 *               NULL: at the ends, as tess_array_resize().
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_array_write(); TESS_ERR_LIMIT also if a chunk exceeds tess_limits.memory.
 */
TESS_API TESS_NODISCARD tess_status tess_array_resize_at(tess_array *a, const int64_t *shape,
                                                         const int64_t *start, tess_error *err);

/**
 * Insert layers across one axis; what was at `position` and behind comes behind them.
 *
 * What it costs: see tess_array_resize_at().
 *
 * @param a         Array opened for writing, with one dimension at least.
 * @param axis      The axis that grows, 0 <= axis < ndim.
 * @param position  0 <= position <= items along the axis. At the end: as tess_array_append().
 * @param src       Items in C order, of the array's shape in all other axes.
 * @param src_size  Size of src in bytes, a multiple of one layer; their number is the growth.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_resize_at(); TESS_ERR_ARG if a layer has no items.
 */
TESS_API TESS_NODISCARD tess_status tess_array_insert(tess_array *a, int axis, int64_t position,
                                                      const void *src, size_t src_size,
                                                      tess_error *err);

/**
 * Delete layers across one axis; what was behind them follows what was before.
 *
 * What it costs: see tess_array_resize_at().
 *
 * @param a         Array opened for writing, with one dimension at least.
 * @param axis      The axis that shrinks, 0 <= axis < ndim.
 * @param position  The first layer that goes.
 * @param count     How many, >= 0; position + count <= items along the axis.
 * @param err       Filled on failure; may be NULL.
 *
 * @return as tess_array_resize_at().
 */
TESS_API TESS_NODISCARD tess_status tess_array_delete(tess_array *a, int axis, int64_t position,
                                                      int64_t count, tess_error *err);

/**
 * Grow one axis by the items of another array.
 *
 * They pass through memory as for tess_array_copy() (copy.h): where the axis ends with a whole
 * chunk, chunks that both arrays store alike are copied as they are stored. Writes to the other
 * array that wait in its cache prevent that, tess_array_flush() brings them to it.
 *
 * @param a      Array opened for writing, with one dimension at least.
 * @param axis   The axis that grows, 0 <= axis < ndim.
 * @param other  Open array with the same type, byte order included, and the same shape in all other
 *               axes; layout, chunks and codec may differ. May be `a`. An array that does not
 * record its type only needs the same typesize.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_array_resize_at(), and what reading the other one returns.
 */
TESS_API TESS_NODISCARD tess_status tess_array_append_array(tess_array *a, int axis,
                                                            const tess_array *other,
                                                            tess_error *err);

/**
 * The bytes of an array in memory: a complete frame, as it would stand in a file.
 *
 * Commits first. The bytes belong to the array and stay until it is changed or closed. For a copy,
 * and for arrays in files, see tess_array_to_image() in copy.h.
 *
 * @param a      Array in memory (storage without path); TESS_ERR_ARG otherwise.
 * @param image  Receives the address; NULL on failure.
 * @param size   Receives the number of bytes; 0 on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG, or as tess_array_flush().
 */
TESS_API TESS_NODISCARD tess_status tess_array_image(tess_array *a, const void **image,
                                                     size_t *size, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
