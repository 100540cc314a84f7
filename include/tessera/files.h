/**
 * @file files.h
 * What is at a path: which arrays a file holds, and removing an array with all that belongs to it.
 *
 *     tess_storage_init(&storage);
 *     storage.path = "winds.b2nd";
 *     TRY(tess_remove(&storage, &err));
 *
 * Threads: any number of threads may call these functions at once. Unless a comment says otherwise,
 * no pointer may be NULL (TESS_ERR_ARG).
 */
#ifndef TESSERA_FILES_H
#define TESSERA_FILES_H

#include "tessera/params.h"
#include "tessera/storage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What kind of frame starts at a byte of a file, according to its header. */
typedef enum tess_frame_kind {
    TESS_FRAME_NONE = 0, /**< no frame */
    TESS_FRAME_ARRAY = 1, /**< a frame with an N-dimensional metalayer */
    TESS_FRAME_PLAIN = 2, /**< a frame without one; opened as an array of one dimension */
    /**
     * It starts like a frame, but the header contradicts itself, the metalayers, the last bytes of
     * the frame or the length of the file. The frame is cut off, damaged, of a later version of the
     * format, or just being written by another implementation. tess_repair() may recover it.
     */
    TESS_FRAME_DAMAGED = 3
} tess_frame_kind;

/** A frame that was found, as its header describes it. Filled by the library. */
typedef struct tess_frame_info {
    tess_frame_kind kind; /**< TESS_FRAME_NONE: all other members are 0 */
    /** false: the index of a sparse array, chunks.b2frame; open its directory instead. */
    bool contiguous;
    int64_t offset; /**< its first byte in the file: tess_storage.offset opens it */
    /**
     * Length in bytes according to the header; of a sparse array, that of its index. Unused bytes
     * after a frame are not counted. For TESS_FRAME_DAMAGED, at most the bytes up to the end of the
     * file, also if the header has no usable length.
     */
    int64_t size;
    int ndim; /**< dimensions of an array; 0 for other kinds */
    int64_t shape[TESS_MAX_NDIM]; /**< its shape; ndim values */
    int32_t typesize; /**< bytes of an item; 0 if unknown */
    const char *layer; /**< of an array: "b2nd" or "caterva", static; else NULL */
} tess_frame_info;

/**
 * Find out what a path leads to, at the cost of reading a header: for programs that look for arrays
 * in folders. Symbolic links are followed.
 *
 * A frame that is found may still fail to open: the index, chunks and codecs are not examined, nor
 * limits other than limits.memory.
 *
 * @param storage     Used are path or image, offset and limits.memory.
 * @param frame       Filled on success. kind TESS_FRAME_NONE: a file that has no frame at `offset`,
 *                    or a directory that is no sparse array; all other members are then 0.
 * @param frame_size  Size of *frame in bytes: the macro passes sizeof(tess_frame_info).
 * @param err         Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if there is nothing at the path;
 *         TESS_ERR_ARG for an offset in a directory or behind the end of the file;
 *         TESS_ERR_IO, also if the path leads to something other than a file or directory;
 *         TESS_ERR_LIMIT, TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_probe_sized(const tess_storage *storage,
                                                     tess_frame_info *frame, size_t frame_size,
                                                     tess_error *err);
/** For programs in C and C++: tess_probe_sized() with the size of their struct. */
#define tess_probe(storage, frame, err) \
    tess_probe_sized((storage), (frame), sizeof(tess_frame_info), (err))

/**
 * List the frames that a file contains one after the other, such as those of TESS_MODE_APPEND.
 *
 * The call goes from frame to frame by the lengths in their headers, with a few small reads for
 * each. Bytes that belong to no frame (those of an archive, or unused space) are read once, to find
 * the next header. Chunks are not searched: a frame that is stored as items of an array is not
 * found. Exception: after a damaged frame the search continues right behind its header, so frames
 * stored inside it may be listed, too. A beginning of a frame of which the file has fewer than 64
 * bytes is unused space.
 *
 * @param storage     Used are path or image, offset (where to start; frames before it are not
 *                    listed), limits, of which limits.memory bounds the list, and context, whose
 *                    progress function receives bytes and may cancel the call. The path of a
 *                    directory is TESS_ERR_ARG.
 * @param frames      Receives the list, by ascending offset; free it with tess_free(). NULL if
 *                    there are none, and on failure.
 * @param frame_size  Bytes from one element to the next: the macro passes sizeof(tess_frame_info).
 * @param count       Receives the number of elements. Of a file without frames: 0.
 * @param err         Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_probe(); TESS_ERR_LIMIT also if the list needs more than
 *         limits.memory; TESS_ERR_CANCELLED.
 */
TESS_API TESS_NODISCARD tess_status tess_find_frames_sized(const tess_storage *storage,
                                                           tess_frame_info **frames,
                                                           size_t frame_size, int64_t *count,
                                                           tess_error *err);
/** For programs in C and C++: tess_find_frames_sized() with the size of their struct. */
#define tess_find_frames(storage, frames, count, err) \
    tess_find_frames_sized((storage), (frames), sizeof(tess_frame_info), (count), (err))

/**
 * Remove the file or directory of an array, with the lock file of c-blosc2 (`NAME.b2lock`) and
 * temporary files that killed programs left beside it (`NAME.tess-N.tmp`).
 *
 * Only arrays are removed, damaged ones included (tess_frame_kind): a file that starts with a frame
 * and contains no other frame after it, or a directory that contains chunks.b2frame and no files
 * except those of a sparse array. Bytes after the frame that are no frame count as unused space, as
 * for writers. Anything else is refused, and then nothing is removed.
 *
 * The array is first renamed to a temporary name, `NAME.tess-N.tmp`, in one step, and then removed.
 * If the program is killed, the path leads to the whole array or to nothing, and the next writer of
 * that path removes the rest (files.rst). Of a directory the index is removed first, so that the
 * rest cannot be opened. With TESS_DURABILITY_ORDERED and TESS_DURABILITY_FSYNC the renaming is
 * synced to disk before anything is removed.
 *
 * Programs that have the file open for reading continue to read it. Handles of a directory fail
 * with TESS_ERR_STALE or TESS_ERR_IO. Other names of the file (hard links) keep its content. The
 * last part of the path must not be a symbolic link (use the path of its target); links before it
 * are followed.
 *
 * @param storage  Used are path, durability, wait, require_lock, limits.memory and context, whose
 *                 progress function can end the wait for a lock. No image, and offset 0. `mode` is
 *                 ignored.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if there is nothing at the path;
 *         TESS_ERR_FORMAT if it is no array (devices, FIFOs and sockets included);
 *         TESS_ERR_UNSUPPORTED if the file contains other frames (err->offset: the next one), if
 *         the directory contains other files (the message names one), or if the path is a symbolic
 *         link;
 *         TESS_ERR_IO, err->sys EWOULDBLOCK, if it is open for writing, here or elsewhere (see
 *         tess_storage.wait), or locked by its lock file;
 *         TESS_ERR_ARG, also if the path ends with "." or ".." instead of a name;
 *         TESS_ERR_IO, TESS_ERR_LIMIT, TESS_ERR_NOMEM, TESS_ERR_CANCELLED.
 *         After a failure the array is as it was, unless the message says that its files have a
 *         temporary name.
 */
TESS_API TESS_NODISCARD tess_status tess_remove(const tess_storage *storage, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
