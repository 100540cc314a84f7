/*
 * list.c - the entries of a directory: the files of a commit, and others that are there.
 */
#include "store/store.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/contiguous/held.h"
#include "frame/sparse/files.h"
#include "io/file_tree.h"
#include "io/state_files.h"
#include "store/listing.h"
#include "store/manifest.h"

#include <string.h>

// What is filled by a walk.
struct walk_list {
    struct listing *listing;
    const struct manifest *m; // files that are listed already; NULL: none
    bool follows; // names that its moves take away may be there still
    bool *there; // of each file of the commit: it was found
    bool incomplete; // something could not be looked at: a directory, perhaps
};

static bool
is_listed(const struct walk_list *w, const struct file_tree_found *found)
{
    char name[4096 + 256 + 1]; // what a walk finds is not longer
    if (!w->m || found->name_size >= sizeof name)
        return false;
    memcpy(name, found->name, found->name_size);
    name[found->name_size] = '\0';
    struct manifest_file *const file = manifest_find(w->m, name);
    bool moves = false;
    if (file)
        w->there[file - w->m->files] = true;
    for (size_t i = 0; i < w->m->nmoves && w->follows && !moves; i++)
        moves = w->m->moves[i].number == w->m->number && strcmp(w->m->moves[i].from, name) == 0;
    return moves || file;
}

// A file_tree_fn.
static tess_status
add_found(void *user, const struct file_tree_found *found, tess_error *err)
{
    static const char *const reasons[] = {
        [FILE_TREE_LINK] = "a symbolic link that leads to no file",
        [FILE_TREE_OTHER] = "it is no file",
        [FILE_TREE_BEYOND] = "it is too deep, or its name too long",
        [FILE_TREE_CLOSED] = "it cannot be looked at",
    };
    static const char lock_file[] = ".b2lock", commits[] = STATE_FOLDER "/";
    struct walk_list *const w = user;
    struct listing *const l = w->listing;
    const size_t lock_size = sizeof lock_file - 1;
    if (found->name_size >= lock_size &&
        memcmp(found->name + found->name_size - lock_size, lock_file, lock_size) == 0)
        return TESS_OK; // of an array, or of the store
    if (found->name_size >= sizeof commits - 1 &&
        memcmp(found->name, commits, sizeof commits - 1) == 0)
        return TESS_OK;
    const struct place at = {.kind = PLACE_FILE, .size = found->size};
    w->incomplete |= found->kind == FILE_TREE_CLOSED || found->kind == FILE_TREE_BEYOND;
    if (is_listed(w, found)) // what it is by now, opening it tells
        return TESS_OK;
    if (found->kind != FILE_TREE_FILE && found->kind != FILE_TREE_FOLDER)
        return listing_leave_out(l, found->name, found->name_size, reasons[found->kind], err);
    return listing_add_file(l, found->name, found->name_size, &at, err);
}

// Files of the commit; there: those that were found. NULL: it is not known.
static tess_status
add_of_commit(struct listing *l, const struct manifest *m, const bool *there, tess_error *err)
{
    tess_status st = TESS_OK;
    for (size_t i = 0; i < m->nfiles && st == TESS_OK; i++) {
        const struct manifest_file *const file = &m->files[i];
        bool whole;
        const int64_t end = frame_front_end(file->front, file->front_size, &whole);
        const int64_t size = end > 0 && whole ? (int64_t)file->front_size : max_i64(end, 0);
        const struct place at = {.kind = PLACE_FILE, .size = size};
        st = !there || there[i]
                 ? listing_add_file(l, file->name, strlen(file->name), &at, err)
                 : listing_leave_out(l, file->name, strlen(file->name),
                                     "it is of the commit, but another program removed its file",
                                     err);
    }
    return st;
}

// All files of the directory; and which of the commit are not there, unless names are to follow it.
static tess_status
walk_all(tess_store *s, const struct manifest *m, tess_error *err)
{
    const bool follows = s->state && s->state->follows;
    struct walk_list w = {.listing = &s->listing, .m = m, .follows = follows};
    w.there = mem_zeroed(m ? m->nfiles + 1 : 1, sizeof *w.there);
    if (!w.there)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of files");
    tess_status st = file_tree_walk(s->path, FRAME_FOLDER_INDEX, add_found, &w, err);
    if (st == TESS_ERR_FORMAT)
        st = err_set(err, st, -1, "a sparse array, not a store of arrays");
    if (st == TESS_OK && m)
        st = add_of_commit(&s->listing, m, follows || w.incomplete ? NULL : w.there, err);
    mem_free(w.there);
    return st;
}

tess_status
store_list(tess_store *s, const struct manifest *m, bool others, tess_error *err)
{
    listing_finish(&s->listing);
    listing_init(&s->listing, s->storage.limits.memory);
    tess_status st = others ? walk_all(s, m, err)
                     : m    ? add_of_commit(&s->listing, m, NULL, err)
                            : TESS_OK;
    if (st == TESS_OK)
        st = embedded_add(s, err);
    return st == TESS_OK ? listing_complete(&s->listing, err) : st;
}
