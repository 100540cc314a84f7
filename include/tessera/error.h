/**
 * @file error.h
 * Status codes, and the sentence that explains a failure.
 *
 * Every function that can fail returns a tess_status and takes, as its last argument, a
 * tess_error that the caller owns. It may be NULL; the status is returned all the same.
 *
 *     tess_error err;
 *     if (tess_array_open(&storage, &a, &err) != TESS_OK)
 *         fprintf(stderr, "%s: %s\n", storage.path, err.message);
 *
 * A message does not contain what the caller knows, such as the path. tess_error is filled by the
 * thread that made the call; errors of worker threads are passed on to it, the first one if several
 * fail.
 */
#ifndef TESSERA_ERROR_H
#define TESSERA_ERROR_H

#include "tessera/version.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The result of a call: what kind of failure it was, and so who has to act. The manual's page
 * errors.rst has a table. Later versions may add statuses; tess_status_name() knows those of the
 * running library.
 */
typedef enum tess_status {
    /** Success. */
    TESS_OK = 0,
    /** An argument is wrong: correct the call. */
    TESS_ERR_ARG = 1,
    /** An allocation failed: free memory, or work on less at once. */
    TESS_ERR_NOMEM = 2,
    /** The operating system refused an operation on a file; tess_error.sys is the errno: whoever
        administers the storage. EWOULDBLOCK: a lock is held; try again, or set tess_storage.wait.
     */
    TESS_ERR_IO = 3,
    /** The file is not a Blosc2 frame: give another file. */
    TESS_ERR_FORMAT = 4,
    /** The file is damaged: its bytes contradict each other or their checksum. Restore it, or
        tess_repair() what is left. */
    TESS_ERR_CORRUPT = 5,
    /** This version or build lacks a codec, filter or function, or a plugin is missing: use another
        build, or give the plugin. */
    TESS_ERR_UNSUPPORTED = 6,
    /** A limit was exceeded: of the format, of this machine, or one that the caller set. */
    TESS_ERR_LIMIT = 7,
    /** Another handle or program changed the file since it was opened, or its path leads elsewhere;
        or a view is no longer valid: refresh, open, or create the view again. */
    TESS_ERR_STALE = 8,
    /** A function of the program ended the call. */
    TESS_ERR_CANCELLED = 9,
    /** What was asked for by its name does not exist: the file or directory of an array that is
        opened (tess_error.sys ENOENT), an attribute, a metalayer, a chunk that a packet says was
        written. */
    TESS_ERR_NOT_FOUND = 10,
    /** What was asked for by its name exists, but is of another kind than needed: an attribute of
        another type; a coordinate that does not fit its axis or is not sorted. */
    TESS_ERR_TYPE = 11
} tess_status;

/** Capacity of tess_error.message, the terminating NUL included. */
#define TESS_ERROR_MESSAGE_SIZE 320

/** Describes a failure. Owned by the caller; needs no clean-up. Undefined after a success. */
typedef struct tess_error {
    /** The value that the function returned. */
    tess_status status;
    /** errno of the failed system call, or 0. */
    int sys;
    /**
     * Position of the offending bytes from the start of the frame, or -1. In a sparse array: from
     * the start of the chunk file that the message names, or else of the index file.
     */
    int64_t offset;
    /** One sentence: what was found and what was expected. No newline at the end. */
    char message[TESS_ERROR_MESSAGE_SIZE];
} tess_error;

/**
 * A short name of a status.
 *
 * @param status  Any number.
 * @return the name, such as "damaged file"; static. Never NULL.
 */
TESS_API const char *tess_status_name(tess_status status);

#ifdef __cplusplus
}
#endif

#endif
