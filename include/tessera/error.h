/**
 * @file error.h
 * Status codes, and the sentence that explains a failure.
 *
 * Every function that can fail returns a tess_status and takes, as its last argument, a
 * tess_error that the caller owns. Passing NULL is fine; the status is returned anyway.
 *
 *     tess_error err;
 *     if (tess_array_open(&storage, &a, &err) != TESS_OK)
 *         fprintf(stderr, "%s: %s\n", storage.path, err.message);
 *
 * A message does not repeat what the caller knows, such as the path.
 */
#ifndef TESSERA_ERROR_H
#define TESSERA_ERROR_H

#include "tessera/version.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Who has to act on a failure. */
typedef enum tess_status {
    /** Nobody: the call did what it says. */
    TESS_OK = 0,
    /** The caller: an argument is wrong. */
    TESS_ERR_ARG = 1,
    /** Memory: an allocation failed. */
    TESS_ERR_NOMEM = 2,
    /** Storage: the operating system refused a read, a write, an open; see tess_error.sys. */
    TESS_ERR_IO = 3,
    /** The wrong file: this is not a Blosc2 frame. */
    TESS_ERR_FORMAT = 4,
    /** A damaged file: the bytes contradict themselves. */
    TESS_ERR_CORRUPT = 5,
    /** This build, or this version, cannot do it; nor can the program without a plugin. */
    TESS_ERR_UNSUPPORTED = 6,
    /** A limit: of the format, of this machine, or one that the caller set. */
    TESS_ERR_LIMIT = 7,
    /** The file was changed by another program since it was opened; or its path leads elsewhere. */
    TESS_ERR_STALE = 8,
    /** The caller: a function of the program did not want to go on. */
    TESS_ERR_CANCELLED = 9
} tess_status;

/** Capacity of tess_error.message, the terminating NUL included. */
#define TESS_ERROR_MESSAGE_SIZE 320

/** What went wrong. Owned by the caller; needs no clean-up. Without a failure it holds anything. */
typedef struct tess_error {
    /** The value that the function returned. */
    tess_status status;
    /** errno of the failed system call, or 0. */
    int sys;
    /**
     * Position of the offending bytes from the start of the frame (in a directory: of the file of
     * the chunk that the message names, else of the index), or -1.
     */
    int64_t offset;
    /** One sentence: what was found and what was expected. No newline at the end. */
    char message[TESS_ERROR_MESSAGE_SIZE];
} tess_error;

/** A short name of a status, such as "damaged file"; static. Never NULL, whatever the number. */
TESS_API const char *tess_status_name(tess_status status);

#ifdef __cplusplus
}
#endif

#endif
