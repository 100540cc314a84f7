/*
 * store.h - many arrays under one name: a directory or a zip file of frames.
 *
 * A directory may have commits (manifest.h, io/state_files.h), which say which state of each file
 * belongs to the others. What is read is one commit: its arrays are opened with the first bytes
 * that the commit has of them (io/front.h), and hold the commit, so that no writer removes what it
 * needs. A directory without commits, and what other programs changed since, is read as it is.
 *
 * A store that is read is constant once it is open, but for its counter of users: any number of
 * threads may use it at once, without a lock; store_refresh() requires exclusive access. Arrays of
 * a zip file hold the store, and read through its io.
 *
 * A store that is written has a writer, which holds each array that was opened or made, until it is
 * closed and has nothing to commit. All of it requires exclusive access to the store; what the
 * program does with the arrays meanwhile does not.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "array/open/open.h"
#include "base/error.h"
#include "io/io.h"
#include "io/state_files.h"
#include "store/listing.h"
#include "store/manifest.h"
#include "store/zip.h"

#include <tessera/array.h>
#include <tessera/storage.h>
#include <tessera/store.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// A commit that is read, or that a writer knows to be in use.
struct store_state {
    atomic_int users;
    int lock; // held as long as it has users; -1: none
    bool follows; // when it was read, names of files may not have followed it
    struct manifest m;
};

struct writer;

struct tess_store {
    struct home_maker maker; // first: a tess_storage leads to it (array/open/open.h)
    atomic_int users; // the handle, and open members
    tess_storage storage; // that arrays are opened with; its path is the store's, or NULL
    tess_context context; // of it
    tess_executor executor; // of the context
    char *path; // owned; NULL: an image or a source
    tess_source source; // to be closed; zeros: none
    struct io *io; // the zip file; NULL: a directory
    struct io_stamp stamp; // of it, before its list was read
    struct zip zip;
    struct listing listing;
    struct state_files files; // of a directory; root -1: none is open
    struct store_state *state; // that is read, or the last commit; NULL: there are no commits
    struct writer *writer; // NULL: for reading
};

// Of a storage that is complete (api/take.h): the store has a copy of all but the lists of plugins.
// NULL: no memory.
tess_store *store_new(const tess_storage *storage);
void store_release(tess_store *s); // NULL: fine
void store_state_release(struct store_state *state); // NULL: fine

// The path of a file of the store; allocated, NULL: no memory.
char *store_path_of(const tess_store *s, const char *file);

// -- open.c

// commit_name: the name or number of a commit; NULL: the newest.
tess_status store_open(const tess_storage *storage, const char *commit_name, tess_store **store,
                       tess_error *err);
// Read the newest commit from here on; arrays stay what they are.
tess_status store_refresh(tess_store *s, bool *changed, tess_error *err);

// What is not committed is forgotten; NULL: fine.
void store_close(tess_store *s);

// -- entries.c

// The entry of a path: in a store that is written, of the next commit.
tess_status store_find_node(tess_store *s, const char *path, const struct node **node,
                            tess_error *err);
// The frame at a place: to be changed, if the store is.
tess_status store_open_node(tess_store *s, const struct place *at, tess_array **a, tess_error *err);
// Open the array of an entry, or the one that a link leads to: to be changed, if the store is.
tess_status store_open_path(tess_store *s, const char *path, tess_array **a, tess_error *err);
// Of a group, what holds its attributes.
tess_status store_open_attributes(tess_store *s, const char *path, tess_array **a, tess_error *err);

// Make a link at a path, in a store that is written, to an entry that is there.
tess_status store_link(tess_store *s, const char *target, const char *path, tess_error *err);
// Where a link leads; allocated.
tess_status store_target_of(tess_store *s, const struct node *link, char **target, tess_error *err);

// -- list.c

// List the directory again: what a commit has, and, unless it is an older one, files that it has
// not.
tess_status store_list(tess_store *s, const struct manifest *m, bool others, tess_error *err);

// -- state.c

// Read a commit, which stays as long as it is held. *state NULL: there are no commits.
tess_status store_state_open(const tess_store *s, const char *commit_name,
                             struct store_state **state, tess_error *err);
tess_status store_state_read(const tess_store *s, const struct state_file *file,
                             struct store_state **state, tess_error *err);
tess_status store_state_newest(const tess_store *s, uint64_t *number, tess_error *err);

// Open a file of it, in its state, for reading.
tess_status store_state_file(const tess_store *s, const struct manifest_file *file, tess_array **a,
                             tess_error *err);

// Whether a file has the state of a commit, and its first bytes are still to follow.
tess_status store_front_follows(struct io *io, const struct manifest_file *file, bool *follows,
                                tess_error *err);

// -- commit.c: the state to come becomes the newest

tess_status store_commit(tess_store *s, tess_error *err);
tess_status store_abort(tess_store *s, tess_error *err);

// -- kept.c

// The commits that are there now, ascending; for the caller to free. Of a zip file: none.
tess_status store_commits(const tess_store *s, struct state_file **list, size_t *n,
                          tess_error *err);
// The newest commit gets a name, by which it stays; or a commit loses it.
tess_status store_name(tess_store *s, const char *name, tess_error *err);
tess_status store_unname(tess_store *s, const char *name, tess_error *err);

// -- follow.c: files follow a commit

bool store_is_durable(const tess_store *s);
tess_status store_follow(tess_store *s, tess_error *err);
// The same, if that failed for the last commit.
tess_status store_finish_commit(tess_store *s, tess_error *err);
// What a program left that died after its commit.
tess_status store_roll_forward(tess_store *s, tess_error *err);

// -- place.c

// Open what is at a place of the listing.
tess_status store_open_place(const tess_store *s, const struct place *at, tess_array **a,
                             tess_error *err);

// -- member.c

/*
 * A source (tessera/source.h) of a member of the zip file, which holds the store; and one of bytes
 * in memory, which it frees. Closed by whoever has them.
 */
tess_status member_source(const tess_store *s, int64_t index, tess_source *source, tess_error *err);
tess_status bytes_source(uint8_t *bytes, size_t size, tess_source *source, tess_error *err);

// What is at a source, as an array; the source belongs to it, also after a failure.
tess_status store_open_in_source(const tess_store *s, tess_source *source, tess_array **a,
                                 tess_error *err);
// A file of a directory, for reading, in whatever state it is. plain: whatever it holds.
tess_status store_open_as_it_is(const tess_store *s, const char *file, bool plain, tess_array **a,
                                tess_error *err);

// -- embedded.c

// What the super-chunk embed.b2e holds. If that cannot be read, it is left out.
tess_status embedded_add(tess_store *s, tess_error *err);
// Make an empty one, which python-blosc2 asks for in each store: a file of the directory; s NULL:
// in memory, committed. *a: it is open; NULL: it is closed.
tess_status embedded_make(const tess_store *s, tess_array **a, tess_error *err);

// -- save.c

// A copy of what is read: a zip file, or a new directory with one commit.
tess_status store_save(tess_store *s, const tess_storage *to, tess_error *err);

#endif
