/*
 * source_kinds.c - sources of the program as kinds of storage: objects, and directories of them.
 *
 * A directory is a folder (folder.h) whose files are objects of the source. Directories are
 * read-only. The index, which stays open, is opened with both of its ends. A chunk is opened with
 * its first 64 KiB, or with what the caller asks for in struct folder_use.
 *
 * Threads: as folder.h says, no lock; `part` of the source may run on several threads at once.
 */
#include "base/error.h"
#include "base/memory.h"
#include "io/folder.h"
#include "io/source.h"

#include <tessera/storage.h>

#include <errno.h>

enum {
    FIRST = 16 << 10, // bytes at the start of an array that are read when it is opened
    LAST = 1 << 20, // at the end
    INDEX_FIRST = 16 << 10,
    INDEX_LAST = 1 << 20,
    CHUNK_FIRST = 64 << 10,
};

// -- objects as a kind of storage

static bool
is_object_kind(const tess_storage *storage)
{
    return !storage->path && !storage->image && storage->source && storage->source->read;
}

static bool
takes_objects(const tess_storage *storage)
{
    return !storage->path && storage->source && storage->source->write;
}

static tess_status
source_open_stored(const tess_storage *storage, bool writable, struct io **io,
                   struct folder **folder, tess_error *err)
{
    (void)folder;
    if (writable)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "an array in a source cannot be updated; write a changed copy instead");
    return io_source_open(storage->source, FIRST, LAST, false, NULL, io, err);
}

static tess_status
source_create_stored(const tess_storage *storage, const struct folder_kind *parts, struct io **io,
                     struct folder **folder, tess_error *err)
{
    (void)parts, (void)folder;
    if (!storage->source->publish)
        return err_set(err, TESS_ERR_ARG, -1, "a source with write, without publish");
    return io_upload_create(storage->source, storage->mode == TESS_MODE_REPLACE, io, err);
}

const struct storage_kind storage_source = {
    .name = "source",
    .layout = TESS_LAYOUT_CONTIGUOUS,
    .holds = is_object_kind,
    .takes = takes_objects,
    .open = source_open_stored,
    .create = source_create_stored,
};

// -- directories

struct source_directory {
    struct folder folder;
    tess_source source;
};

static tess_status
open_part(const struct source_directory *d, const char *name, tess_source *part, tess_error *err)
{
    tess_error why = {.sys = 0};
    tess_source_init(part);
    tess_status st = source_status(d->source.part(d->source.user, name, part, &why), "part", &why);
    if (st == TESS_OK && (!part->read || (!part->state && !part->ends))) {
        if (part->close)
            part->close(part->user);
        st = err_set(&why, TESS_ERR_ARG, -1, "the source of %s has no %s", name,
                     part->read ? "state" : "read");
    }
    if (st == TESS_ERR_NOT_FOUND) {
        st = err_set(&why, TESS_ERR_IO, -1, "there is no %s", name);
        why.sys = ENOENT;
    }
    if (st != TESS_OK && err)
        *err = why;
    return st;
}

static tess_status
sourced_read(const struct folder *folder, const char *name, const struct folder_use *use,
             struct io **io, tess_error *err)
{
    tess_source part;
    const tess_status st = open_part((const struct source_directory *)folder, name, &part, err);
    if (st != TESS_OK)
        return st;
    if (use->stays)
        return io_source_open(&part, INDEX_FIRST, INDEX_LAST, true, use->progress, io, err);
    const bool known = use->first > 0 || use->last > 0;
    return io_source_open(&part, known ? use->first : CHUNK_FIRST, use->last, true, use->progress,
                          io, err);
}

static tess_status
refuse_write(tess_error *err)
{
    return err_set(err, TESS_ERR_UNSUPPORTED, -1, "a directory of a source is only read");
}

static tess_status
sourced_write(const struct folder *folder, const char *name, struct io **io, tess_error *err)
{
    (void)folder, (void)name, (void)io;
    return refuse_write(err);
}

static tess_status
sourced_rename(const struct folder *folder, const char *from, const char *to, tess_error *err)
{
    (void)folder, (void)from, (void)to;
    return refuse_write(err);
}

static void
sourced_remove(const struct folder *folder, const char *name)
{
    (void)folder, (void)name;
}

static tess_status
sourced_each(const struct folder *folder,
             tess_status (*name)(void *arg, const char *name, tess_error *err), void *arg,
             tess_error *err)
{
    (void)folder, (void)name, (void)arg;
    return err_set(err, TESS_ERR_UNSUPPORTED, -1, "the names in a source are not known");
}

static tess_status
sourced_sync(const struct folder *folder, tess_error *err)
{
    (void)folder;
    return refuse_write(err);
}

static tess_status
sourced_publish(struct folder *folder, bool durable, tess_error *err)
{
    (void)folder, (void)durable;
    return refuse_write(err);
}

static tess_status
sourced_identify(const struct folder *folder, struct io_identity *identity, tess_error *err)
{
    (void)folder, (void)err;
    *identity = (struct io_identity){0};
    return TESS_OK;
}

static bool
sourced_is_replaced(const struct folder *folder)
{
    (void)folder;
    return false; // a replaced directory shows in its index
}

static void
sourced_close(struct folder *folder)
{
    mem_free(folder);
}

static const struct folder_ops directory_ops = {
    .read = sourced_read,
    .write = sourced_write,
    .rename = sourced_rename,
    .remove = sourced_remove,
    .each = sourced_each,
    .sync = sourced_sync,
    .publish = sourced_publish,
    .identify = sourced_identify,
    .is_replaced = sourced_is_replaced,
    .close = sourced_close,
};

// -- directories as a kind of storage

static bool
is_source_directory(const tess_storage *storage)
{
    return !storage->path && !storage->image && storage->source && storage->source->part;
}

static bool
takes_none(const tess_storage *storage)
{
    (void)storage;
    return false;
}

static tess_status
sourced_open_stored(const tess_storage *storage, bool writable, struct io **io,
                    struct folder **folder, tess_error *err)
{
    (void)io;
    if (writable)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "an array in a source cannot be updated; write a changed copy instead");
    struct source_directory *const d = mem_zeroed(1, sizeof *d);
    if (!d)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a directory");
    d->folder.ops = &directory_ops;
    d->source = *storage->source;
    *folder = &d->folder;
    return TESS_OK;
}

const struct storage_kind storage_source_directory = {
    .name = "directory of a source",
    .layout = TESS_LAYOUT_SPARSE,
    .holds = is_source_directory,
    .takes = takes_none,
    .open = sourced_open_stored,
};
