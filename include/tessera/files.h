/**
 * @file files.h
 * What is at a path: which arrays a file holds, and removing an array with all that belongs to it.
 *
 *     tess_storage_init(&storage);
 *     storage.path = "winds.b2nd";
 *     TRY(tess_remove(&storage, &err));
 *
 * Threads: any number may call these at once.
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

/** What begins at some byte of a file, by its header. */
typedef enum tess_frame_kind {
    TESS_FRAME_NONE = 0, /**< no frame */
    TESS_FRAME_ARRAY = 1, /**< a frame with an N-dimensional layer */
    TESS_FRAME_PLAIN = 2, /**< a frame without: chunks of bytes, opened as one-dimensional */
    /**
     * A frame by its first bytes, whose header contradicts itself, its metalayers, its last bytes
     * or the length of the file: cut off, damaged, of a later version of the format, or being
     * written by a program of another implementation. tess_repair() may recover it.
     */
    TESS_FRAME_DAMAGED = 3
} tess_frame_kind;

/** A frame that was found, as its header describes it. Filled by the library. */
typedef struct tess_frame_info {
    tess_frame_kind kind; /**< without TESS_FRAME_NONE, the members below say more */
    /** false: the index of a sparse array, chunks.b2frame, which is opened by its directory. */
    bool contiguous;
    int64_t offset; /**< its first byte in the file: tess_storage.offset opens it */
    /**
     * Its bytes from there, as the header says; TESS_FRAME_DAMAGED: to the end of the file if that
     * is nearer, or the header does not tell. Unused bytes that writers left behind a frame are not
     * counted. Of a sparse array: bytes of its index.
     */
    int64_t size;
    int ndim; /**< dimensions of an array; 0 for other kinds */
    int64_t shape[TESS_MAX_NDIM]; /**< its shape; ndim values */
    int32_t typesize; /**< bytes of an item; 0 if unknown */
    const char *layer; /**< of an array: "b2nd" or "caterva", static; else NULL */
} tess_frame_info;

/**
 * What a path leads to, at the cost of reading a header: for programs that look for arrays in
 * folders. Symbolic links are followed.
 *
 * Whether an array opens is only known by opening it: index and chunks are not looked at, nor
 * codecs and limits, but for limits.memory.
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
 *         TESS_ERR_IO, also for what is neither a file nor a directory; TESS_ERR_LIMIT,
 *         TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_probe_sized(const tess_storage *storage,
                                                     tess_frame_info *frame, size_t frame_size,
                                                     tess_error *err);
/** For programs in C and C++: tess_probe_sized() with the size of their struct. */
#define tess_probe(storage, frame, err) \
    tess_probe_sized((storage), (frame), sizeof(tess_frame_info), (err))

/**
 * List the frames that a file holds one behind the other, such as those of TESS_MODE_APPEND.
 *
 * The file is walked from frame to frame by the lengths in their headers, which costs a few small
 * reads each. Bytes that belong to no frame (an archive's, or what a writer left) are searched for
 * the next header, so they are read once. Chunks are not looked into: a frame that is stored in an
 * array is not found. Behind a damaged frame the search goes on from its header, so that frames
 * stored inside of it may be listed, too.
 *
 * @param storage     Used are path or image, offset (where to begin; frames in front are not
 *                    listed), limits and context, whose progress function receives bytes and may
 *                    cancel. A file: TESS_ERR_ARG for a directory. limits.memory bounds the list.
 * @param frames      Receives the list, in ascending order, free it with tess_free(); NULL if there
 *                    are none, and on failure.
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
 * Remove the file or directory of an array, and what belongs to it: the lock file of c-blosc2
 * (`NAME.b2lock`), and what killed programs left beside it (`NAME.tess-N.tmp`).
 *
 * Only what is an array by its header is removed, damaged or not (tess_frame_kind): a file that
 * begins with a frame and has no other one behind it, or a directory that holds chunks.b2frame and
 * no files but those of a sparse array. Bytes behind the frame that begin no frame count as unused
 * space, as for writers. All else is refused, and then nothing is removed.
 *
 * The array first gets a temporary name, `NAME.tess-N.tmp`, in one step, and is removed after that:
 * if the program dies, the path leads to the whole array or to nothing, and the rest is removed by
 * the next writer of that path (files.rst). Of a directory the index goes first, so that no rest of
 * it can be opened. With TESS_DURABILITY_ORDERED and FSYNC the disk has the new name before
 * anything is removed.
 *
 * Programs that have the file open for reading go on reading it. Handles of a directory fail with
 * TESS_ERR_STALE or TESS_ERR_IO. Other names of the file (hard links) keep its content. The last
 * part of the path may not be a symbolic link (remove what it leads to by its own path); links in
 * front of it are followed.
 *
 * @param storage  Used are path, durability, wait, require_lock, limits.memory and context, whose
 *                 progress function can end the waiting. No image, and offset 0. `mode` does not
 *                 matter.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if there is nothing at the path;
 *         TESS_ERR_FORMAT if it is no array;
 *         TESS_ERR_UNSUPPORTED if the file holds other frames (err->offset: the next one), the
 *         directory other files (the message names one), or the path is a symbolic link;
 *         TESS_ERR_IO, err->sys EWOULDBLOCK, if it is open for writing, here or elsewhere (see
 *         tess_storage.wait), or locked by its lock file;
 *         TESS_ERR_ARG, TESS_ERR_IO, TESS_ERR_LIMIT, TESS_ERR_NOMEM, TESS_ERR_CANCELLED.
 *         After a failure the array is as it was, unless the message says that its files have a
 *         temporary name.
 */
TESS_API TESS_NODISCARD tess_status tess_remove(const tess_storage *storage, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
