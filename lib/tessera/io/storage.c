/*
 * storage.c - the table of the kinds of storage, and what is the same for all of them.
 */
#include "io/storage.h"

#include "base/error.h"
#include "io/directory.h"
#include "io/file.h"
#include "io/io.h"
#include "io/memory.h"
#include "io/source/source.h"
#include "io/window.h"

#include <inttypes.h>

// The first that holds, or takes, an array is its kind.
static const struct storage_kind *const kinds[] = {
    &storage_directory, &storage_file, &storage_source_directory, &storage_source, &storage_memory,
};

enum { NKINDS = sizeof kinds / sizeof *kinds };

const struct storage_kind *
storage_find(const tess_storage *storage)
{
    for (int i = 0; i < NKINDS; i++)
        if (kinds[i]->holds(storage))
            return kinds[i];
    return NULL;
}

const struct storage_kind *
storage_find_new(const tess_storage *storage, tess_layout layout)
{
    for (int i = 0; i < NKINDS; i++)
        if (kinds[i]->layout == layout && kinds[i]->takes(storage))
            return kinds[i];
    return NULL;
}

bool
storage_in_source(const tess_storage *storage)
{
    const struct storage_kind *const kind = storage_find(storage);
    return kind == &storage_source || kind == &storage_source_directory;
}

// A frame that does not start with the file.
static tess_status
open_inside(const tess_storage *storage, struct storage_opened *o, tess_error *err)
{
    struct io *whole;
    if (o->kind->layout == TESS_LAYOUT_SPARSE)
        return err_set(err, TESS_ERR_ARG, -1, "offset %" PRId64 " in a directory", storage->offset);
    if (storage->mode == TESS_MODE_UPDATE)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "a frame inside a file, at offset %" PRId64 ", can only be read",
                       storage->offset);
    const tess_status st = o->kind->open(storage, false, &whole, NULL, err);
    return st == TESS_OK ? io_window(whole, storage->offset, &o->io, err) : st;
}

tess_status
storage_open(const tess_storage *storage, struct storage_opened *o, tess_error *err)
{
    const bool writable = storage->mode == TESS_MODE_UPDATE;
    *o = (struct storage_opened){.offset = storage->offset};
    if (storage->mmap && (writable || !storage->path))
        return err_set(err, TESS_ERR_ARG, -1, "only a file that is read can be mapped");
    o->kind = storage_find(storage);
    if (!o->kind)
        return err_set(err, TESS_ERR_ARG, -1,
                       "neither a path, nor an image, nor a source is given");
    if (storage->offset != 0)
        return open_inside(storage, o, err);
    return o->kind->open(storage, writable, &o->io, &o->folder, err);
}

// Behind what a file holds.
static tess_status
open_end(const tess_storage *storage, struct storage_opened *o, tess_error *err)
{
    struct io *whole;
    if (o->kind->layout == TESS_LAYOUT_SPARSE)
        return err_set(err, TESS_ERR_ARG, -1, "a sparse array is a directory, not part of a file");
    const tess_status st = o->kind->open(storage, true, &whole, NULL, err);
    return st == TESS_OK ? io_window_at_end(whole, &o->offset, &o->io, err) : st;
}

tess_status
storage_create(const tess_storage *storage, tess_layout layout, const struct folder_kind *parts,
               struct storage_opened *o, tess_error *err)
{
    *o = (struct storage_opened){0};
    if (storage->offset != 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "offset %" PRId64 ": an array is created behind a file's end, with the mode "
                       "APPEND and offset 0",
                       storage->offset);
    if (layout != TESS_LAYOUT_SPARSE && layout != TESS_LAYOUT_CONTIGUOUS)
        return err_set(err, TESS_ERR_ARG, -1, "layout %d is not known", (int)layout);
    o->kind = storage_find_new(storage, layout);
    if (!o->kind)
        return storage->source
                   ? err_set(err, TESS_ERR_ARG, -1, "a source that cannot be written so")
                   : err_set(err, TESS_ERR_ARG, -1, "a sparse array cannot be made in memory");
    if (storage->path && storage->mode == TESS_MODE_APPEND)
        return open_end(storage, o, err);
    if ((storage->path || storage->source) && storage->mode != TESS_MODE_NEW &&
        storage->mode != TESS_MODE_REPLACE)
        return err_set(err, TESS_ERR_ARG, -1,
                       storage->path ? "creating a file needs the mode NEW, REPLACE or APPEND"
                                     : "writing to a source needs the mode NEW or REPLACE");
    return o->kind->create(storage, parts, &o->io, &o->folder, err);
}
