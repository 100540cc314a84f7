/*
 * blosc2-stdio.h - files through stdio, and files that are mapped into memory.
 *
 * The functions are callbacks of a blosc2_io_cb (blosc2.h); programs wrap them in callbacks of
 * their own. Of both kinds, `stream` is what the open function returned.
 */
#ifndef BLOSC_BLOSC2_BLOSC2_STDIO_H
#define BLOSC_BLOSC2_BLOSC2_STDIO_H

#include "blosc2-export.h"

#if defined(_MSC_VER)
#include <io.h>
#else
#include <unistd.h>
#endif

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
#include <windows.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What blosc2_stdio_open() returns. */
typedef struct {
    FILE *file;
} blosc2_stdio_file;

/* blosc2_io.params of BLOSC2_IO_FILESYSTEM; must live as long as the super-chunk. */
typedef struct {
    bool locking; /* other handles and programs are kept out during each call */
} blosc2_stdio_params;

static const blosc2_stdio_params BLOSC2_STDIO_PARAMS_DEFAULTS = {false};

/* Open with a mode of fopen(); params is not used. NULL if that fails. */
BLOSC_EXPORT void *blosc2_stdio_open(const char *urlpath, const char *mode, void *params);
/* Close and free the stream; 0, or what fclose() returns. */
BLOSC_EXPORT int blosc2_stdio_close(void *stream);
/* Size of the file in bytes; negative on failure. */
BLOSC_EXPORT int64_t blosc2_stdio_size(void *stream);
/* Write items of `size` bytes at a byte position; the number of items written. */
BLOSC_EXPORT int64_t blosc2_stdio_write(const void *ptr, int64_t size, int64_t nitems,
                                        int64_t position, void *stream);
/* Read items of `size` bytes into *ptr, memory of the caller; the number of items read. */
BLOSC_EXPORT int64_t blosc2_stdio_read(void **ptr, int64_t size, int64_t nitems, int64_t position,
                                       void *stream);
/* Set the size of the file; 0 or negative. */
BLOSC_EXPORT int blosc2_stdio_truncate(void *stream, int64_t size);
/* Nothing to do; 0. */
BLOSC_EXPORT int blosc2_stdio_destroy(void *params);

/* blosc2_io.params of BLOSC2_IO_FILESYSTEM_MMAP, and the stream of its functions. */
typedef struct {
    const char *mode; /* "r", "r+", "w+", or "c": changes stay in memory */
    size_t initial_mapping_size; /* bytes mapped at first for writing; grows */
    bool needs_free; /* the destroy function frees this struct */

    /* Set by the functions. */
    char *addr; /* first byte */
    char *urlpath; /* as opened */
    size_t file_size; /* bytes of the file */
    size_t mapping_size; /* bytes mapped, file_size at least */
    bool is_memory_only; /* mode "c" */
    FILE *file; /* the file */
    int fd; /* its descriptor */
    int64_t access_flags; /* PROT_* */
    int64_t map_flags; /* MAP_* */
#if defined(_WIN32)
    HANDLE mmap_handle;
#endif
} blosc2_stdio_mmap;

static const blosc2_stdio_mmap BLOSC2_STDIO_MMAP_DEFAULTS = {"r",
                                                             ((size_t)1 << 30),
                                                             false,
                                                             NULL,
                                                             NULL,
                                                             0,
                                                             0,
                                                             false,
                                                             NULL,
                                                             -1,
                                                             -1,
                                                             -1
#if defined(_WIN32)
                                                             ,
                                                             INVALID_HANDLE_VALUE
#endif
};

/* Open and map urlpath as params (blosc2_stdio_mmap) says; returns params, or NULL. */
BLOSC_EXPORT void *blosc2_stdio_mmap_open(const char *urlpath, const char *mode, void *params);
/* Unmap and close; 0 or negative. params stays. */
BLOSC_EXPORT int blosc2_stdio_mmap_close(void *stream);
/* Size of the file in bytes. */
BLOSC_EXPORT int64_t blosc2_stdio_mmap_size(void *stream);
/* Write items of `size` bytes at a byte position; the number of items written. */
BLOSC_EXPORT int64_t blosc2_stdio_mmap_write(const void *ptr, int64_t size, int64_t nitems,
                                             int64_t position, void *stream);
/* *ptr becomes the address of the items in the mapping; their number, or 0 and *ptr NULL. */
BLOSC_EXPORT int64_t blosc2_stdio_mmap_read(void **ptr, int64_t size, int64_t nitems,
                                            int64_t position, void *stream);
/* Set the size of the file; 0 or negative. */
BLOSC_EXPORT int blosc2_stdio_mmap_truncate(void *stream, int64_t size);
/* Free what the open function allocated, and params if it says so; 0 or negative. */
BLOSC_EXPORT int blosc2_stdio_mmap_destroy(void *params);

#ifdef __cplusplus
}
#endif

#endif
