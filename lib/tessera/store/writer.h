/*
 * writer.h - the state of a store that is to come, while the store is open for writing.
 *
 * All of it requires exclusive access to the store.
 */
#ifndef STORE_WRITER_H
#define STORE_WRITER_H

#include "array/open/open.h"
#include "base/error.h"
#include "io/state_files.h"
#include "store/manifest.h"
#include "store/store.h"

#include <tessera/storage.h>
#include <tessera/store.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct held_state;

enum { WRITER_NAME_SIZE = 4096 + 16 };

// An array that a writer has.
struct writer_array {
    char *name; // of its file, as the next commit has it; owned
    char *made; // where a new one is until then; NULL: it is in a commit, or was found; owned
    char *path; // the same, of the file system; owned
    bool done; // a new one could be made
    tess_array *a; // held; NULL: the program did not keep it
    uint8_t *settled; // the first bytes of the file, as they are there; owned; of a new one NULL
    size_t settled_size;
    uint8_t *coming; // those of the commit that is being made; owned
    size_t coming_size;
};

struct writer {
    unsigned process; // that opened the store: no other one may change it (task/process.h)
    // What the next commit is to have, with its number: files, in the state of the last commit or
    // as they were found, and moves.
    struct manifest next;
    struct writer_array *arrays;
    size_t narrays;
    unsigned numbers; // of new names
    size_t opened, sweep_at; // arrays, since those that were closed were let go; and when to do so
    bool replaces; // a new array may have taken the name of another one
    struct state_file current; // the last commit; number 0: none
    bool unfinished; // what follows a commit failed, and is to be done again
    struct store_state **older; // other commits that stay, ascending
    size_t nolder;
    bool relisted; // the listing is that of `next`
};

void writer_free(struct writer *w); // NULL: fine
// Whether the store may be changed: TESS_ERR_ARG if it is for reading, or of the parent process.
tess_status writer_check(const tess_store *s, tess_error *err);
// Begin with the commit that was read.
tess_status writer_begin(tess_store *s, tess_error *err);

// An array to be made at a path: where. *storage becomes that of a new file, whose path is the
// writer's. kind: how its name ends.
tess_status writer_place(tess_store *s, tess_storage *storage, tess_entry_kind kind,
                         tess_error *err);
tess_status writer_open_file(tess_store *s, const char *file, tess_array **a, tess_error *err);
// An empty frame at a path where nothing is.
tess_status writer_make_empty(tess_store *s, const char *path, tess_entry_kind kind, tess_array **a,
                              tess_error *err);
// Of a group: of a new one if it has none.
tess_status writer_open_attributes(tess_store *s, const char *group, tess_array **a,
                                   tess_error *err);
tess_status writer_remove(tess_store *s, const char *path, tess_error *err);
tess_status writer_rename(tess_store *s, const char *from, const char *to, tess_error *err);
// TESS_ERR_NOT_FOUND: there is no such entry, and why.
tess_status writer_no_entry(const tess_store *s, const char *path, tess_error *err);
// The listing is that of the state to come.
tess_status writer_relist(tess_store *s, tess_error *err);
// Arrays that the program has closed, and that have nothing to commit.
void writer_let_go(tess_store *s);
// States that other commits have of a file, for the caller to free; those that can be read.
tess_status writer_load_older(const tess_store *s, const char *name, const struct frame *f,
                              struct held_state **states, size_t *n, tess_error *err);
void writer_free_older(struct held_state *states, size_t n); // NULL: fine

// New arrays that were not made, those that the program discarded, and those whose names new ones
// have taken: they are none of the writer's any more.
void writer_drop_missing(tess_store *s);
// A file of a manifest, which a new one replaces, goes away.
tess_status writer_keep_replaced(struct writer *w, struct manifest *m,
                                 const struct manifest_file *file, tess_error *err);
// What was to come is the last commit.
void writer_committed(tess_store *s);
// No array is to be written any more, by whoever has it still.
void writer_forget(struct writer *w);
// Everything in the listing that is in no commit joins the next one.
tess_status writer_adopt(tess_store *s, tess_error *err);

// -- of the units writer.c, handles.c and rename.c

// A name that no other file has, or had.
void writer_fresh_name(struct writer *w, const char *folder, char *name);
// Whether there are new arrays, or were to be.
bool writer_has_made(const struct writer *w);
// Whether there is such an array: a new one was made, and not discarded.
bool writer_is_made(const struct writer_array *x);
// The last array that has the name: a new one may replace another. NULL: none is open, or made.
struct writer_array *writer_find(const tess_store *s, const char *name);
tess_status writer_add_array(struct writer *w, const char *name, const char *made,
                             struct writer_array **x, tess_error *err);
// Whoever has it open can only close it, and it can be opened again.
void writer_remove_array(struct writer *w, struct writer_array *x);
// Arrays whose names new ones have taken are none of the writer's any more.
void writer_drop_replaced(tess_store *s);
// What the program has discarded: what the last commit has of it can be opened again.
void writer_drop_discarded(struct writer *w);
// Before one more is opened: each is a descriptor.
void writer_let_go_of_some(tess_store *s);

// The file of the next commit that has a path, which may be new. False: none has.
bool writer_find_name(const tess_store *s, const char *path, char *name);
// The name of a file to come, from its path.
tess_status writer_name_of_path(const char *path, const char *ending, char *name, tess_error *err);
// TESS_ERR_ARG: a path has a part that is the name of attributes.
tess_status writer_check_path(const char *path, tess_error *err);
// Why there can be no new entry at a path: EEXIST (an entry, or a group), ENOTDIR (below an array),
// EINVAL; 0: there can.
int writer_path_fault(tess_store *s, const char *path);
// Whether a new file can have a name, or one that is renamed.
tess_status writer_check_new_name(const tess_store *s, const char *name, tess_error *err);
// Where a file of the next commit is until then: one that is renamed is where it was.
const char *writer_name_until_commit(struct writer *w, const char *name);

#endif
