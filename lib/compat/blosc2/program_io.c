/*
 * program_io.c - frames that are read and written by registered functions of the program.
 *
 * Functions of c-blosc2 know nothing of threads: one call at a time for each file. The last thing
 * that is called is `destroy`, once for the params of the program.
 */
#include "blosc2/program_io.h"

#include "blosc2/error.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A file that is open, or a directory.
struct program_file {
    blosc2_io_cb functions;
    void *params; // of the program, for open
    bool is_whole; // destroy params at the end; false for a file of a directory
    char *path;
    void *stream; // NULL: a directory
    int64_t size;
    pthread_mutex_t turn; // for stream
};

static tess_status
fail(tess_error *err, tess_status status, const char *what, const char *path)
{
    err->status = status;
    err->sys = 0;
    err->offset = -1;
    snprintf(err->message, sizeof err->message, "%s: a function of the program cannot %s it", path,
             what);
    return status;
}

static tess_status
tell_state(void *user, tess_source_state *state, tess_error *err)
{
    const struct program_file *const f = user;

    (void)err;
    state->size = f->size;
    return TESS_OK;
}

static bool
read_range(struct program_file *f, const tess_range *range)
{
    const int64_t size = (int64_t)range->dst_size;
    void *memory = f->functions.is_allocation_necessary ? range->dst : NULL;
    const int64_t count = f->functions.read(&memory, 1, size, range->offset, f->stream);

    if (count != size || !memory)
        return false;
    if (memory != range->dst)
        memcpy(range->dst, memory, range->dst_size);
    return true;
}

static tess_status
read_ranges(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
            tess_error *err)
{
    struct program_file *const f = user;
    bool good = true;

    (void)reading;
    pthread_mutex_lock(&f->turn);
    for (size_t i = 0; i < n && good; i++)
        good = read_range(f, &ranges[i]);
    pthread_mutex_unlock(&f->turn);
    return good ? TESS_OK : fail(err, TESS_ERR_IO, "read", f->path);
}

static void
close_file(void *user)
{
    struct program_file *const f = user;

    if (!f)
        return;
    if (f->stream)
        f->functions.close(f->stream);
    if (f->is_whole && f->functions.destroy)
        f->functions.destroy(f->params);
    pthread_mutex_destroy(&f->turn);
    free(f->path);
    free(f);
}

// NULL: no memory. The path is copied.
static struct program_file *
new_file(const blosc2_io_cb *functions, void *params, const char *path)
{
    struct program_file *const f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->functions = *functions;
    f->params = params;
    f->path = strdup(path);
    pthread_mutex_init(&f->turn, NULL);
    if (f->path)
        return f;
    close_file(f);
    return NULL;
}

static bool
open_stream(struct program_file *f)
{
    f->stream = f->functions.open(f->path, "rb", f->params);
    f->size = f->stream ? f->functions.size(f->stream) : -1;
    return f->size >= 0;
}

static void
fill_object(struct program_file *f, tess_source *source)
{
    source->user = f;
    source->name = f->path;
    source->state = tell_state;
    source->read = read_ranges;
    source->close = close_file;
}

static tess_status
open_part(void *user, const char *name, tess_source *part, tess_error *err)
{
    const struct program_file *const folder = user;
    const size_t size = strlen(folder->path) + 1 + strlen(name) + 1;
    char *const path = malloc(size);
    struct program_file *f = NULL;

    if (path) {
        snprintf(path, size, "%s/%s", folder->path, name);
        f = new_file(&folder->functions, folder->params, path);
        free(path);
    }
    if (!f)
        return fail(err, TESS_ERR_NOMEM, "have memory for", folder->path);
    if (!open_stream(f)) {
        close_file(f);
        return fail(err, TESS_ERR_NOT_FOUND, "open a part of", folder->path);
    }
    fill_object(f, part);
    return TESS_OK;
}

bool
b2_program_io(const blosc2_io *io)
{
    return io && io->id != BLOSC2_IO_FILESYSTEM && io->id != BLOSC2_IO_FILESYSTEM_MMAP;
}

int
b2_program_io_open(const blosc2_io *io, const char *path, tess_source *source)
{
    const blosc2_io_cb *const functions = blosc2_get_io_cb(io->id);
    struct stat st;

    if (!functions)
        return b2_fail(BLOSC2_ERROR_PLUGIN_IO, "input and output %d is not registered", io->id);
    struct program_file *const f = new_file(functions, io->params, path);
    if (!f)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    tess_source_init(source);
    f->is_whole = true;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        source->user = f;
        source->name = f->path;
        source->part = open_part;
        source->close = close_file;
        return BLOSC2_ERROR_SUCCESS;
    }
    if (!open_stream(f)) {
        close_file(f);
        return b2_fail(BLOSC2_ERROR_FILE_OPEN, "%s: functions of the program cannot open it", path);
    }
    fill_object(f, source);
    return BLOSC2_ERROR_SUCCESS;
}

static bool
write_stream(const blosc2_io_cb *functions, void *stream, const void *frame, int64_t size)
{
    return functions->write(frame, 1, size, 0, stream) == size &&
           functions->truncate(stream, size) == 0;
}

int
b2_program_io_write(const blosc2_io *io, const char *path, const void *frame, size_t size)
{
    const blosc2_io_cb *const functions = blosc2_get_io_cb(io->id);

    if (!functions)
        return b2_fail(BLOSC2_ERROR_PLUGIN_IO, "input and output %d is not registered", io->id);
    void *const stream = functions->open(path, "wb", io->params);
    if (!stream)
        return b2_fail(BLOSC2_ERROR_FILE_OPEN, "%s: functions of the program cannot open it", path);
    const bool written = write_stream(functions, stream, frame, (int64_t)size);
    const bool closed = functions->close(stream) == 0;
    if (!written || !closed)
        return b2_fail(BLOSC2_ERROR_FILE_WRITE,
                       "%s: functions of the program cannot write %zu bytes", path, size);
    return BLOSC2_ERROR_SUCCESS;
}

void
b2_program_io_end(const blosc2_io *io)
{
    const blosc2_io_cb *const functions = blosc2_get_io_cb(io->id);

    if (functions && functions->destroy)
        functions->destroy(io->params);
}
