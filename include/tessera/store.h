/**
 * @file store.h
 * Stores: many arrays under one name, in groups, whose changes become current at once.
 *
 * A store is a directory (`.b2d`) or a zip file (`.b2z`). Inside it, an array `/winds/u` is the
 * file `winds/u.b2nd`, and `winds` is a group. python-blosc2's DictStore and TreeStore are such
 * stores. Those of a zip file are read where they stand: nothing is unpacked, nor can they be
 * changed.
 *
 *     tess_storage_init(&storage);
 *     storage.path = "climate.b2d";
 *     storage.mode = TESS_MODE_UPDATE;
 *     TRY(tess_store_open(&storage, &store, &err));
 *     TRY(tess_store_array(store, "/winds/u", &u, &err));
 *     TRY(tess_store_array(store, "/winds/v", &v, &err));
 *     TRY(tess_array_append(u, 0, 1, step_u, sizeof step_u, NULL, &err));
 *     TRY(tess_array_append(v, 0, 1, step_v, sizeof step_v, NULL, &err));
 *     TRY(tess_store_commit(store, &err));
 *
 * **Commits.** A store that is open for writing is one transaction: items and attributes, and which
 * arrays there are, under which names. Others see nothing of it before tess_store_commit(), and all
 * of it afterwards, even after a crash of the program and, unless with TESS_DURABILITY_NONE, of the
 * machine. tess_array_flush() and tess_array_close() bring an array of the store to its file, but
 * do not make it current. What is not committed is forgotten when the store is closed.
 *
 * A new array is made by the calls that make arrays, with tess_storage.store: tess_array_zeros(),
 * tess_array_from(), tess_array_save() of another array, and so on. A path where no file can be
 * made gives TESS_ERR_IO, with err->sys EEXIST (of a group, a directory or a symbolic link),
 * ENOTDIR (below an array) or ENAMETOOLONG. TESS_ERR_ARG: a part of it is `__vlmeta__`, or a group
 * ends with `.b2nd`, `.b2f`, `.b2b`, `.b2link` or `.b2e`, as files do.
 *
 * **Readers.** What is opened shows one commit, the newest of that time, for as long as it is open:
 * also of arrays that are opened later, removed, or written over. tess_store_refresh() goes on to
 * the newest. A writer reuses no space of a commit that is read or has a name
 * (tess_store_name_commit()). Readers are known by their locks (flock); on file systems without, a
 * reader should not stay on a commit while a writer makes two.
 *
 * **Other programs.** Each array is an ordinary file, in the state of the last commit. Programs
 * that know of no commits, as python-blosc2, read them one by one, and may see some files before
 * and some after a commit that is just being made. A directory that never had a commit is opened as
 * it is. Files that other programs changed since the last commit (which is logged), or added, are
 * opened in their newest state; removed ones are left out. The next commit has what is there.
 * An open array, or an older commit, that needs the file as it was gives TESS_ERR_STALE. Sparse
 * arrays (directories), and symbolic links to files, are entries only of a store that is open for
 * reading, and part of no commit. A commit is a file in the directory `.tessera` of the store;
 * files.rst says what it contains.
 *
 * **Threads.** Any number of threads may use a store that is open for reading at once, except to
 * refresh or close it. One that is open for writing is for one thread at a time, calls that make an
 * array in it included; its arrays are as any others, but for tess_store_commit() and
 * tess_store_abort(), which require exclusive access to all of them. Arrays that were opened for
 * reading are independent of the store: they stay open when it is closed. Those that were opened
 * for writing can then only be closed. Only the process that opened a store for writing may change
 * it, not the child of a fork().
 */
#ifndef TESSERA_STORE_H
#define TESSERA_STORE_H

#include "tessera/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open store; opaque. */
typedef struct tess_store tess_store;

/** What an entry of a store is. */
typedef enum tess_entry_kind {
    TESS_ENTRY_GROUP = 0, /**< it has entries below it; the root "/" is one, too */
    TESS_ENTRY_ARRAY = 1, /**< an array (`.b2nd`) */
    TESS_ENTRY_SCHUNK = 2, /**< a super-chunk (`.b2f`): opened as an array of one dimension */
    TESS_ENTRY_BATCH = 3, /**< a super-chunk of batches of objects (`.b2b`); opened likewise */
    TESS_ENTRY_LINK = 4 /**< it leads to another entry (`.b2link`), which is opened in its place */
} tess_entry_kind;

/** An entry of a store. Filled by the library. */
typedef struct tess_entry {
    /** From the root: "/winds/u"; of the root "/". Valid until the store is changed or closed. */
    const char *path;
    /** As the name of its file says; the file may be something else. Of what is embedded in
        embed.b2e: TESS_ENTRY_ARRAY. */
    tess_entry_kind kind;
    int64_t size; /**< stored bytes, as committed; 0: a group, a sparse or a new array */
    bool attributes; /**< there are attributes of a group at this path: tess_store_attributes() */
} tess_entry;

/** A commit of a store that is kept. Filled by the library. */
typedef struct tess_commit {
    uint64_t number; /**< as tess_store_number() */
    const char *name; /**< as it was given (tess_store_name_commit()); NULL: it has none */
} tess_commit;

/**
 * Open a store.
 *
 * With TESS_MODE_UPDATE, a directory is opened for writing: one program at a time, others are
 * refused (EWOULDBLOCK; see tess_storage.wait). TESS_MODE_NEW makes the directory first, which must
 * not exist (EEXIST).
 *
 * Of a zip file its list of members is read, and nothing else; of a directory, the names of all
 * files below it. Links to directories are not followed. What cannot be an entry is left out, and
 * tess_store_left_out() tells it: names that do not end as those of arrays do; members that are
 * compressed or encrypted; names that are absolute, have `..`, empty parts, backslashes, control
 * characters, more than 64 parts or 4096 bytes, or are not UTF-8; and what has the path of another
 * entry. Of two members of one path the later one in the list counts; of two files the first in
 * tess_entry_kind; both before what is in embed.b2e.
 *
 * @param storage  Where: path, or image or source of a zip file; offset 0. Its durability is that
 *                 of commits. Its checksums, limits, mmap, lock_file, plain, plugins and context
 *                 apply to the arrays that are opened from the store, mmap and plain for reading;
 *                 the lists of plugins must stay valid until it is closed. An image must stay
 *                 unchanged until the store and its arrays are closed. A source belongs to the
 *                 store after a success, and is closed with the last of them.
 * @param store    Receives the store; NULL on failure.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if there is nothing at the path;
 *         TESS_ERR_FORMAT if it is neither a directory nor a zip file, or is a sparse array;
 *         TESS_ERR_CORRUPT if the list of members contradicts itself or the length of the file, or
 *         members overlap;
 *         TESS_ERR_UNSUPPORTED for another mode, for a zip file with a mode other than
 *         TESS_MODE_READ, and for one in several volumes;
 *         TESS_ERR_LIMIT if the list, or the names, need more than limits.memory;
 *         TESS_ERR_ARG, TESS_ERR_IO, TESS_ERR_NOMEM, TESS_ERR_CANCELLED.
 */
TESS_API TESS_NODISCARD tess_status tess_store_open(const tess_storage *storage, tess_store **store,
                                                    tess_error *err);

/**
 * Open a commit of a store, for reading.
 *
 * @param storage  As in tess_store_open(), of a directory; mode TESS_MODE_READ.
 * @param commit   Its name, or its number (tess_store_number()), as a text.
 * @param store    Receives the store; NULL on failure.
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_store_open(); TESS_ERR_NOT_FOUND also if the commit is not kept any more.
 */
TESS_API TESS_NODISCARD tess_status tess_store_open_commit(const tess_storage *storage,
                                                           const char *commit, tess_store **store,
                                                           tess_error *err);

/**
 * Close a store, and forget what was not committed. Arrays that were opened from it stay open;
 * after a writer's store, they can only be closed.
 *
 * @param store  May be NULL. Invalid afterwards.
 */
TESS_API void tess_store_close(tess_store *store);

/**
 * Count the entries. Those of a store that is open for writing are the ones that the next commit
 * will have.
 *
 * @param store  An open store.
 * @return their number with the root, at least 1; 0 if the store could not be listed again, here or
 *         in tess_store_refresh().
 */
TESS_API int64_t tess_store_count(tess_store *store);

/**
 * An entry. Entries are in the order of a walk: a group, then all that is below it, by name (bytes
 * compared).
 *
 * @param store       An open store.
 * @param index       0 <= index < tess_store_count(); 0 is the root.
 * @param entry       Filled.
 * @param entry_size  Size of *entry in bytes: the macro passes sizeof(tess_entry).
 */
TESS_API void tess_store_entry_sized(tess_store *store, int64_t index, tess_entry *entry,
                                     size_t entry_size);
/** For programs in C and C++: tess_store_entry_sized() with the size of their struct. */
#define tess_store_entry(store, index, entry) \
    tess_store_entry_sized((store), (index), (entry), sizeof(tess_entry))

/**
 * Find an entry.
 *
 * @param store  An open store.
 * @param path   "/winds/u"; slashes at its beginning and end do not matter.
 * @return its index; -1: there is none.
 */
TESS_API int64_t tess_store_find(tess_store *store, const char *path);

/**
 * Skip an entry and all below it. To list only the direct members of a group, start behind its
 * index, step with tess_store_next(), and stop at tess_store_next() of the group.
 *
 * @param store  An open store.
 * @param index  0 <= index < tess_store_count().
 * @return the index behind the last entry below this one; index + 1 if there are none.
 */
TESS_API int64_t tess_store_next(tess_store *store, int64_t index);

/**
 * Open an array, or a super-chunk, of a store: for writing if the store is, and in the state that
 * the next commit will have. An array that is open for writing already is the same one: each call
 * is to be matched by one of tess_array_close().
 *
 * A link is followed: to the array that has the path which it leads to, as the store is now.
 *
 * An array with items in the last commit may not lose all of them (TESS_ERR_UNSUPPORTED): replace
 * it by a new one. tess_array_discard() forgets what has changed in the array since that commit;
 * calls on other handles of it return TESS_ERR_STALE. What is in embed.b2e is opened for reading
 * only, and is neither removed nor renamed.
 *
 * @param store  An open store.
 * @param path   As in tess_store_find().
 * @param a      Receives the array; NULL on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if there is no such entry, or none where a link leads;
 *         TESS_ERR_TYPE if it is a group;
 *         TESS_ERR_STALE if the zip file was written over;
 *         or as tess_array_open(), TESS_ERR_CORRUPT also if the frame is longer than its member, or
 *         more than 16 links lead to one another.
 */
TESS_API TESS_NODISCARD tess_status tess_store_array(tess_store *store, const char *path,
                                                     tess_array **a, tess_error *err);

/**
 * Open what holds the attributes of a group, for the functions of attr.h; its items mean nothing.
 * In a store that is open for writing it is made if the group has none; so is the group.
 * Its listing is tess_info.nvlmetalayers and tess_vlmeta_name(). python-blosc2 keeps them in the
 * super-chunk `__vlmeta__.b2f` of the group, which is no entry of its own.
 *
 * @param store  An open store.
 * @param path   Of a group, as in tess_store_find().
 * @param a      Receives it; NULL on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_store_array(); for writing, TESS_ERR_TYPE if it is an array; for reading,
 *         TESS_ERR_NOT_FOUND also if it has no attributes.
 */
TESS_API TESS_NODISCARD tess_status tess_store_attributes(tess_store *store, const char *path,
                                                          tess_array **a, tess_error *err);

/**
 * Make all changes current at once: of the arrays that were opened or made, of attributes, and
 * which entries there are. Nothing to commit: nothing happens.
 *
 * Exclusive access to the store and its arrays is required. Arrays stay open.
 *
 * @param store  Open for writing.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_ARG if the store is open for reading;
 *         TESS_ERR_STALE if another program changed an array since it was opened;
 *         as tess_array_flush(). After a failure the last commit is current, and the call can be
 *         repeated. If tess_store_number() has changed, the commit is made: renaming files and
 *         writing their first bytes is then left to the next commit, or to the next opening for
 *         writing.
 */
TESS_API TESS_NODISCARD tess_status tess_store_commit(tess_store *store, tess_error *err);

/**
 * Forget all that was not committed. Arrays of the store that are open can only be closed
 * afterwards; other calls on them return TESS_ERR_STALE. Their paths can be opened again at once;
 * that of an array with leases (packet.h) fails until they end (TESS_ERR_IO, err->sys EWOULDBLOCK).
 *
 * @param store  Open for writing. Exclusive access to it and its arrays is required.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG, TESS_ERR_IO, TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_store_abort(tess_store *store, tess_error *err);

/**
 * Read the newest commit from here on. Entries are listed again; arrays that are open stay in the
 * state that they have.
 *
 * @param store    Open; one that is open for writing, or of a zip file, stays as it is.
 * @param changed  Receives whether there was another commit, or there are no commits and the
 *                 directory was listed again; may be NULL.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_store_open(); the store then has no entries until a refresh succeeds.
 */
TESS_API TESS_NODISCARD tess_status tess_store_refresh(tess_store *store, bool *changed,
                                                       tess_error *err);

/**
 * Remove an array, or a group with all that is below it, with the next commit. Arrays that are open
 * can then only be closed.
 *
 * @param store  Open for writing.
 * @param path   As in tess_store_find().
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_NOT_FOUND, TESS_ERR_ARG, also for the root; TESS_ERR_UNSUPPORTED if
 *         it, or what is below it, is in embed.b2e; TESS_ERR_NOMEM, or as tess_store_open().
 */
TESS_API TESS_NODISCARD tess_status tess_store_remove(tess_store *store, const char *path,
                                                      tess_error *err);

/**
 * Give an array, or a group with all that is below it, another path, with the next commit. Arrays
 * that are open stay open.
 *
 * @param store  Open for writing.
 * @param from   As in tess_store_find().
 * @param to     The new path; there is no such entry, nor a group.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_IO (err->sys EEXIST), or as tess_store_remove(); and for the new
 *         path as for that of a new array.
 */
TESS_API TESS_NODISCARD tess_status tess_store_rename(tess_store *store, const char *from,
                                                      const char *to, tess_error *err);

/**
 * Make a link, with the next commit: an entry that leads to another one by its path. It may be
 * opened as an array at once, be renamed, removed and copied. When the target is renamed or
 * removed, the link leads to what has its old path then, or to nothing.
 *
 * Other programs see a file that ends with `.b2link`, which python-blosc2 ignores: an empty frame,
 * with the path in the attribute "target".
 *
 * @param store   Open for writing.
 * @param target  An array, or another link, as in tess_store_find().
 * @param path    The path of the link; there is no such entry, nor a group.
 * @param err     Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_NOT_FOUND, TESS_ERR_TYPE if the target is a group, TESS_ERR_ARG,
 *         TESS_ERR_NOMEM; and for its path as for that of a new array.
 */
TESS_API TESS_NODISCARD tess_status tess_store_link(tess_store *store, const char *target,
                                                    const char *path, tess_error *err);

/**
 * Where a link leads: the path that it was made with. There may be no such entry any more.
 *
 * @param store   An open store.
 * @param path    Of the link, as in tess_store_find().
 * @param target  Receives the path, to be freed with tess_free(); NULL on failure.
 * @param err     Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_NOT_FOUND, TESS_ERR_TYPE if it is no link, TESS_ERR_CORRUPT, or as
 *         tess_store_array().
 */
TESS_API TESS_NODISCARD tess_status tess_store_target(tess_store *store, const char *path,
                                                      char **target, tess_error *err);

/**
 * Copy a store as it is read: to a zip file, or to a new directory with one commit. Chunks are
 * copied as they are stored.
 *
 * A zip file has its members stored, the smallest first, embed.b2e last, as python-blosc2 writes
 * them; free space in frames stays. It is written from start to end, and appears whole. A directory
 * has what is in embed.b2e as files of their own; a copy that fails leaves a directory without a
 * commit.
 *
 * @param store    Open for reading.
 * @param storage  Where: a path (`.b2z`: a zip file; else a directory), or a source (a zip file);
 *                 mode TESS_MODE_NEW, or, for a zip file, TESS_MODE_REPLACE.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_UNSUPPORTED for a sparse array and a zip file, and for a directory that is to be
 *         replaced;
 *         TESS_ERR_ARG, and as opening and tess_array_save().
 */
TESS_API TESS_NODISCARD tess_status tess_store_save(tess_store *store, const tess_storage *storage,
                                                    tess_error *err);

/**
 * The number of the commit that is read, or was made last. Each commit has a higher one.
 *
 * @param store  An open store.
 * @return 0: there are no commits.
 */
TESS_API uint64_t tess_store_number(const tess_store *store);

/**
 * List the commits that are kept, by ascending number: the newest one, those that have a name, and
 * others that are read, or that no writer has removed yet.
 *
 * The list is that of the directory at the time of the call: the newest commit may be newer than
 * the one that is read, and one without a name may be gone when tess_store_open_commit() is called.
 * Commits are not read: a damaged one is listed, too.
 *
 * @param store        An open store, for reading or writing.
 * @param commits      Receives the list, with the names in the same allocation; free it with
 *                     tess_free(). NULL if there are none, and on failure.
 * @param commit_size  Bytes from one element to the next: the macro passes sizeof(tess_commit).
 * @param count        Receives the number of elements; 0 for a zip file, and a directory without
 *                     commits.
 * @param err          Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG, TESS_ERR_IO, TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_store_commits_sized(const tess_store *store,
                                                             tess_commit **commits,
                                                             size_t commit_size, int64_t *count,
                                                             tess_error *err);
/** For programs in C and C++: tess_store_commits_sized() with the size of their struct. */
#define tess_store_commits(store, commits, count, err) \
    tess_store_commits_sized((store), (commits), sizeof(tess_commit), (count), (err))

/**
 * Give the last commit a name, by which it stays: tess_store_open_commit() opens it, until
 * tess_store_forget_commit(). What it needs of files is not reused.
 *
 * @param store  Open for writing.
 * @param name   1 to 100 bytes: no space, '/' or array ending; not a number.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if there is no commit, or it has a name; TESS_ERR_IO (err->sys
 *         EEXIST if another one has it), TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_store_name_commit(tess_store *store, const char *name,
                                                           tess_error *err);

/**
 * Take the name from a commit. The next writer that opens the store, or commits, removes it with
 * its space, unless it is read.
 *
 * @param store  Open for writing.
 * @param name   As it was given.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_NOT_FOUND, TESS_ERR_ARG, TESS_ERR_IO, TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_store_forget_commit(tess_store *store, const char *name,
                                                             tess_error *err);

/**
 * What was left out: a file or member that is no entry; of a store that is open for reading.
 *
 * @param store   An open store.
 * @param index   From 0 on.
 * @param name    Receives its name in the directory or zip file, or the path that it shares with an
 *                entry; valid until the next call on the store.
 * @param reason  Receives the reason in a few words; static.
 * @return false: there are not so many; nothing is received.
 */
TESS_API bool tess_store_left_out(const tess_store *store, int64_t index, const char **name,
                                  const char **reason);

#ifdef __cplusplus
}
#endif

#endif
