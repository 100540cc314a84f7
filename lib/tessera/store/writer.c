/*
 * writer.c - the state of a store that is to come: its files, and the arrays that a program has.
 *
 * `next` has the files of the next commit, under the names that they will have, and the moves that
 * give them these (rename.c). Arrays are made and opened in handles.c.
 */
#include "store/writer.h"

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
#include "task/process.h"

#include <tessera/params.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A name that no other file has, or had.
void
writer_fresh_name(struct writer *w, const char *folder, char *name)
{
    snprintf(name, WRITER_NAME_SIZE, "%s/%" PRIu64 ".%u", folder, w->next.number, w->numbers++);
}

// -- arrays

// The program may have it open still.
static void
array_entry_finish(struct writer_array *x)
{
    if (x->a)
        frame_leave(x->a->grid->frame);
    array_free(x->a);
    mem_free(x->name);
    mem_free(x->made);
    mem_free(x->path);
    mem_free(x->settled);
    mem_free(x->coming);
}

void
writer_forget(struct writer *w)
{
    for (size_t i = 0; i < w->narrays; i++)
        array_entry_finish(&w->arrays[i]);
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

tess_status
writer_check(const tess_store *s, tess_error *err)
{
    if (!s->writer)
        return err_set(err, TESS_ERR_ARG, -1, "the store was opened for reading only");
    if (s->writer->process != process_number())
        return err_set(err, TESS_ERR_ARG, -1,
                       "the store was opened for writing before this process was forked; only the "
                       "process that opened it may change it");
    return TESS_OK;
}

// Not discarded, if it is open; else made, or of a commit.
bool
writer_is_made(const struct writer_array *x)
{
    return x->a ? !x->a->discarded : !x->made || x->done;
}

bool
writer_has_made(const struct writer *w)
{
    for (size_t i = 0; i < w->narrays; i++)
        if (w->arrays[i].made)
            return true;
    return false;
}

// The last one that has the name: a new array may replace another.
struct writer_array *
writer_find(const tess_store *s, const char *name)
{
    for (size_t i = s->writer->narrays; i > 0; i--) {
        struct writer_array *const x = &s->writer->arrays[i - 1];
        if (strcmp(x->name, name) == 0 && writer_is_made(x))
            return x;
    }
    return NULL;
}

static bool
writer_is_replaced(const tess_store *s, const struct writer_array *x)
{
    return writer_find(s, x->name) != x;
}

void
writer_remove_array(struct writer *w, struct writer_array *x)
{
    array_entry_finish(x);
    const size_t behind = (size_t)(&w->arrays[--w->narrays] - x);
    memmove(x, x + 1, behind * sizeof *x);
}

tess_status
writer_add_array(struct writer *w, const char *name, const char *made, struct writer_array **x,
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
void
writer_drop_replaced(tess_store *s)
{
    struct writer *const w = s->writer;
    for (size_t i = w->narrays; i > 0 && w->replaces; i--)
        if (writer_is_replaced(s, &w->arrays[i - 1]) && writer_is_made(&w->arrays[i - 1]))
            writer_remove_array(w, &w->arrays[i - 1]);
}

void
writer_drop_discarded(struct writer *w)
{
    for (size_t i = w->narrays; i > 0; i--) {
        struct writer_array *const x = &w->arrays[i - 1];
        if (!x->a || !x->a->discarded)
            continue;
        writer_remove_array(w, x);
        w->relisted = false;
    }
}

void
writer_drop_missing(tess_store *s)
{
    struct writer *const w = s->writer;
    writer_drop_replaced(s);
    for (size_t i = w->narrays; i > 0; i--)
        if (!writer_is_made(&w->arrays[i - 1]))
            writer_remove_array(w, &w->arrays[i - 1]);
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
            writer_remove_array(w, x);
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
        if (!x->a || x->a->discarded || atomic_load(&x->a->users) > 1 || !is_settled(x))
            continue;
        if (x->made) { // the file stays what it is
            array_free(x->a);
            x->a = NULL;
        } else {
            writer_remove_array(w, x);
        }
    }
}

// Before one more is opened: each is a descriptor. As often as there are many that are open.
void
writer_let_go_of_some(tess_store *s)
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

// -- begin, and the listing

// A file that is in no commit.
static tess_status
adopt_found(tess_store *s, const char *name, tess_error *err)
{
    tess_array *a = NULL;
    struct manifest_file *file;
    uint8_t *front = NULL, tail[FRAME_TAIL];
    size_t size = 0;
    bool is_file;
    tess_status st = below_find(s->files.root, name, &is_file, err);
    if (st != TESS_OK || !is_file) // a symbolic link is in no commit
        return st;
    st = store_open_as_it_is(s, name, true, &a, NULL);
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

// Files of the last commit that another program removed are none of the next one.
static tess_status
drop_gone(tess_store *s, tess_error *err)
{
    struct manifest *const next = &s->writer->next;
    tess_status st = TESS_OK;
    for (size_t i = next->nfiles; i > 0 && st == TESS_OK; i--) {
        bool is_file;
        st = below_find(s->files.root, next->files[i - 1].name, &is_file, err);
        if (st == TESS_OK && !is_file)
            manifest_remove_file(next, &next->files[i - 1]);
    }
    return st;
}

tess_status
writer_adopt(tess_store *s, tess_error *err)
{
    tess_status st = drop_gone(s, err);
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
        st = held_load(&(*states)[*n], f, file->front, file->front_size, err);
        *n += st == TESS_OK;
        // What nobody can read any more need not be kept.
        if (st == TESS_ERR_CORRUPT || st == TESS_ERR_FORMAT || st == TESS_ERR_UNSUPPORTED)
            st = TESS_OK;
    }
    if (st != TESS_OK)
        writer_free_older(*states, *n);
    return st;
}

// A home_maker.
static void
writer_made(struct home_maker *maker, const tess_storage *storage, tess_array *a)
{
    tess_store *const s = (tess_store *)maker;
    for (size_t i = 0; i < s->writer->narrays; i++) {
        struct writer_array *const x = &s->writer->arrays[i];
        if (x->path != storage->path || x->a)
            continue;
        x->done = true;
        x->a = a;
        if (a)
            array_hold(a);
    }
    writer_drop_replaced(s);
}

tess_status
writer_begin(tess_store *s, tess_error *err)
{
    struct writer *const w = mem_zeroed(1, sizeof *w);
    if (!w)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a store that is written");
    w->process = process_number();
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
    writer_drop_discarded(w);
    if (w->relisted)
        return TESS_OK;
    st = manifest_copy(&all, &w->next, err);
    for (size_t i = 0; i < w->narrays && st == TESS_OK; i++) {
        struct manifest_file *file;
        if (w->arrays[i].made && writer_is_made(&w->arrays[i]) &&
            !manifest_find(&all, w->arrays[i].name))
            st = manifest_add_file(&all, w->arrays[i].name, &file, err);
    }
    if (st == TESS_OK)
        st = store_list(s, &all, false, err);
    manifest_finish(&all);
    w->relisted = st == TESS_OK;
    return st;
}
