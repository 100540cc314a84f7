/*
 * wrap.c - super-chunks begin and end.
 */
#include "schunk/wrap.h"

#include "blosc2/error.h"
#include "blosc2/program_io.h"
#include "blosc2/storage.h"
#include "chunk/environment.h"
#include "io/mapped.h"
#include "schunk/access.h"
#include "schunk/calls.h"
#include "schunk/list.h"
#include "schunk/metalist.h"

#include <stdlib.h>
#include <string.h>
#include <tessera/repair.h>

#define COMPACTED_AT_MOST ((int64_t)16 << 20) // bytes of a file
#define HOLES_AT_LEAST ((int64_t)16 << 10) // programs expect that the end changes no file

static int
set_storage(struct b2_schunk *s, const blosc2_storage *storage, const char *path)
{
    s->of.storage = b2_storage_copy(storage);
    if (!s->of.storage)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    s->of.tuner_params = s->of.storage->cparams->tuner_params;
    s->of.tuner_id = s->of.storage->cparams->tuner_id;
    if (path && !(s->path = realpath(path, NULL)))
        return b2_fail(BLOSC2_ERROR_FILE_OPEN, "%s cannot be found", path);
    return BLOSC2_ERROR_SUCCESS;
}

// For programs, which may use them, and for chunks of super-chunks that need them. Arrays have
// threads and codecs of their own.
static int
set_contexts(struct b2_schunk *s)
{
    blosc2_cparams *const cparams = s->of.storage->cparams;
    blosc2_dparams *const dparams = s->of.storage->dparams;

    cparams->schunk = &s->of;
    dparams->schunk = &s->of;
    s->of.cctx = blosc2_create_cctx(*cparams);
    s->of.dctx = blosc2_create_dctx(*dparams);
    if (!s->of.cctx || !s->of.dctx)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no contexts with these parameters");
    if (!s->of.view) {
        s->access->told.cparams = *cparams;
        s->access->told.dparams = *dparams;
    }
    return BLOSC2_ERROR_SUCCESS;
}

struct b2_schunk *
b2_schunk_wrap(tess_array *a, const blosc2_storage *storage, const char *path,
               struct b2_access *access, bool is_view)
{
    struct b2_schunk *const s = calloc(1, sizeof *s);
    tess_info info;

    if (!s)
        return NULL;
    tess_array_info(a, &info);
    s->a = a;
    s->offset = info.offset;
    s->writable = info.writable;
    s->of.view = is_view;
    s->of.chunksize = -1; // until the program sets it, or the first chunk
    s->access = access;
    s->handle = access->handles;
    if (set_storage(s, storage, path) < 0)
        goto fail;
    if (s->of.storage->urlpath)
        s->of.storage->contiguous = info.contiguous;
    s->by_program =
        !path && s->of.storage->urlpath && !is_view && info.writable && b2_program_io(storage->io);
    s->locking = path && b2_storage_locks(s->of.storage);
    if (is_view ? access->owner && access->owner->of.frame
                : s->of.storage->contiguous || s->of.storage->urlpath)
        s->of.frame = (blosc2_frame *)(void *)s;
    b2_list_add(s);
    if (b2_schunk_reload(s) < 0 || set_contexts(s) < 0)
        goto fail;
    s->of.change_tick = 0;
    if (s->by_program && b2_access_write(s) < 0) // so that failures are not met at the end only
        goto fail;
    if (!is_view) {
        access->owner = s;
        access->in_file = path != NULL;
        access->deferred = b2_storage_defers();
    }
    if (path && s->writable && !access->deferred && tess_array_flush(a, NULL) != TESS_OK)
        goto fail;
    b2_access_add_file(s);
    if (!is_view && storage->urlpath && b2_storage_is_mapped(storage->io))
        b2_mapped_say_opened(storage->io->params, storage->urlpath);
    return s;
fail:
    s->by_program = false;
    s->a = NULL; // the caller's
    b2_list_remove(s);
    s->access = NULL;
    blosc2_schunk_free(&s->of);
    return NULL;
}

void
b2_schunk_undo(tess_array *a, struct b2_access *access, const char *path)
{
    tess_array_discard(a);
    b2_access_drop(access);
    b2_storage_remove(path);
}

// Whether much of a small file is unused: many small changes leave holes that c-blosc2 would not.
static bool
has_holes(const struct b2_schunk *s)
{
    tess_info info;

    if (!s->a || !s->path || !s->writable || s->offset > 0 || !s->of.storage->contiguous ||
        s->access->users > 1 || tess_array_flush(s->a, NULL) != TESS_OK)
        return false;
    tess_array_info(s->a, &info);
    if (info.file_size > COMPACTED_AT_MOST || tess_array_measure(s->a, &info, NULL) != TESS_OK)
        return false;
    return info.holes > HOLES_AT_LEAST && info.holes > info.file_size / 8;
}

// Whether params of the program end with the super-chunk: not those of functions that only read,
// which belong to the array.
static bool
ends_io(const struct b2_schunk *s)
{
    return s->by_program || (s->a && !s->of.view && b2_storage_is_mapped(s->of.storage->io));
}

// The file is complete, whether or not this succeeds.
static void
compact(struct b2_schunk *s)
{
    struct b2_place place;
    int64_t before, after;

    if (b2_access_place(s->access, &place, s->of.storage, s->path, TESS_MODE_UPDATE) == 0)
        (void)b2_code(tess_compact(&place.storage, &before, &after, NULL), NULL);
}

// Who wants to write the file meanwhile waits, and then finds it closed. A view, which may end
// within a call on its base, does not hold the file.
static tess_status
close_file(struct b2_schunk *s, tess_error *err)
{
    if (s->of.view)
        return tess_array_close(s->a, err);
    b2_schunk_alone_begin(s);
    const bool holes = has_holes(s);
    tess_status st = tess_array_close(s->a, err);
    s->a = NULL;
    if (s->inherited || (st == TESS_ERR_STALE && !s->access->deferred && !s->access->uncommitted))
        st =
            TESS_OK; // this process wrote nothing, or all was committed before the file was removed
    if (st == TESS_OK && holes)
        compact(s);
    b2_access_closed(s);
    b2_schunk_end(s);
    return st;
}

int
blosc2_schunk_free(blosc2_schunk *schunk)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    tess_error err = {0};

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    if (s->access && !s->of.view)
        b2_access_end_owner(s);
    if (s->by_program)
        b2_access_remove_file(s);
    const int written =
        s->by_program && s->access->unwritten ? b2_access_write(s) : BLOSC2_ERROR_SUCCESS;
    const bool ends = ends_io(s);
    const tess_status st = s->a && s->path ? close_file(s, &err) : tess_array_close(s->a, &err);
    if (!s->by_program)
        b2_access_remove_file(s);
    if (ends)
        b2_program_io_end(s->of.storage->io);
    blosc2_free_ctx(s->of.cctx);
    blosc2_free_ctx(s->of.dctx);
    b2_metas_free(s);
    if (s->access)
        b2_list_remove(s);
    b2_access_drop(s->access);
    b2_storage_free(s->of.storage);
    free(s->of.blockshape);
    free(s->path);
    if (!s->frame_is_foreign)
        free(s->frame);
    free(s);
    return written < 0 ? written : b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
}

// What the members say, which programs may write.
int
blosc2_schunk_get_cparams(blosc2_schunk *schunk, blosc2_cparams **cparams)
{
    blosc2_cparams own;

    if (!schunk || !cparams)
        return BLOSC2_ERROR_NULL_POINTER;
    *cparams = calloc(1, sizeof **cparams);
    if (!*cparams)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    (*cparams)->compcode = schunk->compcode;
    (*cparams)->compcode_meta = schunk->compcode_meta;
    (*cparams)->clevel = schunk->clevel;
    (*cparams)->use_dict = schunk->use_dict;
    (*cparams)->typesize = schunk->typesize;
    (*cparams)->blocksize = schunk->blocksize;
    (*cparams)->splitmode = schunk->splitmode;
    memcpy((*cparams)->filters, schunk->filters, sizeof schunk->filters);
    memcpy((*cparams)->filters_meta, schunk->filters_meta, sizeof schunk->filters_meta);
    (*cparams)->schunk = schunk;
    (*cparams)->nthreads = b2_environment_nthreads(
        !schunk->cctx || blosc2_ctx_get_cparams(schunk->cctx, &own) < 0 ? blosc2_get_nthreads()
                                                                        : own.nthreads);
    return BLOSC2_ERROR_SUCCESS;
}

int
blosc2_schunk_get_dparams(blosc2_schunk *schunk, blosc2_dparams **dparams)
{
    blosc2_dparams own;

    if (!schunk || !dparams)
        return BLOSC2_ERROR_NULL_POINTER;
    *dparams = calloc(1, sizeof **dparams);
    if (!*dparams)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    (*dparams)->schunk = schunk;
    (*dparams)->nthreads = b2_environment_nthreads(
        !schunk->dctx || blosc2_ctx_get_dparams(schunk->dctx, &own) < 0 ? blosc2_get_nthreads()
                                                                        : own.nthreads);
    return BLOSC2_ERROR_SUCCESS;
}
