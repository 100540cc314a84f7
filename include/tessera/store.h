/**
 * @file store.h
 * Stores: many arrays under one name, in groups, as python-blosc2 writes them.
 *
 * A store is a directory (`.b2d`) or a zip file (`.b2z`). Inside it, an array `/winds/u` is the
 * file `winds/u.b2nd`, and `winds` is a group. python-blosc2's DictStore and TreeStore are such
 * stores. Those of a zip file are read where they stand: nothing is unpacked.
 *
 *     tess_storage_init(&storage);
 *     storage.path = "climate.b2z";
 *     TRY(tess_store_open(&storage, &store, &err));
 *     for (int64_t i = 0; i < tess_store_count(store); i++) {
 *         tess_store_entry(store, i, &entry);
 *         printf("%s\n", entry.path);
 *     }
 *     TRY(tess_store_array(store, "/winds/u", &a, &err));
 *
 * **State.** The list of entries is that of the time when the store was opened. Arrays of a zip
 * file are of that file, even if another one has its name since; once it was written over, opening
 * an array fails with TESS_ERR_STALE. Arrays of a directory are opened by their paths, each in its
 * newest state.
 *
 * **Threads.** Any number of threads may use a store at once, except to close it. The arrays are
 * independent of it: they stay open when it is closed.
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
    TESS_ENTRY_BATCH = 3 /**< a super-chunk of batches of objects (`.b2b`); opened likewise */
} tess_entry_kind;

/** An entry of a store. Filled by the library. */
typedef struct tess_entry {
    /** From the root: "/winds/u"; of the root "/". Valid until the store is closed. */
    const char *path;
    /** As the name of its file says; the file may be something else. Of what is embedded in
        embed.b2e: TESS_ENTRY_ARRAY. */
    tess_entry_kind kind;
    int64_t size; /**< stored bytes; 0 for a group, and an array in a directory of its own */
    bool attributes; /**< there are attributes of a group at this path: tess_store_attributes() */
} tess_entry;

/**
 * Open a store for reading.
 *
 * Of a zip file its list of members is read, and nothing else; of a directory, the names of all
 * files below it. Links to directories are not followed. What cannot be an entry is left out, and
 * tess_store_left_out() tells it: names that do not end as those of arrays do; members that are
 * compressed or encrypted; names that are absolute, have `..`, empty parts, backslashes, control
 * characters, more than 64 parts or 4096 bytes, or are not UTF-8; and what has the path of another
 * entry. Of two members of one name the later one in the list counts, of two files of one path the
 * array; files and members count before what is in embed.b2e.
 *
 * @param storage  Where: path, or image or source of a zip file; mode TESS_MODE_READ; offset 0.
 *                 Its checksums, limits, mmap, lock_file, plain, plugins and context apply to the
 *                 arrays that are opened from the store; the lists of plugins must stay valid until
 *                 it is closed. An image must stay unchanged until the store and its arrays are
 *                 closed. A source belongs to the store after a success, and is closed with the
 *                 last of them.
 * @param store    Receives the store; NULL on failure.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if there is nothing at the path;
 *         TESS_ERR_FORMAT if it is neither a directory nor a zip file, or is a sparse array;
 *         TESS_ERR_CORRUPT if the list of members contradicts itself or the length of the file, or
 *         members overlap;
 *         TESS_ERR_UNSUPPORTED for another mode, and for a zip file in several volumes;
 *         TESS_ERR_LIMIT if the list, or the names, need more than limits.memory;
 *         TESS_ERR_ARG, TESS_ERR_IO, TESS_ERR_NOMEM, TESS_ERR_CANCELLED.
 */
TESS_API TESS_NODISCARD tess_status tess_store_open(const tess_storage *storage, tess_store **store,
                                                    tess_error *err);

/**
 * Close a store. Arrays that were opened from it stay open.
 *
 * @param store  May be NULL. Invalid afterwards.
 */
TESS_API void tess_store_close(tess_store *store);

/**
 * Count the entries.
 *
 * @param store  An open store.
 * @return their number, the root included: at least 1.
 */
TESS_API int64_t tess_store_count(const tess_store *store);

/**
 * An entry. Entries are in the order of a walk: a group, then all that is below it, by name (bytes
 * compared).
 *
 * @param store       An open store.
 * @param index       0 <= index < tess_store_count(); 0 is the root.
 * @param entry       Filled.
 * @param entry_size  Size of *entry in bytes: the macro passes sizeof(tess_entry).
 */
TESS_API void tess_store_entry_sized(const tess_store *store, int64_t index, tess_entry *entry,
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
TESS_API int64_t tess_store_find(const tess_store *store, const char *path);

/**
 * The next entry that is not below another one: to list what a group contains without what is
 * below its groups, start at the entry behind the group, and go on until the index is that of
 * tess_store_next() of the group.
 *
 * @param store  An open store.
 * @param index  0 <= index < tess_store_count().
 * @return the index behind the last entry below this one; index + 1 if there are none.
 */
TESS_API int64_t tess_store_next(const tess_store *store, int64_t index);

/**
 * Open an array, or a super-chunk, of a store for reading.
 *
 * @param store  An open store.
 * @param path   As in tess_store_find().
 * @param a      Receives the array; NULL on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if there is no such entry;
 *         TESS_ERR_TYPE if it is a group;
 *         TESS_ERR_STALE if the zip file was written over;
 *         or as tess_array_open(), TESS_ERR_CORRUPT also if the frame is longer than its member.
 */
TESS_API TESS_NODISCARD tess_status tess_store_array(const tess_store *store, const char *path,
                                                     tess_array **a, tess_error *err);

/**
 * Open what holds the attributes of a group, for the functions of attr.h; its items mean nothing.
 * Its listing is tess_info.nvlmetalayers and tess_vlmeta_name(). python-blosc2 keeps them in the
 * super-chunk `__vlmeta__.b2f` of the group, which is no entry of its own.
 *
 * @param store  An open store.
 * @param path   Of a group, as in tess_store_find().
 * @param a      Receives it; NULL on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_store_array(); TESS_ERR_NOT_FOUND also if the group has no attributes.
 */
TESS_API TESS_NODISCARD tess_status tess_store_attributes(const tess_store *store, const char *path,
                                                          tess_array **a, tess_error *err);

/**
 * What was left out: a file or member that is no entry of the store.
 *
 * @param store   An open store.
 * @param index   From 0 on.
 * @param name    Receives its name, as the directory or zip file has it, or the path that it shares
 *                with an entry; valid until the store is closed.
 * @param reason  Receives the reason in a few words; static.
 * @return false: there are not so many; nothing is received.
 */
TESS_API bool tess_store_left_out(const tess_store *store, int64_t index, const char **name,
                                  const char **reason);

#ifdef __cplusplus
}
#endif

#endif
