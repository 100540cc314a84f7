/*
 * handles.c - arrays of a store that is written: where a new one is made, and one that is there
 * opened.
 */
#include "store/writer.h"

#include "array/array.h"
#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/contiguous/held.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "io/front.h"
#include "io/io.h"
#include "io/names/below.h"
#include "io/state_files.h"
#include "store/manifest.h"
#include "store/store.h"

#include <tessera/params.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char NEW[] = STATE_FOLDER "/new";

// The manifest has the header of each array: that of a file need not be on the disk.
static tess_durability
durability_of_arrays(const tess_store *s)
{
    return s->storage.durability > TESS_DURABILITY_ORDERED ? TESS_DURABILITY_ORDERED
                                                           : s->storage.durability;
}

// Also of attributes.
static tess_status
place_file(tess_store *s, tess_storage *storage, tess_entry_kind kind, tess_error *err)
{
    struct writer *const w = s->writer;
    char name[WRITER_NAME_SIZE], made[WRITER_NAME_SIZE];
    struct writer_array *x;
    tess_status st = writer_check(s, err);
    if (st != TESS_OK)
        return st;
    if (storage->mode != TESS_MODE_NEW && storage->mode != TESS_MODE_REPLACE)
        return err_set(err, TESS_ERR_ARG, -1,
                       "an array is made in a store with TESS_MODE_NEW or TESS_MODE_REPLACE");
    st = writer_name_of_path(storage->path, listing_endings[kind], name, err);
    if (st != TESS_OK)
        return st;
    writer_drop_discarded(w);
    if (writer_find_name(s, storage->path, made)) {
        if (storage->mode == TESS_MODE_NEW)
            return err_sys(err, EEXIST, "making %s in the store", storage->path);
        if (strcmp(made, name) != 0)
            return err_sys(err, EEXIST, "replacing %s, which is no array: it is %s", storage->path,
                           made);
    } else {
        const int fault = writer_path_fault(s, storage->path);
        if (fault)
            return err_sys(err, fault, "making %s in the store", storage->path);
    }
    st = writer_check_new_name(s, name, err);
    if (st == TESS_OK)
        st = below_make_directory(s->files.root, NEW, err);
    if (st != TESS_OK)
        return st;
    writer_let_go_of_some(s);
    writer_fresh_name(w, NEW, made);
    w->replaces |= storage->mode == TESS_MODE_REPLACE;
    st = writer_add_array(w, name, made, &x, err);
    if (st != TESS_OK)
        return st;
    w->relisted = false;
    x->path = store_path_of(s, made);
    if (!x->path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    tess_storage own = *storage;
    own.path = x->path;
    own.mode = TESS_MODE_NEW;
    own.image = NULL;
    own.source = NULL;
    own.offset = 0;
    own.mmap = own.lock_file = own.require_lock = false;
    own.durability = durability_of_arrays(s);
    *storage = own;
    return TESS_OK;
}

tess_status
writer_place(tess_store *s, tess_storage *storage, tess_entry_kind kind, tess_error *err)
{
    const bool may_hold = kind == TESS_ENTRY_SCHUNK; // attributes, of a store that is copied
    const tess_status st =
        storage->path && !may_hold ? writer_check_path(storage->path, err) : TESS_OK;
    return st == TESS_OK ? place_file(s, storage, kind, err) : st;
}

// What a loss of power took from a file: its first bytes, of the last commit or of those before.
static tess_status
restore_front(const tess_store *s, const char *name, struct io *io, tess_error *err)
{
    const struct manifest_file *const file = s->state ? manifest_find(&s->state->m, name) : NULL;
    bool follows = false;
    if (!file || file->before_size == 0)
        return TESS_OK;
    const tess_status st = store_front_follows(io, file, &follows, err);
    return st == TESS_OK && follows ? io_write(io, 0, file->front, file->front_size, err) : st;
}

static tess_status
open_to_write(tess_store *s, struct writer_array *x, tess_error *err)
{
    struct home home;
    tess_storage storage = s->storage;
    uint8_t tail[FRAME_TAIL];
    struct held_state *older;
    size_t nolder;
    const char *const name = x->made ? x->made : writer_name_until_commit(s->writer, x->name);
    bool is_file;
    tess_status st = below_find(s->files.root, name, &is_file, err);
    if (st == TESS_OK && !is_file && below_is_link(s->files.root, name))
        st = err_set(err, TESS_ERR_UNSUPPORTED, -1,
                     "a symbolic link, which cannot be part of a commit");
    if (st != TESS_OK)
        return st;
    char *const path = store_path_of(s, name);
    if (!path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    storage.path = path;
    storage.mode = TESS_MODE_UPDATE;
    storage.mmap = storage.plain = storage.never_reuse = false;
    storage.explicit_commits = true;
    storage.durability = durability_of_arrays(s);
    st = TESS_ERR_STALE;
    for (int i = 0; i < 100 && st == TESS_ERR_STALE; i++) { // other programs may replace it
        st = home_open(&storage, &home, err);
        if (st == TESS_OK && home.at.folder) {
            home_close(&home);
            st = err_set(err, TESS_ERR_UNSUPPORTED, -1,
                         "a sparse array, which cannot be part of a commit");
        }
        if (st == TESS_OK)
            st = home_stage(&home, path, err);
        if (st == TESS_OK) {
            st = restore_front(s, name, home.at.io, err);
            if (st != TESS_OK)
                home_close(&home);
        }
        if (st == TESS_OK)
            st = array_open(&home, &storage, &x->a, err);
    }
    mem_free(path);
    if (st != TESS_OK || x->made) // of a new one no commit has anything
        return st;
    struct frame *const f = x->a->grid->frame;
    st = frame_read_front(f, &x->settled, &x->settled_size, tail, err);
    if (st == TESS_OK)
        st = writer_load_older(s, name, f, &older, &nolder, err);
    if (st == TESS_OK) {
        st = frame_hold_states(f, older, nolder, err);
        writer_free_older(older, nolder);
    }
    if (st == TESS_OK)
        st = io_front_settle(frame_file(f), (int64_t)x->settled_size, err);
    if (st == TESS_OK)
        frame_hold(f);
    return st;
}

tess_status
writer_open_file(tess_store *s, const char *file, tess_array **a, tess_error *err)
{
    struct writer *const w = s->writer;
    tess_status st = writer_check(s, err);
    *a = NULL;
    if (st != TESS_OK)
        return st;
    writer_let_go_of_some(s);
    writer_drop_discarded(w);
    struct writer_array *x = writer_find(s, file);
    if (!x) // its file may be on its way to the name still
        st = store_finish_commit(s, err);
    if (!x && st == TESS_OK)
        st = writer_add_array(w, file, NULL, &x, err);
    if (st == TESS_OK && !x->a) {
        st = open_to_write(s, x, err);
        if (st != TESS_OK && !x->made)
            writer_remove_array(w, x);
    }
    if (st != TESS_OK)
        return st;
    array_hold(x->a);
    *a = x->a;
    return TESS_OK;
}

tess_status
writer_make_empty(tess_store *s, const char *path, tess_entry_kind kind, tess_array **a,
                  tess_error *err)
{
    const struct array_content content = {.plain = true};
    tess_storage storage = s->storage;
    tess_params params;
    struct home home;
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    storage.store = s;
    tess_params_init(&params);
    params.typesize = 1;
    tess_status st = place_file(s, &storage, kind, err);
    if (st == TESS_OK)
        st = home_create(&storage, TESS_LAYOUT_CONTIGUOUS, &home, err);
    if (st == TESS_OK)
        st = array_create(&home, &storage, &params, &content, a, err);
    return st;
}

tess_status
writer_open_attributes(tess_store *s, const char *group, tess_array **a, tess_error *err)
{
    char path[WRITER_NAME_SIZE], name[WRITER_NAME_SIZE];
    size_t size = strlen(group);
    while (size > 0 && group[size - 1] == '/')
        size--;
    const tess_status st = writer_check_path(group, err);
    if (st != TESS_OK)
        return st;
    if (size > WRITER_NAME_SIZE - 32)
        return err_set(err, TESS_ERR_ARG, -1, "%s is too long a name", group);
    snprintf(path, sizeof path, "%.*s/" LISTING_ATTRIBUTES, (int)size, group);
    return writer_find_name(s, path, name) ? writer_open_file(s, name, a, err)
                                           : writer_make_empty(s, path, TESS_ENTRY_SCHUNK, a, err);
}
