/*
 * stdio.c - files of the system as callbacks.
 *
 * Reads and writes name their position, and go past the buffer of the FILE: several threads may use
 * one stream.
 */
#include "blosc2/error.h"

#include <blosc2.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

void *
blosc2_stdio_open(const char *urlpath, const char *mode, void *params)
{
    blosc2_stdio_file *stream = NULL;
    (void)params;
    if (!urlpath || !mode)
        return NULL;
    FILE *const file = fopen(urlpath, mode);
    if (file)
        stream = malloc(sizeof *stream);
    if (!stream) {
        b2_fail(BLOSC2_ERROR_FILE_OPEN, "%s: %s", urlpath, strerror(errno));
        if (file)
            fclose(file);
        return NULL;
    }
    stream->file = file;
    return stream;
}

static FILE *
file_of(void *stream)
{
    return stream ? ((blosc2_stdio_file *)stream)->file : NULL;
}

int
blosc2_stdio_close(void *stream)
{
    FILE *const file = file_of(stream);
    if (!file)
        return BLOSC2_ERROR_FAILURE;
    free(stream);
    return fclose(file);
}

int64_t
blosc2_stdio_size(void *stream)
{
    struct stat st;
    FILE *const file = file_of(stream);
    if (!file || fflush(file) != 0 || fstat(fileno(file), &st) != 0)
        return BLOSC2_ERROR_FAILURE;
    return st.st_size;
}

// Bytes of nitems items; -1 if they are no number, or not where a file can be.
static int64_t
bytes_of(int64_t size, int64_t nitems, int64_t position)
{
    if (size < 0 || nitems < 0 || position < 0 || (size > 0 && nitems > INT64_MAX / size) ||
        size * nitems > INT64_MAX - position)
        return -1;
    return size * nitems;
}

int64_t
blosc2_stdio_write(const void *ptr, int64_t size, int64_t nitems, int64_t position, void *stream)
{
    FILE *const file = file_of(stream);
    const int64_t nbytes = bytes_of(size, nitems, position);
    int64_t done = 0;
    if (!file || nbytes <= 0 || !ptr)
        return 0;
    while (done < nbytes) {
        const ssize_t n = pwrite(fileno(file), (const uint8_t *)ptr + done, (size_t)(nbytes - done),
                                 position + done);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        done += n > 0 ? n : 0;
    }
    return done / size;
}

int64_t
blosc2_stdio_read(void **ptr, int64_t size, int64_t nitems, int64_t position, void *stream)
{
    FILE *const file = file_of(stream);
    const int64_t nbytes = bytes_of(size, nitems, position);
    int64_t done = 0;
    if (!file || nbytes <= 0 || !ptr || !*ptr)
        return 0;
    while (done < nbytes) {
        const ssize_t n =
            pread(fileno(file), (uint8_t *)*ptr + done, (size_t)(nbytes - done), position + done);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        done += n > 0 ? n : 0;
    }
    return done / size;
}

int
blosc2_stdio_truncate(void *stream, int64_t size)
{
    FILE *const file = file_of(stream);
    if (!file || size < 0)
        return BLOSC2_ERROR_FAILURE;
    return ftruncate(fileno(file), size);
}

int
blosc2_stdio_destroy(void *params)
{
    (void)params;
    return 0;
}
