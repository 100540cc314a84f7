/*
 * open.c - a directory or a zip file, opened as a store.
 */
#include "store/store.h"

#include "base/error.h"
#include "io/io.h"
#include "io/state_files.h"
#include "io/storage.h"
#include "store/listing.h"
#include "store/manifest.h"
#include "store/writer.h"
#include "store/zip.h"
#include "task/watch.h"

#include <errno.h>

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
    tess_storage reading = s->storage;
    reading.mode = TESS_MODE_READ;
    tess_status st = storage_open(&reading, &opened, err);
    if (st != TESS_OK)
        return st;
    s->io = opened.io;
    st = io_stamp(s->io, &s->stamp, err);
    if (st == TESS_OK)
        st = zip_read(s->io, s->storage.limits.memory, &s->zip, err);
    return st == TESS_OK ? add_members(s, err) : st;
}

// The newest commit, or another one, and the list of what is there. A writer may commit meanwhile,
// and give new files their names.
static tess_status
read_directory(tess_store *s, const char *commit_name, tess_error *err)
{
    enum { TRIES = 100 };
    uint64_t newest = 0, listed = 1;
    tess_status st = TESS_OK;
    for (int i = 0; i < TRIES && st == TESS_OK && newest != listed; i++) {
        store_state_release(s->state);
        st = store_state_open(s, commit_name, &s->state, err);
        listed = s->state ? s->state->m.number : 0;
        if (st == TESS_OK)
            st = store_list(s, s->state ? &s->state->m : NULL, !commit_name, err);
        newest = listed;
        if (st == TESS_OK && !commit_name)
            st = store_state_newest(s, &newest, err);
    }
    return st;
}

// No other program commits.
static tess_status
open_to_change(tess_store *s, tess_error *err)
{
    tess_status st = store_state_open(s, NULL, &s->state, err);
    if (st == TESS_OK && s->state) { // whether others read it is told by their locks
        state_files_unlock(s->state->lock);
        s->state->lock = -1;
    }
    if (st == TESS_OK)
        st = writer_begin(s, err);
    if (st == TESS_OK)
        st = store_roll_forward(s, err);
    if (st == TESS_OK && s->state)
        s->state->follows = false;
    if (st == TESS_OK)
        st = store_list(s, s->state ? &s->state->m : NULL, true, err);
    return st == TESS_OK ? writer_adopt(s, err) : st;
}

static tess_status
open_directory_store(tess_store *s, const char *commit_name, tess_error *err)
{
    const bool makes = s->storage.mode == TESS_MODE_NEW;
    const bool writes = makes || s->storage.mode == TESS_MODE_UPDATE;
    struct retry p;
    tess_error why;
    tess_status st;
    retry_begin(&p, s->storage.context, s->path, s->storage.wait);
    do
        st = state_files_open(&s->files, s->path, writes, makes, &why);
    while (st == TESS_ERR_IO && why.sys == EWOULDBLOCK && retry_again(&p, &st, &why));
    if (st != TESS_OK) {
        if (err)
            *err = why;
        return st;
    }
    if (makes)
        st = embedded_make(s, NULL, err);
    if (st == TESS_OK && !writes)
        return read_directory(s, commit_name, err);
    return st == TESS_OK ? open_to_change(s, err) : st;
}

static tess_status
open_either(tess_store *s, const char *commit_name, tess_error *err)
{
    const struct storage_kind *const kind = storage_find(&s->storage);
    const bool is_directory =
        s->storage.mode == TESS_MODE_NEW || (kind && kind->layout == TESS_LAYOUT_SPARSE);
    if (!is_directory) {
        tess_status st = open_zip(s, err);
        if (st == TESS_OK && commit_name)
            st = err_set(err, TESS_ERR_NOT_FOUND, -1, "a zip file of arrays has no commits");
        if (st == TESS_OK && s->storage.mode != TESS_MODE_READ)
            st = err_set(err, TESS_ERR_UNSUPPORTED, -1,
                         "a zip file of arrays can only be read; save it to a directory to change "
                         "it");
        if (st == TESS_OK)
            st = embedded_add(s, err);
        return st == TESS_OK ? listing_complete(&s->listing, err) : st;
    }
    if (!s->path || (kind && !kind->in_files))
        return err_set(err, TESS_ERR_FORMAT, -1, "a source of many objects, not a zip file");
    return open_directory_store(s, commit_name, err);
}

tess_status
store_open(const tess_storage *storage, const char *commit_name, tess_store **store,
           tess_error *err)
{
    *store = NULL;
    if (storage->mode == TESS_MODE_REPLACE || storage->mode == TESS_MODE_APPEND)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "a store of arrays is opened with TESS_MODE_READ, UPDATE or NEW");
    if (commit_name && storage->mode != TESS_MODE_READ)
        return err_set(err, TESS_ERR_ARG, -1, "an older commit can only be read");
    if (storage->offset != 0 || storage->store)
        return err_set(err, TESS_ERR_ARG, -1, "an offset, or a store, in a store of arrays");
    tess_store *s = store_new(storage);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a store of arrays");
    const tess_status st = open_either(s, commit_name, err);
    if (st != TESS_OK) {
        store_close(s);
        return st;
    }
    if (s->io)
        io_opened(s->io);
    if (!s->path && !storage->image && storage->source)
        s->source = *storage->source;
    *store = s;
    return TESS_OK;
}

tess_status
store_refresh(tess_store *s, bool *changed, tess_error *err)
{
    uint64_t newest;
    *changed = false;
    if (s->writer || s->files.root < 0) // it is the newest; or a zip file, which stays
        return TESS_OK;
    tess_status st = store_state_newest(s, &newest, err);
    const uint64_t before = s->state ? s->state->m.number : 0;
    if (st == TESS_OK && before == newest && newest > 0)
        return TESS_OK;
    if (st == TESS_OK && s->files.folder < 0) { // it may have got commits
        state_files_close(&s->files);
        st = state_files_open(&s->files, s->path, false, false, err);
    }
    if (st == TESS_OK)
        st = read_directory(s, NULL, err);
    if (st != TESS_OK) { // neither the old commit nor the new one
        listing_finish(&s->listing);
        store_state_release(s->state);
        s->state = NULL;
    }
    *changed = st == TESS_OK;
    return st;
}

void
store_close(tess_store *s)
{
    if (s) {
        writer_free(s->writer);
        s->writer = NULL;
    }
    store_release(s);
}
