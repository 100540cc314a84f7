/*
 * store.c - the public functions on stores of arrays.
 */
#include "store/store.h"
#include "store/writer.h"

#include "api/take.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/sized.h"
#include "store/listing.h"

#include <tessera/store.h>

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
