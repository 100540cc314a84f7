/*
 * open.c - a directory or a zip file, opened as a store: its entries, and what is left out.
 */
#include "store/store.h"

#include "base/error.h"
#include "frame/sparse/files.h"
#include "io/file_tree.h"
#include "io/io.h"
#include "io/storage.h"
#include "store/listing.h"
#include "store/zip.h"

#include <string.h>

static tess_status
add_members(tess_store *s, tess_error *err)
{
    const struct zip *const zip = &s->zip;
    tess_status st = TESS_OK;
    for (int64_t i = 0; i < zip->nmembers && st == TESS_OK; i++) {
        const struct zip_member *const m = &zip->members[i];
        const struct place at = {
            .kind = PLACE_MEMBER, .index = i, .size = m->size, .rank = m->record};
        if (m->name_size > 0 && m->name[m->name_size - 1] == '/' && m->size == 0)
            continue; // a directory
        st = m->is_stored ? listing_add_file(&s->listing, m->name, m->name_size, &at, err)
                          : listing_leave_out(&s->listing, m->name, m->name_size,
                                              "it is compressed or encrypted", err);
    }
    return st;
}

static tess_status
open_zip(tess_store *s, tess_error *err)
{
    struct storage_opened opened;
    tess_status st = storage_open(&s->storage, &opened, err);
    if (st != TESS_OK)
        return st;
    s->io = opened.io;
    st = io_stamp(s->io, &s->stamp, err);
    if (st == TESS_OK)
        st = zip_read(s->io, s->storage.limits.memory, &s->zip, err);
    return st == TESS_OK ? add_members(s, err) : st;
}

// A file_tree_fn.
static tess_status
add_found(void *user, const struct file_tree_found *found, tess_error *err)
{
    static const char *const reasons[] = {
        [FILE_TREE_LINK] = "a link that leads to no file",
        [FILE_TREE_OTHER] = "it is no file",
        [FILE_TREE_BEYOND] = "it is too deep, or its name too long",
        [FILE_TREE_CLOSED] = "it cannot be looked at",
    };
    static const char lock_file[] = ".b2lock";
    struct listing *const l = user;
    const size_t lock_size = sizeof lock_file - 1;
    if (found->name_size >= lock_size &&
        memcmp(found->name + found->name_size - lock_size, lock_file, lock_size) == 0)
        return TESS_OK; // of an array, or of the store
    const struct place at = {.kind = PLACE_FILE, .size = found->size};
    if (found->kind != FILE_TREE_FILE && found->kind != FILE_TREE_FOLDER)
        return listing_leave_out(l, found->name, found->name_size, reasons[found->kind], err);
    return listing_add_file(l, found->name, found->name_size, &at, err);
}

static tess_status
open_either(tess_store *s, tess_error *err)
{
    const struct storage_kind *const kind = storage_find(&s->storage);
    if (!kind || kind->layout != TESS_LAYOUT_SPARSE)
        return open_zip(s, err);
    if (!kind->in_files)
        return err_set(err, TESS_ERR_FORMAT, -1, "a source of many objects, not a zip file");
    const tess_status st = file_tree_walk(s->path, FRAME_FOLDER_INDEX, add_found, &s->listing, err);
    return st == TESS_ERR_FORMAT ? err_set(err, st, -1, "a sparse array, not a store of arrays")
                                 : st;
}

tess_status
store_open(const tess_storage *storage, tess_store **store, tess_error *err)
{
    *store = NULL;
    if (storage->mode != TESS_MODE_READ)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1, "a store of arrays can only be read");
    if (storage->offset != 0)
        return err_set(err, TESS_ERR_ARG, -1, "an offset in a store of arrays");
    tess_store *s = store_new(storage);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a store of arrays");
    tess_status st = open_either(s, err);
    if (st == TESS_OK)
        st = embedded_add(s, err);
    if (st == TESS_OK)
        st = listing_complete(&s->listing, err);
    if (st != TESS_OK) {
        store_release(s);
        return st;
    }
    if (s->io)
        io_opened(s->io);
    if (!s->path && !storage->image && storage->source)
        s->source = *storage->source;
    *store = s;
    return TESS_OK;
}
