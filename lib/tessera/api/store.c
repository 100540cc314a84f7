/*
 * store.c - the public functions on stores of arrays.
 */
#include "store/store.h"
#include "store/writer.h"

#include "api/take.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/state_files.h"
#include "store/listing.h"

#include <tessera/store.h>

#include <stdint.h>
#include <string.h>

TESS_API tess_status
tess_store_open(const tess_storage *storage, tess_store **store, tess_error *err)
{
    UNCANCELLED;
    struct taken_storage at;
    if (!store)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the store is given");
    *store = NULL;
    const tess_status st = take_storage(&at, storage, err);
    return st == TESS_OK ? store_open(&at.storage, NULL, store, err) : st;
}

TESS_API tess_status
tess_store_open_commit(const tess_storage *storage, const char *commit, tess_store **store,
                       tess_error *err)
{
    UNCANCELLED;
    struct taken_storage at;
    if (!store || !commit)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the store, or no commit, is given");
    *store = NULL;
    const tess_status st = take_storage(&at, storage, err);
    return st == TESS_OK ? store_open(&at.storage, commit, store, err) : st;
}

TESS_API void
tess_store_close(tess_store *store)
{
    UNCANCELLED;
    store_close(store);
}

// The entries of a store, with those that the next commit is to have. NULL: it cannot be made.
static const struct listing *
entries_of(tess_store *store)
{
    const bool listed = store && (!store->writer || writer_relist(store, NULL) == TESS_OK);
    return listed ? &store->listing : NULL;
}

TESS_API int64_t
tess_store_count(tess_store *store)
{
    UNCANCELLED;
    const struct listing *const list = entries_of(store);
    return list ? list->nnodes : 0;
}

TESS_API void
tess_store_entry_sized(tess_store *store, int64_t index, tess_entry *entry, size_t entry_size)
{
    UNCANCELLED;
    tess_entry own = {.path = NULL};
    if (!entry)
        return;
    const struct listing *const list = entries_of(store);
    if (list && index >= 0 && index < list->nnodes) {
        const struct node *const node = &list->nodes[index];
        own = (tess_entry){
            .path = node->path,
            .kind = node->kind,
            .size = node->at.size,
            .attributes = node->attributes.kind != PLACE_NONE,
        };
    }
    sized_give(entry, entry_size, &own, sizeof own);
}

TESS_API int64_t
tess_store_find(tess_store *store, const char *path)
{
    UNCANCELLED;
    const struct listing *const list = path ? entries_of(store) : NULL;
    return list ? listing_find(list, path) : -1;
}

TESS_API int64_t
tess_store_next(tess_store *store, int64_t index)
{
    UNCANCELLED;
    const struct listing *const list = entries_of(store);
    return list && index >= 0 && index < list->nnodes ? list->nodes[index].next : -1;
}

// Arguments of a call that opens something in a store.
static tess_status
check_open(const tess_store *store, const char *path, tess_array **a, tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the array is given");
    *a = NULL;
    return store && path ? TESS_OK
                         : err_set(err, TESS_ERR_ARG, -1, "no store, or no path, is given");
}

TESS_API tess_status
tess_store_array(tess_store *store, const char *path, tess_array **a, tess_error *err)
{
    UNCANCELLED;
    const tess_status st = check_open(store, path, a, err);
    return st == TESS_OK ? store_open_path(store, path, a, err) : st;
}

TESS_API tess_status
tess_store_attributes(tess_store *store, const char *path, tess_array **a, tess_error *err)
{
    UNCANCELLED;
    const tess_status st = check_open(store, path, a, err);
    return st == TESS_OK ? store_open_attributes(store, path, a, err) : st;
}

// -- changes

static tess_status
check_store(const tess_store *store, tess_error *err)
{
    return store ? TESS_OK : err_set(err, TESS_ERR_ARG, -1, "no store is given");
}

TESS_API tess_status
tess_store_commit(tess_store *store, tess_error *err)
{
    UNCANCELLED;
    const tess_status st = check_store(store, err);
    return st == TESS_OK ? store_commit(store, err) : st;
}

TESS_API tess_status
tess_store_abort(tess_store *store, tess_error *err)
{
    UNCANCELLED;
    const tess_status st = check_store(store, err);
    return st == TESS_OK ? store_abort(store, err) : st;
}

TESS_API tess_status
tess_store_refresh(tess_store *store, bool *changed, tess_error *err)
{
    UNCANCELLED;
    bool own = false;
    tess_status st = check_store(store, err);
    if (st == TESS_OK)
        st = store_refresh(store, &own, err);
    if (changed)
        *changed = own;
    return st;
}

TESS_API tess_status
tess_store_remove(tess_store *store, const char *path, tess_error *err)
{
    UNCANCELLED;
    if (!store || !path)
        return err_set(err, TESS_ERR_ARG, -1, "no store, or no path, is given");
    return writer_remove(store, path, err);
}

TESS_API tess_status
tess_store_rename(tess_store *store, const char *from, const char *to, tess_error *err)
{
    UNCANCELLED;
    if (!store || !from || !to)
        return err_set(err, TESS_ERR_ARG, -1, "no store, or no path, is given");
    return writer_rename(store, from, to, err);
}

TESS_API tess_status
tess_store_link(tess_store *store, const char *target, const char *path, tess_error *err)
{
    UNCANCELLED;
    if (!store || !target || !path)
        return err_set(err, TESS_ERR_ARG, -1, "no store, or no path, is given");
    return store_link(store, target, path, err);
}

TESS_API tess_status
tess_store_target(tess_store *store, const char *path, char **target, tess_error *err)
{
    UNCANCELLED;
    const struct node *node = NULL;
    if (!store || !path || !target)
        return err_set(err, TESS_ERR_ARG, -1, "no store, no path, or no place for one, is given");
    *target = NULL;
    const tess_status st = store_find_node(store, path, &node, err);
    if (st != TESS_OK)
        return st;
    if (node->kind != TESS_ENTRY_LINK)
        return err_set(err, TESS_ERR_TYPE, -1, "%s is no link", node->path);
    return store_target_of(store, node, target, err);
}

TESS_API tess_status
tess_store_save(tess_store *store, const tess_storage *storage, tess_error *err)
{
    UNCANCELLED;
    struct taken_storage at;
    tess_status st = check_store(store, err);
    if (st == TESS_OK)
        st = take_storage(&at, storage, err);
    return st == TESS_OK ? store_save(store, &at.storage, err) : st;
}

// -- commits

TESS_API uint64_t
tess_store_number(const tess_store *store)
{
    return store && store->state ? store->state->m.number : 0;
}

// A list whose elements have the size that the program knows, and behind them their names.
static tess_status
give_commits(const struct state_file *own, size_t n, size_t commit_size, tess_commit **commits,
             tess_error *err)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        size += strlen(own[i].name) + 1;
    if (n > 0 && (commit_size == 0 || n > (SIZE_MAX - size) / commit_size))
        return err_set(err, TESS_ERR_ARG, -1, "a list of %zu elements of %zu bytes", n,
                       commit_size);
    uint8_t *const list = n > 0 ? mem_alloc(n * commit_size + size) : NULL;
    if (n > 0 && !list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of %zu commits", n);
    char *names = list ? (char *)list + n * commit_size : NULL;
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(own[i].name) + 1;
        const tess_commit commit = {.number = own[i].number, .name = length > 1 ? names : NULL};
        memcpy(names, own[i].name, length);
        names += length;
        sized_give(list + i * commit_size, commit_size, &commit, sizeof commit);
    }
    *commits = (void *)list;
    return TESS_OK;
}

TESS_API tess_status
tess_store_commits_sized(const tess_store *store, tess_commit **commits, size_t commit_size,
                         int64_t *count, tess_error *err)
{
    UNCANCELLED;
    struct state_file *own = NULL;
    size_t n = 0;
    if (!commits || !count)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the list or its length is given");
    *commits = NULL;
    *count = 0;
    tess_status st = check_store(store, err);
    if (st == TESS_OK)
        st = store_commits(store, &own, &n, err);
    if (st == TESS_OK)
        st = give_commits(own, n, commit_size, commits, err);
    mem_free(own);
    if (st == TESS_OK)
        *count = (int64_t)n;
    return st;
}

TESS_API tess_status
tess_store_name_commit(tess_store *store, const char *name, tess_error *err)
{
    UNCANCELLED;
    if (!store || !name)
        return err_set(err, TESS_ERR_ARG, -1, "no store, or no name, is given");
    return store_name(store, name, err);
}

TESS_API tess_status
tess_store_forget_commit(tess_store *store, const char *name, tess_error *err)
{
    UNCANCELLED;
    if (!store || !name)
        return err_set(err, TESS_ERR_ARG, -1, "no store, or no name, is given");
    return store_unname(store, name, err);
}

TESS_API bool
tess_store_left_out(const tess_store *store, int64_t index, const char **name, const char **reason)
{
    if (!store || !name || !reason || index < 0 || index >= store->listing.nleft)
        return false;
    *name = store->listing.left[index].name;
    *reason = store->listing.left[index].reason;
    return true;
}
