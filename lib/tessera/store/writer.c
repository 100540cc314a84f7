/*
 * writer.c - the state of a store that is to come: what is made, opened, removed and renamed.
 *
 * `next` has the files of the next commit, under the names that they will have, and the moves that
 * give them these. Moves that take names away come first; those that give names lead from
 * .tessera/new, where new files are made and renamed ones wait in between. What is removed goes to
 * .tessera/kept, as long as some other commit has it.
 */
#include "store/store.h"

#include "array/array.h"
#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/commit/current.h"
#include "frame/contiguous/held.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "io/front.h"
#include "io/io.h"
#include "io/names/below.h"
#include "io/state_files.h"
#include "store/listing.h"
#include "store/manifest.h"

#include <tessera/params.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WRITER_NAME_SIZE = 4096 + 16 };

static const char NEW[] = STATE_FOLDER "/new";
static const char KEPT[] = STATE_FOLDER "/kept";
static const char *const endings[] = {
    [TESS_ENTRY_ARRAY] = ".b2nd",
    [TESS_ENTRY_SCHUNK] = ".b2f",
    [TESS_ENTRY_BATCH] = ".b2b",
};

// A name that no other file has, or had.
static void
fresh_name(struct writer *w, const char *folder, char *name)
{
    snprintf(name, WRITER_NAME_SIZE, "%s/%" PRIu64 ".%u", folder, w->next.number, w->numbers++);
}

// -- arrays

static void
array_entry_finish(struct writer_array *x)
{
    array_free(x->a);
    mem_free(x->name);
    mem_free(x->made);
    mem_free(x->path);
    mem_free(x->settled);
    mem_free(x->coming);
}

static void
forget_array(const struct writer_array *x)
{
    if (x->a)
        frame_set_left_behind(x->a->grid->frame, true);
}

void
writer_forget(struct writer *w)
{
    for (size_t i = 0; i < w->narrays; i++) {
        forget_array(&w->arrays[i]);
        array_entry_finish(&w->arrays[i]);
    }
    w->narrays = 0;
}

void
writer_free(struct writer *w)
{
    if (!w)
        return;
    writer_forget(w);
    for (size_t i = 0; i < w->nolder; i++)
        store_state_release(w->older[i]);
    mem_free(w->arrays);
    mem_free(w->older);
    manifest_finish(&w->next);
    mem_free(w);
}

// Whether there is such an array: a new one was made, or is open.
static bool
is_made(const tess_store *s, const struct writer_array *x)
{
    return x->a ? !x->a->discarded : !x->made || below_is_file(s->files.root, x->made);
}

// The last one that has the name: a new array may replace another.
static struct writer_array *
writer_find(const tess_store *s, const char *name)
{
    for (size_t i = s->writer->narrays; i > 0; i--) {
        struct writer_array *const x = &s->writer->arrays[i - 1];
        if (strcmp(x->name, name) == 0 && is_made(s, x))
            return x;
    }
    return NULL;
}

static bool
writer_is_replaced(const tess_store *s, const struct writer_array *x)
{
    return writer_find(s, x->name) != x;
}

static void
remove_array(struct writer *w, struct writer_array *x)
{
    array_entry_finish(x);
    const size_t behind = (size_t)(&w->arrays[--w->narrays] - x);
    memmove(x, x + 1, behind * sizeof *x);
}

static tess_status
add_array(struct writer *w, const char *name, const char *made, struct writer_array **x,
          tess_error *err)
{
    struct writer_array own = {.name = mem_string(name), .made = made ? mem_string(made) : NULL};
    struct writer_array *const longer =
        own.name && !made == !own.made ? mem_resize(w->arrays, (w->narrays + 1) * sizeof *longer)
                                       : NULL;
    if (!longer) {
        mem_free(own.name);
        mem_free(own.made);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array of the store");
    }
    w->arrays = longer;
    longer[w->narrays] = own;
    *x = &longer[w->narrays++];
    return TESS_OK;
}

// Arrays whose names new ones have taken: none of the program's any more.
static void
drop_replaced(tess_store *s)
{
    struct writer *const w = s->writer;
    for (size_t i = w->narrays; i > 0 && w->replaces; i--)
        if (writer_is_replaced(s, &w->arrays[i - 1]) && is_made(s, &w->arrays[i - 1])) {
            forget_array(&w->arrays[i - 1]);
            remove_array(w, &w->arrays[i - 1]);
        }
}

void
writer_drop_missing(tess_store *s)
{
    struct writer *const w = s->writer;
    drop_replaced(s);
    for (size_t i = w->narrays; i > 0; i--)
        if (!is_made(s, &w->arrays[i - 1]))
            remove_array(w, &w->arrays[i - 1]);
}

void
writer_committed(tess_store *s)
{
    struct writer *const w = s->writer;
    for (size_t i = w->narrays; i > 0; i--) {
        struct writer_array *const x = &w->arrays[i - 1];
        mem_free(x->made);
        x->made = NULL;
        mem_free(x->settled);
        x->settled = x->coming;
        x->settled_size = x->coming_size;
        x->coming = NULL;
        if (!x->a)
            remove_array(w, x);
    }
    w->replaces = false;
}

// Whether the next commit has nothing of it that is not in its file, and whole.
static bool
is_settled(const struct writer_array *x)
{
    uint8_t *front, tail[FRAME_TAIL];
    size_t size;
    if (frame_is_dirty(x->a->grid->frame))
        return false;
    if (x->made)
        return frame_is_published(x->a->grid->frame);
    if (frame_read_front(x->a->grid->frame, &front, &size, tail, NULL) != TESS_OK)
        return false;
    const bool same = size == x->settled_size && memcmp(front, x->settled, size) == 0;
    mem_free(front);
    return same;
}

void
writer_let_go(tess_store *s)
{
    struct writer *const w = s->writer;
    for (size_t i = w->narrays; i > 0; i--) {
        struct writer_array *const x = &w->arrays[i - 1];
        if (!x->a || atomic_load(&x->a->users) > 1 || !is_settled(x))
            continue;
        if (x->made) { // the file stays what it is
            array_free(x->a);
            x->a = NULL;
        } else {
            remove_array(w, x);
        }
    }
}

// Before one more is opened: each is a descriptor. As often as there are many that are open.
static void
let_go_of_some(tess_store *s)
{
    enum { FEW_OPEN = 64 };
    struct writer *const w = s->writer;
    size_t open = 0;
    if (++w->opened < w->sweep_at || w->opened < FEW_OPEN)
        return;
    writer_let_go(s);
    for (size_t i = 0; i < w->narrays; i++)
        open += w->arrays[i].a != NULL;
    w->sweep_at = open;
    w->opened = 0;
}

// -- names

// The file of the next commit that has a path, which may be new.
static bool
find_name(const tess_store *s, const char *path, char *name)
{
    while (*path == '/')
        path++;
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] == '/')
        size--;
    if (listing_name_fault(path, size) || size > WRITER_NAME_SIZE - 16)
        return false;
    for (size_t i = TESS_ENTRY_ARRAY; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, WRITER_NAME_SIZE, "%.*s%s", (int)size, path, endings[i]);
        if (manifest_find(&s->writer->next, name) || writer_find(s, name))
            return true;
    }
    return false;
}

// The name of a file to come, from its path.
static tess_status
name_of_path(const char *path, const char *ending, char *name, tess_error *err)
{
    while (path && *path == '/')
        path++;
    size_t size = path ? strlen(path) : 0;
    while (size > 0 && path[size - 1] == '/')
        size--;
    const char *const fault = path ? listing_name_fault(path, size) : "no path is given";
    if (fault)
        return err_set(err, TESS_ERR_ARG, -1, "%s cannot be a path in a store: %s",
                       path ? path : "", fault);
    if (strncmp(path, STATE_FOLDER, sizeof STATE_FOLDER - 1) == 0)
        return err_set(err, TESS_ERR_ARG, -1, "%s is where a store keeps its commits", path);
    snprintf(name, WRITER_NAME_SIZE, "%.*s%s", (int)size, path, ending);
    return TESS_OK;
}

// -- moves of the next commit

static struct manifest_move *
find_move_to(struct manifest *m, const char *name)
{
    for (size_t i = 0; i < m->nmoves; i++)
        if (m->moves[i].number == m->number && strcmp(m->moves[i].to, name) == 0)
            return &m->moves[i];
    return NULL;
}

// Where a file of the next commit is until then: one that is renamed is where it was.
static const char *
name_until_commit(struct writer *w, const char *name)
{
    const struct manifest_move *const second = find_move_to(&w->next, name);
    const struct manifest_move *const first = second ? find_move_to(&w->next, second->from) : NULL;
    return first ? first->from : name;
}

static tess_status
set_text(char **text, const char *value, tess_error *err)
{
    char *const own = mem_string(value);
    if (!own)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a name");
    mem_free(*text);
    *text = own;
    return TESS_OK;
}

tess_status
writer_keep_replaced(struct writer *w, struct manifest *m, const struct manifest_file *file,
                     tess_error *err)
{
    char kept[WRITER_NAME_SIZE];
    struct manifest_move *const move = find_move_to(m, file->name);
    fresh_name(w, KEPT, kept);
    return move ? set_text(&move->to, kept, err)
                : manifest_add_move(m, file->name, kept, m->number, err);
}

// A file of the next commit that is in the last one, or was found, goes elsewhere.
static tess_status
move_away(struct writer *w, const struct manifest_file *file, const char *to, tess_error *err)
{
    struct manifest_move *const move = find_move_to(&w->next, file->name);
    char between[WRITER_NAME_SIZE];
    if (move) // it was renamed since
        return set_text(&move->to, to, err);
    fresh_name(w, NEW, between);
    const size_t before = w->next.nmoves;
    tess_status st = manifest_add_move(&w->next, file->name, between, w->next.number, err);
    if (st == TESS_OK)
        st = manifest_add_move(&w->next, between, to, w->next.number, err);
    if (st != TESS_OK && w->next.nmoves > before) {
        mem_free(w->next.moves[before].from);
        mem_free(w->next.moves[before].to);
        w->next.nmoves = before;
    }
    return st;
}

// A file is not in the next commit; the program may have the array still.
static tess_status
remove_name(tess_store *s, const char *name, tess_error *err)
{
    struct writer *const w = s->writer;
    struct manifest_file *const file = manifest_find(&w->next, name);
    struct writer_array *x;
    if (file) {
        const tess_status st = writer_keep_replaced(w, &w->next, file, err);
        if (st != TESS_OK)
            return st;
        manifest_remove_file(&w->next, file);
    }
    while ((x = writer_find(s, name))) {
        forget_array(x);
        remove_array(w, x);
    }
    return TESS_OK;
}

static tess_status
rename_name(tess_store *s, const char *from, const char *to, tess_error *err)
{
    struct writer *const w = s->writer;
    drop_replaced(s);
    struct manifest_file *const file = manifest_find(&w->next, from), *added;
    struct writer_array *const x = writer_find(s, from);
    char *name = NULL;
    tess_status st = x ? set_text(&name, to, err) : TESS_OK;
    if (st == TESS_OK && file) {
        st = manifest_add_file(&w->next, to, &added, err);
        struct manifest_file *const old = manifest_find(&w->next, from);
        if (st == TESS_OK) {
            st = move_away(w, old, to, err);
            if (st == TESS_OK)
                manifest_take_state(added, old);
            manifest_remove_file(&w->next, st == TESS_OK ? old : added);
        }
    }
    if (st == TESS_OK && x) {
        mem_free(x->name);
        x->name = name;
    } else {
        mem_free(name);
    }
    return st;
}

// -- what programs ask for

// The manifest has the header of each array: that of a file need not be on the disk.
static tess_durability
durability_of_arrays(const tess_store *s)
{
    return s->storage.durability > TESS_DURABILITY_ORDERED ? TESS_DURABILITY_ORDERED
                                                           : s->storage.durability;
}

tess_status
writer_place(tess_store *s, tess_storage *storage, tess_entry_kind kind, tess_error *err)
{
    struct writer *const w = s->writer;
    char name[WRITER_NAME_SIZE], made[WRITER_NAME_SIZE];
    struct writer_array *x;
    if (!w)
        return err_set(err, TESS_ERR_ARG, -1, "the store was opened for reading only");
    if (storage->mode != TESS_MODE_NEW && storage->mode != TESS_MODE_REPLACE)
        return err_set(err, TESS_ERR_ARG, -1,
                       "an array is made in a store with TESS_MODE_NEW or TESS_MODE_REPLACE");
    tess_status st = name_of_path(storage->path, endings[kind], name, err);
    if (st != TESS_OK)
        return st;
    if (storage->mode == TESS_MODE_NEW && find_name(s, storage->path, made))
        return err_sys(err, EEXIST, "making %s in the store", storage->path);
    if (st == TESS_OK)
        st = below_make_directory(s->files.root, NEW, err);
    if (st != TESS_OK)
        return st;
    let_go_of_some(s);
    fresh_name(w, NEW, made);
    w->replaces |= storage->mode == TESS_MODE_REPLACE;
    st = add_array(w, name, made, &x, err);
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

// A home_maker.
static void
writer_made(struct home_maker *maker, const tess_storage *storage, tess_array *a)
{
    tess_store *const s = (tess_store *)maker;
    for (size_t i = 0; i < s->writer->narrays; i++) {
        struct writer_array *const x = &s->writer->arrays[i];
        if (x->path == storage->path && !x->a) {
            array_hold(a);
            x->a = a;
        }
    }
    drop_replaced(s);
}

void
writer_free_older(struct held_state *states, size_t n)
{
    for (size_t i = 0; states && i < n; i++)
        held_finish(&states[i]);
    mem_free(states);
}

tess_status
writer_load_older(const tess_store *s, const char *name, const struct frame *f,
                  struct held_state **states, size_t *n, tess_error *err)
{
    const struct writer *const w = s->writer;
    tess_status st = TESS_OK;
    *n = 0;
    *states = mem_zeroed(w->nolder + 1, sizeof **states);
    if (!*states)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for states of an array");
    for (size_t i = 0; s->state && i < w->nolder && st == TESS_OK; i++) {
        const struct manifest_file *const file =
            manifest_find_then(&s->state->m, &w->older[i]->m, name);
        if (!file)
            continue;
        // What cannot be read any more need not be kept.
        st = held_load(&(*states)[*n], f, file->front, file->front_size, err);
        *n += st == TESS_OK;
        if (st != TESS_ERR_NOMEM)
            st = TESS_OK;
    }
    if (st != TESS_OK)
        writer_free_older(*states, *n);
    return st;
}

// What a loss of power took from a file: its first bytes, of the last commit or of those before.
static tess_status
restore_front(const tess_store *s, const char *name, struct io *io, tess_error *err)
{
    const struct manifest_file *const file = s->state ? manifest_find(&s->state->m, name) : NULL;
    int64_t size;
    if (!file || file->before_size == 0)
        return TESS_OK;
    uint8_t *const now = mem_zeroed(1, file->front_size);
    if (!now)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", file->front_size);
    tess_status st = io_size(io, &size, err);
    if (st == TESS_OK)
        st = io_read(io, 0, now, (size_t)min_i64(size, (int64_t)file->front_size), err);
    if (st == TESS_OK && memcmp(now, file->front, file->front_size) != 0 &&
        store_front_is_between(now, file))
        st = io_write(io, 0, file->front, file->front_size, err);
    mem_free(now);
    return st;
}

static tess_status
open_to_write(tess_store *s, struct writer_array *x, tess_error *err)
{
    struct home home;
    tess_storage storage = s->storage;
    uint8_t tail[FRAME_TAIL];
    struct held_state *older;
    size_t nolder;
    const char *const name = x->made ? x->made : name_until_commit(s->writer, x->name);
    char *const path = store_path_of(s, name);
    if (!path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    storage.path = path;
    storage.mode = TESS_MODE_UPDATE;
    storage.mmap = storage.plain = storage.never_reuse = false;
    storage.explicit_commits = true;
    storage.durability = durability_of_arrays(s);
    tess_status st = TESS_ERR_STALE;
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
    tess_status st = TESS_OK;
    *a = NULL;
    let_go_of_some(s);
    struct writer_array *x = writer_find(s, file);
    if (!x)
        st = add_array(w, file, NULL, &x, err);
    if (st == TESS_OK && !x->a) {
        st = open_to_write(s, x, err);
        if (st != TESS_OK && !x->made)
            remove_array(w, x);
    }
    if (st != TESS_OK)
        return st;
    array_hold(x->a);
    *a = x->a;
    return TESS_OK;
}

tess_status
writer_open_attributes(tess_store *s, const char *group, tess_array **a, tess_error *err)
{
    const struct array_content content = {.plain = true};
    char path[WRITER_NAME_SIZE], name[WRITER_NAME_SIZE];
    tess_storage storage = s->storage;
    tess_params params;
    struct home home;
    snprintf(path, sizeof path, "%s/__vlmeta__", group);
    if (find_name(s, path, name))
        return writer_open_file(s, name, a, err);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    storage.store = s;
    tess_params_init(&params);
    params.typesize = 1;
    tess_status st = writer_place(s, &storage, TESS_ENTRY_SCHUNK, err);
    if (st == TESS_OK)
        st = home_create(&storage, TESS_LAYOUT_CONTIGUOUS, &home, err);
    if (st == TESS_OK)
        st = array_create(&home, &storage, &params, &content, a, err);
    return st;
}

// -- one entry, or all below a group

// Names of files at a path, or below it, for the caller to free, one by one.
struct name_list {
    char **names;
    size_t n;
};

static void
names_finish(struct name_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        mem_free(list->names[i]);
    mem_free(list->names);
}

static tess_status
add_name(struct name_list *list, const char *name, tess_error *err)
{
    char **const longer = mem_resize(list->names, (list->n + 1) * sizeof *longer);
    char *const own = mem_string(name);
    if (longer)
        list->names = longer;
    if (!longer || !own) {
        mem_free(own);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a name");
    }
    list->names[list->n++] = own;
    return TESS_OK;
}

// *inside: how many bytes of each name are those of the path.
static tess_status
names_below(const tess_store *s, const char *path, struct name_list *list, size_t *inside,
            tess_error *err)
{
    const struct writer *const w = s->writer;
    char name[WRITER_NAME_SIZE], group[WRITER_NAME_SIZE];
    *list = (struct name_list){0};
    tess_status st = name_of_path(path, "/", group, err);
    if (st != TESS_OK)
        return st;
    *inside = strlen(group) - 1;
    if (find_name(s, path, name))
        st = add_name(list, name, err);
    for (size_t i = 0; i < w->next.nfiles && st == TESS_OK; i++)
        if (strncmp(w->next.files[i].name, group, *inside + 1) == 0)
            st = add_name(list, w->next.files[i].name, err);
    for (size_t i = 0; i < w->narrays && st == TESS_OK; i++)
        if (w->arrays[i].made && strncmp(w->arrays[i].name, group, *inside + 1) == 0 &&
            !manifest_find(&w->next, w->arrays[i].name))
            st = add_name(list, w->arrays[i].name, err);
    if (st == TESS_OK && list->n == 0)
        st = err_set(err, TESS_ERR_NOT_FOUND, -1, "the store has no entry %s", path);
    return st;
}

static tess_status
check_writer(const tess_store *s, tess_error *err)
{
    return s->writer ? TESS_OK
                     : err_set(err, TESS_ERR_ARG, -1, "the store was opened for reading only");
}

tess_status
writer_remove(tess_store *s, const char *path, tess_error *err)
{
    struct name_list list = {0};
    size_t inside;
    tess_status st = check_writer(s, err);
    if (st == TESS_OK)
        st = names_below(s, path, &list, &inside, err);
    for (size_t i = 0; i < list.n && st == TESS_OK; i++)
        st = remove_name(s, list.names[i], err);
    if (s->writer)
        s->writer->relisted = false;
    names_finish(&list);
    return st;
}

tess_status
writer_rename(tess_store *s, const char *from, const char *to, tess_error *err)
{
    struct name_list list = {0};
    size_t inside;
    char name[WRITER_NAME_SIZE], group[WRITER_NAME_SIZE];
    tess_status st = check_writer(s, err);
    if (st == TESS_OK)
        st = names_below(s, from, &list, &inside, err);
    if (st == TESS_OK)
        st = name_of_path(to, "", group, err);
    for (size_t i = 0; i < list.n && st == TESS_OK; i++) {
        if (snprintf(name, sizeof name, "%s%s", group, list.names[i] + inside) >= (int)sizeof name)
            st = err_set(err, TESS_ERR_ARG, -1, "%s/... is too long a name", to);
        else if (writer_find(s, name) || manifest_find(&s->writer->next, name))
            st = err_sys(err, EEXIST, "renaming %s to %s", from, to);
    }
    for (size_t i = 0; i < list.n && st == TESS_OK; i++) {
        snprintf(name, sizeof name, "%s%s", group, list.names[i] + inside);
        st = rename_name(s, list.names[i], name, err);
    }
    if (s->writer)
        s->writer->relisted = false;
    names_finish(&list);
    return st;
}

// -- begin, and the listing

// A file that is in no commit.
static tess_status
adopt_found(tess_store *s, const char *name, tess_error *err)
{
    tess_storage storage = s->storage;
    tess_array *a = NULL;
    struct manifest_file *file;
    uint8_t *front = NULL, tail[FRAME_TAIL];
    size_t size = 0;
    char *const path = store_path_of(s, name);
    if (!path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    storage.path = path;
    storage.mode = TESS_MODE_READ;
    storage.mmap = false;
    storage.plain = true; // whatever it is
    tess_status st = array_open_newest(&storage, &a, NULL);
    mem_free(path);
    if (st == TESS_ERR_NOMEM)
        return err_set(err, st, -1, "no memory for an array");
    if (st != TESS_OK || frame_is_sparse(a->grid->frame)) { // it stays what it is, outside
        array_free(a);
        return TESS_OK;
    }
    st = frame_read_front(a->grid->frame, &front, &size, tail, err);
    array_free(a);
    if (st == TESS_OK)
        st = manifest_add_file(&s->writer->next, name, &file, err);
    if (st == TESS_OK) {
        st = manifest_set_front(file, front, size, tail, err);
        if (st != TESS_OK)
            manifest_remove_file(&s->writer->next, file);
    }
    mem_free(front);
    return st;
}

tess_status
writer_adopt(tess_store *s, tess_error *err)
{
    tess_status st = TESS_OK;
    const struct place *const embedded = &s->listing.embedded;
    if (embedded->kind == PLACE_FILE && !manifest_find(&s->writer->next, embedded->file))
        st = adopt_found(s, embedded->file, err);
    for (int64_t i = 0; i < s->listing.nnodes && st == TESS_OK; i++) {
        const struct place *const places[] = {&s->listing.nodes[i].at,
                                              &s->listing.nodes[i].attributes};
        for (int k = 0; k < 2 && st == TESS_OK; k++)
            if (places[k]->kind == PLACE_FILE && !manifest_find(&s->writer->next, places[k]->file))
                st = adopt_found(s, places[k]->file, err);
    }
    return st;
}

tess_status
writer_begin(tess_store *s, tess_error *err)
{
    struct writer *const w = mem_zeroed(1, sizeof *w);
    if (!w)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a store that is written");
    s->writer = w;
    s->maker.made = writer_made;
    tess_status st = s->state ? manifest_copy(&w->next, &s->state->m, err) : TESS_OK;
    w->next.number = s->state ? s->state->m.number + 1 : 1;
    return st;
}

// Files of the next commit, and new ones.
tess_status
writer_relist(tess_store *s, tess_error *err)
{
    struct writer *const w = s->writer;
    struct manifest all;
    tess_status st = TESS_OK;
    if (w->relisted)
        return TESS_OK;
    st = manifest_copy(&all, &w->next, err);
    for (size_t i = 0; i < w->narrays && st == TESS_OK; i++) {
        struct manifest_file *file;
        if (w->arrays[i].made && !manifest_find(&all, w->arrays[i].name))
            st = manifest_add_file(&all, w->arrays[i].name, &file, err);
    }
    if (st == TESS_OK)
        st = store_list(s, &all, false, err);
    manifest_finish(&all);
    w->relisted = st == TESS_OK;
    return st;
}
