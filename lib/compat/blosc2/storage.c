/*
 * storage.c - where super-chunks live: blosc2_storage and tess_storage.
 *
 * Programs of c-blosc2 do not wait for the disk: commits are ordered for a crash of the program
 * only (TESS_DURABILITY_NONE). TESS_B2ND_CHECKSUMS=0 in the environment leaves out the metalayer
 * `_tess` with the checksums, TESS_B2ND_COMMITS=deferred the commit at the end of each call.
 */
#include "blosc2/storage.h"

#include "blosc2/error.h"
#include "blosc2/program_io.h"
#include "blosc2/threads.h"

#include <stdlib.h>
#include <string.h>
#include <tessera/files.h>

enum { LOCK_WAIT_MS = 10000 }; // for another writer, if the program wants locks

static void *
copy_of(const void *from, size_t size)
{
    void *const copy = malloc(size);

    if (copy)
        memcpy(copy, from, size);
    return copy;
}

blosc2_storage *
b2_storage_copy(const blosc2_storage *from)
{
    if (!from)
        from = &BLOSC2_STORAGE_DEFAULTS;
    blosc2_storage *const s = copy_of(from, sizeof *s);
    if (!s)
        return NULL;
    s->urlpath = from->urlpath ? strdup(b2_storage_path(from->urlpath)) : NULL;
    s->cparams =
        copy_of(from->cparams ? from->cparams : &BLOSC2_CPARAMS_DEFAULTS, sizeof *s->cparams);
    s->dparams =
        copy_of(from->dparams ? from->dparams : &BLOSC2_DPARAMS_DEFAULTS, sizeof *s->dparams);
    s->io = copy_of(from->io ? from->io : &BLOSC2_IO_DEFAULTS, sizeof *s->io);
    if ((s->urlpath || !from->urlpath) && s->cparams && s->dparams && s->io)
        return s;
    b2_storage_free(s);
    return NULL;
}

void
b2_storage_free(blosc2_storage *storage)
{
    if (!storage)
        return;
    free(storage->urlpath);
    free(storage->cparams);
    free(storage->dparams);
    free(storage->io);
    free(storage);
}

const char *
b2_storage_path(const char *urlpath)
{
    static const char scheme[] = "file:///";
    const size_t length = sizeof scheme - 1;

    return urlpath && strncmp(urlpath, scheme, length) == 0 ? urlpath + length : urlpath;
}

const char *
b2_storage_file(const blosc2_storage *storage)
{
    return b2_program_io(storage->io) ? NULL : b2_storage_path(storage->urlpath);
}

static bool
is_set(const char *variable)
{
    const char *const value = getenv(variable);

    return value && value[0] != '\0' && strcmp(value, "0") != 0;
}

bool
b2_storage_locks(const blosc2_storage *storage)
{
    if (storage->io && storage->io->id != BLOSC2_IO_FILESYSTEM)
        return false;
    const blosc2_stdio_params *const params = storage->io ? storage->io->params : NULL;
    return (params && params->locking) || is_set("BLOSC_LOCKING");
}

bool
b2_storage_defers(void)
{
    const char *const commits = getenv("TESS_B2ND_COMMITS");

    return commits && strcmp(commits, "deferred") == 0;
}

bool
b2_storage_is_mapped(const blosc2_io *io)
{
    return io && io->id == BLOSC2_IO_FILESYSTEM_MMAP;
}

bool
b2_storage_maps(const blosc2_storage *storage, const char *mode)
{
    if (!storage->urlpath || !b2_storage_is_mapped(storage->io))
        return false;
    const blosc2_stdio_mmap *const params = storage->io->params;
    return params && params->mode && strcmp(params->mode, mode) == 0;
}

void
b2_storage_remove(const char *path)
{
    tess_storage storage;
    tess_error err = {0};

    if (!path)
        return;
    tess_storage_init(&storage);
    storage.path = path;
    storage.durability = TESS_DURABILITY_NONE;
    (void)b2_code(tess_remove(&storage, &err), &err); // the message is all that is left to do
}

static int
threads_of(const blosc2_storage *storage)
{
    const int encoding = storage->cparams ? storage->cparams->nthreads : 1;
    const int decoding = storage->dparams ? storage->dparams->nthreads : 1;
    const int most = encoding > decoding ? encoding : decoding;

    return most > 1 ? most : 1;
}

int
b2_storage_place(struct b2_place *place, const blosc2_storage *storage, const char *path,
                 tess_mode mode)
{
    const int io = storage->io ? storage->io->id : BLOSC2_IO_FILESYSTEM;
    const char *const checksums = getenv("TESS_B2ND_CHECKSUMS");

    if (path && io != BLOSC2_IO_FILESYSTEM && io != BLOSC2_IO_FILESYSTEM_MMAP)
        return b2_fail(BLOSC2_ERROR_PLUGIN_IO, "functions %d of the program only read frames", io);
    tess_context_init(&place->context);
    place->context.threads = threads_of(storage);
    if (b2_threads_executor(place->context.threads, &place->executor))
        place->context.executor = &place->executor;
    tess_storage_init(&place->storage);
    place->storage.context = &place->context;
    place->storage.path = path;
    place->storage.mode = mode;
    place->storage.durability = TESS_DURABILITY_NONE;
    place->storage.zero_padding = true; // programs decode whole chunks
    if (checksums && strcmp(checksums, "0") == 0)
        place->storage.checksums = TESS_CHECKSUMS_NONE;
    place->storage.mmap = path && io == BLOSC2_IO_FILESYSTEM_MMAP && mode == TESS_MODE_READ;
    if (path && b2_storage_locks(storage)) {
        place->storage.lock_file = true;
        place->storage.wait = LOCK_WAIT_MS;
    }
    return BLOSC2_ERROR_SUCCESS;
}
